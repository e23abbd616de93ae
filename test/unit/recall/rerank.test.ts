import assert from 'node:assert/strict';
import path from 'node:path';
import { mock } from 'node:test';
import { CrossEncoder } from '../../../src/engine/embeddings/crossEncoder.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { defaultConfig } from '../../../src/engine/model/config.js';
import type { RankedMemory } from '../../../src/engine/recall/rank.js';
import { rerank, type Reranked } from '../../../src/engine/recall/rerank.js';
import { memoryInput, TestHost, temporaryFolder } from '../../support/fixtures.js';
import { writeTinyCrossEncoder } from '../../support/tinyModel.js';

/** Longer than any machine takes. */
const patientMs = 120_000;

describe('an answer that a cross-encoder orders', () => {
  const texts = ['Find the apple in the shed.', 'Find the pear in the shed.', 'Find the hammer in the shed.'];
  const openWith = async (rerankModel: string, rerankMs = patientMs): Promise<MemoryEngine> => {
    const host = new TestHost();
    host.settings = { ...host.settings, recall: { ...defaultConfig.recall, rerankModel, rerankMs } };
    const engine = await host.open();
    for (const it of texts) await engine.remember(memoryInput(it));
    return engine;
  };
  afterEach(() => {
    mock.restoreAll();
  });
  const crossEncoderFolder = (): string => writeTinyCrossEncoder(path.join(temporaryFolder(), 'cross-encoder'));

  it('begins with what the cross-encoder finds best, whatever its rank', async () => {
    const engine = await openWith(crossEncoderFolder());
    const { hits, trace } = await engine.recall({ query: 'find the apple in the shed', withoutCut: true });
    assert.deepEqual(
      hits.map(it => it.memory.content),
      texts.toReversed(),
    );
    assert.deepEqual(
      trace.candidates.map(it => it.pairScore),
      [9, 3, 2],
    );
    const byRank = [...trace.candidates].sort((a, b) => b.factors.rank - a.factors.rank);
    assert.equal(byRank[0]!.pairScore, 2);
    assert.ok(trace.stages.some(it => it.name === 'rerank'));
  });

  it('keeps its order where the folder is none of a cross-encoder, and says so once', async () => {
    const engine = await openWith(path.join(temporaryFolder(), 'nothing'));
    for (const query of ['find the apple in the shed', 'where is the apple in the shed']) {
      const { hits, trace } = await engine.recall({ query, withoutCut: true });
      assert.equal(hits[0]!.memory.content, texts[0]);
      assert.ok(trace.stages.every(it => !it.name.startsWith('rerank')));
    }
    assert.deepEqual(
      engine.notices.map(it => String(it).includes('rerankModel has no file model.onnx')),
      [true],
    );
  });

  it('keeps its order where the cross-encoder is too late, and is asked again', async () => {
    let calls = 0;
    mock.method(CrossEncoder.prototype, 'score', () => new Promise(() => calls++));
    const engine = await openWith(crossEncoderFolder(), 1);
    for (let call = 0; call < 2; call++) {
      const { hits, trace } = await engine.recall({ query: 'find the apple in the shed', withoutCut: true });
      assert.equal(hits[0]!.memory.content, texts[0]);
      assert.equal(trace.cache, 'miss');
      assert.ok(trace.stages.some(it => it.name === 'rerank, too late'));
    }
    assert.equal(calls, 2);
  });
});

describe('the order of a cross-encoder', () => {
  const ranked = (count: number): readonly RankedMemory[] =>
    Array.from({ length: count }, (_, i) => ({ hit: { memory: { content: `${i}` } } }) as unknown as RankedMemory);
  const contents = ({ ranked: its }: Reranked): readonly string[] => its.map(it => it.hit.memory.content);
  const logged: string[] = [];
  const log = { error: (it: string) => logged.push(it) } as unknown as TestHost['log'];
  const order = (its: Partial<CrossEncoder>, count = 3, waitsForModel = false): Promise<Reranked> =>
    rerank(its as CrossEncoder, ranked(count), { question: 'q', deadlineMs: patientMs, waitsForModel, log });
  const scoring = (score: (text: string) => number): Partial<CrossEncoder> => ({
    isBusy: false,
    score: (_, texts) => Promise.resolve(Float32Array.from(texts, score)),
  });

  it('concerns the best twenty', async () => {
    const result = await order(scoring(Number), 25);
    assert.deepEqual(contents(result).slice(0, 2), ['19', '18']);
    assert.deepEqual(contents(result).slice(-6), ['0', '20', '21', '22', '23', '24']);
  });

  it('leaves the rank where two are alike', async () => {
    assert.deepEqual(contents(await order(scoring(() => 0.5))), ['0', '1', '2']);
  });

  it('asks for nothing while the model is busy', async () => {
    const result = await order({ isBusy: true });
    assert.deepEqual([contents(result), result.isLate], [['0', '1', '2'], true]);
  });

  it('stays where the model fails, and the log says so', async () => {
    const result = await order({ isBusy: false, score: () => Promise.reject(new Error('broken')) });
    assert.deepEqual([contents(result), result.isLate, logged.length], [['0', '1', '2'], false, 1]);
  });

  it('loads the model first for a person', async () => {
    const calls: string[] = [];
    const its: Partial<CrossEncoder> = {
      isBusy: false,
      load: () => Promise.resolve(void calls.push('load')),
      score: (_, texts) => Promise.resolve((calls.push('score'), Float32Array.from(texts, Number))),
    };
    await order(its, 3, true);
    await order(its, 3, false);
    assert.deepEqual(calls, ['load', 'score', 'score']);
  });
});
