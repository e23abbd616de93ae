import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../../../src/engine/base/errors.js';
import { checkCrossEncoder, CrossEncoder } from '../../../src/engine/embeddings/crossEncoder.js';
import { bundlePaths } from '../../support/bundlePaths.js';
import { temporaryFolder } from '../../support/fixtures.js';
import { writeTinyCrossEncoder, writeTinyModel } from '../../support/tinyModel.js';

describe('a cross-encoder', () => {
  let folder: string;
  const open: CrossEncoder[] = [];
  const crossEncoder = (from = folder): CrossEncoder => {
    const made = new CrossEncoder(from, bundlePaths.bundleDir);
    open.push(made);
    return made;
  };

  beforeEach(() => {
    folder = writeTinyCrossEncoder(path.join(temporaryFolder(), 'cross-encoder'));
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map(it => it.close()));
  });

  it('scores each text together with the question', async () => {
    const it = crossEncoder();
    assert.deepEqual([...(await it.score('find', ['apple', 'hammer pear', '']))], [1, 10, 0]);
    assert.deepEqual([...(await it.score('hammer', ['apple', 'pear pear pear']))], [9, 14]);
  });

  it('reads the beginning of a question and a text that are long', async () => {
    const [score] = await crossEncoder().score('find '.repeat(500), ['apple '.repeat(2_000)]);
    assert.ok(score! > 100 && score! < 256, String(score));
  });

  it('is busy while it works', async () => {
    const it = crossEncoder();
    const scored = it.score('find', ['apple']);
    assert.equal(it.isBusy, true);
    await scored;
    assert.equal(it.isBusy, false);
  });

  it('says what is wrong with a model that gives no score', async () => {
    const embedding = writeTinyModel(path.join(temporaryFolder(), 'embedding'));
    await assert.rejects(crossEncoder(embedding).score('find', ['apple']), /it gives \d+ × 8 numbers for a pair/u);
  });

  it('needs a model and a tokenizer', async () => {
    await checkCrossEncoder(folder);
    rmSync(path.join(folder, 'tokenizer.json'));
    await assert.rejects(checkCrossEncoder(folder), error => {
      assert.ok(EngineError.is(error, 'embedderUnavailable'));
      assert.match(error.message, /rerankModel has no file tokenizer\.json/u);
      return true;
    });
  });
});
