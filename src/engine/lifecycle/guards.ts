import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { CallTracker } from '../store/callTracker.js';
import type { Context } from '../context.js';
import { shortId, type Memory } from '../model/memory.js';
import { guardRecordId, guardRecordPrefix } from '../store/guardFile.js';
import type { StoreTransaction } from '../store/store.js';
import { findNamedKeys } from '../text/namedKeys.js';
import { resolveReference, type LocatedMemory } from './memoryActions.js';

/** Whether a tool call can be recognized by what a memory names or is attached to. */
export function namesAction({ content, provenance }: Pick<Memory, 'content' | 'provenance'>): boolean {
  const { commands, paths } = findNamedKeys(content);
  return commands.length + paths.length > 0 || provenance.uri !== undefined;
}

/** Memories that a person made guards: an assistant that can ask has to ask them before it does what one of them names. */
export class Guards {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /**
   * Makes a confirmed memory a guard. For a person's decision only.
   * @throws EngineError notFound | ambiguousId | invalidInput, and errors of Store.write
   */
  async set(reference: string): Promise<Memory> {
    const { store, memory } = await this.calls.run(() => resolveReference(this.ctx, reference));
    if (memory.lane !== 'confirmed' || memory.status !== 'active')
      throw new EngineError(
        'invalidInput',
        message`#${shortId(memory)} is not confirmed. Confirm it first: recollect confirm ${shortId(memory)}`,
      );
    if (!namesAction(memory))
      throw new EngineError(
        'invalidInput',
        message`#${shortId(memory)} names no command and no file, so nothing would be recognized. Write the command into its text, in backticks.`,
      );
    return this.write({ store, memory }, tx => tx.putRecord('state', guardRecordId(memory.id), {}));
  }

  /** Takes the mark away; a memory without one stays as it is. @throws as {@link set}, except invalidInput */
  async unset(reference: string): Promise<Memory> {
    const { store, memory } = await this.calls.run(() => resolveReference(this.ctx, reference));
    const id = guardRecordId(memory.id);
    if ((await store.record('state', id)) === undefined) return memory;
    return this.write({ store, memory }, tx => tx.deleteRecord('state', id));
  }

  async has({ id }: Memory): Promise<boolean> {
    const found = await Promise.all(this.ctx.stores.map(({ store }) => store.record('state', guardRecordId(id))));
    return found.some(it => it !== undefined);
  }

  /** Full ids. */
  async list(): Promise<readonly string[]> {
    const found = await Promise.all(
      this.ctx.stores.map(({ store }) => store.records('state', Number.MAX_SAFE_INTEGER)),
    );
    return found
      .flat()
      .filter(it => it.id.startsWith(guardRecordPrefix))
      .map(it => it.id.slice(guardRecordPrefix.length));
  }

  private write({ store, memory }: LocatedMemory, change: (tx: StoreTransaction) => Promise<void>): Promise<Memory> {
    return this.calls.change(async onWritten => {
      await store.write(this.ctx.host.client, async tx => {
        await change(tx);
        const [current] = await tx.getMany([memory.id]);
        if (current !== undefined) await tx.update(current, 'edit', { change: 'guard' });
      });
      onWritten(store, [memory.id]);
      return memory;
    });
  }
}
