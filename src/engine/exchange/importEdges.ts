import type { Context } from '../context.js';
import { symmetricEdgeTypes, type Edge } from '../model/edge.js';
import type { StoreTransaction } from '../store/store.js';

/**
 * Creates the missing edges of an export between memories of one store. Decisions of a person (supersedes, settled) are
 * taken over from an own export only; from any other export a supersession becomes an open contradiction.
 * @returns the number of created edges
 */
export async function importEdges(ctx: Context, edges: readonly Edge[], isOwnExport: boolean): Promise<number> {
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
    created += await store.write(ctx.host.client, tx => linkEdges(tx, missing));
  }
  return created;
}

/** A contradiction that was settled elsewhere is dropped rather than opened again; a mark is a model's word. */
function distrustEdge(edge: Edge): readonly Edge[] {
  if (edge.type === 'supersedes') return [{ ...edge, type: 'contradicts' }];
  if (edge.settledAt !== undefined) return [];
  return [edge.mark === undefined ? edge : { ...edge, mark: { ...edge.mark, by: 'model' } }];
}

async function linkEdges(tx: StoreTransaction, edges: readonly Edge[]): Promise<number> {
  const linkable = edges.flatMap(it => (it.type === 'supersedes' ? [] : [{ ...it, type: it.type }]));
  await tx.link(linkable);
  let created = linkable.length;
  for (const { source, target, type, settledAt, mark } of edges) {
    if (mark !== undefined && type !== 'supersedes') await tx.restoreMark({ source, target, type }, mark);
    if (type === 'contradicts' && settledAt !== undefined) await tx.settle(source, target);
    // A memory that the person restored since stays active.
    if (type !== 'supersedes' || (await tx.get(target))?.status !== 'superseded') continue;
    await tx.supersede(source, target);
    created++;
  }
  return created;
}

function edgeKey({ source, target, type }: Edge): string {
  return [type, ...(symmetricEdgeTypes.includes(type) ? [source, target].sort() : [source, target])].join(' ');
}
