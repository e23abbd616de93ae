import assert from 'node:assert/strict';
import { formatMemoryLine } from '../../../src/operations/describeMemory.js';
import { listTool } from '../../../src/operations/list.js';
import { memoryInput, TestHost } from '../../support/fixtures.js';
import { withEffectiveConfidence } from '../../../src/vscode/memoryWithConfidence.js';

describe('the end of what lapses', () => {
  it('is shown wherever memories are listed, and nothing is of what lasts', async () => {
    const engine = await new TestHost().open();
    for (const [content, rest] of [
      ['The crane lifts twelve tonnes.', {}],
      ['Marit checks the crane.', { decayClass: 'session', lane: 'note', source: 'mcp' }],
      ['The harbour office opens at ten.', { lane: 'note', source: 'conversation' }],
    ] as const)
      await engine.remember(memoryInput(content, rest));
    const { text, structured } = await listTool.run(engine, {}, { source: 'mcp' });
    assert.deepEqual(
      structured.memories.map(it => [it.content, it.keptUntil]),
      [
        ['The harbour office opens at ten.', '2026-05-01'],
        ['Marit checks the crane.', '2026-03-09'],
        ['The crane lifts twelve tonnes.', undefined],
      ],
    );
    assert.match(text, /kept until 1 May 2026[^\n]*office/u);
    const memories = await engine.list({});
    assert.deepEqual(
      memories.map(it => withEffectiveConfidence(engine, it).keptUntil?.slice(0, 10)),
      ['2026-05-01', '2026-03-09', undefined],
    );
    const line = formatMemoryLine(memories[1]!, 75, { keptUntil: engine.explainer.keptUntil(memories[1]!) });
    assert.match(line, /kept until 9 March 2026/u);
    await engine.forget(memories[1]!.id);
    assert.equal(engine.explainer.keptUntil(await engine.get(memories[1]!.id)), undefined);
  });

  it('comes with the day of a plan in what an assistant lists', async () => {
    const engine = await new TestHost().open();
    const plan = { dueAt: '2026-03-05T00:00:00.000Z', lane: 'note', source: 'mcp' } as const;
    await engine.remember(memoryInput('Marit checks the crane.', plan));
    const { text, structured } = await listTool.run(engine, {}, { source: 'mcp' });
    assert.match(text, /due 2026-03-05[^\n]*Marit/u);
    assert.equal(structured.memories[0]!.due, '2026-03-05');
  });

  it('comes with what goes to the archive within a month, unless it is used', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await engine.remember(memoryInput('The crane lifts twelve tonnes.', { lane: 'note', source: 'mcp' }));
    const endOf = async (): Promise<string> => {
      const [memory] = await engine.list({});
      const archivedAt = engine.explainer.archivedSoonAt(memory!);
      return formatMemoryLine(memory!, 75, { archivedAt });
    };
    assert.doesNotMatch(await endOf(), /archive/u);
    const at = Date.parse(engine.explainer.fadesAt((await engine.list({}))[0]!)!);
    host.advanceDays((at - host.now().getTime()) / 86_400_000 - 29);
    assert.match(await endOf(), / · to the archive on \d+ \w+ 2026 unless used · global\)$/u);
  });
});
