import assert from 'node:assert/strict';
import { exportVersion } from '../../../src/engine/exchange/exporter.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import { storeMemory, TestHost } from '../../support/fixtures.js';

async function filled(): Promise<MemoryEngine> {
  const host = new TestHost({ project: true });
  const engine = await host.open();
  await storeMemory(engine, 'The port is 1.\n"Quoted" — 日本語 👩‍👩‍👧 مرحبا', {
    tags: ['a', 'b'],
    session: 's',
    uri: 'file:///x',
    range: { startLine: 1, endLine: 2 },
  });
  await engine.forget(await storeMemory(engine, 'Forgotten.', { gate: 'correction' }));
  await engine.pin(await storeMemory(engine, 'Pinned plan.', { gate: 'promissory', decayClass: 'permanent' }));
  await storeMemory(engine, 'A note in a set.', { lane: 'note', scopeId: 'set', store: 'project' });
  await engine.recall({ query: 'port' });
  await engine.traces();
  return engine;
}

async function text(engine: MemoryEngine, ...args: Parameters<MemoryEngine['exchange']['export']>): Promise<string> {
  let all = '';
  for await (const chunk of engine.exchange.export(...args)) all += chunk;
  return all;
}

describe('export', () => {
  it('is lossless as JSON lines', async () => {
    const engine = await filled();
    const [header, ...lines] = (await text(engine, 'jsonl')).trimEnd().split('\n');
    const memories = lines.map(it => JSON.parse(it) as Memory);
    const statuses = ['active', 'archived', 'superseded'] as const;
    const all = [...(await engine.list({ statuses })), ...(await engine.list({ statuses, scopeId: 'set' }))];
    const byId = (a: Memory, b: Memory): number => (a.id < b.id ? -1 : 1);
    assert.deepEqual(JSON.parse(header!), {
      recollect: 'export',
      version: exportVersion,
      at: '2026-03-02T09:00:00.000Z',
    });
    assert.deepEqual([...memories].sort(byId), all.sort(byId));
    assert.equal(memories.length, 4);
  });

  it('is limited to a scope', async () => {
    const engine = await filled();
    const count = async (scope: Parameters<MemoryEngine['exchange']['export']>[1]): Promise<number> =>
      (await text(engine, 'jsonl', scope)).trimEnd().split('\n').length - 1;
    assert.deepEqual([await count('project-only'), await count('global-only')], [1, 3]);
  });

  it('renders Markdown by store and gate', async () => {
    const engine = await filled();
    const markdown = (await text(engine, 'markdown'))
      .replaceAll(/\d\d%/gu, 'NN%')
      .replaceAll(/\((?:\w+), /gu, '(kind, ');
    assert.equal(
      markdown,
      `# Recollect memories

## project: epistemic

- A note in a set. *(kind, note, durable, NN%, 2026-03-02)*

## global: correction

- Forgotten. *(kind, confirmed, durable, NN%, archived, 2026-03-02)*

## global: epistemic

- The port is 1.
  "Quoted" — 日本語 👩‍👩‍👧 مرحبا *(kind, confirmed, durable, NN%, #a, #b, 2026-03-02)*

## global: promissory

- Pinned plan. *(kind, confirmed, permanent, NN%, pinned, 2026-03-02)*
`,
    );
  });
});
