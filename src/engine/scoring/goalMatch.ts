/** Words of a goal that a memory must share to be as relevant to it as can be; all of them where a goal has fewer. */
const wordsForFull = 4;

/** Finds how well memories match the goals of a person, by words alone: it needs no embedding and always gives the same. */
export class GoalMatch {
  /** Which goals have a term. */
  private readonly goalsOf = new Map<string, number[]>();
  /** Shared terms at which a goal is fully matched. */
  private readonly full: number[] = [];

  /** @param goals the terms of each goal, without stop words; one without terms matches nothing */
  constructor(goals: readonly (readonly string[])[]) {
    for (const [i, terms] of goals.entries()) {
      const distinct = new Set(terms);
      this.full.push(Math.min(wordsForFull, distinct.size));
      for (const term of distinct) this.goalsOf.set(term, [...(this.goalsOf.get(term) ?? []), i]);
    }
  }

  get isEmpty(): boolean {
    return this.goalsOf.size === 0;
  }

  /** 0-1: the share of the best-matched goal's words that are in the memory. */
  relevance(memoryTerms: readonly string[]): number {
    const shared = new Map<number, number>();
    for (const term of new Set(memoryTerms)) {
      for (const goal of this.goalsOf.get(term) ?? []) shared.set(goal, (shared.get(goal) ?? 0) + 1);
    }
    let best = 0;
    for (const [goal, count] of shared) best = Math.max(best, Math.min(1, count / this.full[goal]!));
    return best;
  }
}
