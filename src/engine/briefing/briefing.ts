import { formatBranch } from '../model/branchName.js';
import { briefingTitles, type Briefing, type BriefingBlock, type BriefingLine } from '../model/briefing.js';
import type { Memory } from '../model/memory.js';
import type { Hit } from '../model/query.js';
import { annotateCodeState } from '../recall/codeState.js';
import { GitBranches } from '../store/gitBranches.js';
import type { ReadOnlyStore } from '../store/sqlite/readOnlyStore.js';
import { estimateTokens } from '../text/tokenEstimate.js';
import { emptyBriefing, formatBriefing, formatEntry, type BriefingEntry } from './formatBriefing.js';
import { packingOrder, placeMemories, toLeftOut, type PlacedMemory, type PlacingInput } from './placeMemories.js';

/** Estimated tokens of a block at most; the others share what is left. */
const blockBudgets: Readonly<Partial<Record<BriefingBlock, number>>> = {
  due: 150,
  changed: 150,
  branch: 200,
  team: 100,
};
/** A line has at least so many tokens: more are not loaded than could fit. */
const minTokensPerLine = 8;

export interface BriefingInput extends Omit<PlacingInput, 'branches'> {
  /** Estimated tokens of the text at most. */
  readonly tokenBudget: number;
  /** Folders of the projects whose code is looked at; the branch is the first one's. */
  readonly folders: readonly string[];
}

/**
 * The memories for the start of a session, before any question: what was handed over, what is pinned, the rules for work here,
 * what is due, what changed since the last session, and what is recalled most. What was replaced is never in it, nor what the
 * program reads itself. The same memories give the same bytes within a day. Reads alone: no trace, no access count.
 */
export async function composeBriefing(
  readers: readonly ReadOnlyStore[],
  { tokenBudget, folders, ...input }: BriefingInput,
): Promise<Briefing> {
  const branches = await GitBranches.read(folders[0]);
  const { placed, leftOut, others } = await placeMemories(readers, { ...input, branches });
  const entries = await loadEntries(readers, withinReach(placed, tokenBudget), branches);
  const fitting = pack(entries, tokenBudget, input.now).map(it => it.entry);
  const hits = await annotateCodeState(
    folders,
    fitting.map(it => it.hit),
  );
  const annotated = fitting.map((it, i) => ({ ...it, hit: hits[i]! }));
  const lines = pack(annotated, tokenBudget, input.now).map(({ entry, text }): BriefingLine => ({
    block: entry.block,
    memory: entry.hit.memory,
    reason: entry.reason,
    text,
  }));
  const context = formatBriefing(lines);
  const shown = new Set(lines.map(it => it.memory.id));
  const rows = [...new Map(placed.map(it => [it.row.id, it.row])).values()];
  const noRoom = rows.filter(it => !shown.has(it.id)).map(it => toLeftOut(it, 'noRoom'));
  return {
    context,
    tokens: estimateTokens(context),
    lines,
    leftOut: [...noRoom, ...leftOut],
    others,
  };
}

/** As many of each block as could fit. */
function withinReach(placed: readonly PlacedMemory[], tokenBudget: number): readonly PlacedMemory[] {
  const maxLines = Math.ceil(tokenBudget / minTokensPerLine);
  return packingOrder.flatMap(block => placed.filter(it => it.block === block).slice(0, maxLines));
}

/** Loads the texts. A memory that is gone meanwhile is left out. */
async function loadEntries(
  readers: readonly ReadOnlyStore[],
  placed: readonly PlacedMemory[],
  branches: GitBranches | undefined,
): Promise<readonly BriefingEntry[]> {
  const loaded = await Promise.all(
    readers.map(reader => {
      const its = placed.filter(it => it.row.reader === reader);
      return reader.get(its.flatMap(({ row, change }) => [row.id, ...(change === undefined ? [] : [change.older])]));
    }),
  );
  const memories = new Map(loaded.flat().map(it => [it.id, it]));
  const entries = placed.map(async (it): Promise<readonly BriefingEntry[]> => {
    const { block, row, reason, change } = it;
    const memory = memories.get(row.id);
    if (memory === undefined) return [];
    const replaced = change === undefined ? undefined : memories.get(change.older);
    const hit = await toHit(memory, it, branches);
    return [{ block, reason, hit, ...(replaced === undefined ? {} : { replaced }) }];
  });
  return (await Promise.all(entries)).flat();
}

async function toHit(memory: Memory, { unsettled }: PlacedMemory, branches: GitBranches | undefined): Promise<Hit> {
  const goneBranch = await goneBranchOf(memory, branches);
  return {
    memory,
    effectiveConfidence: memory.confidence,
    rank: 0,
    ...(goneBranch === undefined ? {} : { goneBranch }),
    ...(unsettled === undefined
      ? {}
      : { outdating: { id: unsettled.otherId, by: 'model', reason: '', isNewer: unsettled.isNewer } }),
  };
}

/** The branch that a memory was learned on, where it was deleted. An import speaks of a repository elsewhere. */
async function goneBranchOf(
  { store, provenance: { source, branch } }: Memory,
  branches: GitBranches | undefined,
): Promise<string | undefined> {
  if (store !== 'project' || source === 'import' || branch === undefined) return undefined;
  return (await branches?.isGone(branch)) === true ? formatBranch(branch) : undefined;
}

/**
 * The entries that have room, with their lines, each memory once. One that is too long is left out, and the next one is tried.
 */
function pack(
  entries: readonly BriefingEntry[],
  tokenBudget: number,
  now: Date,
): readonly { readonly entry: BriefingEntry; readonly text: string }[] {
  const packed: { readonly entry: BriefingEntry; readonly text: string }[] = [];
  let used = emptyBriefing;
  for (const block of packingOrder) {
    let usedByBlock = '';
    for (const entry of entries.filter(it => it.block === block)) {
      if (packed.some(it => it.entry.hit.memory.id === entry.hit.memory.id)) continue;
      const text = formatEntry(entry, now);
      const added = `${usedByBlock === '' ? `\n${briefingTitles[block]}` : ''}\n${text}`;
      const isTooMuch =
        estimateTokens(used + added) > tokenBudget ||
        estimateTokens(usedByBlock + added) > (blockBudgets[block] ?? Infinity);
      if (isTooMuch) continue;
      packed.push({ entry, text });
      used += added;
      usedByBlock += added;
    }
  }
  return packed;
}
