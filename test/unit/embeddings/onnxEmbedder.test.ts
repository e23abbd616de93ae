import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError, type EngineErrorCode } from '../../../src/engine/base/errors.js';
import { readModelFolder } from '../../../src/engine/embeddings/modelFolder.js';
import { OnnxEmbedder } from '../../../src/engine/embeddings/onnxEmbedder.js';
import { builtInSource, bundlePaths } from '../../support/bundlePaths.js';
import { recallLexically } from '../../support/lexicalRecall.js';
import { storeMemory, temporaryFolder, TestHost } from '../../support/fixtures.js';
import { tinyDimensions, tinyWords, writeTinyModel } from '../../support/tinyModel.js';

const open: OnnxEmbedder[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(it => it.close()));
});

async function embedder(folder = builtInSource, idleMs?: number): Promise<OnnxEmbedder> {
  const made = new OnnxEmbedder(await readModelFolder(folder), bundlePaths.bundleDir, idleMs);
  open.push(made);
  return made;
}

const tiny = (description: Parameters<typeof writeTinyModel>[1] = {}): Promise<OnnxEmbedder> =>
  embedder(writeTinyModel(path.join(temporaryFolder(), 'tiny'), description));

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, it, i) => sum + it * b[i]!, 0);
const lengths = (vectors: readonly Float32Array[]): number[] => vectors.map(it => Number(Math.hypot(...it).toFixed(5)));

