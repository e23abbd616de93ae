import { z } from 'zod';
import { omitUndefined } from '../../base/omitUndefined.js';
import type { Edge } from '../../model/edge.js';
import { edgeTypes } from '../../model/edge.js';
import {
  archiveReasons,
  decayClasses,
  gates,
  kinds,
  lanes,
  memorySources,
  statuses,
  storeKinds,
  type Memory,
  type SearchAids,
} from '../../model/memory.js';
import { prepareText } from '../../remember/prepareFact.js';
import { dayMs } from '../../model/duration.js';
import { findSecret } from '../../secrets/secretScanner.js';
import { normalizeAids } from '../../secrets/storableText.js';
import type { NewMemory } from '../../store/store.js';

/** A parsed line of an export; undefined for the header and empty lines. `refused` is the reason for the report. */
export type ExportLine =
  | { readonly memory: Omit<NewMemory, 'sequence'>; readonly store: Memory['store']; readonly aids: SearchAids }
  | { readonly edge: Edge }
  | { readonly refused: string }
  | undefined;

export interface ExportTrustOptions {
  /** The person vouches that the export is their own. */
  readonly isOwnExport: boolean;
  readonly lane: Memory['lane'];
  readonly now: Date;
  /** Lifetime of imported notes. */
  readonly lifetimeDays: number;
  readonly maxCharacters: number;
}

const isoTimeSchema = z.iso.datetime().transform(it => new Date(it).toISOString());
const shortTextSchema = z.string().max(2_000);
const countSchema = z.number().int().min(0);

const memorySchema = z.object({
  id: z.uuid().transform(it => it.toLowerCase()),
  store: z.enum(storeKinds),
  content: z.string(),
  gate: z.enum(gates),
  kind: z.enum(kinds),
  lane: z.enum(lanes),
  decayClass: z.enum(decayClasses),
  confidence: z.number().min(0).max(100),
  priority: z.number().int().min(1).max(10),
  pinned: z.boolean(),
  reinforcementCount: countSchema,
  accessCount: countSchema,
  usefulCount: countSchema,
  feedback: z.number().int(),
  tags: z.array(z.string().min(1).max(64)).max(1_000),
  /** Of exports of earlier versions. */
  sensitive: z.boolean().default(false),
  status: z.enum(statuses),
  archiveReason: z.enum(archiveReasons).optional(),
  scopeId: shortTextSchema.refine(it => findSecret(it) === undefined, 'holds a secret').optional(),
  dueAt: isoTimeSchema.optional(),
  expiresAt: isoTimeSchema.optional(),
  retentionScore: z.number().min(0).max(1).optional(),
  scoringVersion: countSchema.optional(),
  provenance: z.object({
    source: z.enum(memorySources),
    session: shortTextSchema.optional(),
    client: shortTextSchema.optional(),
    workspace: shortTextSchema.optional(),
    branch: shortTextSchema.optional(),
    commit: shortTextSchema.optional(),
    turn: shortTextSchema.optional(),
    on: shortTextSchema.optional(),
    said: shortTextSchema.optional(),
    reason: shortTextSchema.optional(),
    file: shortTextSchema.optional(),
    isPlaced: z.boolean().optional(),
    placedBy: z.literal('person').optional(),
    insteadOf: z.array(shortTextSchema).optional(),
    mayReplace: z.array(shortTextSchema).optional(),
    author: shortTextSchema.optional(),
    uri: shortTextSchema.optional(),
    range: z.object({ startLine: countSchema, endLine: countSchema }).optional(),
    symbol: shortTextSchema.optional(),
    anchorHash: shortTextSchema.optional(),
  }),
  createdAt: isoTimeSchema,
  updatedAt: isoTimeSchema,
  reinforcedAt: isoTimeSchema,
  accessedAt: isoTimeSchema.optional(),
  archivedAt: isoTimeSchema.optional(),
  aids: z.object({ questions: z.array(z.string()), keywords: z.array(z.string()) }).optional(),
});

const edgeSchema = z.object({
  source: z.uuid(),
  target: z.uuid(),
  type: z.enum(edgeTypes),
  strength: z.number().min(0).max(1),
  reason: z.string().max(1_000),
  createdAt: isoTimeSchema,
  settledAt: isoTimeSchema.optional(),
  mark: z
    .object({ outdated: z.enum(['source', 'target', 'none']), by: z.enum(['model', 'person']), at: isoTimeSchema })
    .optional(),
});

/** Parses one line of an export, and limits what is taken over to what `trust` allows. */
export function parseExportLine(line: string, trust: ExportTrustOptions): ExportLine {
  if (line.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { refused: 'It is no JSON; the line may be cut off.' };
  }
  if (typeof value !== 'object' || value === null) return { refused: 'It is no memory.' };
  if ('recollect' in value) {
    const { version } = value as { readonly version?: unknown };
    return version === 1 || version === 2
      ? undefined
      : { refused: 'The export is of a newer version. Update Recollect; what can be read is taken.' };
  }
  if ('edge' in value) {
    const edge = edgeSchema.safeParse(value.edge);
    return edge.success ? { edge: omitUndefined(edge.data) } : { refused: 'It is no edge.' };
  }
  const result = memorySchema.safeParse(value);
  if (!result.success) return { refused: `It is no memory: ${result.error.issues[0]!.path.join('.') || 'its shape'}.` };
  return toMemoryLine(result.data, trust);
}

function toMemoryLine({ store, aids, ...data }: z.infer<typeof memorySchema>, trust: ExportTrustOptions): ExportLine {
  const alongside = [...data.tags, JSON.stringify(data.provenance)];
  const prepared = prepareText(data.content, { maxCharacters: trust.maxCharacters, alongside });
  if ('refused' in prepared) return prepared;
  if (data.sensitive) return { refused: 'It is marked as sensitive. Store it again yourself.' };
  const memory = { ...data, ...prepared };
  const trusted = trust.isOwnExport ? memory : restrictTrust(memory, trust);
  return {
    store,
    aids: normalizeAids(aids ?? {}),
    memory: { ...omitUndefined(trusted), provenance: omitUndefined(trusted.provenance) },
  };
}

type ParsedMemory = Omit<z.infer<typeof memorySchema>, 'store' | 'aids'>;

/** Withdraws what only a person decides: confirmation, pins, permanence and supersession. */
function restrictTrust<T extends ParsedMemory>(memory: T, { lane, now, lifetimeDays }: ExportTrustOptions): T {
  const expiresAt = new Date(now.getTime() + lifetimeDays * dayMs).toISOString();
  return {
    ...memory,
    lane,
    pinned: false,
    // Not what it says of itself: it came by an import, and the ids that it names are of another store.
    provenance: {
      ...memory.provenance,
      source: 'import',
      client: undefined,
      author: undefined,
      insteadOf: undefined,
      mayReplace: undefined,
    },
    decayClass: memory.decayClass === 'permanent' ? 'durable' : memory.decayClass,
    expiresAt: lane === 'note' ? expiresAt : undefined,
    // A memory that was superseded elsewhere must not come back as active.
    ...(memory.status === 'superseded'
      ? { status: 'archived', archiveReason: 'forgotten', archivedAt: memory.updatedAt }
      : {}),
  };
}
