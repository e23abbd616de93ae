import type { DecayRules } from '../model/config.js';
import { formatNumber } from '../model/pluralize.js';
import { daysUntilCold, type Memory } from '../model/memory.js';
import { effectiveConfidence } from '../scoring/decay.js';
import { hasLapsed } from '../scoring/retentionRules.js';
import { publishRank } from '../scoring/publishRank.js';
import { hotSince, temperatureOf } from '../scoring/temperature.js';
import { estimateTokens } from '../text/tokenEstimate.js';
import type { MemorySummaryRow, ReadOnlyStore } from '../store/sqlite/readOnlyStore.js';
import type { Hit } from '../model/query.js';
import { formatBranch } from '../model/branchName.js';
import { GitBranches } from '../store/gitBranches.js';
import { annotateCodeState } from './annotateCodeState.js';
import { formatContext } from './contextFormatter.js';
import { placeCurrent, type Candidate, type ContradictionSource } from './currentMemories.js';

/** A line of a packed context has at least this many tokens: its labels alone take as many. */
const minTokensPerLine = 10;

/** The sentence about cold memories takes at most this share of the budget. */
const maxColdNoticeShare = 0.1;

/** Below this effective confidence, 0-100, a memory is no news for every session; a recall still finds it. */
const minConfidence = 20;

export interface SessionContextOptions {
  readonly now: Date;
  /** The time by which memories fade: without a long time in which no program used them. */
  readonly agingNow: Date;
  readonly rules: DecayRules;
  /** Estimated tokens of the text at most. */
  readonly tokenBudget: number;
  /** Folders of the projects whose code is looked at; the branch is the first one's. */
  readonly folders: readonly string[];
}

interface RankedSummary {
  readonly reader: ReadOnlyStore;
  readonly summary: MemorySummaryRow;
  readonly effectiveConfidence: number;
  readonly rank: number;
  readonly place: BranchPlace;
  readonly isCold: boolean;
}

/** In the order of the briefing: learned on the branch that one works on, where all branches start, on another one. */
type BranchPlace = 0 | 1 | 2;

/**
 * The memories for the start of a session, before any question: what is pinned, then what was learned on the branch that is
 * checked out, then the best by publish rank, hot before cold, as a packed context. What was learned on a branch that was
 * deleted since says so. What is hardly believed any more is left out, and so are a line with the same words as a better one
 * and a note whose time has run out. The code that they are about is read, so that it says where it has changed. Reads alone:
 * no trace, no access count.
 * @returns an empty context where nothing is remembered
 */
export async function buildSessionContext(
  readers: readonly ReadOnlyStore[],
  { now, agingNow, rules, tokenBudget, folders }: SessionContextOptions,
): Promise<{ readonly context: string; readonly memories: readonly Memory[] }> {
  const [branches, summariesByReader] = await Promise.all([
    GitBranches.read(folders[0]),
    Promise.all(
      readers.map(async reader =>
        (await reader.listActive())
          .filter(it => !hasLapsed(it, { rules, centrality: it.centrality, now }))
          .map(standing => ({ reader, standing })),
      ),
    ),
  ]);
  const summaries = summariesByReader.flat();
  // As of the end of the day: within one, the same memories stand in the same order, so that a prompt cache holds.
  const rankedAt = new Date(agingNow);
  rankedAt.setUTCHours(24, 0, 0, 0);
  const hotWindow = hotSince(agingNow);
  const cold = summaries.filter(it => temperatureOf(it.standing, hotWindow) === 'cold');
  const coldIds = new Set(cold.map(it => it.standing.id));
  const maxAccessCount = summaries.reduce((max, it) => Math.max(max, it.standing.accessCount), 0);
  const ranked = summaries.flatMap(({ reader, standing: summary }): readonly RankedSummary[] => {
    const { centrality, priority, accessCount } = summary;
    const effective = effectiveConfidence(summary, { rules, centrality, now: rankedAt });
    if (effective < minConfidence && !summary.pinned) return [];
    const rank = publishRank({ effectiveConfidence: effective, priority, centrality, accessCount, maxAccessCount });
    // A branch is one of a repository: of a memory of all projects it says nothing.
    const place = reader.kind === 'project' ? placeOf(summary.branch, branches) : 1;
    return [{ reader, summary, effectiveConfidence: effective, rank, place, isCold: coldIds.has(summary.id) }];
  });
  const coldBudget = estimateTokens(formatColdNotice(coldIds.size)) + 1;
  const hasColdNotice = coldIds.size > 0 && coldBudget <= maxColdNoticeShare * tokenBudget;
  const memoryBudget = hasColdNotice ? tokenBudget - coldBudget : tokenBudget;
  const best = ranked.sort(byPinBranchUseAndRank).slice(0, Math.ceil(memoryBudget / minTokensPerLine));
  const rankedById = new Map(ranked.map(it => [it.summary.id, it]));
  const loaded = await Promise.all(readers.map(it => loadBest(it, best, rankedById)));
  const byId = new Map(loaded.flatMap(it => it.candidates.map(candidate => [candidate.hit.memory.id, candidate])));
  const { kept } = placeCurrent(
    withoutRepetitions(best.flatMap(it => byId.get(it.summary.id) ?? [])),
    best.length,
    loaded.map(it => it.source),
  );
  const { included } = formatContext(
    await markGoneBranches(
      kept.map(it => it.hit),
      branches,
    ),
    memoryBudget,
  );
  const packed = formatContext(await annotateCodeState(folders, included), memoryBudget);
  const memories = packed.included.map(it => it.memory);
  const notShown = coldIds.size - memories.filter(it => coldIds.has(it.id)).length;
  const notice = hasColdNotice && notShown > 0 ? formatColdNotice(notShown) : '';
  return { context: [packed.context, notice].filter(it => it !== '').join('\n'), memories };
}

