import { z } from 'zod';
import type { Edge } from '../model/edge.js';
import { edgeTypes } from '../model/edge.js';
import {
  archiveReasons,
  decayClasses,
  gates,
  kinds,
  lanes,
  sources,
  statuses,
  storeKinds,
  type Memory,
} from '../model/memory.js';
import { dayMs } from '../scoring/decay.js';
import { factHash } from '../store/factHash.js';
import type { NewMemory } from '../store/store.js';
import { summarise } from '../text/normalise.js';
import { findSecret } from '../text/secrets.js';
import { checkShape } from '../text/shape.js';

/** One line of an export, as far as it can be used. */
export type ExportLine =
  | { readonly memory: Omit<NewMemory, 'sequence'>; readonly store: Memory['store'] }
  | { readonly edge: Edge }
  | { readonly refused: string }
  | undefined;

export interface ExportTrust {
  /** A person says that the export is their own. */
  readonly own: boolean;
  readonly lane: Memory['lane'];
  readonly now: Date;
  /** Of notes. */
  readonly lifetimeDays: number;
  readonly maxCharacters: number;
}

const time = z.iso.datetime().transform(it => new Date(it).toISOString());
const word = z.string().max(2_000);
const count = z.number().int().min(0);

const memoryShape = z.object({
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
  reinforcementCount: count,
  accessCount: count,
  usefulCount: count,
  feedback: z.number().int(),
  tags: z.array(z.string().min(1).max(64)).max(1_000),
  sensitive: z.boolean(),
  status: z.enum(statuses),
  archiveReason: z.enum(archiveReasons).optional(),
  scopeId: word.optional(),
  dueAt: time.optional(),
  expiresAt: time.optional(),
  retentionScore: z.number().min(0).max(1).optional(),
  scoringVersion: count.optional(),
  provenance: z.object({
    source: z.enum(sources),
    session: word.optional(),
    client: word.optional(),
    workspace: word.optional(),
    branch: word.optional(),
    commit: word.optional(),
    uri: word.optional(),
    range: z.object({ startLine: count, endLine: count }).optional(),
    symbol: word.optional(),
    anchorHash: word.optional(),
  }),
  createdAt: time,
  updatedAt: time,
  reinforcedAt: time,
  accessedAt: time.optional(),
  archivedAt: time.optional(),
});

const edgeShape = z.object({
  source: z.uuid(),
  target: z.uuid(),
  type: z.enum(edgeTypes),
  strength: z.number().min(0).max(1),
  reason: z.string().max(1_000),
  createdAt: time,
  settledAt: time.optional(),
});

/** Undefined for the header, and for empty lines. */
export function readExportLine(line: string, trust: ExportTrust): ExportLine {
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
    const edge = edgeShape.safeParse(value.edge);
    return edge.success ? { edge: present(edge.data) as Edge } : { refused: 'It is no edge.' };
  }
  const read = memoryShape.safeParse(value);
  if (!read.success) return { refused: `It is no memory: ${read.error.issues[0]!.path.join('.') || 'its shape'}.` };
  return asMemory(read.data, trust);
}

function asMemory({ store, ...data }: z.infer<typeof memoryShape>, trust: ExportTrust): ExportLine {
  const shape = checkShape(data.content, trust.maxCharacters);
  if (!shape.ok) return { refused: shape.reason };
  const secret = [shape.text, ...data.tags, JSON.stringify(data.provenance)].map(it => findSecret(it)).find(it => it);
  if (secret !== undefined) return { refused: `It contains a secret (${secret.kind}), and secrets are not kept.` };
  if (data.sensitive) return { refused: 'It is marked as sensitive. Tell it again yourself.' };
  const content = shape.text;
  const memory = { ...data, content, summary: summarise(content), contentHash: factHash(content) };
  return { store, memory: present(trust.own ? memory : distrusted(memory, trust)) as Omit<NewMemory, 'sequence'> };
}

type Read = Omit<z.infer<typeof memoryShape>, 'store'>;

/** What somebody else's person decided is no decision of this one. */
function distrusted<T extends Read>(memory: T, { lane, now, lifetimeDays }: ExportTrust): T {
  const expiresAt = new Date(now.getTime() + lifetimeDays * dayMs).toISOString();
  return {
    ...memory,
    lane,
    pinned: false,
    decayClass: memory.decayClass === 'permanent' ? 'durable' : memory.decayClass,
    expiresAt: lane === 'note' ? expiresAt : undefined,
    // Only a person of this memory supersedes; what was replaced there is at least not shown here.
    ...(memory.status === 'superseded'
      ? { status: 'archived', archiveReason: 'forgotten', archivedAt: memory.updatedAt }
      : {}),
  };
}

/** Without fields that are undefined. */
function present(value: object): unknown {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, it]) => it !== undefined)
      .map(([key, it]: [string, unknown]) => [
        key,
        typeof it === 'object' && it !== null && !Array.isArray(it) ? present(it) : it,
      ]),
  );
}
