import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import { bundlePaths } from '../../support/bundlePaths.js';
import { countCalls } from '../../support/countCalls.js';
import { staticConfig } from '../../support/staticConfig.js';

describe('the query of a recall', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recollect-analyzed-'));
  let engine: MemoryEngine;

  before(async () => {
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const host = { workspaceFolders: [], client: 'test', log, config: () => staticConfig, now: () => new Date() };
    engine = await openEngine({ ...host, ...bundlePaths, dataDir: folder });
    await engine.remember({ content: 'The ferry to Bergen is called Perpetua.', source: 'explicit' });
    await engine.remember({ content: 'In March the harbor is closed.', source: 'explicit' });
  });
  after(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('goes through the analyzer once, however many stages use it', async () => {
    const calls = await countCalls('analyzeQuestion', async () => {
      const { hits } = await engine.recall({ query: 'What is the ferry called?' });
      assert.equal(hits.length, 1);
    });
    assert.equal(calls, 1);
  });
});
