import { createHash } from 'node:crypto';
import type { Memory } from '../model/memory.js';
import { preservesAllDetails, mergeByRule } from './mergeText.js';

/** What is kept of a proposal: no text of a memory once it is decided. */
export interface ProposalRecord {
  readonly state: 'open' | 'accepted' | 'rejected';
  /** Ids, oldest first. */
  readonly members: readonly string[];
  readonly content?: string;
  readonly by: string;
  readonly similarity: number;
  readonly measured: 'meaning' | 'words';
  /** Of an accepted one: what says it all now. */
  readonly merged?: {
    readonly id: string;
    /** The memory as it was, when one that was there became the merged one. */
    readonly before?: Memory;
    /** Its counters then: what is counted later stays when the merge is undone. */
    readonly sequence: number;
    readonly accessCount: number;
    readonly usefulCount: number;
    readonly feedback: number;
  };
}

/** What a model is given to merge. */
export interface MergeInput {
  /** Texts of memories that say nearly the same, oldest first. */
  readonly texts: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** A model that merges texts into one if they are redundant and keeps each unique detail. */
export interface MergeWriter {
  /** Its name, for people. */
  readonly name: string;
  /** Rejects when it cannot; the rule does it then. */
  merge(input: MergeInput): Promise<string>;
}

/** The merged text, by the model where there is one and it lost nothing, else by rule. */
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

/** Names a group by its memories and their texts. */
export function computeProposalId(memories: readonly Memory[]): string {
  const hash = createHash('sha256');
  for (const { id, contentHash } of [...memories].sort((a, b) => (a.id < b.id ? -1 : 1)))
    hash.update(`${id} ${contentHash}\n`);
  return hash.digest('hex').slice(0, 8);
}