/** @param candidates best first */
function withoutRepetitions(candidates: readonly Candidate[]): readonly Candidate[] {
  const seen = new Set<string>();
  return candidates.filter(({ hit }) => {
    const words = hit.memory.content.split(/\s+/u).map(it => it.replace(/[.,;:!?]+$/u, ''));
    const key = [...new Set(words)].sort().join(' ');
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** What no branch is known of counts as learned where all branches start. */
function placeOf(branch: string | undefined, branches: GitBranches | undefined): BranchPlace {
  if (branch === undefined || branches === undefined || branches.isDefault(branch)) return 1;
  return branch === branches.current ? 0 : 2;
}

/** @param cold how many are not in the briefing */
function formatColdNotice(cold: number): string {
  const [memories, are, them] = cold === 1 ? ['memory', 'is', 'it'] : ['memories', 'are', 'them'];
  return `${formatNumber(cold)} more ${memories} ${are} cold (not used or said for ${daysUntilCold} days): recall finds ${them}, and \`recollect list --cold\` lists ${them}.`;
}

/** The hits with the branch that they were learned on, where it was deleted. An import speaks of a repository elsewhere. */
function markGoneBranches(hits: readonly Hit[], branches: GitBranches | undefined): Promise<readonly Hit[]> {
  return Promise.all(
    hits.map(async hit => {
      const { store, provenance } = hit.memory;
      if (store !== 'project' || provenance.source === 'import' || provenance.branch === undefined) return hit;
      if ((await branches?.isGone(provenance.branch)) !== true) return hit;
      return { ...hit, goneBranch: formatBranch(provenance.branch) };
    }),
  );
}

function byPinBranchUseAndRank(a: RankedSummary, b: RankedSummary): number {
  const byPin = Number(b.summary.pinned) - Number(a.summary.pinned);
  const byBranch = Number(b.place === 0) - Number(a.place === 0);
  return (
    byPin ||
    byBranch ||
    Number(a.isCold) - Number(b.isCold) ||
    a.place - b.place ||
    b.rank - a.rank ||
    (a.summary.id < b.summary.id ? -1 : 1)
  );
}

/** The best of one store with their text, and what contradicts them. */
async function loadBest(
  reader: ReadOnlyStore,
  best: readonly RankedSummary[],
  rankedById: ReadonlyMap<string, RankedSummary>,
): Promise<{ readonly candidates: readonly Candidate[]; readonly source: ContradictionSource<Candidate> }> {
  const ids = best.filter(it => it.reader === reader).map(it => it.summary.id);
  const byMemoryId = await reader.contradictions(ids);
  // Of the others, only those that a session may be shown.
  const contradictingIds = [...byMemoryId.values()].flat().map(it => it.id);
  const shownIds = new Set([...ids, ...contradictingIds.filter(it => rankedById.has(it))]);
  const memories = new Map((await reader.get([...shownIds])).map(it => [it.id, it]));
  const toCandidate = (memory: Memory): Candidate => {
    const { effectiveConfidence, rank } = rankedById.get(memory.id)!;
    return { hit: { memory, effectiveConfidence, rank }, relevance: { probability: 1 } };
  };
  return {
    candidates: ids.flatMap(it => memories.get(it) ?? []).map(toCandidate),
    source: { contradictions: { byMemoryId, memories }, toCandidate },
  };
}
