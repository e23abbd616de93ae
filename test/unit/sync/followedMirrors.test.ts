import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { storeMemory, storeProblems, TestHost } from '../../support/fixtures.js';

describe('a folder that was synced once', () => {
  let engine: MemoryEngine;
  let folder: string;
  let root: string;

  const decision = { store: 'project', gate: 'epistemic', kind: 'decision', lane: 'note' } as const;
  const decisions = (): readonly string[] => readdirSync(path.join(root, 'decisions')).sort();
  const active = async (): Promise<readonly string[]> =>
    (await engine.list({ statuses: ['active'], limit: 100 })).map(it => it.content).sort();
  const alerts = async (): Promise<readonly string[]> =>
    (await engine.maintenance.alerts()).map(it => `${it.kind} ${String(it.text)}`);

  beforeEach(async () => {
    const host = new TestHost({ project: true });
    engine = await host.open();
    folder = host.workspaceFolders[0]!;
    root = path.join(folder, '.lerim', 'memory');
    await storeMemory(engine, 'The crane lifts two tonnes.', decision);
  });

  it('follows in both directions, and one that never was does not', async () => {
    assert.deepEqual(await engine.sync.follow(folder), []);
    await engine.sync.run({ mirror: '.lerim' });
    await storeMemory(engine, 'The quay is open at night.', decision);
    const [first] = decisions();
    const file = path.join(root, 'decisions', first!);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('two tonnes', 'three tonnes'));
    await engine.sync.follow(folder);
    assert.equal(decisions().length, 2);
    assert.deepEqual(await active(), ['The crane lifts three tonnes.', 'The quay is open at night.']);
    assert.deepEqual([await alerts(), await storeProblems(engine)], [[], []]);
  });

  it('archives nothing by itself where a file is gone, and asks for a word instead', async () => {
    await storeMemory(engine, 'The quay is open at night.', decision);
    await engine.sync.run({ mirror: '.lerim' });
    rmSync(path.join(root, 'decisions', decisions()[0]!));
    await engine.sync.follow(folder);
    assert.equal((await active()).length, 2);
    assert.deepEqual(await alerts(), ['syncWaits Changes in .lerim/memory that wait for your decision: 1.']);
    await engine.sync.run({ mirror: '.lerim' });
    assert.deepEqual([(await active()).length, await alerts()], [1, []]);
  });

  it('is left alone where it is gone as a whole', async () => {
    await storeMemory(engine, 'The quay is open at night.', decision);
    await engine.sync.run({ mirror: '.lerim' });
    rmSync(root, { recursive: true });
    assert.deepEqual(await engine.sync.follow(folder), []);
    assert.equal((await active()).length, 2);
  });
});
