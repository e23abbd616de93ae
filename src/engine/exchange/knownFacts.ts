// Which facts of a file are remembered already.
import type { Context } from '../context.js';
import type { RememberInput } from '../model/rememberInput.js';

/** A file, and what it says today. */
export type FileContent = Required<Pick<RememberInput, 'file' | 'fileFacts'>>;

/** Contradictions of a known fact that are looked at. */
const maxReplacements = 5;

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

/**
 * The hashes of memories that something else from their file replaced, which is gone from the file again: they are true
 * once more, and that is worth saying.
 */
export async function findReturnedHashes(
  ctx: Context,
  hashes: readonly string[],
  { file, fileFacts }: FileContent,
): Promise<ReadonlySet<string>> {
  const returned = new Set<string>();
  for (const { store } of ctx.stores.filter(it => !it.store.readOnly)) {
    const known = await store.write(ctx.host.client, tx => tx.findByHash(hashes, ''));
    const contradictions = await store.contradictions(
      known.map(it => it.id),
      maxReplacements,
    );
    for (const memory of known) {
      const replacements = contradictions.get(memory.id)?.filter(it => it.mark === undefined) ?? [];
      const newer = (await store.get(replacements.map(it => it.id))).filter(
        it => it.reinforcedAt > memory.reinforcedAt,
      );
      if (newer.some(it => it.provenance.file === file && !fileFacts.has(it.contentHash)))
        returned.add(memory.contentHash);
    }
  }
  return returned;
}
