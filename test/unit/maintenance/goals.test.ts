import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { shortId } from '../../../src/engine/model/memory.js';
import type { RetentionSignal } from '../../../src/engine/model/retention.js';
import { storeMemory } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';
import { maintenanceHost } from './maintenanceHost.js';

async function signal(engine: MemoryEngine, id: string, name: RetentionSignal): Promise<number> {
  const runs = await engine.maintenance.preview();
  return runs.flatMap(it => it.nextToGo).find(it => it.id === id)!.signals![name];
}

async function scores(engine: MemoryEngine, ids: readonly string[]): Promise<readonly number[]> {
  await engine.maintenance.run();
  return (await engine.getMany(ids)).map(it => it.retentionScore!);
}

describe('goals', () => {
  it('are added, listed, completed and removed, each in its store', async () => {
    const host = maintenanceHost({}, {}, { project: true });
    const engine = await host.open();
    const one = await engine.goals.add('  Ship refunds\n in the payments API ');
    host.advanceDays(1);
    const two = await engine.goals.add('Write shorter functions', 'global');
    host.advanceDays(1);
    const three = await engine.goals.add('Leave Oracle');
    assert.deepEqual([one.text, one.store, two.store], ['Ship refunds in the payments API', 'project', 'global']);
    const reached = await engine.goals.done(`#${shortId(one)}`);
    assert.equal(reached.doneAt, host.now().toISOString());
    host.advanceDays(1);
    assert.deepEqual(await engine.goals.done(one.id), reached);
    await engine.goals.remove(three.id);
    assert.deepEqual(await engine.goals.list(), [two, reached]);
    await engine.close();
    assert.deepEqual(await (await host.open()).goals.list(), [two, reached]);
  });

  const refused: readonly (readonly [text: string, name: string, code: string])[] = [
    ['', 'nothing', 'invalidInput'],
    [' … ', 'no words', 'invalidInput'],
    ['x '.repeat(300), 'a page', 'invalidInput'],
    ['Rotate the key AKIAIOSFODNN7EXAMPLQ before March', 'a secret', 'notAllowed'],
  ];
  for (const [text, name, code] of refused) {
    it(`are rejected: ${name}`, async () => {
      const engine = await maintenanceHost().open();
      await assert.rejects(engine.goals.add(text), { code });
      assert.deepEqual(await engine.goals.list(), []);
    });
  }

  it('throw notFound for an unknown id', async () => {
    const engine = await maintenanceHost().open();
    await engine.goals.add('Leave Oracle');
    for (const it of ['', '#00000000', "'; DROP TABLE records; --"])
      await assert.rejects(engine.goals.done(it), { code: 'notFound' });
  });

  it('raise the score of matching memories: project and global goals in a project, global goals everywhere', async () => {
    const host = maintenanceHost({}, {}, { project: true });
    const engine = await host.open();
    const facts = { gate: 'epistemic', decayClass: 'durable' } as const;
    const inProject = await storeMemory(engine, 'Refunds go through the ledger worker.', {
      ...facts,
      store: 'project',
    });
    const inGlobal = await storeMemory(engine, 'Refunds of the ledger take two days.', facts);
    const both = [inProject, inGlobal];
    const relevance = async (): Promise<readonly number[]> => [
      await signal(engine, inProject, 'relevanceToGoals'),
      await signal(engine, inGlobal, 'relevanceToGoals'),
    ];
    assert.deepEqual(await relevance(), [0, 0]);
    const before = await scores(engine, both);
    const goal = await engine.goals.add('Move the ledger to the new bank');
    assert.deepEqual(await relevance(), [0.25, 0]);
    await engine.goals.add('Refunds', 'global');
    assert.deepEqual(await relevance(), [1, 1]);
    const after = await scores(engine, both);
    assert.deepEqual(
      after.map((it, i) => Math.round((it - before[i]!) * 1e4) / 1e4),
      [0.4, 0.4],
    );
    await engine.goals.done(goal.id);
    for (const it of await engine.goals.list()) await engine.goals.remove(it.id);
    assert.deepEqual(await relevance(), [0, 0]);
  });

  it('include open promises of the same set and the checked-out branch', async () => {
    const host = maintenanceHost({}, {}, { project: true });
    const git = path.join(host.workspaceFolders[0]!, '.git');
    mkdirSync(git);
    writeFileSync(path.join(git, 'HEAD'), 'ref: refs/heads/feature/JIRA-12-anchor-chain\n');
    const engine = await host.open();
    const facts = { gate: 'epistemic', decayClass: 'durable', store: 'project' } as const;
    const anchor = await storeMemory(engine, 'The anchor weighs two tonnes.', facts);
    const rope = await storeMemory(engine, 'Ropes are hemp.', facts);
    assert.equal(await signal(engine, anchor, 'relevanceToGoals'), 1 / 3);
    assert.equal(await signal(engine, rope, 'relevanceToGoals'), 0);
    const promise = { gate: 'promissory', store: 'project' } as const;
    await storeMemory(engine, 'Order hemp ropes before summer', { ...promise, scopeId: 'elsewhere' });
    assert.equal(await signal(engine, rope, 'relevanceToGoals'), 0);
    await storeMemory(engine, 'Order hemp ropes before summer', promise);
    assert.equal(await signal(engine, rope, 'relevanceToGoals'), 0.5);
    const [found] = await engine.maintenance.preview();
    assert.deepEqual([found!.inputs.branch, found!.inputs.promises], ['feature/JIRA-12-anchor-chain', 2]);
  });
});

