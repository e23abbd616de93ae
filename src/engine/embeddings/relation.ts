/** Relations of a newer text to an older one: the classes of the encoder's head, in its order. */
export const relationClasses = ['unrelated', 'compatible', 'same', 'refines', 'replaces', 'contradicts'] as const;
export type RelationClass = (typeof relationClasses)[number];

export type RelationPair = readonly [older: string, newer: string];

/** One probability per class; together 1. */
export type RelationProbabilities = Readonly<Record<RelationClass, number>>;
