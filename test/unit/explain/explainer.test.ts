import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/base/errors.js';
import { storeMemory, memoryInput, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

describe('inspecting recalls', () => {
  it('lists traces newest first, in pages, with their clients', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    const id = await storeMemory(engine, 'The ferry is called Perpetua.');
    await engine.recall({ query: 'What is the ferry called?' });
    host.advanceDays(1);
    await engine.recall({ query: 'What is the FERRY called?', asker: 'model', mode: 'fresh', limit: 3 });
    host.advanceDays(1);
    await engine.recall({ query: 'Something else entirely, zyxwv' });
    const all = await engine.explainer.listTraces({ limit: 10 });
    assert.deepEqual(
      all.map(it => [it.query, it.asker, it.cache, it.hits, it.candidateCount, it.ms >= 0]),
      [
        ['Something else entirely, zyxwv', 'person', 'miss', 0, 0, true],
        ['What is the FERRY called?', 'model', 'miss', 1, 1, true],
        ['What is the ferry called?', 'person', 'miss', 1, 1, true],
      ],
    );
    const ids = async (rest: object) => (await engine.explainer.listTraces({ limit: 10, ...rest })).map(it => it.id);
    assert.deepEqual(await ids({ limit: 1 }), [all[0]!.id]);
    assert.deepEqual(await ids({ before: all[1]!.id }), [all[2]!.id]);
    assert.deepEqual(await ids({ text: 'Ferry' }), [all[1]!.id, all[2]!.id]);
    assert.deepEqual(await ids({ memory: id }), [all[1]!.id, all[2]!.id]);
    assert.deepEqual(await ids({ memory: all[0]!.id }), []);
  });

  it('explains a recall by its query and terms that add up to each rank', async () => {
    const engine = await new TestHost().open();
    const kept = await storeMemory(engine, 'The ferry is called Perpetua.');
    await storeMemory(engine, 'The ferry leaves at nine.', { lane: 'note' });
    const { trace: asked } = await engine.recall({ query: 'ferry', limit: 1, gates: ['epistemic'], asker: 'model' });
    const { trace, parts, memories } = await engine.explainer.explainTrace(asked.id);
    assert.deepEqual(trace.request, { limit: 1, gates: ['epistemic'] });
    assert.deepEqual(
      trace.candidates.map(it => it.outcome),
      ['returned', 'over limit'],
    );
    for (const [i, { factors }] of trace.candidates.entries()) {
      const sum = parts[i]!.reduce((total, it) => total + it.value, 0);
      assert.ok(Math.abs(sum - factors.rank) < 1e-9);
    }
    assert.ok(memories.length === 2 && memories.some(it => it.id === kept));
  });

  it('explains a trace that was stored by an earlier version', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await storeMemory(engine, 'The ferry is called Perpetua.');
    await storeMemory(engine, 'The harbour opens at nine, says the harbour master.', { lane: 'note' });
    const { trace: asked } = await engine.recall({ query: 'ferry at nine', asker: 'model' });
    assert.equal(asked.candidates.length, 2);
    assert.deepEqual((await engine.explainer.explainTrace(asked.id)).trace, asked);
    // Each candidate had its factors by name.
    await sql(host.globalFile, `UPDATE traces SET trace = '${JSON.stringify(asked)}'`);
    assert.deepEqual((await engine.explainer.explainTrace(asked.id)).trace, asked);
  });

  it('reports that a recall is no longer recorded', async () => {
    const engine = await new TestHost().open();
    await assert.rejects(engine.explainer.explainTrace('gone'), (it: unknown) => EngineError.is(it, 'notFound'));
  });
});

describe('inspecting confidence', () => {
  it('shows the history and the forecast of a memory', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const id = await storeMemory(engine, 'The ferry is called Perpetua.');
    host.advanceDays(10);
    await storeMemory(engine, 'The ferry is called Perpetua.');
    await storeMemory(engine, 'Lunch is at noon.');
    host.advanceDays(5);
    await engine.recall({ query: 'ferry' });
    host.advanceDays(5);
    const curve = await engine.explainer.confidenceCurve(id);
    assert.deepEqual(
      curve.events.map(it => it.action),
      ['create', 'reinforce', 'recall'],
    );
    const { memory } = curve;
    assert.equal(Math.round(curve.events[1]!.confidence), Math.round(memory.confidence));
    assert.equal(Math.round(curve.events[0]!.confidence), Math.round(memory.confidence - 5));
    const { value, curve: strengths, ...strength } = curve.strength;
    assert.deepEqual(strength, { reinforcementCount: 2, ageDays: 20, sequenceLag: 1 });
    assert.equal(value.toFixed(4), (2 / (21 * 1.1)).toFixed(4));
    assert.deepEqual(
      [strengths[0], strengths.at(-1)!.at],
      [{ at: memory.createdAt, value: 2 / 1.1 }, curve.points.at(-1)!.at],
    );
    assert.ok(strengths.every((it, i) => i === 0 || it.value < strengths[i - 1]!.value));
    const now = curve.points.findLast(it => it.at <= curve.now)!;
    assert.ok(Math.abs(now.confidence - engine.effectiveConfidence(memory)) < 1);
    assert.ok(curve.fadesAt! > curve.now && curve.points.at(-1)!.at > curve.fadesAt!);
    assert.deepEqual(
      (await engine.explainer.history(id)).map(it => it.action),
      ['create', 'reinforce'],
    );
  });

  it('counts the active memories of the past and the future', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    await engine.rememberAll([
      memoryInput('The ferry is called Perpetua.', { decayClass: 'ephemeral', gate: 'epistemic' }),
      memoryInput('I prefer tea.', { decayClass: 'permanent', gate: 'behavioral', store: 'project' }),
    ]);
    const { times, byGate, byDecayClass } = await engine.explainer.forecastActiveCount(30);
    const at = (days: number): number =>
      times.findIndex(it => it >= new Date(host.time + days * 86_400_000).toISOString());
    const counts = (of: readonly number[]) => [of[at(-1)], of[at(0)], of[at(29)]];
    assert.deepEqual(
      { tea: counts(byGate.behavioral), ferry: counts(byDecayClass.ephemeral), none: counts(byGate.promissory) },
      { tea: [0, 1, 1], ferry: [0, 1, 0], none: [0, 0, 0] },
    );
    await assert.rejects(engine.explainer.forecastActiveCount(0), (it: unknown) => EngineError.is(it, 'invalidInput'));
  });
});
