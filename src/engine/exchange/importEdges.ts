import type { Context } from '../context.js';
import type { Edge } from '../model/edge.js';
import type { IntakeName } from '../remember/intakeLog.js';
import type { Store, StoreTransaction } from '../store/store.js';
import { edgeKey, recordImport } from './importLog.js';

interface ImportEdgesOptions {
  /** The import that the edges are undone with. */
  readonly name: IntakeName;
  readonly isOwnExport: boolean;
  readonly onWritten: (store: Store, ids: readonly string[]) => void;
}

/**
 * Creates the missing edges of an export between memories of one store. Decisions of a person (supersedes, settled) are
 * taken over from an own export only; from any other export a supersession becomes an open contradiction.
 * @returns the number of created edges
 */
export async function importEdges(
  ctx: Context,
  edges: readonly Edge[],
  { name, isOwnExport, onWritten }: ImportEdgesOptions,
): Promise<number> {
  const usable = edges.flatMap(it => (isOwnExport ? [it] : distrustEdge(it)));
  const ids = [...new Set(usable.flatMap(it => [it.source, it.target]))];
  let created = 0;
  for (const { store } of ids.length === 0 ? [] : ctx.stores.filter(it => !it.store.readOnly)) {
    const idsInStore = new Set((await store.get(ids)).map(it => it.id));
    const inStore = usable.filter(
      it => idsInStore.has(it.source) && idsInStore.has(it.target) && it.source !== it.target,
    );
    const existingKeys = new Set((await store.edges([...idsInStore])).map(edgeKey));
    const missing = inStore.filter(it => !existingKeys.has(edgeKey(it)));
    if (missing.length === 0) continue;
    const linked = await store.write(ctx.host.client, async tx => {
      const made = await linkEdges(tx, missing);
      await recordImport(tx, name, { edges: made });
      return made;
    });
    created += linked.length;
    onWritten(
      store,
      linked.flatMap(it => [it.source, it.target]),
    );
  }
  return created;
}

/** A contradiction that was settled elsewhere is dropped rather than opened again; a mark is a model's word. */
function distrustEdge(edge: Edge): readonly Edge[] {
  if (edge.type === 'supersedes') return [{ ...edge, type: 'contradicts' }];
  if (edge.settledAt !== undefined) return [];
  return [edge.mark === undefined ? edge : { ...edge, mark: { ...edge.mark, by: 'model' } }];
}

/** @returns those that were created */
async function linkEdges(tx: StoreTransaction, edges: readonly Edge[]): Promise<readonly Edge[]> {
  const linkable = edges.flatMap(it => (it.type === 'supersedes' ? [] : [{ ...it, type: it.type }]));
  await tx.link(linkable);
  const created: Edge[] = [...linkable];
  for (const edge of edges) {
    const { source, target, type, settledAt, mark } = edge;
    if (mark !== undefined && type !== 'supersedes') await tx.restoreMark({ source, target, type }, mark);
    if (type === 'contradicts' && settledAt !== undefined) await tx.settle(source, target);
    // A memory that the person restored since stays active.
    if (type !== 'supersedes' || (await tx.get(target))?.status !== 'superseded') continue;
    await tx.supersede(source, target);
    created.push(edge);
  }
  return created;
}
