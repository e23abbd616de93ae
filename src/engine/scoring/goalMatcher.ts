/** Shared terms for a full match; a goal with fewer terms needs all of them. */
const maxTermsForFullMatch = 4;

/** Scores how well memories match a person's goals. Lexical: it needs no embedding and is deterministic. */
export class GoalMatcher {
  /** Term -> indexes of the goals with it. */
  private readonly goalsByTerm = new Map<string, number[]>();
  /** By goal: number of shared terms for a full match. */
  private readonly fullMatchTermCounts: number[] = [];
  /** By goal: number of terms shared with the current memory. All zeros between calls. */
  private readonly sharedTermCounts: Uint16Array;

  /** @param goals terms of each goal, without stop words; a goal without terms matches nothing */
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

  /** Share of the best-matching goal's terms in the memory, 0-1. */
  relevance(memoryTerms: readonly string[]): number {
    let best = 0;
    const matchedGoals: (readonly number[])[] = [];
    for (const term of new Set(memoryTerms)) {
      const goalsWithTerm = this.goalsByTerm.get(term);
      if (goalsWithTerm === undefined) continue;
      matchedGoals.push(goalsWithTerm);
      // Arrays instead of a map: a term may be in thousands of goals.
      for (const goal of goalsWithTerm)
        best = Math.max(best, ++this.sharedTermCounts[goal]! / this.fullMatchTermCounts[goal]!);
    }
    for (const goalsWithTerm of matchedGoals) for (const goal of goalsWithTerm) this.sharedTermCounts[goal] = 0;
    return Math.min(1, best);
  }
}
