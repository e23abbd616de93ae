import { BoundedCache } from '../../base/boundedCache.js';
import { centrality } from '../../graph/centrality.js';
import type { Memory, StoreKind } from '../../model/memory.js';
import type { Database } from './database.js';
import { memoryText, realText, toMemory } from './rows.js';

/** As many as most people have; some ten megabytes. */
const maxEntries = 4_000;
const maxCharacters = 8_000_000;
/** What a memory takes besides its text, roughly. */
const charactersPerMemory = 1_000;

/** What changes without a write that others have to notice: `change` stays as it was. */
type Counts = readonly [
  row: number,
  change: number,
  accessCount: number,
  accessedAt: string | null,
  inDegree: number,
  retentionScore: string | null,
  scoringVersion: number | null,
];

// One text for all: the driver takes longer over each value that it hands out than JSON does.
const countsSql = `SELECT json_group_array(json_array(row, change, access_count, accessed_at, in_degree,
    ${realText('retention_score')}, scoring_version)) AS list
  FROM memories WHERE row IN (SELECT value FROM json_each(?))`;
const memoriesSql = `SELECT row, change, ${memoryText()} AS memory FROM memories
  WHERE row IN (SELECT value FROM json_each(?))`;

/**
 * Memories that were read lately. Each time the file is asked which of them were written since, by any process, and only
 * those are read again: most of what sixty candidates of a recall hold is the same as at the last one.
 */
export class KnownMemories {
  private readonly entries = new BoundedCache<{ readonly change: number; readonly memory: Memory }>(
    maxEntries,
    maxCharacters,
  );

  constructor(
    private readonly database: Database,
    private readonly store: StoreKind,
  ) {}

  /** The memories of these rows as the file has them now; one that is gone is missing. */
  async read(rows: readonly number[]): Promise<ReadonlyMap<number, Memory>> {
    const found = new Map<number, Memory>();
    const unknown: number[] = [];
    const text = (await this.database.read.get(countsSql, JSON.stringify(rows)))!.list as string;
    for (const counts of JSON.parse(text) as readonly Counts[]) {
      const [row, change] = counts;
      const known = this.entries.get(String(row));
      if (known?.change === change) found.set(row, counted(known.memory, counts));
      else unknown.push(row);
    }
    if (unknown.length === 0) return found;
    for (const it of await this.database.read.all(memoriesSql, JSON.stringify(unknown))) {
      const memory = toMemory(it.memory as string, this.store);
      this.entries.set(
        String(it.row),
        { change: it.change as number, memory },
        memory.content.length + charactersPerMemory,
      );
      found.set(it.row as number, memory);
    }
    return found;
  }
}

function counted(memory: Memory, [, , accessCount, accessedAt, inDegree, score, scoringVersion]: Counts): Memory {
  const { accessedAt: _a, retentionScore: _r, scoringVersion: _s, ...rest } = memory;
  return {
    ...rest,
    accessCount,
    centrality: centrality(inDegree),
    ...(accessedAt === null ? {} : { accessedAt }),
    ...(score === null ? {} : { retentionScore: Number(score) }),
    ...(scoringVersion === null ? {} : { scoringVersion }),
  };
}