describe('feedback', () => {
  it('changes the retention order: a thumb up raises two signals, a thumb down lowers one', async () => {
    const host = maintenanceHost();
    const engine = await host.open();
    const facts = { gate: 'epistemic', decayClass: 'durable' } as const;
    const ids: string[] = [];
    for (const it of ['The crane is red.', 'The winch is green.', 'The rope is blue.'])
      ids.push(await storeMemory(engine, it, facts));
    const [liked, disliked, neither] = ids as [string, string, string];
    await engine.feedback(liked, true);
    await engine.feedback(disliked, false);
    const signalsOf = async (id: string): Promise<readonly number[]> => [
      await signal(engine, id, 'emotionalWeight'),
      await signal(engine, id, 'predictiveValue'),
    ];
    assert.deepEqual(
      [await signalsOf(liked), await signalsOf(disliked), await signalsOf(neither)],
      [
        [0.4667, 0.5],
        [0.2333, 0.25],
        [0.35, 0.25],
      ],
    );
    const [a, b, c] = await scores(engine, [disliked, neither, liked]);
    assert.ok(a! < b! && b! < c!, [a, b, c].join());
  });

  it('on a memory also affects its neighbors, but not memories that contradict it', async () => {
    const host = maintenanceHost();
    const engine = await host.open();
    const facts = { gate: 'epistemic', decayClass: 'durable' } as const;
    const crane = await storeMemory(engine, 'The crane is red.', facts);
    const winch = await storeMemory(engine, 'The winch is green.', facts);
    const rope = await storeMemory(engine, 'The rope is blue.', facts);
    for (let i = 0; i < 3; i++) await engine.feedback(crane, true);
    const edge = (other: string, type: string): string =>
      `INSERT INTO edges (source, target, type, strength, reason, created_at)
       SELECT a.row, b.row, '${type}', 1, '', '' FROM memories a, memories b
       WHERE a.id = '${crane}' AND b.id = '${other}'`;
    await sql(host.globalFile, edge(winch, 'relates_to'), edge(rope, 'contradicts'));
    const value = (id: string): Promise<number> => signal(engine, id, 'predictiveValue');
    // Half of the neighbor's three recalls, all useful, plus the prior of two recalls, of which a quarter is useful.
    assert.deepEqual([await value(crane), await value(winch), await value(rope)], [0.7, 0.5714, 0.25]);
  });
});
