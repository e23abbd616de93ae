import type { MemoryEngine } from '../engine/engine.js';
import { unsearchedNotice } from '../engine/model/team.js';

/** Sentences for a model about what an answer lacks, and why. Empty for most. */
export async function answerNotices({ team }: MemoryEngine): Promise<readonly string[]> {
  const reading = await team.arrival.readingNotice();
  return [...(team.store.notices.length > 0 ? [unsearchedNotice] : []), ...(reading === undefined ? [] : [reading])];
}

/** Text of an answer without a memory: nothing of what was not searched. */
export function emptyAnswer(text: string, notices: readonly unknown[]): string {
  return notices.length === 0 ? text : 'Nothing was found in what could be searched.';
}
