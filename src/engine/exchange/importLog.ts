// What one import wrote, so that it can be taken back without what was done since.
import { createHash } from 'node:crypto';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { Context } from '../context.js';
import { symmetricEdgeTypes, type Edge } from '../model/edge.js';
import type { ImportUndo, PastImport } from '../model/importReport.js';
import type { ArchiveReason, Memory } from '../model/memory.js';
import type { MemoryChange } from '../remember/factWriter.js';
import type { NewMemory, Store, StoreTransaction } from '../store/store.js';

/** A part of an import: what one transaction of one store wrote. Its id begins with that of the import. */
interface ImportRecord {
  readonly import: string;
  readonly at: string;
  readonly source: string;
  /** New memories, each with a digest of what a person or a later session could have changed. */
  readonly created: readonly (readonly [id: string, digest: string])[];
  /** Of memories that were there: their fields before and after; null for an absent one. */
  readonly changed: readonly { readonly id: string; readonly fields: ChangedFields }[];
  /** Ids of the records of facts that reinforced a memory with other words. */
  readonly aliases: readonly string[];
  /** Edges of an export that were missing; absent in records of earlier versions. */
  readonly edges?: readonly ImportedEdge[];
}

/** An edge that an import made, and a digest of what could have been decided or found about it since. */
type ImportedEdge = readonly [source: string, target: string, key: string, digest: string];

type ChangedFields = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

/** Names the import whose writes are recorded. */
export interface ImportName {
  readonly id: string;
  readonly at: string;
  /** Base name of the file or folder. */
  readonly source: string;
}

/** Imports that can be taken back. */
const maxImports = 50;
/** Records looked at: a large import has several. */
const maxRecords = 2_000;

/** Written by every write, and no change of what the memory says or counts for. */
const ignoredFields: readonly string[] = ['sequence', 'centrality', 'retentionScore', 'scoringVersion', 'updatedAt'];

const automaticReasons: readonly ArchiveReason[] = ['faded', 'expired', 'quota', 'gone'];

/** Records the writes of one transaction, in that transaction. */
export async function recordImport(
  tx: StoreTransaction,
  { id, at, source }: ImportName,
  {
    changes = [],
    aliases = [],
    edges = [],
  }: {
    readonly changes?: readonly MemoryChange[];
    readonly aliases?: readonly string[];
    readonly edges?: readonly Edge[];
  },
): Promise<void> {
  const created = changes.flatMap(it => (it.before === undefined ? [[it.after.id, digest(it.after)] as const] : []));
  const changed = changes.flatMap(({ before, after }) =>
    before === undefined ? [] : [{ id: after.id, fields: changedFields(before, after) }],
  );
  if (created.length + changed.length + aliases.length + edges.length === 0) return;
  const made = edges.map((it): ImportedEdge => [it.source, it.target, edgeKey(it), edgeDigest(it)]);
  const part = createHash('sha256')
    .update(JSON.stringify([created, changed, aliases, made]))
    .digest('hex')
    .slice(0, 12);
  const body: ImportRecord = { import: id, at, source, created, changed, aliases, edges: made };
  await tx.putRecord('import', `${id} ${part}`, body);
}

/** Ids of the memories that an import made, in the order of its files. */
export async function importedIds(ctx: Context, id: string): Promise<readonly string[]> {
  const parts = (await readRecords(ctx)).flatMap(it => it.records.map(({ body }) => body));
  return parts
    .filter(it => it.import === id)
    .reverse()
    .flatMap(it => it.created.map(([created]) => created));
}

/** What can be taken back, newest first. */
export async function listImports(ctx: Context): Promise<readonly PastImport[]> {
  const found = new Map<string, PastImport>();
  for (const { body } of (await readRecords(ctx)).flatMap(it => it.records)) {
    const { at, source, created } = body;
    const memories = (found.get(body.import)?.memories ?? 0) + created.length;
    found.set(body.import, { id: body.import, at, source, memories });
  }
  return [...found.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, maxImports);
}

/**
 * Takes an import back: deletes its memories, and gives those that it reinforced or weakened their fields back. What a
 * person or a later session changed, confirmed or said again since stays as it is.
 * @param reference its id or the end of it; the newest by default
 * @throws EngineError notFound
 */
