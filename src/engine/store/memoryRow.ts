import { crc32 } from 'node:zlib';
import { centrality } from '../scoring/centrality.js';
import type { InventoryRow } from '../model/maintenance.js';
import {
  gates,
  type Gate,
  type Kind,
  type Lane,
  type DecayClass,
  type Memory,
  type Provenance,
  type MemorySource,
  type Status,
  type StoreKind,
} from '../model/memory.js';
import type { SqlValue } from '../database/database.js';
import { parseObject, parseStringArray } from '../database/jsonColumns.js';

/** Columns of the table `memories` of every backend, in the order of `toMemoryRow`. */
export const memoryColumns = [
  'id',
  'content',
  'summary',
  'gate',
  'kind',
  'lane',
  'decay_class',
  'confidence',
  'priority',
  'pinned',
  'reinforcement_count',
  'access_count',
  'useful_count',
  'feedback',
  'tags',
  'sensitive',
  'status',
  'archive_reason',
  'scope_id',
  'sequence',
  'due_at',
  'expires_at',
  'retention_score',
  'scoring_version',
  'content_hash',
  'source',
  'session',
  'uri',
  'provenance',
  'created_at',
  'updated_at',
  'reinforced_at',
  'accessed_at',
  'archived_at',
] as const;

/** Position of each column. */
const columnIndex = Object.fromEntries(memoryColumns.map((it, i) => [it, i])) as Readonly<
  Record<(typeof memoryColumns)[number], number>
>;

/**
 * CRC-32 of a memory's id and texts, kept with its provenance: SQLite does not notice a letter that changed on the disk, and
 * the content hash ignores white space and marks at the end.
 */
export function textChecksum({ id, content, summary }: Pick<Memory, 'id' | 'content' | 'summary'>): number {
  return crc32(`${id}\n${content}\n${summary}`);
}

/** The memory as active; its decay restarts. */
export function reactivate(memory: Memory, at: string): Memory {
  const { archivedAt, archiveReason, ...rest } = memory;
  return { ...rest, status: 'active', updatedAt: at };
}

/** Values in the order of `memoryColumns`; times are ISO-8601 UTC. */
export function toMemoryRow(memory: Omit<Memory, 'store' | 'centrality'>): SqlValue[] {
  const { source, session, uri, ...provenance } = memory.provenance;
  return [
    memory.id,
    memory.content,
    memory.summary,
    memory.gate,
    memory.kind,
    memory.lane,
    memory.decayClass,
    memory.confidence,
    memory.priority,
    memory.pinned ? 1 : 0,
    memory.reinforcementCount,
    memory.accessCount,
    memory.usefulCount,
    memory.feedback,
    JSON.stringify(memory.tags),
    0, // `sensitive`: such texts are encrypted records now, and no memories.
    memory.status,
    memory.archiveReason ?? null,
    memory.scopeId ?? '',
    memory.sequence,
    memory.dueAt ?? null,
    memory.expiresAt ?? null,
    memory.retentionScore ?? null,
    memory.scoringVersion ?? null,
    memory.contentHash,
    source,
    session ?? null,
    uri ?? null,
    JSON.stringify({ ...provenance, crc: textChecksum(memory) }),
    memory.createdAt,
    memory.updatedAt,
    memory.reinforcedAt,
    memory.accessedAt ?? null,
    memory.archivedAt ?? null,
  ];
}

/** A stored memory: the values of `memoryColumns`, then the number of edges that point to it. */
export type MemoryRowValues = readonly (string | number | null)[];

export function toMemory(values: MemoryRowValues, store: StoreKind): Memory {
  const { crc: checksum, ...provenance } = (parseObject(values[columnIndex.provenance]) ?? {}) as { crc?: unknown };
  const memory: Mutable<Memory> = {
    id: values[columnIndex.id] as string,
    store,
    content: values[columnIndex.content] as string,
    summary: values[columnIndex.summary] as string,
    // Fallback for a damaged value; `verifyStore` counts those.
    gate: gates.find(it => it === values[columnIndex.gate]) ?? 'epistemic',
    kind: values[columnIndex.kind] as Kind,
    lane: values[columnIndex.lane] as Lane,
    decayClass: values[columnIndex.decay_class] as DecayClass,
    confidence: Number(values[columnIndex.confidence]),
    priority: values[columnIndex.priority] as number,
    pinned: values[columnIndex.pinned] === 1,
    reinforcementCount: values[columnIndex.reinforcement_count] as number,
    accessCount: values[columnIndex.access_count] as number,
    usefulCount: values[columnIndex.useful_count] as number,
    feedback: values[columnIndex.feedback] as number,
    tags: parseStringArray(values[columnIndex.tags]),
    status: values[columnIndex.status] as Status,
    sequence: values[columnIndex.sequence] as number,
    contentHash: values[columnIndex.content_hash] as string,
    centrality: centrality(values[memoryColumns.length] as number),
    provenance: decodeProvenance(values, provenance),
    createdAt: values[columnIndex.created_at] as string,
    updatedAt: values[columnIndex.updated_at] as string,
    reinforcedAt: values[columnIndex.reinforced_at] as string,
  };
  // Optional fields are absent rather than null. Assigned one by one: a spread per field would allocate temporary
  // objects.
  const archiveReason = values[columnIndex.archive_reason] as NonNullable<Memory['archiveReason']> | null;
  if (archiveReason !== null) memory.archiveReason = archiveReason;
  const scopeId = values[columnIndex.scope_id] as string | null;
  if (scopeId !== null && scopeId !== '') memory.scopeId = scopeId;
  const dueAt = values[columnIndex.due_at] as string | null;
  if (dueAt !== null) memory.dueAt = dueAt;
  const expiresAt = values[columnIndex.expires_at] as string | null;
  if (expiresAt !== null) memory.expiresAt = expiresAt;
  const retentionScore = values[columnIndex.retention_score];
  if (retentionScore !== null) memory.retentionScore = Number(retentionScore);
  const scoringVersion = values[columnIndex.scoring_version] as number | null;
  if (scoringVersion !== null) memory.scoringVersion = scoringVersion;
  const accessedAt = values[columnIndex.accessed_at] as string | null;
  if (accessedAt !== null) memory.accessedAt = accessedAt;
  const archivedAt = values[columnIndex.archived_at] as string | null;
  if (archivedAt !== null) memory.archivedAt = archivedAt;
  // Rows of earlier versions have no checksum.
  if (checksum !== undefined && checksum !== textChecksum(memory)) memory.damaged = true;
  return memory;
}

function decodeProvenance(values: MemoryRowValues, rest: object): Provenance {
  const provenance: Mutable<Provenance> = { source: values[columnIndex.source] as MemorySource };
  const session = values[columnIndex.session] as string | null;
  if (session !== null) provenance.session = session;
  const uri = values[columnIndex.uri] as string | null;
  if (uri !== null) provenance.uri = uri;
  return Object.assign(provenance, rest);
}

/** For adding optional fields. */
type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

/** A group of memories with its count and size, as a database answers. */
export function toInventoryRow(row: Readonly<Record<string, unknown>>): InventoryRow {
  return {
    gate: row.gate as Gate,
    decayClass: row.decay_class as DecayClass,
    pinned: row.pinned === 1,
    lane: row.lane as Lane,
    status: row.status as Status,
    provenance: {
      source: row.origin as InventoryRow['provenance']['source'],
      ...(row.is_shared === true || row.is_shared === 1 ? { author: '' } : {}),
    },
    count: row.count as number,
    bytes: row.bytes as number,
  };
}
