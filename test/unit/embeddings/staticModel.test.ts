import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toInt8Vector } from '../../../src/engine/base/int8Vector.js';
import { readBuiltInModel, readModelFolder } from '../../../src/engine/embeddings/modelFolder.js';
import { OnnxEmbedder } from '../../../src/engine/embeddings/onnxEmbedder.js';
import { StaticModel } from '../../../src/engine/embeddings/staticModel.js';
import { builtInSource, bundlePaths } from '../../support/bundlePaths.js';
import { recallLexically } from '../../support/lexicalRecall.js';
import { temporaryFolder, TestHost } from '../../support/fixtures.js';

const folder = path.join(bundlePaths.modelsDir, 'built-in');

describe('the built-in model without a runtime', () => {
  const model = StaticModel.open(folder);

  it('returns the vectors of ONNX Runtime for the same model', async () => {
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
    const runtime = new OnnxEmbedder(await readModelFolder(builtInSource), bundlePaths.bundleDir);
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

  it('tokenizes a text word by word, without unknown tokens', () => {
    assert.deepEqual(model.tokens('the deploy, the deploy!').length, 4);
    assert.deepEqual(model.tokens('  …  '), []);
    assert.deepEqual(model.tokens('getUserById'), model.tokens('get user by id'));
  });

  it('has the id that the model folder has: stored vectors stay valid', async () => {
    assert.deepEqual(await readBuiltInModel(folder), (await readModelFolder(builtInSource)).model);
  });

  const damaged: readonly (readonly [string, (file: Buffer) => Buffer, string, RegExp])[] = [
    ['garbage', () => Buffer.from('garbage'), 'cannot be used', /model\.bin does not describe a model/u],
    ['empty', () => Buffer.alloc(0), 'cannot be used', /model\.bin does not describe a model/u],
    ['cut off', it => it.subarray(0, -1), 'does not run', /does not run \(its model\.bin cannot be read\)/u],
  ];
  for (const [how, damage, problem, log] of damaged) {
    it(`is logged as unusable if model.bin is ${how}, and search is lexical`, async () => {
      const host = new TestHost();
      host.modelsDir = temporaryFolder();
      mkdirSync(path.join(host.modelsDir, 'built-in'));
      const file = readFileSync(path.join(folder, 'model.bin'));
      writeFileSync(path.join(host.modelsDir, 'built-in', 'model.bin'), damage(file));
      const { degraded, logged } = await recallLexically(host);
      assert.deepEqual(degraded, [`the embedding model ${problem}: searched by words alone`]);
      assert.match(logged, log);
    });
  }
});
