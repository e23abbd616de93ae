import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import { bundlePaths } from '../../support/bundlePaths.js';
import { staticConfig } from '../../support/staticConfig.js';

describe('a glance', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recollect-glance-'));
  let engine: MemoryEngine;

  before(async () => {
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const host = { workspaceFolders: [], client: 'test', log, config: () => staticConfig, now: () => new Date() };
    engine = await openEngine({ ...host, ...bundlePaths, dataDir: folder });
  });
  after(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('returns the same hits as a tracked recall, without a trace or usage', async () => {
    await engine.remember({ content: 'The ferry is called Perpetua.', source: 'explicit' });
    const found = await engine.recall({ query: 'ferry', isUntracked: true });
    assert.deepEqual(
      found.hits.map(it => it.memory.content),
      ['The ferry is called Perpetua.'],
    );
    assert.deepEqual(await engine.traces(), []);
    assert.equal((await engine.list())[0]?.accessCount, 0);

    await engine.recall({ query: 'ferry' });
    assert.equal((await engine.traces()).length, 1);
    assert.equal((await engine.list())[0]?.accessCount, 1);
  });
});
