import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { rememberTool } from '../../../src/operations/remember.js';
import { encoderHost, waitForEncoder } from '../../support/encoderHost.js';

const first = 'Make changes in the session workspace, never in the main workspace.';
const again = 'Make all changes in the session workspace and not in the main workspace.';

async function remember(engine: MemoryEngine, content: string): Promise<{ id: string; text: string; same: unknown }> {
  const { text, structured } = await rememberTool.run(engine, { facts: [{ content }] }, { source: 'mcp' });
  const [outcome] = structured.outcomes;
  assert.ok(outcome?.outcome === 'stored');
  return { id: outcome.id, text, same: outcome.related?.map(it => [it.id, it.sameAs]) };
}

describe('a rule that is said again in other words', () => {
  waitForEncoder();

  it('comes to the assistant as the same, with the call that says so', async () => {
    const engine = await encoderHost().open();
    const known = await remember(engine, first);
    const { id, text, same } = await remember(engine, again);
    assert.deepEqual(same, [[known.id, id]]);
    assert.ok(text.includes(`Perhaps the same: #${known.id} (`), text);
    assert.ok(text.includes(`If so: revise {"id":"${known.id}","sameAs":"${id}"}`), text);
  });

  it('differs from what is only near', async () => {
    const engine = await encoderHost().open();
    const known = await remember(engine, 'Releases are cut on Tuesdays.');
    const { text, same } = await remember(engine, 'Releases are cut by Dana.');
    assert.deepEqual(same, [[known.id, undefined]]);
    assert.match(text, /^ {2}Near: #/mu);
  });
});
