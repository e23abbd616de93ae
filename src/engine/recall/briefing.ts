import type { DecayProfile } from '../model/config.js';
import type { Hit } from '../model/query.js';
import { effectiveConfidence } from '../scoring/decay.js';
import { isExpired } from '../scoring/keeping.js';
import { publishRank } from '../scoring/publishRank.js';
import type { Standing, StandingReader } from '../store/sqlite/standings.js';
import { withCodeStates } from './codeChanges.js';
import { pack } from './pack.js';

/** A line of a packed context has at least this many tokens: its labels alone take as many. */
const fewestTokensPerLine = 10;

export interface BriefingOptions {
  readonly now: Date;
  readonly profile: DecayProfile;
  /** Estimated tokens of the text at most. */
  readonly tokenBudget: number;
  /** Folders of the projects whose code is looked at. */
  readonly folders: readonly string[];
}

interface Ranked {
  readonly reader: StandingReader;
  readonly standing: Standing;
  readonly effective: number;
  readonly rank: number;
}

/**
 * What is known at the start of a session, before anybody has asked: what is pinned, then the best by publish rank, as a
 * packed context. Code that what is told is about is read, so that it says where it has changed. Reads alone; no trace, no
 * access count, and what a note's time has run out for is left out.
 * @returns an empty string where nothing is remembered
 */
export async function briefing(
  readers: readonly StandingReader[],
  { now, profile, tokenBudget, folders }: BriefingOptions,
): Promise<string> {
  const found = await Promise.all(
    readers.map(async reader =>
      (await reader.standings()).filter(it => !isExpired(it, now)).map(standing => ({ reader, standing })),
    ),
  );
  const all = found.flat();
  const maxAccessCount = all.reduce((most, it) => Math.max(most, it.standing.accessCount), 0);
  const ranked = all.map(({ reader, standing }): Ranked => {
    const { centrality, priority, accessCount } = standing;
    const effective = effectiveConfidence(standing, { profile, centrality, now });
    const rank = publishRank({ effectiveConfidence: effective, priority, centrality, accessCount, maxAccessCount });
    return { reader, standing, effective, rank };
  });
  const best = ranked.sort(byPinAndRank).slice(0, Math.ceil(tokenBudget / fewestTokensPerLine));
  const active = new Set(all.map(it => it.standing.id));
  const hits = (await Promise.all(readers.map(it => read(it, best, active)))).flat();
  const byId = new Map(hits.map(it => [it.memory.id, it]));
  const { included } = pack(
    best.flatMap(it => byId.get(it.standing.id) ?? []),
    tokenBudget,
  );
  return pack(await withCodeStates(folders, included), tokenBudget).context;
}

function byPinAndRank(a: Ranked, b: Ranked): number {
  const byPin = Number(b.standing.pinned) - Number(a.standing.pinned);
  return byPin || b.rank - a.rank || (a.standing.id < b.standing.id ? -1 : 1);
}

/** The best of one store with their text, and with what contradicts them. */
async function read(reader: StandingReader, best: readonly Ranked[], active: ReadonlySet<string>): Promise<Hit[]> {
  const own = new Map(best.filter(it => it.reader === reader).map(it => [it.standing.id, it]));
  const ids = [...own.keys()];
  const [memories, opposites] = await Promise.all([reader.get(ids), reader.contradictions(ids)]);
  return memories.map(memory => {
    const { effective: effectiveConfidence, rank } = own.get(memory.id)!;
    return {
      memory,
      effectiveConfidence,
      rank,
      contradicts: (opposites.get(memory.id) ?? []).filter(it => active.has(it.id)),
    };
  });
}