export async function undoImport(
  ctx: Context,
  reference: string | undefined,
  onWritten: (store: Store, ids: readonly string[]) => void,
): Promise<ImportUndo> {
  const wanted = reference?.replace(/^#/u, '').trim().toLowerCase();
  const past = (await listImports(ctx)).find(it => wanted === undefined || (wanted !== '' && it.id.endsWith(wanted)));
  if (past === undefined) {
    throw new EngineError(
      'notFound',
      wanted === undefined
        ? 'There is no import to undo.'
        : message`There is no import "${wanted.slice(0, 40)}" to undo. List them: recollect import --list.`,
    );
  }
  let [removed, restored] = [0, 0];
  const kept: Memory[] = [];
  for (const { store, records } of await readRecords(ctx)) {
    const parts = records.filter(it => it.body.import === past.id);
    if (parts.length === 0) continue;
    const written: string[] = [];
    const made = parts.flatMap(it => it.body.edges ?? []);
    const createdIds = parts.flatMap(it => it.body.created.map(([id]) => id));
    const ends = [...new Set([...createdIds, ...made.flatMap(([from, to]) => [from, to])])];
    // What a person moved to another store since is theirs.
    const elsewhere = ctx.stores.filter(it => it.store !== store);
    const moved = (await Promise.all(elsewhere.map(it => it.store.get(createdIds)))).flat();
    const isMade = madeBy(made);
    const edges = await store.edges(ends);
    const decided = new Set(edges.filter(it => !isMade(it) && isDecision(it)).flatMap(it => [it.source, it.target]));
    await store.write(ctx.host.client, async tx => {
      for (const it of edges.filter(isMade)) {
        await tx.unlink(it.source, it.target, it.type);
        written.push(it.source, it.target);
      }
      // The latest first: a memory that two batches changed gets the fields of before the first.
      for (const { id: recordId, body } of [...parts].sort((a, b) => (a.at < b.at ? 1 : -1))) {
        for (const { id, fields } of [...body.changed].reverse()) {
          if (!(await restoreFields(tx, id, fields))) continue;
          restored++;
          written.push(id);
        }
        for (const [id, created] of body.created) {
          const memory = await tx.get(id);
          if (memory === undefined) {
            kept.push(...moved.filter(it => it.id === id));
            continue;
          }
          if (digest(memory) !== created || decided.has(id)) kept.push(memory);
          else {
            await tx.delete(id, 'prune');
            removed++;
            written.push(id);
          }
        }
        for (const it of body.aliases) await tx.deleteRecord('state', it);
        await tx.deleteRecord('import', recordId);
      }
      await tx.log('import', { undone: past.id, removed });
    });
    onWritten(store, written);
  }
  return { ...past, removed, restored, kept };
}

interface StoreImports {
  readonly store: Store;
  readonly records: readonly { readonly id: string; readonly at: string; readonly body: ImportRecord }[];
}

function readRecords(ctx: Context): Promise<readonly StoreImports[]> {
  const writable = ctx.stores.map(it => it.store).filter(it => !it.readOnly);
  return Promise.all(
    writable.map(async store => ({ store, records: await store.records<ImportRecord>('import', maxRecords) })),
  );
}

/** @returns false where it is gone, or has changed since */
async function restoreFields(tx: StoreTransaction, id: string, fields: ChangedFields): Promise<boolean> {
  const memory = await tx.get(id);
  const current = memory as Readonly<Record<string, unknown>> | undefined;
  if (memory === undefined || Object.entries(fields).some(([key, [, after]]) => !isSame(current![key], after)))
    return false;
  const before = Object.entries(fields).map(([key, [it]]) => [key, it ?? undefined] as const);
  const restored = Object.fromEntries(
    Object.entries({ ...memory, ...Object.fromEntries(before) } as Readonly<Record<string, unknown>>).filter(
      ([, it]) => it !== undefined,
    ),
  ) as unknown as Memory;
  await tx.update(restored, 'restore', { because: 'the import was undone' });
  return true;
}

function changedFields(before: Memory, after: MemoryChange['after']): ChangedFields {
  const [old, current] = [before, after] as readonly Readonly<Record<string, unknown>>[];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter(it => !ignoredFields.includes(it) && !isSame(old![it], current![it]));
  return Object.fromEntries(changed.map(it => [it, [old![it] ?? null, current![it] ?? null]]));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** Whether an edge is one of those that an import made, as it made it. */
function madeBy(made: readonly ImportedEdge[]): (edge: Edge) => boolean {
  const digests = new Map(made.map(([, , key, it]) => [key, it]));
  return edge => digests.get(edgeKey(edge)) === edgeDigest(edge);
}

/** The same for both directions of a symmetric edge. */
export function edgeKey({ source, target, type }: Pick<Edge, 'source' | 'target' | 'type'>): string {
  return [type, ...(symmetricEdgeTypes.includes(type) ? [source, target].sort() : [source, target])].join(' ');
}

/** Whether a person has decided something between two memories. */
function isDecision({ type, settledAt, mark }: Edge): boolean {
  return type === 'supersedes' || settledAt !== undefined || mark?.by === 'person';
}

/** Digest of what changes where the edge is settled, marked or found to be stronger. */
function edgeDigest({ strength, settledAt, mark }: Edge): string {
  const fields = [strength, settledAt !== undefined, mark?.by ?? '', mark?.at ?? ''];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex').slice(0, 8);
}

/** Digest of what changes where the memory is edited, confirmed, judged, filed, forgotten or said again. */
function digest(memory: NewMemory): string {
  const { contentHash, gate, kind, lane, decayClass, priority, pinned, tags, scopeId, dueAt } = memory;
  const { reinforcementCount, usefulCount, feedback } = memory;
  // What faded or expired by itself is none the less of the import.
  const status = automaticReasons.some(it => it === memory.archiveReason) ? 'active' : memory.status;
  const fields = [contentHash, gate, kind, lane, decayClass, priority, pinned, tags, scopeId ?? '', dueAt ?? ''];
  return createHash('sha256')
    .update(JSON.stringify([...fields, reinforcementCount, usefulCount, feedback, status]))
    .digest('hex')
    .slice(0, 16);
}
