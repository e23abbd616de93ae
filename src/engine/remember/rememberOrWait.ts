import { withWaitingStores, type Context } from '../context.js';
import { formatMessage } from '../model/engineMessages.js';
import type { RememberInput } from '../model/rememberInput.js';
import type { RememberOutcome } from '../model/rememberOutcome.js';
import type { Store } from '../store/store.js';
import { remember } from './remember.js';

/** As `remember`; what belongs to a store whose server cannot be used now waits for it here, and its outcome says so. */
export async function rememberOrWait(
  ctx: Context,
  inputs: readonly RememberInput[],
  onWritten: (store: Store, ids: readonly string[]) => void,
): Promise<readonly (readonly RememberOutcome[])[]> {
  const waitingStores = new Set(ctx.stores.map(it => it.store.waiting));
  const waitingIds = new Set<string>();
  const outcomes = await remember(withWaitingStores(ctx), inputs, (store, ids) => {
    if (waitingStores.has(store)) for (const id of ids) waitingIds.add(id);
    onWritten(store, ids);
  });
  return outcomes.map(its =>
    its.map(it => {
      if (it.outcome === 'refused' || !waitingIds.has(it.id)) return it;
      return { ...it, reason: [it.reason, formatMessage('waitsForServer')].filter(Boolean).join(' ') };
    }),
  );
}
