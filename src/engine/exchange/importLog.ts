// What one import wrote, so that it can be taken back without what was done since.
import { createHash } from 'node:crypto';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { Context } from '../context.js';
import { symmetricEdgeTypes, type Edge } from '../model/edge.js';
import type { ImportUndo, PastImport } from '../model/importReport.js';
import type { MemoryChange } from '../remember/factWriter.js';
import {
  listLoggedIntakes,
  readIntakeParts,
  readReviews,
  recordIntakePart,
  type IntakeName,
  type IntakePart,
} from '../remember/intakeLog.js';
import { logWrites, undoWrites, type WriteLog } from '../remember/writeLog.js';
import { unfollowImport } from './followedFiles.js';
import type { Store, StoreTransaction } from '../store/store.js';

/** What one transaction of one store wrote. */
interface WritesOfImport extends WriteLog {
  /** Ids of the records of facts that reinforced a memory with other words. */
  readonly aliases: readonly string[];
  /** Edges of an export that were missing; absent in records of earlier versions. */
  readonly edges?: readonly ImportedEdge[];
}

type ImportPart = IntakePart & WritesOfImport;

/** An edge that an import made, and a digest of what could have been decided or found about it since. */
type ImportedEdge = readonly [source: string, target: string, key: string, digest: string];

/** Records the writes of one transaction, in that transaction. */
export async function recordImport(
  tx: StoreTransaction,
  name: IntakeName,
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
  const { created, changed } = logWrites(changes);
  if (created.length + changed.length + aliases.length + edges.length === 0) return;
  const made = edges.map((it): ImportedEdge => [it.source, it.target, edgeKey(it), edgeDigest(it)]);
  const writes: WritesOfImport = { created, changed, aliases, edges: made };
  await recordIntakePart(tx, 'import', name, writes);
}

/** What can be taken back, newest first. */
export async function listImports(ctx: Context): Promise<readonly PastImport[]> {
  const intakes = listLoggedIntakes(await readIntakeParts(ctx, 'import'));
  return intakes.map(({ created, ...rest }) => ({ ...rest, memories: created.length }));
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
  const kept: string[] = [];
  for (const { store, parts: all } of await readIntakeParts<ImportPart>(ctx, 'import')) {
    const parts = all.filter(it => it.intake === past.id);
    const reviews = await readReviews(ctx, store, past.id);
    if (parts.length + reviews.length === 0) continue;
    const written: string[] = [];
    const made = parts.flatMap(it => it.body.edges ?? []);
    const isMade = madeBy(made);
    await store.write(ctx.host.client, async tx => {
      for (const it of (await tx.edges([...new Set(made.flatMap(([from, to]) => [from, to]))])).filter(isMade)) {
        await tx.unlink(it.source, it.target, it.type);
        written.push(it.source, it.target);
      }
      // The latest first: a memory that two batches changed gets the fields of before the first.
      for (const { recordId, body } of parts) {
        const undone = await undoWrites(tx, body, 'the import was undone');
        removed += undone.removed.length;
        restored += undone.restored.length;
        written.push(...undone.removed, ...undone.restored);
        kept.push(...undone.kept.filter(id => body.created.some(([made]) => made === id)));
        for (const it of body.aliases) await tx.deleteRecord('state', it);
        await tx.deleteRecord('import', recordId);
      }
      for (const it of reviews) await tx.deleteRecord('review', it.id);
      await unfollowImport(tx, store, past.id);
      await tx.log('import', { undone: past.id, removed });
    });
    onWritten(store, written);
  }
  // Also what a person moved to another store since: it is theirs.
  const memories = await Promise.all(ctx.stores.map(it => it.store.get(kept)));
  return { ...past, removed, restored, kept: memories.flat() };
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

/** Digest of what changes where the edge is settled, marked or found to be stronger. */
function edgeDigest({ strength, settledAt, mark }: Edge): string {
  const fields = [strength, settledAt !== undefined, mark?.by ?? '', mark?.at ?? ''];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex').slice(0, 8);
}
