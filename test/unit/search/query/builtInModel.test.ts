import assert from 'node:assert/strict';
import { StaticModel } from '../../../../src/engine/embeddings/staticModel.js';
import { builtInModelFolder } from '../../../../src/engine/search/prewarmSearch.js';
import { BuiltInModel } from '../../../../src/engine/search/query/builtInModel.js';
import { bundlePaths } from '../../../support/bundlePaths.js';

const open = (): StaticModel => StaticModel.open(builtInModelFolder(bundlePaths.modelsDir));

describe('the built-in model of a search', () => {
  it('is opened once, however many texts are embedded', () => {
    let openings = 0;
    const model = new BuiltInModel(() => {
      openings++;
      return open();
    });
    assert.equal(openings, 0);
    for (const it of ['ferry', 'pier', 'lighthouse']) assert.ok(model.embed([it]).vectors !== undefined);
    assert.equal(openings, 1);
  });

  it('is opened at the next use where it could not be read', () => {
    let isDamaged = true;
    const model = new BuiltInModel(() => {
      if (isDamaged) throw new Error('its model.bin cannot be read');
      return open();
    });
    assert.deepEqual(model.embed(['ferry']).embedding, { failed: 'its model.bin cannot be read' });
    isDamaged = false;
    assert.ok(model.embed(['ferry']).vectors !== undefined);
  });
});
