import type { Gate, Kind, Lane, MemorySource, StoreKind } from '../model/memory.js';

/** What decides whether a memory stands in every session, and where. */
export interface StandingInput {
  readonly id: string;
  readonly store: StoreKind;
  readonly gate: Gate;
  readonly kind: Kind;
  readonly lane: Lane;
  readonly source: MemorySource;
  readonly reinforcementCount: number;
  readonly accessCount: number;
  readonly reinforcedAt: string;
}

type GradedMemory = Pick<StandingInput, 'store' | 'gate' | 'kind' | 'lane'>;

/** A rule for work; what a person confirmed, and a pitfall; anything else. */
export type StandingGrade = 'rule' | 'perhaps' | 'none';

const ruleKinds: readonly Kind[] = ['preference', 'procedure', 'pattern'];
const noRuleKinds: readonly Kind[] = ['summary', 'code', 'code-description'];
const pitfallKinds: readonly Kind[] = ['gotcha', 'pitfall'];

/**
 * Whether a memory says how work is done: by its gate or kind, or by its place, for what holds everywhere is about the person.
 * Any one of them is enough: a rule that is missing costs more than one line too many. The caller that stored it says which
 * gate it has; what it did not say, the classifier guessed.
 */
export function standingGrade({ store, gate, kind, lane }: GradedMemory): StandingGrade {
  if (noRuleKinds.includes(kind)) return 'none';
  if (gate === 'correction' || gate === 'behavioral' || ruleKinds.includes(kind) || store === 'global') return 'rule';
  return lane === 'confirmed' || pitfallKinds.includes(kind) ? 'perhaps' : 'none';
}

/** Whether a memory says how work is done, or what to avoid, by its gate or kind alone. */
export function saysRule({ gate, kind }: Pick<GradedMemory, 'gate' | 'kind'>): boolean {
  return standingGrade({ store: 'project', lane: 'note', gate, kind }) !== 'none';
}

/**
 * Orders standing memories, first those that come first: a person's, a model's, what a rule heard in a session; of these
 * what holds everywhere, then what was said more than once, what was used, what is newer. What a file says comes last: a person has confirmed it at most.
 */
export function compareStanding(a: StandingInput, b: StandingInput): number {
  return (
    originRank(a) - originRank(b) ||
    Number(b.store === 'global') - Number(a.store === 'global') ||
    b.reinforcementCount - a.reinforcementCount ||
    b.accessCount - a.accessCount ||
    compareText(b.reinforcedAt, a.reinforcedAt) ||
    compareText(b.id, a.id)
  );
}

/** Whether only a file says it, and no person has confirmed it: it stands nowhere without a person's word. */
export function isUnconfirmedImport({ lane, source }: Pick<StandingInput, 'lane' | 'source'>): boolean {
  return lane === 'note' && source === 'import';
}

/** By authority: a person's, a model's, what a rule heard in a session, what a file says. */
export function originRank({ lane, source }: Pick<StandingInput, 'lane' | 'source'>): number {
  if (source === 'import') return 3;
  if (lane === 'confirmed') return 0;
  return source === 'conversation' ? 2 : 1;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
