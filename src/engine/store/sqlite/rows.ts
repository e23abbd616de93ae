import { centrality } from '../../graph/centrality.js';
import {
  gates,
  type Kind,
  type Lane,
  type DecayClass,
  type Memory,
  type Provenance,
  type Source,
  type Status,
  type StoreKind,
} from '../../model/memory.js';
import type { Row, SqlValue } from './database.js';
import { objectOf, stringsOf } from './jsonCells.js';

/** Columns of `memories` in the order of `toRow`. */
export const columns = [
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

/** Where each column stands. */
const at = Object.fromEntries(columns.map((it, i) => [it, i])) as Readonly<Record<(typeof columns)[number], number>>;

export function toRow(memory: Omit<Memory, 'store' | 'centrality'>): SqlValue[] {
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
    memory.sensitive ? 1 : 0,
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
    JSON.stringify(provenance),
    memory.createdAt,
    memory.updatedAt,
    memory.reinforcedAt,
    memory.accessedAt ?? null,
    memory.archivedAt ?? null,
  ];
}

/** Kept as REAL; JSON as SQLite writes it would round them, so they go as text of all their digits. */
const reals: readonly (typeof columns)[number][] = ['confidence', 'retention_score'];

/** The SQL of a real number with all its digits, or NULL. */
export const realText = (column: string): string => `iif(${column} IS NULL, NULL, printf('%!.17g', ${column}))`;

/**
 * The SQL of a memory as one JSON text, which `memoryOf` reads: the driver takes longer over each value it hands out than
 * JSON does, and sixty rows of thirty-seven columns took three times as long (0.83 against 0.27 ms).
 * @param inDegree a column or a number, for files from before it was counted
 */
export function memoryText(inDegree = 'in_degree'): string {
  const values = columns.map(it => (reals.includes(it) ? realText(it) : it));
  return `json_array(${values.join(', ')}, ${inDegree})`;
}

/** A row with the column `memory`. */
export function memoryOf(row: Row, store: StoreKind): Memory {
  return toMemory(JSON.parse(row.memory as string) as MemoryValues, store);
}

/** What `memoryText` makes, parsed: the values of `columns`, and the edges that point to the memory. */
export type MemoryValues = readonly (string | number | null)[];

export function toMemory(values: MemoryValues, store: StoreKind): Memory {
  const memory: Unfinished<Memory> = {
    id: values[at.id] as string,
    store,
    content: values[at.content] as string,
    summary: values[at.summary] as string,
    // Of a damaged file; a check counts them.
    gate: gates.find(it => it === values[at.gate]) ?? 'epistemic',
    kind: values[at.kind] as Kind,
    lane: values[at.lane] as Lane,
    decayClass: values[at.decay_class] as DecayClass,
    confidence: Number(values[at.confidence]),
    priority: values[at.priority] as number,
    pinned: values[at.pinned] === 1,
    reinforcementCount: values[at.reinforcement_count] as number,
    accessCount: values[at.access_count] as number,
    usefulCount: values[at.useful_count] as number,
    feedback: values[at.feedback] as number,
    tags: stringsOf(values[at.tags]),
    sensitive: values[at.sensitive] === 1,
    status: values[at.status] as Status,
    sequence: values[at.sequence] as number,
    contentHash: values[at.content_hash] as string,
    centrality: centrality(values[columns.length] as number),
    provenance: provenanceOf(values),
    createdAt: values[at.created_at] as string,
    updatedAt: values[at.updated_at] as string,
    reinforcedAt: values[at.reinforced_at] as string,
  };
  // An optional field is absent rather than null. Added one by one: a spread for each makes objects that are thrown away at once.
  const archiveReason = values[at.archive_reason] as NonNullable<Memory['archiveReason']> | null;
  if (archiveReason !== null) memory.archiveReason = archiveReason;
  const scopeId = values[at.scope_id] as string | null;
  if (scopeId !== null && scopeId !== '') memory.scopeId = scopeId;
  const dueAt = values[at.due_at] as string | null;
  if (dueAt !== null) memory.dueAt = dueAt;
  const expiresAt = values[at.expires_at] as string | null;
  if (expiresAt !== null) memory.expiresAt = expiresAt;
  const retentionScore = values[at.retention_score];
  if (retentionScore !== null) memory.retentionScore = Number(retentionScore);
  const scoringVersion = values[at.scoring_version] as number | null;
  if (scoringVersion !== null) memory.scoringVersion = scoringVersion;
  const accessedAt = values[at.accessed_at] as string | null;
  if (accessedAt !== null) memory.accessedAt = accessedAt;
  const archivedAt = values[at.archived_at] as string | null;
  if (archivedAt !== null) memory.archivedAt = archivedAt;
  return memory;
}

function provenanceOf(values: MemoryValues): Provenance {
  const provenance: Unfinished<Provenance> = { source: values[at.source] as Source };
  const session = values[at.session] as string | null;
  if (session !== null) provenance.session = session;
  const uri = values[at.uri] as string | null;
  if (uri !== null) provenance.uri = uri;
  return Object.assign(provenance, objectOf(values[at.provenance]));
}

/** As long as its optional fields are added. */
type Unfinished<T> = { -readonly [Field in keyof T]: T[Field] };
