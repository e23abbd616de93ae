import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { int8Scale, toInt8Vector } from '../../../src/engine/base/int8Vector.js';
import { readModelFolder } from '../../../src/engine/embeddings/modelFolder.js';
import { OnnxEmbedder } from '../../../src/engine/embeddings/onnxEmbedder.js';
import { StaticModel } from '../../../src/engine/embeddings/staticModel.js';
import { LateInteraction } from '../../../src/engine/search/query/lateInteraction.js';
import { bundles } from '../../support/bundles.js';
import { recallByWords } from '../../support/byWords.js';
import { temporaryFolder, TestHost } from '../../support/memory.js';

const folder = path.join(bundles.modelsDir, 'built-in');

describe('the built-in model without a runtime', () => {
  const model = StaticModel.open(folder);

  it('gives what ONNX Runtime makes of the same file', async () => {
    const texts = ['README.md', 'docs/architecture.md', 'docs/performance.md', 'CHANGELOG.md'].flatMap(it =>
      readFileSync(it, 'utf8').split('\n'),
    );
    texts.push(
      '日本語のテキスト',
      '🎉 done',
      'naïve café',
      'getUserById(id: string)',
      'C++ and C#',
      'word '.repeat(400),
    );
    const runtime = new OnnxEmbedder(await readModelFolder(folder), bundles.bundleDir);
    try {
      for (const [i, expected] of (await runtime.embed(texts, 'passage')).entries()) {
        const found = model.embed(texts[i]!);
        assert.ok(
          found.every((it, d) => Math.abs(it - expected[d]!) < 1e-6),
          texts[i],
        );
        assert.deepEqual(toInt8Vector(found), toInt8Vector(expected), texts[i]);
      }
    } finally {
      await runtime.close();
    }
  });

  it('reads a text word by word, without what it does not know', () => {
    assert.deepEqual(model.tokens('the deploy, the deploy!').length, 4);
    assert.deepEqual(model.tokens('  …  '), []);
    assert.deepEqual(model.tokens('getUserById'), model.tokens('get user by id'));
  });

  it('knows which words are close', () => {
    const likeness = (text: string): number =>
      new LateInteraction(model.tokenVectors).scoreTexts(model.tokens('Where do we deploy?'), [model.tokens(text)])[0]!;
    assert.ok(likeness('Releases are rolled out to the cluster') > likeness('Cats sleep on the sofa'));
  });

  it('tells the same of a token, whether or not a text with it was read', () => {
    const fresh = StaticModel.open(folder);
    const tokens = ['deploy', 'café', 'getUserById'].flatMap(it => fresh.tokens(it));
    const told = (): object[] =>
      tokens.map(it => [fresh.tokenVectors.weight(it), fresh.tokenVectors.row(it), fresh.row(it).slice()]);
    const before = told();
    fresh.embed('We deploy getUserById from the café.');
    assert.deepEqual(told(), before);
    for (const it of tokens) {
      const row = fresh.tokenVectors.row(it);
      assert.ok(Math.abs(Math.hypot(...row) - int8Scale) < 3, `${it}`);
    }
  });

  for (const file of ['model.onnx', 'tokenizer.json']) {
    it(`says so where ${file} is damaged, and everything goes on by words`, async () => {
      const host = new TestHost();
      host.modelsDir = temporaryFolder();
      cpSync(folder, path.join(host.modelsDir, 'built-in'), { recursive: true });
      writeFileSync(path.join(host.modelsDir, 'built-in', file), 'garbage');
      const { degraded, logged } = await recallByWords(host);
      assert.deepEqual(degraded, ['the embedding model does not run: searched by words alone']);
      assert.match(logged, new RegExp(`does not run \\(its ${file} cannot be read\\)`, 'u'));
    });
  }
});