async function rejects(work: Promise<unknown>, code: EngineErrorCode, message: RegExp): Promise<void> {
  await assert.rejects(work, error => {
    assert.ok(EngineError.is(error, code), String(error));
    assert.match(error.message, message);
    assert.match(error.message, /^[^\n]{20,300}[.]$/u);
    return true;
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

describe('the built-in model in ONNX Runtime', () => {
  const texts = [
    'Deploys happen on Tuesdays from the release branch.',
    'x',
    'We use pnpm, never npm, in every workspace of this repository, because its lock file is stricter.',
    'Wir sprechen Deutsch.',
    'const port = process.env.PORT ?? 8080;',
  ];

  it('returns one unit vector of 384 dimensions per text, in order', async () => {
    const it = await embedder();
    const vectors = await it.embed(texts, 'passage');
    assert.deepEqual(
      vectors.map(it => it.length),
      texts.map(() => 384),
    );
    assert.deepEqual(
      lengths(vectors),
      texts.map(() => 1),
    );
  });

  it('returns the same vector for a text alone or in a batch, as query or passage', async () => {
    const [one, two] = [await embedder(), await embedder()];
    const batch = await one.embed([...texts, ...Array.from({ length: 70 }, (_, i) => `Fact number ${i}.`)], 'passage');
    const alone = await Promise.all(texts.map(async text => (await two.embed([text], 'query'))[0]!));
    // A batch is summed in another order, so the last digits differ.
    for (const [i, vector] of alone.entries()) {
      assert.ok(vector.every((it, d) => Math.abs(it - batch[i]![d]!) < 1e-6));
    }
    assert.deepEqual(await one.embed(texts, 'query'), await two.embed(texts, 'query'));
  });

  it('gives similar texts similar vectors', async () => {
    const vectors = await (
      await embedder()
    ).embed(['how to delete a file', 'remove a file from disk', 'the train leaves at nine'], 'passage');
    const [a, b, c] = vectors as [Float32Array, Float32Array, Float32Array];
    assert.ok(dot(a, b) > 0.3 && dot(a, c) < 0.23, `${dot(a, b)} ${dot(a, c)}`);
  });

  it('returns a zero vector for a text without known tokens', async () => {
    const vectors = await (await embedder()).embed(['', ' \n\t', '日本語のテキスト', '🎉🎉', '…—!?'], 'passage');
    assert.deepEqual(lengths(vectors), [0, 0, 0, 0, 0]);
  });

  it('reads only the beginning of a text of one megabyte', async () => {
    const it = await embedder();
    const beginning = 'The build needs Node. '.repeat(400);
    const [long, short] = await it.embed([beginning + 'Bananas are yellow. '.repeat(50_000), beginning], 'passage');
    assert.deepEqual(long, short);
  });

  it('returns nothing for no texts, without loading the model', async () => {
    const it = await embedder();
    assert.deepEqual(await it.embed([], 'query'), []);
    assert.equal(it.isLoaded, false);
  });
});

describe('a transformer', () => {
  /** Words whose tokens contribute to a vector. */
  const wordsIn = (vector: Float32Array): string[] => tinyWords.filter((_, id) => vector[id]! > 0);

  it('is pooled by the mean of the tokens, or by the first one', async () => {
    const [mean] = await (await tiny()).embed(['apple pear'], 'passage');
    const [first] = await (await tiny({ pooling: 'cls' })).embed(['apple pear'], 'passage');
    assert.deepEqual([wordsIn(mean!), wordsIn(first!)], [['[CLS]', '[SEP]', 'apple', 'pear'], ['[CLS]']]);
    assert.deepEqual(lengths([mean!, first!]), [1, 1]);
  });

  it('ignores padding', async () => {
    const it = await tiny();
    const batch = await it.embed(['apple', 'apple pear hammer pear'], 'passage');
    assert.deepEqual(batch[0], (await it.embed(['apple'], 'passage'))[0]);
  });

  it('keeps the special tokens of a truncated text', async () => {
    const [vector] = await (await tiny({ maxTokens: 8 })).embed(['apple '.repeat(20) + 'hammer'], 'passage');
    assert.deepEqual(wordsIn(vector!), ['[CLS]', '[SEP]', 'apple']);
    const [cls, sep, apple] = [2, 3, 4].map(id => vector![id]! / vector![2]!);
    assert.deepEqual([cls, sep, Math.round(apple!)], [1, 1, 6]);
  });

  it('adds the query prefix to queries only, and to no empty text', async () => {
    const it = await tiny({ queryPrefix: 'find ' });
    const [query, empty] = await it.embed(['pear', ''], 'query');
    const [passage] = await it.embed(['pear'], 'passage');
    assert.deepEqual(
      [wordsIn(query!), wordsIn(passage!)],
      [
        ['[CLS]', '[SEP]', 'pear', 'find'],
        ['[CLS]', '[SEP]', 'pear'],
      ],
    );
    assert.deepEqual(lengths([empty!]), [0]);
  });

  it('returns a zero vector for unknown words', async () => {
    const vectors = await (await tiny()).embed(['banana split', 'banana apple'], 'passage');
    assert.deepEqual(lengths(vectors), [0, 1]);
  });

  it('is rejected if its dimensions differ from its description', async () => {
    const it = await tiny({ dimensions: 16 });
    await rejects(
      it.embed(['apple'], 'passage'),
      'embedderUnavailable',
      new RegExp(`gives ${tinyDimensions} dim`, 'u'),
    );
  });
});

describe('the thresholds of a model', () => {
  /** The number of memories found for a question that shares no word with them. */
  async function answers(answer: number | undefined): Promise<number> {
    const host = new TestHost();
    const thresholds = { related: 0.8, duplicate: 0.9, answer };
    writeTinyModel(path.join(host.dataDir, 'models', 'tiny'), { thresholds });
    host.settings = { ...host.settings, embeddings: 'tiny' };
    const engine = await host.open();
    await storeMemory(engine, 'Apple pear.');
    return (await engine.recall({ query: 'hammer', withoutCut: true })).hits.length;
  }

  it('decide from which similarity on a memory without shared words is found', async () => {
    // The cosine is 0.58, from [CLS] and [SEP] alone.
    assert.deepEqual([await answers(undefined), await answers(0.5), await answers(0.65)], [1, 1, 0]);
  });
});

describe('the worker thread of a model', () => {
  it('ends when idle, and starts again with the next text', async () => {
    const it = await embedder(undefined, 30);
    const before = await it.embed(['hello'], 'query');
    assert.equal(it.isLoaded, true);
    await until(() => !it.isLoaded);
    assert.deepEqual(await it.embed(['hello'], 'query'), before);
  });

  it('fails pending requests when closed, and starts again for later ones', async () => {
    const it = await embedder();
    const asked = it.embed(['hello'], 'query');
    const closing = it.close();
    const next = it.embed(['hello'], 'query');
    await rejects(asked, 'embedderUnavailable', /was closed while it was at work/u);
    await closing;
    assert.deepEqual(lengths(await next), [1]);
  });

  it('supports cancellation', async () => {
    const it = await embedder();
    await rejects(it.embed(['hello'], 'query', AbortSignal.abort()), 'aborted', /cancelled/u);
    const controller = new AbortController();
    const asked = it.embed(['hello'], 'query', controller.signal);
    controller.abort();
    await rejects(asked, 'aborted', /cancelled/u);
  });
});

describe('a broken model folder', () => {
  const cases: readonly (readonly [string, (folder: string) => void, RegExp])[] = [
    [
      'without model.json',
      it => {
        rmSync(path.join(it, 'model.json'));
      },
      /model\.json is missing/u,
    ],
    [
      'without model.onnx',
      it => {
        rmSync(path.join(it, 'model.onnx'));
      },
      /model\.onnx is missing/u,
    ],
    [
      'without tokenizer.json',
      it => {
        rmSync(path.join(it, 'tokenizer.json'));
      },
      /tokenizer\.json is missing/u,
    ],
    [
      'with no JSON in model.json',
      it => {
        writeFileSync(path.join(it, 'model.json'), '{"name":');
      },
      /not describe/u,
    ],
    [
      'with too little in model.json',
      it => {
        writeFileSync(path.join(it, 'model.json'), '{}');
      },
      /not describe/u,
    ],
  ];
  for (const [name, breakIt, message] of cases) {
    it(`${name} is rejected before it is loaded, and search is lexical`, async () => {
      const folder = writeTinyModel(path.join(temporaryFolder(), 'tiny'));
      breakIt(folder);
      await rejects(readModelFolder(folder), 'embedderUnavailable', message);
      const { degraded, logged, notices } = await recallWith(folder);
      assert.deepEqual(degraded, ['the embedding model cannot be used: searched by words alone']);
      assert.match(logged, message);
      assert.match(notices.join('\n'), message);
    });
  }

  const unloadable: readonly (readonly [string, string])[] = [
    ['model.onnx', 'garbage'],
    ['model.onnx', ''],
    ['tokenizer.json', 'garbage'],
    ['tokenizer.json', '{}'],
  ];
  for (const [file, content] of unloadable) {
    const sentence = new RegExp(`tiny does not run \\(its ${file} cannot be`, 'u');
    it(`with ${file} = ${JSON.stringify(content)} fails each time with a reason, and search is lexical`, async () => {
      const folder = writeTinyModel(path.join(temporaryFolder(), 'tiny'));
      writeFileSync(path.join(folder, file), content);
      const broken = await embedder(folder);
      for (let i = 0; i < 2; i++) await rejects(broken.embed(['x'], 'query'), 'embedderUnavailable', sentence);
      const { degraded, logged } = await recallWith(folder);
      assert.deepEqual(degraded, ['the embedding model does not run: searched by words alone']);
      assert.match(logged, sentence);
    });
  }

  it('is distinguished from a missing one, and from embeddings that are off', async () => {
    const { notices } = await recallWith('gte-small');
    assert.match(notices.join('\n'), /^There is no embedding model in \S+gte-small.* Download it/u);
    assert.deepEqual(await recallWith('off'), {
      degraded: ['embeddings are off: searched by words alone'],
      logged: '',
      notices: [],
    });
  });

  function recallWith(embeddings: string): ReturnType<typeof recallLexically> {
    const host = new TestHost();
    host.settings = { ...host.settings, embeddings };
    return recallLexically(host);
  }
});
