/** A person's word on two answers to one prompt, given without knowing which one had the memory. */
export interface AnswerJudgment {
  /** ISO-8601 UTC. */
  readonly at: string;
  /** The provider's name of the model. */
  readonly model: string;
  readonly better: 'with' | 'without' | 'same';
  /** How many memories the answer with memory was given. */
  readonly memories: number;
  /** Of each call, in and out. */
  readonly tokens: { readonly with: number; readonly without: number };
}
