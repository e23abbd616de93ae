import assert from 'node:assert/strict';
import { storeMemory, type TestHost } from './fixtures.js';

/** Stores and recalls a memory on a host whose model does not work, and returns the reported degradations. */
export async function recallLexically(
  host: TestHost,
): Promise<{ degraded: readonly string[]; logged: string; notices: readonly string[] }> {
  const engine = await host.open();
  const id = await storeMemory(engine, 'The gateway listens on port 8443.');
  const { hits, trace } = await engine.recall({ query: 'gateway port' });
  assert.deepEqual(
    hits.map(it => it.memory.id),
    [id],
  );
  return { degraded: trace.degraded, logged: host.logLines.join('\n'), notices: engine.notices.map(String) };
}
