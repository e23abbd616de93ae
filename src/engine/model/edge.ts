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

/** Types that rules and models may write; only a person supersedes (`RelationWriter.supersede`). */
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
  /** Which end no longer holds, by whose word; absent where only a rule found that they differ. */
  readonly mark?: EdgeMark;
}

/** A judgement on the two ends of an edge. */
export interface EdgeMark {
  /** `none`: both ends hold. */
  readonly outdated: 'source' | 'target' | 'none';
  readonly by: 'model' | 'person';
  readonly at: string;
}

export type NewEdge = Omit<Edge, 'createdAt' | 'settledAt' | 'mark' | 'type'> & { readonly type: MachineEdgeType };
