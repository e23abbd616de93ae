import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { storeMemory, TestHost } from '../../support/fixtures.js';
import { encoderHost, waitForEncoder } from '../../support/encoderHost.js';

const old = 'The build machines have 8 cores.';
/** Of the same subject as {@link now} and alike in its words, and not touched by it. */
const compatible = 'Ports below 1024 are blocked on the build machines.';
const now = 'The build machines have 16 cores.';

async function relatedTo(engine: MemoryEngine, content: string): Promise<readonly string[]> {
  const [outcome] = await engine.remember({ content, source: 'mcp' });
  assert.equal(outcome?.outcome, 'stored');
  return (outcome.related ?? []).map(it => it.content);
}

describe('related memories by the relation of the texts', () => {
  waitForEncoder();

  function open(): Promise<MemoryEngine> {
    return encoderHost().open();
  }

  it('show what a text touches, and not what is only alike', async () => {
    const engine = await open();
    await storeMemory(engine, compatible);
    assert.deepEqual(await relatedTo(engine, now), []);
    const other = await open();
    await storeMemory(other, compatible);
    await storeMemory(other, old);
    assert.deepEqual(await relatedTo(other, now), [old]);
  });

  it('show what is alike without a model that reads it', async () => {
    const engine = await new TestHost().open();
    await storeMemory(engine, compatible);
    assert.deepEqual(await relatedTo(engine, now), [compatible]);
  });

  it('include a fact of the same call where the two can hardly both hold, and none that only shares its subject', async () => {
    const engine = await open();
    const contents = [
      'The gateway listens on port 8443.',
      'The gateway runs on gw-2.',
      'Staging runs on stg-1.internal.',
      'Production runs on prd-1.internal.',
      old,
      now,
    ];
    const outcomes = await engine.rememberAll(contents.map(content => ({ content, source: 'mcp', whole: true })));
    const related = outcomes.flat().map(it => (it.outcome === 'stored' ? (it.related ?? []).map(r => r.content) : []));
    assert.deepEqual(related, [[], [], [], [], [], [old]]);
  });

  it('show what shares its words where a call has too many facts to be read, and none that is only of one subject', async () => {
    const engine = await open();
    const sameWords = 'The gateway listens on port 8443.';
    const sameSubject = 'Requests from outside come in through nginx.';
    for (const it of [sameWords, sameSubject]) await storeMemory(engine, it);
    const parts = ['mast', 'keel', 'helm', 'hull', 'sail', 'oar', 'rope', 'lamp'];
    const contents = ['The gateway listens on port 9000.', ...parts.map(it => `Ada paints the ${it} in spring.`)];
    const [first] = (
      await engine.rememberAll(contents.map(content => ({ content, source: 'mcp', whole: true })))
    ).flat();
    assert.ok(first?.outcome === 'stored');
    assert.deepEqual(
      first.related?.map(it => it.content),
      [sameWords],
    );
  });

  it('stay with the text that probably replaces them, which comes first in an answer', async () => {
    const host = encoderHost();
    const engine = await host.open();
    const first = await storeMemory(engine, 'Anna reviews the payment code.');
    host.advanceDays(1);
    const second = await storeMemory(engine, 'Since Anna left, Bo reviews the payment code.');
    assert.deepEqual((await engine.get(second)).provenance.mayReplace, [first]);
    const { hits } = await engine.recall({ query: 'who reviews the payment code?', isUntracked: true });
    assert.deepEqual(
      hits.map(it => it.memory.id),
      [second, first],
    );
    await engine.revise({ id: first, stillTrue: true }, 'model');
    assert.equal((await engine.get(second)).provenance.mayReplace, undefined);
  });

  it('stay with a text no longer than it has its words', async () => {
    const engine = await encoderHost().open();
    const first = await storeMemory(engine, 'Anna reviews the payment code.');
    const before = 'Since Anna left, Bo reviews the payment code.';
    const second = await storeMemory(engine, before);
    assert.deepEqual((await engine.get(second)).provenance.mayReplace, [first]);
    await engine.editText(second, { content: 'Bo likes tea.', before });
    assert.equal((await engine.get(second)).provenance.mayReplace, undefined);
  });

  it('leave out what has been replaced', async () => {
    const engine = await open();
    const first = await storeMemory(engine, old);
    await engine.remember({ content: now, source: 'mcp', links: { replaces: [first] } });
    assert.deepEqual(await relatedTo(engine, 'The build machines have 32 cores since May.'), [now]);
  });
});
