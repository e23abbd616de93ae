import { createHash } from 'node:crypto';
import type { Memory } from '../model/memory.js';
import { preservesAllDetails, mergeByRule } from './mergeText.js';

/** The stored form of a proposal; contains no memory text once it is decided. */
export interface ProposalRecord {
  readonly state: 'open' | 'accepted' | 'rejected';
  /** Ids, oldest first. */
  readonly members: readonly string[];
  readonly content?: string;
  readonly by: string;
  readonly similarity: number;
  readonly measured: 'meaning' | 'words';
  /** Of an accepted proposal: the merged memory. */
  readonly merged?: {
    readonly id: string;
    /** Its previous state, if it existed before the merge. */
    readonly before?: Memory;
    /** Counters at the time of the merge; what is counted later is kept when the merge is undone. */
    readonly sequence: number;
    readonly accessCount: number;
    readonly usefulCount: number;
    readonly feedback: number;
  };
}

/** Input of a merge writer. */
export interface MergeInput {
  /** Near-duplicate texts, oldest first. */
  readonly texts: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** A model that merges redundant texts into one and keeps every unique detail. */
export interface MergeWriter {
  /** Display name. */
  readonly name: string;
  /** @throws if it cannot merge; the rule is used then */
  merge(input: MergeInput): Promise<string>;
}

/** The merged text: by the model if there is one and it lost no detail, otherwise by rule. */
export async function writeMergedText(
  memories: readonly Memory[],
  writer: MergeWriter | undefined,
  signal?: AbortSignal,
): Promise<{ readonly content: string; readonly by: string }> {
  const texts = memories.map(it => it.content);
  if (writer !== undefined) {
    const modelText = await writer.merge({ texts, signal }).catch(() => {
      signal?.throwIfAborted();
      return '';
    });
    const content = modelText.trim();
    if (content !== '' && preservesAllDetails(content, texts)) return { content, by: writer.name };
  }
  return { content: mergeByRule(texts), by: 'rule' };
}

/** Id of a group, computed from its memories and their texts. */
export function computeProposalId(memories: readonly Memory[]): string {
  const hash = createHash('sha256');
  for (const { id, contentHash } of [...memories].sort((a, b) => (a.id < b.id ? -1 : 1)))
    hash.update(`${id} ${contentHash}\n`);
  return hash.digest('hex').slice(0, 8);
}
