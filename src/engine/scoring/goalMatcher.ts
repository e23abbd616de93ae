/** Words of a goal that a memory must share to be as relevant to it as can be; all of them where a goal has fewer. */
const maxTermsForFullMatch = 4;

/** Finds how well memories match the goals of a person, by words alone: it needs no embedding and always gives the same. */
export class GoalMatcher {
  /** Which goals have a term. */
  private readonly goalsByTerm = new Map<string, number[]>();
  /** By goal: shared terms at which it is fully matched. */
  private readonly fullMatchTermCounts: number[] = [];
  /** By goal: terms that it shares with the memory looked at. Zeros between two of them. */
  private readonly sharedTermCounts: Uint16Array;

  /** @param goals the terms of each goal, without stop words; one without terms matches nothing */
  constructor(goals: readonly (readonly string[])[]) {
    for (const [i, terms] of goals.entries()) {
      const distinct = new Set(terms);
      this.fullMatchTermCounts.push(Math.min(maxTermsForFullMatch, distinct.size));
      for (const term of distinct) {
        const goalsWithTerm = this.goalsByTerm.get(term);
        if (goalsWithTerm === undefined) this.goalsByTerm.set(term, [i]);
        else goalsWithTerm.push(i);
      }
    }
    this.sharedTermCounts = new Uint16Array(goals.length);
  }

  get isEmpty(): boolean {
    return this.goalsByTerm.size === 0;
  }

  /** 0-1: the share of the best-matched goal's words that are in the memory. */
  relevance(memoryTerms: readonly string[]): number {
    let best = 0;
    const matchedGoals: (readonly number[])[] = [];
    for (const term of new Set(memoryTerms)) {
      const goalsWithTerm = this.goalsByTerm.get(term);
      if (goalsWithTerm === undefined) continue;
      matchedGoals.push(goalsWithTerm);
      // Thousands of promises may have the word: arrays, and no map.
      for (const goal of goalsWithTerm)
        best = Math.max(best, ++this.sharedTermCounts[goal]! / this.fullMatchTermCounts[goal]!);
    }
    for (const goalsWithTerm of matchedGoals) for (const goal of goalsWithTerm) this.sharedTermCounts[goal] = 0;
    return Math.min(1, best);
  }
}
