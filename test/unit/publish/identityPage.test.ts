import assert from 'node:assert/strict';
import { linkContradiction, storeMemory, TestHost } from '../../support/fixtures.js';

describe('the identity document', () => {
  it('lists how the user works by publish rank, without notes and forgotten, isolated or long memories', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await storeMemory(engine, 'I prefer tabs.', { gate: 'behavioral', priority: 3 });
    await storeMemory(engine, 'I like small *pull* requests <b>.', { gate: 'behavioral', priority: 9 });
    await storeMemory(engine, 'No, never force-push to main.', { gate: 'correction' });
    await engine.pin(await storeMemory(engine, 'The repository is called Perpetua.', { gate: 'epistemic' }));
    await storeMemory(engine, 'The API is slow.', { gate: 'epistemic' });
    await storeMemory(engine, 'I prefer vim.', { gate: 'behavioral', lane: 'note' });
    await storeMemory(engine, 'I prefer emacs.', { gate: 'behavioral', scopeId: 'apart' });
    await engine.forget(await storeMemory(engine, 'I prefer ed.', { gate: 'behavioral' }));
    const page = await engine.identity();
    assert.equal(
      page,
      `# Identity

## How I work

- I like small pull requests \\<b>.
- I prefer tabs.

## Mistakes not to repeat

- No, never force-push to main.

## What always holds

- The repository is called Perpetua.
`,
    );
    assert.equal(await engine.identity(), page);
    assert.match(await engine.identity({ withNotes: true }), /vim/u);
  });

  it('leaves out memories in an open conflict', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const earlier = await storeMemory(engine, 'I prefer tabs.', { gate: 'behavioral' });
    const later = await storeMemory(engine, 'I write tests before the code.', { gate: 'behavioral' });
    await storeMemory(engine, 'I like small pull requests.', { gate: 'behavioral' });
    await linkContradiction(host, later, earlier);
    const items = async (): Promise<number> => (await engine.identity()).match(/^- /gmu)?.length ?? 0;
    assert.equal(await items(), 1);
    await engine.conflicts.resolve(later, earlier, 'keepBoth');
    assert.equal(await items(), 3);
  });

  it('keeps to one page, a short line each', async () => {
    const engine = await new TestHost().open();
    const long = `I prefer ${'very '.repeat(80)}long lines.`;
    for (let i = 0; i < 70; i++) await storeMemory(engine, `${long} ${i}`, { gate: 'behavioral' });
    const lines = (await engine.identity()).split('\n').filter(it => it.startsWith('- '));
    assert.deepEqual([lines.length, lines.every(it => it.length <= 162)], [60, true]);
  });

  it('suggests the next step when there are no memories', async () => {
    assert.match(
      await (await new TestHost().open()).identity(),
      /^# Identity\n\nNothing is remembered about how you work/u,
    );
  });
});
