import { omitUndefined } from '../base/omitUndefined.js';
import type { HistoryLine } from './store.js';

/** Confidence that a contradiction took and nothing has given back. */
export interface OwedPenalty {
  /** Id of the memory that contradicted it. */
  readonly by: string;
  /** Of the contradiction, 0-1. */
  readonly certainty: number;
  /** Whether a person stated it; otherwise an earlier version's rules found it. */
  readonly isPersons: boolean;
  /** Points that it took, where the log has them: less than its certainty asks for where less was left. */
  readonly points?: number;
}

/** The penalties of a memory that are still in effect, by its history. */
export function owedPenalties(history: readonly HistoryLine[]): readonly OwedPenalty[] {
  const taken = new Map<string, OwedPenalty>();
  const returned = new Set<string>();
  for (const { action, detail } of history) {
    const { by, other, certainty, vindicated } = detail;
    if (action === 'weaken' && typeof by === 'string' && typeof certainty === 'number') {
      const { from, to } = (detail.confidence ?? {}) as { readonly from?: number; readonly to?: number };
      const points = from === undefined || to === undefined ? undefined : from - to;
      taken.set(by, { by, certainty, isPersons: detail.person === true, ...omitUndefined({ points }) });
      returned.delete(by);
    }
    if (action !== 'settle' || typeof other !== 'string') continue;
    if (vindicated === true) returned.add(other);
    else if (vindicated === false) returned.delete(other);
  }
  return [...taken.values()].filter(it => !returned.has(it.by));
}
