import type { CallTracker } from '../store/callTracker.js';
import type { Context } from '../context.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { shortId, type Memory } from '../model/memory.js';
import type { ActionRequest, RequestedAction } from '../model/actionRequest.js';
import type { Store } from '../store/store.js';
import { applyAction, resolveReference, type LocatedMemory } from './memoryActions.js';
import { revise } from './revise.js';

/** A record of kind `request`, whose id is the memory's: a later request for the same memory replaces it. */
type RequestRecord = Omit<ActionRequest, 'memory'>;

/** As many as a person may want to look through; the oldest stay unlisted until newer ones are decided. */
const maxRequests = 500;

/**
 * Actions on a memory that assistants asked for and may not take, because their client could not ask the person. Nothing happens
 * until a person decides. Part of the façade.
 */
export class ActionRequests {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /** Newest first. */
  list(): Promise<readonly ActionRequest[]> {
    return this.calls.run(async () => {
      const requests: ActionRequest[] = [];
      for (const { store } of this.ctx.stores) {
        const records = await store.records<RequestRecord>('request', maxRequests);
        const memories = new Map((await store.get(records.map(it => it.id))).map(it => [it.id, it]));
        for (const { id, body } of records) {
          const memory = memories.get(id);
          if (memory !== undefined) requests.push({ ...body, memory });
        }
      }
      return requests.sort((a, b) => (a.at < b.at ? 1 : -1));
    });
  }

  /** @param replacement of `replace` and `merge` @throws EngineError notFound | ambiguousId */
  add(reference: string, action: RequestedAction, replacement?: string): Promise<Memory> {
    return this.calls.change(async onWritten => {
      const { store, memory } = await resolveReference(this.ctx, reference);
      const { client } = this.ctx.host;
      const replacedBy =
        replacement === undefined ? {} : { replacedBy: (await resolveReference(this.ctx, replacement)).memory.id };
      const body: RequestRecord = { action, ...replacedBy, client, at: this.ctx.host.now().toISOString() };
      await store.write(client, async tx => {
        await tx.putRecord('request', memory.id, body);
        await tx.announce();
      });
      onWritten(store, [memory.id]);
      return memory;
    });
  }

  /**
   * Does what was requested. For a person's decision only. A share is done by {@link Team.share} alone, whose preview the person has
   * seen, and which ends the request.
   * @throws EngineError notFound | ambiguousId | invalidInput (a share)
   */
  accept(reference: string): Promise<Memory> {
    return this.calls.change(async onWritten => {
      const { store, memory, action, replacedBy } = await this.find(reference);
      if (action === 'share') {
        const how = message`To see what would be written, and share it: recollect team share ${shortId(memory)}`;
        throw new EngineError('invalidInput', how);
      }
      const changed = await this.carryOut(memory.id, action, replacedBy);
      await this.remove(store, memory);
      onWritten(store, [memory.id]);
      return changed.memory;
    });
  }

  /**
   * Drops a request. For a person's decision only.
   * @throws EngineError notFound | ambiguousId
   */
  dismiss(reference: string): Promise<Memory> {
    return this.calls.change(async onWritten => {
      const { store, memory } = await this.find(reference);
      await this.remove(store, memory);
      onWritten(store, [memory.id]);
      return memory;
    });
  }

  private carryOut(
    id: string,
    action: Exclude<RequestedAction, 'share'>,
    other: string | undefined,
  ): Promise<LocatedMemory> {
    if (action === 'replace') return revise(this.ctx, { id, replacedBy: other! }, 'person');
    if (action === 'merge') return revise(this.ctx, { id, sameAs: other! }, 'person');
    return applyAction(this.ctx, id, action);
  }

  private remove(store: Store, { id }: Memory): Promise<void> {
    return store.write(this.ctx.host.client, async tx => {
      await tx.deleteRecord('request', id);
      await tx.announce();
    });
  }

  private async find(reference: string): Promise<LocatedMemory & RequestRecord> {
    const located = await resolveReference(this.ctx, reference);
    const request = await located.store.record<RequestRecord>('request', located.memory.id);
    if (request === undefined) {
      throw new EngineError(
        'notFound',
        message`No assistant has requested anything for #${shortId(located.memory)}. List what is requested: recollect requests.`,
      );
    }
    return { ...located, ...request.body };
  }
}
