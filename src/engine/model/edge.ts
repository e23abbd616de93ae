import type { Memory } from './memory.js';

/**
 * Relations between memories (cortex). `exemplifies` and `derived_from` point from the specific to the general or to
 * the source.
 */
export const edgeTypes = [
  'relates_to',
  'derived_from',
  'contradicts',
  'exemplifies',
  'refines',
  'supersedes',
  'source_of',
] as const;
export type EdgeType = (typeof edgeTypes)[number];

/** Types that a person may give an edge of two memories. */
export const linkTypes = [
  'exemplifies',
  'refines',
  'derived_from',
  'relates_to',
] as const satisfies readonly EdgeType[];
export type LinkType = (typeof linkTypes)[number];

/** The reason of an edge that a person made. */
export const personLinkReason = 'A person linked them.';

/** One edge of these types stands for both directions. */
export const symmetricEdgeTypes: readonly EdgeType[] = ['relates_to', 'contradicts'];

/** Types that the engine and models may write; only a person supersedes (`RelationWriter.supersede`). */
export type MachineEdgeType = Exclude<EdgeType, 'supersedes'>;

export interface Edge {
  /** Memory id; for symmetric types the memory that was stored later. */
  readonly source: string;
  readonly target: string;
  readonly type: EdgeType;
  /** Similarity or certainty, 0-1. Unique on (source, target, type): the greater value is kept. */
  readonly strength: number;
  /** One sentence: why the edge exists. */
  readonly reason: string;
  readonly createdAt: string;
  /** Of a contradiction: when a person settled it. */
  readonly settledAt?: string;
  /** Which end no longer holds, by whose word; absent where an earlier version's rules found that they differ. */
  readonly mark?: EdgeMark;
}

/** A judgement on the two ends of an edge. */
export interface EdgeMark {
  /** `none`: both ends hold. */
  readonly outdated: 'source' | 'target' | 'none';
  readonly by: 'model' | 'person';
  readonly at: string;
}

/** A memory that replaces another one, and whose word that is. */
export interface Successor {
  readonly id: string;
  readonly by: EdgeMark['by'];
}

/** A judgement that one memory no longer holds because of another one. */
export interface OutdatedMark {
  readonly outdated: string;
  readonly replacement: string;
  /** `contradicts`: it is replaced; `relates_to`: the other says the same. */
  readonly type: 'contradicts' | 'relates_to';
  readonly by: EdgeMark['by'];
  /** One sentence. */
  readonly reason: string;
}

/** Of a judgement whose edge has the type: `relates_to` says that one end says the same as the other and stands for it. */
export function sameOfMark(type: unknown): { readonly isSame?: true } {
  return type === 'relates_to' ? { isSame: true } : {};
}

/** Strength of the edge of a judgement: a model named what a memory replaces with 98 % precision. */
export const markStrength = 0.98;

/**
 * Whether a statement that a memory no longer holds decides about its place: a person's always, a model's where the memory is
 * a note that is not pinned. What a person confirmed or pinned stays until a person settles it.
 */
export function isDecided({ lane, pinned }: Pick<Memory, 'lane' | 'pinned'>, by: EdgeMark['by']): boolean {
  return by === 'person' || (lane === 'note' && !pinned);
}

const authorities: readonly EdgeMark['by'][] = ['model', 'person'];

/** Whether one author's word stands over another's, whatever was said last. */
export function outweighs(author: EdgeMark['by'], other: EdgeMark['by']): boolean {
  return authorities.indexOf(author) > authorities.indexOf(other);
}

/**
 * Orders statements about a memory, the one that stands last: by authority, then by time. The engine's own findings are no
 * statements: they have no mark.
 */
export function compareMarks(a: Pick<EdgeMark, 'by' | 'at'>, b: Pick<EdgeMark, 'by' | 'at'>): number {
  const byAuthority = authorities.indexOf(a.by) - authorities.indexOf(b.by);
  return byAuthority === 0 ? (a.at < b.at ? -1 : a.at > b.at ? 1 : 0) : byAuthority;
}

export type NewEdge = Omit<Edge, 'createdAt' | 'settledAt' | 'mark' | 'type'> & { readonly type: MachineEdgeType };
