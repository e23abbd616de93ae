import type { Context } from '../context.js';
import { embedOrLog } from '../embeddings/embedOrLog.js';
import { settleGate, type PreparedFact } from './prepareFact.js';

/** Facts with the gates that they would be stored with, for what only shows them, as an import does. */
export async function settleGates(ctx: Context, facts: readonly PreparedFact[]): Promise<readonly PreparedFact[]> {
  // Nothing else is read or sent for what is not stored.
  if (ctx.embedder.gateWeights === undefined) return facts;
  const vectors = await embedOrLog(
    ctx,
    facts.map(it => it.memory.content),
    'backlog',
  );
  return facts.map((it, i) => settleGate(ctx.embedder, it, vectors[i]?.gateLogits));
}
