/** How much of a call's words a memory has, in its own words or its search aids. All are 0–1. */
export interface WordMatch {
  /** Share of the weight of the query's words that it has, or for less, says in another way (developers' vocabulary). */
  readonly concepts: number;
  /** Share of the words' weight of the wording that it matches best: the query's or an alternative's. */
  readonly wording: number;
  /** The same, on average over all wordings. */
  readonly wordings: number;
  /** Share of the keywords' weight that it has whole. */
  readonly keywords: number;
  /** Likeness (Dice) of a wording and one of the memory's own questions, the best of all. */
  readonly question: number;
  /** Weight of the rarest word of the query that it lacks. */
  readonly missing: number;
  /** 1 for a memory without search aids, of which fewer words can be met; else 0. */
  readonly withoutAids: number;
  /** 1 where the query asks for a person and the memory names one; else 0. */
  readonly person: number;
}

export const noWordMatch: WordMatch = {
  concepts: 0,
  wording: 0,
  wordings: 0,
  keywords: 0,
  question: 0,
  missing: 0,
  withoutAids: 1,
  person: 0,
};

/** What of a candidate says whether it answers, in units that mean the same in stores of any size. */
export interface RelevanceFeatures extends WordMatch {
  /** Lexical score in matches of a term that only one memory has, 0 or more. */
  readonly rareTerms: number;
  /** Lexical score as a share of the highest possible one, 0-1. */
  readonly coverage: number;
  /** Cosine with the question, -1 to 1; 0 without an embedder. */
  readonly cosine: number;
  /** Best matches token by token, 0-1 (MaxSim); 0 without the built-in model. */
  readonly tokenMaxSim: number;
  /** Match with the date that the query names, 0-2. */
  readonly date: number;
  /** Natural logarithm of the terms beyond those of a usual memory, 0 or more. */
  readonly long: number;
  /** Relevance against the best of the call, 0-1. */
  readonly relative: number;
}
