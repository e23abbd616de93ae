import { EngineError } from '../base/errors.js';
import { message, LocalizableMessage } from '../base/localizableMessage.js';
import type { CallTracker } from '../store/callTracker.js';
import type { Context } from '../context.js';
import { messageTemplates } from '../model/engineMessages.js';
import { shortId, type Memory } from '../model/memory.js';
import type { MemorySet } from '../model/query.js';
import { findSecret } from '../secrets/secretScanner.js';
import type { Store, StoreTransaction } from '../store/store.js';
import { validateSetName } from '../secrets/storableText.js';
import { resolveReference, type LocatedMemory } from './memoryActions.js';
import type { MoveResult } from './moves.js';

/** Isolated sets: memories that only a call with their scopeId sees. */
export class Sets {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /** The sets that have memories in an open store, by name. */
  list(): Promise<MemorySet[]> {
    return this.calls.run(async () => {
      const totals = new Map<string, MemorySet>();
      for (const { store } of this.ctx.stores) {
        for (const { scopeId, active, archived } of await store.sets()) {
          const before = totals.get(scopeId);
          totals.set(scopeId, {
            scopeId,
            active: active + (before?.active ?? 0),
            archived: archived + (before?.archived ?? 0),
          });
        }
      }
      return [...totals.values()].sort((a, b) => (a.scopeId < b.scopeId ? -1 : 1));
    });
  }

  /**
   * Puts memories into a set of their store, with everything that belongs to them; those that are there already stay.
   * Edges to memories of other sets rest until both are in one set.
   * @param references full ids or short ids
   * @param scopeId name of the set; undefined or empty = the shared one
   * @throws EngineError notFound | ambiguousId | invalidInput (nothing is changed then), and errors of Store.write
   */
  move(references: readonly string[], scopeId = ''): Promise<MoveResult> {
    return this.calls.change(async onWritten => {
      validateName(scopeId);
      const located: LocatedMemory[] = [];
      for (const it of references) located.push(await resolveReference(this.ctx, it));
      const refused: MoveResult['refused'][number][] = [];
      const moved: Memory[] = [];
      for (const store of new Set(located.map(it => it.store))) {
        const ids = [...new Set(located.filter(it => it.store === store).map(it => it.memory.id))];
        const taken = await this.moveInStore(store, { ids, scopeId, refused });
        onWritten(store, taken);
        moved.push(...(await store.get(taken)));
      }
      return { moved, refused };
    });
  }

  private moveInStore(
    store: Store,
    {
      ids,
      scopeId,
      refused,
    }: { readonly ids: readonly string[]; readonly scopeId: string; readonly refused: MoveResult['refused'][number][] },
  ): Promise<string[]> {
    return store.write(this.ctx.host.client, async tx => {
      const taken: string[] = [];
      for (const memory of await tx.getMany(ids)) {
        if ((memory.scopeId ?? '') === scopeId) continue;
        const [same] = await tx.findByHash([memory.contentHash], scopeId);
        if (same === undefined) {
          await putIntoSet(tx, memory, scopeId);
          taken.push(memory.id);
          continue;
        }
        const reason = message`The same memory is there already (#${shortId(same)}). Forget one of the two.`;
        refused.push({ memory, reason });
      }
      return taken;
    });
  }
}

async function putIntoSet(tx: StoreTransaction, memory: Memory, scopeId: string): Promise<void> {
  const { scopeId: before, ...rest } = memory;
  const sequence = await tx.nextSequence(scopeId);
  const after: Memory = scopeId === '' ? { ...rest, sequence } : { ...rest, sequence, scopeId };
  await tx.update(after, 'edit', { change: 'set', from: before ?? '', to: scopeId });
}

/** @throws EngineError invalidInput */
function validateName(scopeId: string): void {
  validateSetName(scopeId);
  const secret = findSecret(scopeId);
  if (secret !== undefined)
    throw new EngineError('invalidInput', new LocalizableMessage(messageTemplates.secret, [secret.label]));
}
