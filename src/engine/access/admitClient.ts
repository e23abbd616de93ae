import type { StoreKind } from '../model/memory.js';
import { redactSecrets } from '../secrets/secretScanner.js';
import { appendAccesses, toolsListed } from './accessLog.js';
import { readClientRights, requireRight, type ClientCall } from './clientRights.js';

interface CallingClient {
  readonly dataDir: string;
  readonly client: string;
  readonly now: Date;
}

/** Keeps in the log of reads that a client was shown the list of tools. Never rejects: it is shown nonetheless. */
export async function noteToolsListed({ dataDir, client, now }: CallingClient): Promise<void> {
  const line = { client: redactSecrets(client), via: toolsListed, at: now, memories: [] };
  await appendAccesses(dataDir, [line]).catch(() => undefined);
}

/**
 * Lets a call of a client in, or not; one that is refused is kept in the log of reads.
 * @returns the only kind of store that the client may use; undefined = both
 * @throws EngineError notAllowed, with a sentence for the assistant
 */
export async function admitClient(
  { dataDir, client, now }: CallingClient,
  call: ClientCall,
): Promise<StoreKind | undefined> {
  try {
    const rights = readClientRights(dataDir, client);
    requireRight(rights, client, call);
    return rights.store;
  } catch (error) {
    const refused = { client: redactSecrets(client), via: call.tool, at: now, memories: [], refused: true } as const;
    // A refused call stays refused where no line can be written.
    await appendAccesses(dataDir, [refused]).catch(() => undefined);
    throw error;
  }
}
