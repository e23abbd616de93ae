/** Words of a goal that a memory must share to be as relevant to it as can be; all of them where a goal has fewer. */
const wordsForFull = 4;

/** Finds how well memories match the goals of a person, by words alone: it needs no embedding and always gives the same. */
export class GoalMatch {
  /** Which goals have a term. */
  private readonly goalsOf = new Map<string, number[]>();
  /** By goal: shared terms at which it is fully matched. */
  private readonly full: number[] = [];
  /** By goal: terms that it shares with the memory looked at. Zeros between two of them. */
  private readonly shared: Uint16Array;

  /** @param goals the terms of each goal, without stop words; one without terms matches nothing */
  constructor(goals: readonly (readonly string[])[]) {
    for (const [i, terms] of goals.entries()) {
      const distinct = new Set(terms);
      this.full.push(Math.min(wordsForFull, distinct.size));
      for (const term of distinct) {
        const having = this.goalsOf.get(term);
        if (having === undefined) this.goalsOf.set(term, [i]);
        else having.push(i);
      }
    }
    this.shared = new Uint16Array(goals.length);
  }

  get isEmpty(): boolean {
    return this.goalsOf.size === 0;
  }

  /** 0-1: the share of the best-matched goal's words that are in the memory. */
  relevance(memoryTerms: readonly string[]): number {
    let best = 0;
    const met: (readonly number[])[] = [];
    for (const term of new Set(memoryTerms)) {
      const having = this.goalsOf.get(term);
      if (having === undefined) continue;
      met.push(having);
      // Thousands of promises may have the word: arrays, and no map.
      for (const goal of having) best = Math.max(best, ++this.shared[goal]! / this.full[goal]!);
    }
    for (const having of met) for (const goal of having) this.shared[goal] = 0;
    return Math.min(1, best);
  }
}
