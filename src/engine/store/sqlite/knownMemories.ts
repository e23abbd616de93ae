import { BoundedCache } from '../../base/boundedCache.js';
import { centrality } from '../../graph/centrality.js';
import type { Memory, StoreKind } from '../../model/memory.js';
import type { Opposite } from '../../model/query.js';
import type { Database } from './database.js';
import { oppositesOf, oppositesSql, type OppositeValues } from './edges.js';
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
  opposites: readonly OppositeValues[] | null,
  /** Of a memory that is not known, or not as it is now. */
  memory: MemoryValues | null,
];

// One text for all: the driver takes longer over each value that it hands out than JSON does; and one query for all that
// is asked, because a round trip to the file takes longer than what it does there.
const readSql = `
  WITH asked AS (SELECT value ->> 0 AS its_row, value ->> 1 AS known_change FROM json_each(?))
  SELECT json_group_array(json_array(row, change, access_count, accessed_at, in_degree,
    ${realText('retention_score')}, scoring_version,
    ${oppositesSql('m')}, iif(change = known_change, NULL, ${memoryText()}))) AS list
  FROM asked CROSS JOIN memories m ON row = its_row`;

/** A memory, and the active memories that contradict it, the most certain first, until a person settles it. */
export interface Known {
  readonly memory: Memory;
  readonly contradicts: readonly Opposite[];
}

/**
 * Memories that were read lately. Each time the file is asked which of them were written since, by any process, and only
 * those are read again: most of what the candidates of a recall hold is the same as at the last one.
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
  async read(rows: readonly number[]): Promise<ReadonlyMap<number, Known>> {
    const known = new Map(rows.map(row => [row, this.entries.get(String(row))]));
    const asked = rows.map(row => [row, known.get(row)?.change ?? -1]);
    const { list } = (await this.database.read.get(readSql, JSON.stringify(asked)))!;
    const found = new Map<number, Known>();
    for (const read of JSON.parse(list as string) as readonly ReadRow[]) {
      const [row, change, , , , , , opposites, values] = read;
      const before = known.get(row)?.memory;
      const memory = values === null ? counted(before!, read) : toMemory(values, this.store);
      if (memory !== before) {
        this.entries.set(String(row), { change, memory }, memory.content.length + charactersPerMemory);
      }
      found.set(row, { memory, contradicts: oppositesOf(opposites ?? []) });
    }
    return found;
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
