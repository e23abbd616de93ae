import { EngineError } from '../base/errors.js';
import type { Context } from '../context.js';
import type { ActionRequest } from '../model/actionRequest.js';
import type { Memory } from '../model/memory.js';
import { findShared, type FindMemory } from './shareMemories.js';
import { whyNotShared } from './shareable.js';
import { readTeamState, type TeamSource } from './teamState.js';

/**
 * The memory that would be shared; of a global one, the project's that says the same. Writes nothing.
 * @throws EngineError invalidInput (with why it cannot be shared) | notFound | ambiguousId
 */
export async function requireShareable(
  ctx: Context,
  source: TeamSource,
  reference: string,
  find: FindMemory,
): Promise<Memory> {
  const state = await readTeamState(ctx, source);
  const { id, memory, store } = await findShared(ctx, source, reference, find);
  const about = { store: store!, memory: memory! };
  const reason = whyNotShared(ctx, source, about, { state, line: state.newest.get(id) });
  if (reason !== undefined) throw new EngineError('invalidInput', reason);
  return about.memory;
}

/** Ends requests of assistants to share memories that a person has shared by now. @param ids of memories in any open store */
export async function endShareRequests({ stores, host }: Context, ids: readonly string[]): Promise<void> {
  for (const { store } of stores) {
    const requests = await store.records<Pick<ActionRequest, 'action'>>('request', Number.MAX_SAFE_INTEGER);
    const shared = requests.filter(it => it.body.action === 'share' && ids.includes(it.id));
    if (shared.length === 0) continue;
    await store.write(host.client, async tx => {
      for (const { id } of shared) await tx.deleteRecord('request', id);
      await tx.announce();
    });
  }
}
