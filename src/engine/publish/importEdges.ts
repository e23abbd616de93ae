import type { Context } from '../context.js';
import { symmetricEdgeTypes, type Edge } from '../model/edge.js';
import type { StoreTransaction } from '../store/store.js';

/**
 * Makes the edges of an export that are not there, between memories of one store. What a person decided, that one memory
 * replaces another or that both hold, counts only in their own export; else it is a contradiction to be settled.
 * @returns how many were made
 */
export async function importEdges(ctx: Context, edges: readonly Edge[], own: boolean): Promise<number> {
  const usable = edges.flatMap(it => (own ? [it] : asClaimed(it)));
  const ids = [...new Set(usable.flatMap(it => [it.source, it.target]))];
  let made = 0;
  for (const { store } of ids.length === 0 ? [] : ctx.stores.filter(it => !it.store.readOnly)) {
    const here = new Set((await store.get(ids)).map(it => it.id));
    const wanted = usable.filter(it => here.has(it.source) && here.has(it.target) && it.source !== it.target);
    const there = new Set((await store.edges([...here])).map(edgeKey));
    const missing = wanted.filter(it => !there.has(edgeKey(it)));
    if (missing.length === 0) continue;
    made += await store.write(ctx.host.client, tx => link(tx, missing));
  }
  return made;
}

/** What a person elsewhere has settled is not put before this one again. */
function asClaimed(edge: Edge): readonly Edge[] {
  if (edge.type === 'supersedes') return [{ ...edge, type: 'contradicts' }];
  return edge.settledAt === undefined ? [edge] : [];
}

async function link(tx: StoreTransaction, edges: readonly Edge[]): Promise<number> {
  const plain = edges.flatMap(it => (it.type === 'supersedes' ? [] : [{ ...it, type: it.type }]));
  await tx.link(plain);
  let made = plain.length;
  for (const { source, target, type, settledAt } of edges) {
    if (type === 'contradicts' && settledAt !== undefined) await tx.settle(source, target);
    // Where the person has brought it back since, it stays.
    if (type !== 'supersedes' || (await tx.get(target))?.status !== 'superseded') continue;
    await tx.supersede(source, target);
    made++;
  }
  return made;
}

function edgeKey({ source, target, type }: Edge): string {
  return [type, ...(symmetricEdgeTypes.includes(type) ? [source, target].sort() : [source, target])].join(' ');
}
