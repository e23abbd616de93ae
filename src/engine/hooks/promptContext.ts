import { readGivenMemories } from '../access/accessLog.js';
import { InstrumentedEmbedder } from '../embeddings/instrumentedEmbedder.js';
import type { EngineHost } from '../model/host.js';
import type { RecallInput } from '../model/query.js';
import { closeParts, openParts, type OpenOptions } from '../openParts.js';
import { AnswerCache } from '../recall/answerCache.js';
import { recall } from '../recall/recall.js';
import { UsageBuffer } from '../recall/usageBuffer.js';
import { unsearchedNotice } from '../model/team.js';
import { hasOwnContent } from '../text/promptContent.js';

/** A person waits for the answer: a server that is away costs every prompt this time at most. */
const serverDeadlineMs = 1_000;

/** A text for a prompt, before what was noted of its search is written. */
export interface PromptContext {
  /** A packed context; empty where nothing is remembered. */
  readonly context: string;
  /** Writes what was noted, and closes what was opened. */
  finish(): Promise<void>;
}

/**
 * What is remembered about one question, as an engine answers it, without the rest of the engine: for programs that live for
 * one answer, and would read the code of all verbs first. What the session of the host has been given is left out; for a
 * prompt without a word of its own ("yes, go on") there is nothing, and no store is opened.
 * @throws EngineError as openEngine and its `recall` do
 */
export async function loadPromptContext(
  host: EngineHost,
  input: RecallInput,
  options: OpenOptions = {},
): Promise<PromptContext> {
  if (!hasOwnContent(input.query)) return { context: '', finish: async () => options.searchWorker?.close() };
  const pendingGiven = host.session === undefined ? [] : readGivenMemories(host.dataDir, host.session);
  const parts = await openParts(host, { serverDeadlineMs, ...options, prewarm: true });
  const { stores, aging, crossEncoder } = parts;
  const embedder = new InstrumentedEmbedder(parts.embedder);
  const usage = new UsageBuffer(parts.host, () => undefined);
  const finish = async (): Promise<void> => {
    await usage.flush();
    await closeParts({ ...parts, embedder });
  };
  try {
    const readable = stores.filter(it => host.onlyStore === undefined || it.store.kind === host.onlyStore);
    const ctx = { host: parts.host, aging, stores: readable, usage, embedder, crossEncoder, cache: new AnswerCache() };
    const { context } = await recall(ctx, { ...input, given: await pendingGiven });
    const missing = parts.movedStores.notices.length > 0 ? [unsearchedNotice] : [];
    return { context: [context, ...missing].filter(it => it !== '').join('\n'), finish };
  } catch (error) {
    await finish();
    throw error;
  }
}
