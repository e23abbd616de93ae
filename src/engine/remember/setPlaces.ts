import type { Context } from '../context.js';
import type { StoreKind } from '../model/memory.js';
import type { RememberInput } from '../model/rememberInput.js';

/** Where the isolated sets of a call lie: all of a set is in one store, the global one unless its first caller says project. */
export class SetPlaces {
  private readonly kinds = new Map<string, Promise<StoreKind>>();

  constructor(private readonly ctx: Pick<Context, 'stores'>) {}

  /** The input with the store of its set; as it is without a set. */
  async place(input: RememberInput): Promise<RememberInput> {
    const { scopeId = '', store } = input;
    if (scopeId === '') return input;
    let kind = this.kinds.get(scopeId);
    if (kind === undefined) {
      kind = this.find(scopeId).then(it => it ?? store ?? 'global');
      this.kinds.set(scopeId, kind);
    }
    const found = await kind;
    return found === store || (store === undefined && found === 'global' && input.uri === undefined)
      ? input
      : { ...input, store: found };
  }

  private async find(scopeId: string): Promise<StoreKind | undefined> {
    for (const { store } of this.ctx.stores) {
      // A store that cannot be asked now says so when something is written to it.
      const last = await store.sequence(scopeId).catch(() => 0);
      if (last > 0) return store.kind;
    }
    return undefined;
  }
}
