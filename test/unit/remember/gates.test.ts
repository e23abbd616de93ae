import assert from 'node:assert/strict';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { combinedGate, gateFeatures } from '../../../src/engine/classify/combinedGate.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { gateClasses, gateFeatureCount, type GateWeights } from '../../../src/engine/model/gateWeights.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { bundlePaths } from '../../support/bundlePaths.js';
import { storeMemory, temporaryFolder, TestHost } from '../../support/fixtures.js';
import { encoderHost, waitForEncoder } from '../../support/encoderHost.js';

/** A plan to which no cue points. */
const plan = 'Migration of the archive to S3 at the end of the quarter.';
const others = [
  'The gateway listens on port 8443.',
  'Marta is who to ask about the billing service.',
  'Answer in German, in full sentences, and keep the names of commands and of settings as they are in English.',
];

describe('the gate of a text by cues and encoder', () => {
  waitForEncoder();

  async function stored(engine: MemoryEngine, content: string, rest: Partial<RememberInput> = {}): Promise<Memory> {
    return await engine.get(await storeMemory(engine, content, rest));
  }

  it('is that of a plan which no cue names, with what goes with a plan', async () => {
    const [byCues, byBoth] = [new TestHost(), encoderHost()];
    const known = await stored(await byCues.open(), plan);
    assert.deepEqual([known.gate, known.kind, known.dueAt], ['epistemic', 'architecture', undefined]);
    const { gate, kind, dueAt, decayClass } = await stored(await byBoth.open(), plan);
    assert.deepEqual([gate, kind, decayClass], ['promissory', 'progress', 'durable']);
    // The encoder says what it is, and no day: that stands in the words.
    assert.equal(dueAt, undefined);
    const dated = await stored(await encoderHost().open(), 'Migration of the archive to S3 on 15 March 2031.');
    assert.deepEqual([dated.gate, dated.dueAt?.slice(0, 10)], ['promissory', '2031-03-15']);
  });

  it('reads labels with a colon or a table as facts', async () => {
    const engine = await encoderHost().open();
    const gates = [];
    for (const it of [
      'Tech Stack: AI: Provider abstraction via the Vercel AI SDK',
      'Cache TTLs: Data Type: Accounts; TTL: 1 day',
    ])
      gates.push((await stored(engine, it)).gate);
    assert.deepEqual(gates, ['epistemic', 'epistemic']);
  });

  it('leaves what the caller chose: a gate, a kind, no day, a day', async () => {
    const inputs: readonly Partial<RememberInput>[] = [
      { gate: 'epistemic' },
      { kind: 'decision' },
      { readsDay: false },
      { dueAt: '2031-01-02T00:00:00.000Z' },
    ];
    const found = [];
    for (const it of inputs) {
      const { gate, kind, dueAt } = await stored(await encoderHost().open(), plan, it);
      found.push([gate, kind, dueAt?.slice(0, 4) === '2031' ? 'given' : dueAt !== undefined]);
    }
    assert.deepEqual(found, [
      ['epistemic', 'architecture', false],
      ['promissory', 'decision', false],
      ['promissory', 'progress', false],
      ['promissory', 'progress', 'given'],
    ]);
  });

  it('is the same alone, among others, imported and in the preview of an import', async () => {
    const file = path.join(temporaryFolder(), 'notes.md');
    writeFileSync(file, [...others, plan].map(it => `- ${it}\n`).join(''));
    const engine = await encoderHost().open();
    const { sources } = await engine.exchange.import({ path: file, dryRun: true });
    await engine.exchange.import({ path: file });
    const imported = await engine.list({ limit: 100 });
    const together = await encoderHost().open();
    await together.remember({ content: [...others, plan].map(it => `- ${it}`).join('\n'), source: 'explicit' });
    const remembered = await together.list({ limit: 100 });
    const gatesOf = (memories: readonly Pick<Memory, 'content' | 'gate'>[]): Record<string, string> =>
      Object.fromEntries(memories.map(it => [it.content, it.gate]));
    const alone: Memory[] = [];
    for (const it of [...others, plan]) alone.push(await stored(await encoderHost().open(), it));
    assert.equal(gatesOf(alone)[plan], 'promissory');
    for (const its of [sources[0]!.preview!, imported, remembered]) assert.deepEqual(gatesOf(its), gatesOf(alone));
  });

  it('comes from the encoder for each memory of an import, however long a call may take', async () => {
    process.env.RECOLLECT_ENCODER_WAIT = '0';
    const file = path.join(temporaryFolder(), 'notes.md');
    writeFileSync(file, [...others, plan].map(it => `- ${it}\n`).join(''));
    const engine = await encoderHost().open();
    const { sources } = await engine.exchange.import({ path: file, dryRun: true });
    await engine.exchange.import({ path: file });
    for (const its of [sources[0]!.preview!, await engine.list({ limit: 100 })])
      assert.equal(its.find(it => it.content === plan)!.gate, 'promissory');
    // A call that a person waits for does without.
    assert.equal((await stored(engine, `${plan} Really.`)).gate, 'epistemic');
  });

  it('is that of the cues where the weights are missing, in one clear line', async () => {
    const host = encoderHost();
    host.modelsDir = temporaryFolder();
    cpSync(bundlePaths.modelsDir, host.modelsDir, { recursive: true });
    rmSync(path.join(host.modelsDir, 'gates.json'));
    const engine = await host.open();
    assert.equal((await stored(engine, plan)).gate, 'epistemic');
    assert.match(engine.notices.join('\n'), /^The weights in \S+gates\.json are missing or damaged, .+ again\.$/u);
  });

  it('is that of the cues for a text that the encoder cannot read', async () => {
    const { gate } = await stored(await encoderHost().open(), 'デプロイは毎週金曜日に行います。');
    assert.equal(gate, 'epistemic');
  });
});

describe('combinedGate', () => {
  const logits = Float32Array.of(0.5, 1, 0, 0, 0);

  it('has as many features as weights', () => {
    assert.equal(gateFeatures({ gate: 'correction', confidence: 60 }, logits).length, gateFeatureCount);
  });

  it('takes the most probable gate, and one that costs more where it is nearly as probable', () => {
    // The logits alone decide.
    const weights = gateClasses.map((_, k) => Array.from({ length: gateFeatureCount }, (_, i) => (i === k ? 1 : 0)));
    const by = (costs: GateWeights['costs']): string =>
      combinedGate({ gate: 'epistemic', confidence: 60 }, logits, { model: 'any', gates: gateClasses, weights, costs });
    assert.equal(by([1, 1, 1, 1, 1]), 'behavioral');
    assert.equal(by([2, 1, 1, 1, 1]), 'epistemic');
  });

  it('takes a plan against the gate that cues name only where it is four times as likely', () => {
    const weights = gateClasses.map((_, k) => Array.from({ length: gateFeatureCount }, (_, i) => (i === k ? 1 : 0)));
    const by = (gate: Memory['gate'], planLogit: number): string =>
      combinedGate({ gate, confidence: 80 }, Float32Array.of(0, 0, 1, planLogit, 0), {
        model: 'any',
        gates: gateClasses,
        weights,
        costs: [1, 1, 1, 1, 1],
      });
    assert.equal(by('relational', 1 + Math.log(3)), 'relational');
    assert.equal(by('relational', 1 + Math.log(5)), 'promissory');
    assert.equal(by('epistemic', 1.1), 'promissory');
  });
});
