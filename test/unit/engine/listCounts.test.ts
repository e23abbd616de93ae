import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import { bundlePaths } from '../../support/bundlePaths.js';
import { staticConfig } from '../../support/staticConfig.js';

describe('counts of lists', () => {
  let folder: string;
  let engine: MemoryEngine;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'recollect-counts-'));
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    engine = await openEngine({
      ...bundlePaths,
      dataDir: folder,
      workspaceFolders: [],
      client: 'test',
      log,
      config: () => staticConfig,
      now: () => new Date('2026-03-02T09:00:00Z'),
    });
    for (const [content, at] of [
      ['The radio LOG is read at nine.', '2026-01-05T09:00:00.000Z'],
      ['A log of the radio is kept for a year.', '2026-02-28T09:00:00.000Z'],
      ['The radiologist comes on Fridays.', '2026-03-01T09:00:00.000Z'],
      ['Ärger mit der Größe.', '2026-03-01T09:00:00.000Z'],
    ] as const)
      await engine.remember({ content, at, source: 'explicit', lane: 'confirmed', whole: true });
  });
  after(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('find what has every word, also inside another one and in any case', async () => {
    const found = async (...words: string[]): Promise<readonly string[]> =>
      (await engine.list({ words })).map(it => it.content);
    assert.deepEqual(await found('radio', 'log'), [
      'The radiologist comes on Fridays.',
      'A log of the radio is kept for a year.',
      'The radio LOG is read at nine.',
    ]);
    assert.deepEqual(await found('radio', 'year'), ['A log of the radio is kept for a year.']);
    assert.deepEqual(await found('ärger', 'GRÖßE'), ['Ärger mit der Größe.']);
    assert.deepEqual(await found('*'), []);
  });

  it('are exact, whatever the page', async () => {
    assert.deepEqual(await Promise.all([engine.count(), engine.count({ words: ['radio'], limit: 1 })]), [4, 3]);
    assert.equal(await engine.count({ statuses: ['archived'] }), 0);
  });

  it('are of a period, by gate', async () => {
    const groups = await engine.groups({ period: { since: '2026-02-23', until: '2026-03-03' } });
    assert.equal(
      groups.reduce((sum, it) => sum + it.count, 0),
      3,
    );
  });
});
