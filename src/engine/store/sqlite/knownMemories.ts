import { BoundedCache } from '../../base/boundedCache.js';
import { RecentlyUsed } from '../../base/recentlyUsed.js';
import { centrality } from '../../graph/centrality.js';
import type { Memory, StoreKind } from '../../model/memory.js';
import type { Database } from './database.js';
import { memoryText, realText, toMemory, type MemoryValues } from './rows.js';

/** As many as most people have; some ten megabytes. */
const maxEntries = 4_000;
const maxCharacters = 8_000_000;
/** What a memory takes besides its text, roughly. */
const charactersPerMemory = 1_000;

/** What the file tells of a row. Counts change without a write that others have to notice: `change` stays as it was. */
type ReadRow = readonly [
  row: number,
  change: number,
  accessCount: number,
  accessedAt: string | null,
  inDegree: number,
  retentionScore: string | null,
  scoringVersion: number | null,
  /** Of a memory that is not known, or not as it is now. */
  memory: MemoryValues | null,
];

// One text for all: the driver takes longer over each value that it hands out than JSON does.
const readSql = `
  WITH asked AS (SELECT value ->> 0 AS its_row, value ->> 1 AS known_change FROM json_each(?))
  SELECT json_group_array(json_array(row, change, access_count, accessed_at, in_degree,
    ${realText('retention_score')}, scoring_version, iif(change = known_change, NULL, ${memoryText()}))) AS list
  FROM asked CROSS JOIN memories m ON row = its_row`;

/**
 * Memories that were read lately, and more than once. Each time the file is asked which of them were written since, by any
 * process, and only those are read again: most of what the candidates of a recall hold is the same as at the last one.
 */
export class KnownMemories {
  private readonly entries = new BoundedCache<{ readonly change: number; readonly memory: Memory }>(
    maxEntries,
    maxCharacters,
  );

  /** Rows read lately. A memory read once is not kept: what dies at once V8 collects as it goes, what lives a while in pauses. */
  private readonly met = new RecentlyUsed<number, true>(maxEntries);

  constructor(
    private readonly database: Database,
    private readonly store: StoreKind,
  ) {}

  /** The memories of these rows as the file has them now; one that is gone is missing. */
  async read(rows: readonly number[]): Promise<ReadonlyMap<number, Memory>> {
    const known = new Map(rows.map(row => [row, this.entries.get(String(row))]));
    const asked = rows.map(row => [row, known.get(row)?.change ?? -1]);
    const { list } = (await this.database.read.get(readSql, JSON.stringify(asked)))!;
    const memories = new Map<number, Memory>();
    for (const read of JSON.parse(list as string) as readonly ReadRow[]) {
      const [row, change, , , , , , values] = read;
      const before = known.get(row)?.memory;
      const memory = values === null ? counted(before!, read) : toMemory(values, this.store);
      if (memory !== before && (before !== undefined || this.met.get(row) === true)) {
        this.entries.set(String(row), { change, memory }, memory.content.length + charactersPerMemory);
      }
      this.met.set(row, true);
      memories.set(row, memory);
    }
    return memories;
  }
}

/** The memory with the counts of now: the same one where they are what they were. */
function counted(memory: Memory, [, , accessCount, accessedAt, inDegree, score, scoringVersion]: ReadRow): Memory {
  const retentionScore = score === null ? null : Number(score);
  if (
    memory.accessCount === accessCount &&
    memory.centrality === centrality(inDegree) &&
    (memory.accessedAt ?? null) === accessedAt &&
    (memory.retentionScore ?? null) === retentionScore &&
    (memory.scoringVersion ?? null) === scoringVersion
  ) {
    return memory;
  }
  const { accessedAt: _a, retentionScore: _r, scoringVersion: _s, ...rest } = memory;
  return {
    ...rest,
    accessCount,
    centrality: centrality(inDegree),
    ...(accessedAt === null ? {} : { accessedAt }),
    ...(retentionScore === null ? {} : { retentionScore }),
    ...(scoringVersion === null ? {} : { scoringVersion }),
  };
}
