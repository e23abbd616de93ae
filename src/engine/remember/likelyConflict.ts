import type { RelationProbabilities } from '../embeddings/relation.js';
import type { Provenance } from '../model/memory.js';
import type { StoreRecord, StoreTransaction } from '../store/store.js';

/** Sum of the probabilities of `replaces` and `contradicts` from which a person is asked (docs/encoder.md). */
const minProbability = 0.9;

/** The same sum, from which the newer of two comes first in an answer (docs/search-ranking.md). */
const minProbabilityToPrecede = 0.95;

/** A pair that the encoder takes for a conflict, without a statement about which one holds. */
export interface LikelyConflict {
  /** Memory ids; the newer one was stored later. */
  readonly newer: string;
  readonly older: string;
  /** 0.9-1. */
  readonly probability: number;
}

interface Side {
  readonly id: string;
  readonly lane: 'note' | 'confirmed';
  readonly provenance: { readonly source: string };
}

/** The pair, where the encoder is sure and a person's words are one of the two. */
export function likelyConflict(
  newer: Side,
  older: Side,
  relation: RelationProbabilities | undefined,
): LikelyConflict | undefined {
  const probability = conflictProbability(relation);
  const isPersons = newer.lane === 'confirmed' || older.lane === 'confirmed';
  const isOfCode = newer.provenance.source === 'code-index' || older.provenance.source === 'code-index';
  if (probability < minProbability || !isPersons || isOfCode) return undefined;
  return { newer: newer.id, older: older.id, probability: Math.min(1, probability) };
}

/** Whether a memory's text probably replaces an older one's: a guess that orders an answer, without a word of anyone. */
export function probablyReplaces(relation: RelationProbabilities | undefined): boolean {
  return conflictProbability(relation) >= minProbabilityToPrecede;
}

/** Without the guess that it replaces others, or one other: a decision or another text ended it. */
export function withoutGuess({ mayReplace, ...provenance }: Provenance, otherId?: string): Provenance {
  const left = otherId === undefined ? [] : (mayReplace ?? []).filter(it => it !== otherId);
  return left.length === 0 ? provenance : { ...provenance, mayReplace: left };
}

function conflictProbability(relation: RelationProbabilities | undefined): number {
  return relation === undefined ? 0 : relation.replaces + relation.contradicts;
}

/** Nothing comes of it but a line under "Needs you". */
export async function recordLikelyConflict(tx: StoreTransaction, pair: LikelyConflict): Promise<void> {
  await tx.putRecord('likelyConflict', likelyConflictId(pair.newer, pair.older), pair);
}

/** Id of the record of a pair, in either order. */
export function likelyConflictId(a: string, b: string): string {
  return [a, b].sort().join(':');
}

/** The pair of a record, which another version may have written otherwise. */
export function toLikelyConflict({ body }: StoreRecord<Partial<LikelyConflict>>): LikelyConflict | undefined {
  const { newer, older, probability } = body;
  if (newer === undefined || older === undefined || probability === undefined) return undefined;
  return { newer, older, probability };
}
