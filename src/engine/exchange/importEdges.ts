import type { Context } from '../context.js';
import { symmetricEdgeTypes, type Edge } from '../model/edge.js';
import type { StoreTransaction } from '../store/store.js';

/**
 * Creates the missing edges of an export between memories of one store. Decisions of a person (supersedes, settled) are
 * and marks of what is outdated are taken over from an own export only; from any other export a supersession becomes an open contradiction.
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

/** A contradiction that was settled elsewhere is dropped rather than opened again; a mark of what is outdated is dropped. */
function distrustEdge({ mark: _mark, ...edge }: Edge): readonly Edge[] {
  if (edge.type === 'supersedes') return [{ ...edge, type: 'contradicts' }];
  return edge.settledAt === undefined ? [edge] : [];
}

async function linkEdges(tx: StoreTransaction, edges: readonly Edge[]): Promise<number> {
  const linkable = edges.flatMap(it => (it.type === 'supersedes' ? [] : [{ ...it, type: it.type }]));
  await tx.link(linkable);
  let created = linkable.length;
  for (const { source, target, type, settledAt, mark, reason } of edges) {
    if ((type === 'contradicts' || type === 'relates_to') && mark !== undefined && mark.outdated !== 'none') {
      const [outdated, replacement] = mark.outdated === 'source' ? [source, target] : [target, source];
      await tx.markOutdated({ outdated, replacement, type, by: mark.by, reason });
    }
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
