import { appendAccesses, readGivenMemories } from '../access/accessLog.js';
import { formatGuardLine, guardEnvelope } from '../guards/formatGuards.js';
import type { Memory, StoreKind } from '../model/memory.js';
import type { DecayRules } from '../model/config.js';
import { hasLapsed } from '../scoring/retentionRules.js';
import { annotateCodeState } from '../recall/codeState.js';
import type { GuardEntry } from '../store/guardFile.js';
import { ReadOnlyStore } from '../store/sqlite/readOnlyStore.js';
import type { MatchedStore, ToolCallMatch } from './toolCallMatch.js';

/** Lines before an edit or a command: more would bury what the assistant is at. */
const maxLines = 2;
/** Matches of which the texts are loaded: some are given before, or hold no more. */
const maxLoaded = 20;

/** As the log of reads names what was given before a tool call and after a failed one. */
export const toolCallVia = { before: 'before-tool', after: 'after-tool' } as const;

interface ToolCallAsker {
  readonly dataDir: string;
  readonly client: string;
  /** Of the assistant's session, as a hash. */
  readonly session: string | undefined;
  readonly onlyStore: StoreKind | undefined;
  readonly now: Date;
  readonly rules: DecayRules;
}

/** What an assistant is given at a tool call. */
export interface GuardContext {
  /** In its envelope; empty where there is nothing to give. */
  readonly context: string;
  /** Why the person is to be asked before; undefined where they do not have to be. */
  readonly question: string | undefined;
}

/**
 * The memories that a tool call is about: two before it, one after it failed, and each once a session, except a person's
 * guards. Opens the files of the stores that match, reads, and adds a line to the log of reads.
 * @throws EngineError as reading a store does
 */
export async function loadToolCallContext(
  { call, folder, stores }: ToolCallMatch,
  { dataDir, client, session, onlyStore, now, rules }: ToolCallAsker,
): Promise<GuardContext> {
  const given = session === undefined ? [] : await readGivenMemories(dataDir, session, Object.values(toolCallVia));
  const isGiven = ({ id, asks }: GuardEntry): boolean => asks !== true && given.some(it => id.endsWith(it.id));
  const found: { readonly memory: Memory; readonly asks: boolean }[] = [];
  for (const store of stores.filter(it => onlyStore === undefined || it.kind === onlyStore)) {
    const entries = store.entries.filter(it => !isGiven(it)).slice(0, maxLoaded);
    const memories = entries.length === 0 ? [] : await loadHolding(store, entries, { now, rules });
    for (const { id, asks = false } of entries) {
      const memory = memories.find(it => it.id === id);
      if (memory !== undefined) found.push({ memory, asks });
    }
  }
  const guards = found.filter(it => it.asks);
  const chosen = [...guards, ...found.filter(it => !it.asks)].slice(0, call.moment === 'failure' ? 1 : maxLines);
  if (chosen.length === 0) return { context: '', question: undefined };
  const hits = await annotateCodeState(
    folder === undefined ? [] : [folder],
    chosen.map(({ memory }) => ({ memory, effectiveConfidence: memory.confidence, rank: 0 })),
  );
  const via = call.moment === 'failure' ? toolCallVia.after : toolCallVia.before;
  await appendAccesses(dataDir, [{ client, session, via, at: now, memories: chosen.map(it => it.memory) }]).catch(
    () => undefined,
  );
  const lines = hits.map((hit, i) => formatGuardLine(hit, chosen[i]!.asks));
  const asking = call.moment === 'failure' ? [] : lines.filter((_, i) => chosen[i]!.asks);
  return {
    context: guardEnvelope(lines),
    question: asking.length === 0 ? undefined : asking.map(it => it.slice('- '.length)).join('\n'),
  };
}

/** Those of the memories that still hold. */
async function loadHolding(
  { file, kind }: MatchedStore,
  entries: readonly GuardEntry[],
  { now, rules }: Pick<ToolCallAsker, 'now' | 'rules'>,
): Promise<readonly Memory[]> {
  const reader = await ReadOnlyStore.open(file, kind);
  if (reader === undefined) return [];
  try {
    const [memories, replacements] = await Promise.all([reader.get(entries.map(it => it.id)), reader.replacements()]);
    const isReplaced = ({ id, lane, pinned }: Memory): boolean =>
      replacements.some(it => it.older === id && (it.by === 'person' || (lane === 'note' && !pinned)));
    return memories.filter(
      it => it.status === 'active' && !hasLapsed(it, { rules, centrality: it.centrality, now }) && !isReplaced(it),
    );
  } finally {
    await reader.close();
  }
}
