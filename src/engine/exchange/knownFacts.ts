// Which facts of a file are remembered already.
import type { Context } from '../context.js';

/** The record of a fact that reinforced a memory with other words: it has no memory with its hash. */
export function aliasRecordId(hash: string): string {
  return `imported:${hash}`;
}

/** The hashes that any store knows: of memories in every status, and of facts that were imported before in other words. */
export async function findKnownHashes(ctx: Context, hashes: readonly string[]): Promise<Set<string>> {
  const knownHashes = new Set<string>();
  for (const { store } of ctx.stores.filter(it => !it.store.readOnly)) {
    await store.write(ctx.host.client, async tx => {
      for (const it of await tx.findByHash(hashes, '')) knownHashes.add(it.contentHash);
      for (const it of hashes) if ((await tx.record('state', aliasRecordId(it))) !== undefined) knownHashes.add(it);
    });
  }
  return knownHashes;
}
