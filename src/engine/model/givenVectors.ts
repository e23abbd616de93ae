/** Vectors that another program made of memories, with one model. */
export interface GivenVectors {
  /** Name or id of the model. */
  readonly model: string;
  readonly vectors: readonly GivenVector[];
}

export interface GivenVector {
  /** Id or short id of the memory. */
  readonly id: string;
  /** As many numbers as the model has dimensions; of any length above 0. */
  readonly vector: readonly number[];
}

export type GivenVectorOutcome =
  | { readonly outcome: 'stored'; readonly id: string }
  | { readonly outcome: 'refused'; readonly id: string; readonly reason: string };
