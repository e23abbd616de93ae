import { EngineError } from '../base/errors.js';
import { message } from '../base/message.js';
import type { Calls } from '../calls.js';
import { storesOf, type Context } from '../context.js';
import type { Edge } from '../model/edge.js';
import { handle, type Memory, type Scope } from '../model/memory.js';
import type { Conflict, Settlement, Verdict, Weighed } from '../model/truth.js';
import { vindicated } from '../scoring/confidence.js';
import { effectiveConfidence } from '../scoring/decay.js';
import type { HistoryLine, Store, StoreTransaction } from '../store/store.js';
import { find } from './curate.js';

/** How two memories stand to each other: what a person made of it, if anything. */
type Standing = Settlement['before'];

/** What of a memory a settlement may change. */
const settledFields = ['status', 'lane', 'confidence', 'reinforcementCount', 'updatedAt'] as const;

/** Which of two memories holds: what contradicts what, and what a person makes of it. Part of the façade. */
export class Truth {
  constructor(
    private readonly ctx: Context,
    private readonly calls: Calls,
  ) {}

  /** Pairs of active memories that contradict each other and that no person has settled, newest first. */
  conflicts(
    input: { readonly scope?: Scope; readonly scopeId?: string; readonly limit?: number } = {},
  ): Promise<readonly Conflict[]> {
    const { scope = 'project-then-global', scopeId = '', limit = 100 } = input;
    return this.calls.run(async () => {
      const found = await Promise.all(storesOf(this.ctx, scope).map(it => it.conflicts(scopeId, limit)));
      return found
        .flat()
        .sort((a, b) => (a.edge.createdAt < b.edge.createdAt ? 1 : -1))
        .slice(0, limit)
        .map(({ newer, older, edge }) => ({
          newer: this.weighed(newer),
          older: this.weighed(older),
          certainty: edge.strength,
          reason: edge.reason,
          since: edge.createdAt,
        }));
    });
  }

  /**
   * A person says which of two contradicting memories holds; never a model's tool. The one that is kept is confirmed and
   * active, and gets back what the contradiction took from its confidence; the other one is superseded by it. Keeping
   * both gives both their confidence back. May be said again with another verdict.
   * @throws EngineError notFound | ambiguousId | invalidInput where they do not contradict each other
   */
  settle(a: string, b: string, verdict: Verdict): Promise<Settlement> {
    return this.calls.change(async changed => {
      const { store, ids, edges } = await this.pair(a, b);
      const certainty = edges.find(it => it.type === 'contradicts')!.strength;
      const histories = [await store.history(ids[0]), await store.history(ids[1])] as const;
      const settlement = await store.write(this.ctx.host.client, async tx => {
        const memories = [await existing(tx, ids[0]), await existing(tx, ids[1])] as const;
        const before = standing(edges, memories);
        const gotBack: string[] = [];
        const settlement: Settlement = { verdict, before, memories, vindicated: gotBack };
        if (before === verdict) return settlement;
        await arrange(tx, memories, { from: before, to: verdict });
        const at = this.ctx.host.now().toISOString();
        for (const [i, kept] of (['keepA', 'keepB'] as const).entries()) {
          if (verdict !== 'keepBoth' && verdict !== kept) continue;
          const other = ids[1 - i]!;
          const owed = isOwed(histories[i]!, other);
          if (owed) gotBack.push(ids[i]!);
          const now = await existing(tx, ids[i]!);
          const { archivedAt, archiveReason, ...rest } = now;
          const { expiresAt, ...lasting } = rest;
          const next: Memory = {
            ...(verdict === 'keepBoth' ? rest : { ...lasting, lane: 'confirmed' }),
            status: 'active',
            updatedAt: at,
            ...(owed ? vindicated(now, certainty) : {}),
          };
          await tx.update(next, 'settle', { other, verdict, ...(owed ? { vindicated: true } : {}) });
        }
        return settlement;
      });
      changed(store, ids);
      return settlement;
    });
  }

