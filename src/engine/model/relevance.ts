/** What of a candidate says whether it answers, in units that mean the same in stores of any size. */
export interface RelevanceFeatures {
  /** Lexical score in matches of a term that only one memory has, 0 or more. */
  readonly rareTerms: number;
  /** Lexical score as a share of the highest possible one, 0-1. */
  readonly coverage: number;
  /** Cosine with the question, -1 to 1; 0 without an embedder. */
  readonly cosine: number;
  /** Best matches token by token, 0-1 (MaxSim); 0 without the built-in model. */
  readonly tokenMaxSim: number;
  /** Relevance against the best of the call, 0-1. */
  readonly relative: number;
}
