/** How two memories hang together (cortex). `exemplifies` and `derived_from` point from the special to what it came from. */
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

/** Types that hold both ways: one edge stands for both directions. */
export const symmetricEdgeTypes: readonly EdgeType[] = ['relates_to', 'contradicts'];

/** What rules and models may write: only a person supersedes (`Store.write`'s `supersede`). */
export type MachineEdgeType = Exclude<EdgeType, 'supersedes'>;

export interface Edge {
  /** Id of a memory; of a type that holds both ways, the one that was stored later. */
  readonly source: string;
  readonly target: string;
  readonly type: EdgeType;
  /** 0-1: how similar, or how certain. Unique on (source, target, type): a second finding keeps the greater one. */
  readonly strength: number;
  /** One sentence: why it was made. */
  readonly reason: string;
  readonly createdAt: string;
  /** Of a contradiction: since when a person has settled it. */
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