  /**
   * Undoes a settlement: both memories and what stood between them are as they were before.
   * @throws EngineError notFound where one was removed since
   */
  undo({ verdict, before, memories, vindicated: gotBack }: Settlement): Promise<void> {
    return this.calls.change(async changed => {
      const { store, ids } = await this.pair(memories[0].id, memories[1].id);
      await store.write(this.ctx.host.client, async tx => {
        await arrange(tx, memories, { from: verdict, to: before });
        for (const [i, was] of memories.entries()) {
          const { archivedAt, archiveReason, expiresAt, ...now } = await existing(tx, was.id);
          const { archivedAt: archived, archiveReason: reason, expiresAt: expires } = was;
          const next: Memory = {
            ...now,
            ...Object.fromEntries(settledFields.map(it => [it, was[it]])),
            ...(archived === undefined ? {} : { archivedAt: archived }),
            ...(reason === undefined ? {} : { archiveReason: reason }),
            ...(expires === undefined ? {} : { expiresAt: expires }),
          };
          const takenBack = gotBack.includes(was.id) ? { vindicated: false } : {};
          await tx.update(next, 'settle', { other: ids[1 - i], undone: true, ...takenBack });
        }
      });
      changed(store, ids);
    });
  }

  /** Two memories of one store, and the edges between them. */
  private async pair(
    a: string,
    b: string,
  ): Promise<{ readonly store: Store; readonly ids: readonly [string, string]; readonly edges: readonly Edge[] }> {
    const [one, other] = [await find(this.ctx, a), await find(this.ctx, b)];
    const [ids, store] = [[one.memory.id, other.memory.id] as const, one.store];
    const all = store === other.store ? await store.edges([ids[0]], ['contradicts', 'supersedes']) : [];
    const edges = all.filter(it => it.source === ids[1] || it.target === ids[1]);
    if (ids[0] !== ids[1] && edges.some(it => it.type === 'contradicts')) return { store, ids, edges };
    throw new EngineError(
      'invalidInput',
      message`#${handle(one.memory)} and #${handle(other.memory)} do not contradict each other. The list of conflicts shows the pairs that do.`,
    );
  }

  private weighed(memory: Memory): Weighed {
    const { decayProfile: profile } = this.ctx.host.config();
    const { centrality } = memory;
    const effective = effectiveConfidence(memory, { profile, centrality, now: this.ctx.host.now() });
    return { memory, effectiveConfidence: effective };
  }
}

async function existing(tx: StoreTransaction, id: string): Promise<Memory> {
  const memory = await tx.get(id);
  if (memory !== undefined) return memory;
  throw new EngineError(
    'notFound',
    message`The memory #${handle({ id })} has just been removed. Look at the list again.`,
  );
}

function standing(edges: readonly Edge[], [a]: readonly [Memory, Memory]): Standing {
  const replaced = edges.find(it => it.type === 'supersedes');
  if (replaced !== undefined) return replaced.source === a.id ? 'keepA' : 'keepB';
  return edges.some(it => it.type === 'contradicts' && it.settledAt !== undefined) ? 'keepBoth' : 'open';
}

/** Makes two memories stand so to each other. Of their fields only a loser's status changes. */
async function arrange(
  tx: StoreTransaction,
  [a, b]: readonly [Memory, Memory],
  { from, to }: { readonly from: Standing; readonly to: Standing },
): Promise<void> {
  if (from !== 'open') await tx.reopen(a.id, b.id);
  switch (to) {
    case 'keepA':
      return tx.supersede(a.id, b.id);
    case 'keepB':
      return tx.supersede(b.id, a.id);
    case 'keepBoth':
      return tx.settle(a.id, b.id);
    case 'open':
      return undefined;
  }
}

/** Whether the other one weakened this memory, and no settlement that stands has given that back since. */
function isOwed(history: readonly HistoryLine[], other: string): boolean {
  const last = history.findLast(
    ({ action, detail }) =>
      (action === 'weaken' && detail.by === other) ||
      (action === 'settle' && detail.other === other && detail.vindicated !== undefined),
  );
  return last !== undefined && last.detail.vindicated !== true;
}
