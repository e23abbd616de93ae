import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runEngineProcess, spawnEngineProcess, type EngineProcessPlan } from '../support/spawnEngineProcess.js';
import { storeProblems, temporaryFolder, TestHost } from '../support/fixtures.js';

const rounds = 20;
const writes = 1_000;

/** Seeded, so that a failing moment can be had again: how many acknowledged writes before each kill. */
const killAfter = fc.sample(fc.integer({ min: 1, max: 150 }), { numRuns: rounds, seed: 20260302 });

function writesOf(round: number): EngineProcessPlan['calls'] {
  return Array.from({ length: writes }, (_, i) => [
    'remember',
    {
      content: `Round ${round}: service ${i} listens on port ${1000 + i}.`,
      source: 'explicit',
      store: i % 2 === 0 ? 'global' : 'project',
      whole: true,
    },
  ]);
}

describe('a store', () => {
  it(`keeps every acknowledged memory when its writer is killed, ${rounds} times`, async function () {
    const host = new TestHost({ project: true });
    const acknowledged: string[] = [];
    for (const [round, moment] of killAfter.entries()) {
      const child = spawnEngineProcess(
        { dataDir: host.dataDir, folders: host.workspaceFolders, calls: writesOf(round) },
        {
          onAnswer: count => {
            if (count === moment) child.process.kill('SIGKILL');
          },
        },
      );
      const [opened, ...answers] = await child.answers;
      assert.deepEqual(opened, { value: { notices: [] } });
      acknowledged.push(...answers.flatMap(it => (it.value as { id: string }[]).map(its => its.id)));
      assert.ok(answers.length >= moment - 1 && answers.length < writes, `${answers.length} answers`);
      const engine = await host.open();
      const lost = acknowledged.length - (await engine.getMany(acknowledged)).length;
      assert.deepEqual(
        { round, lost, problems: await storeProblems(engine), notices: engine.notices },
        { round, lost: 0, problems: [], notices: [] },
      );
      await engine.close();
    }
  });

  it('accepts the writes of four processes that create it at the same time', async function () {
    const host = new TestHost();
    host.workspaceFolders = [temporaryFolder()];
    const each = 100;
    const shared = {
      content: 'Everybody says that the api is slow.',
      source: 'explicit',
      store: 'global',
      whole: true,
    };
    const startAt = Date.now() + 1_500;
    const children = await Promise.all(
      [0, 1, 2, 3].map(child =>
        runEngineProcess({
          dataDir: host.dataDir,
          folders: host.workspaceFolders,
          client: `child ${child}`,
          startAt,
          calls: Array.from({ length: each }, (_, i) => [
            'remember',
            i === 50
              ? shared
              : {
                  ...shared,
                  content: `Child ${child} says that ${i} is a number.`,
                  store: i % 2 === 0 ? 'project' : 'global',
                },
          ]),
        }),
      ),
    );
    assert.deepEqual(
      children.flat().filter(it => it.error !== undefined),
      [],
    );
    const engine = await host.open();
    const all = await engine.list({ limit: 1_000 });
    const counts = all.filter(it => it.content === shared.content).map(it => it.reinforcementCount);
    const sequences = (store: string): number =>
      new Set(all.filter(it => it.store === store).map(it => it.sequence)).size;
    assert.deepEqual(
      {
        memories: all.length,
        counts,
        project: sequences('project'),
        global: sequences('global'),
        problems: await storeProblems(engine),
      },
      { memories: 4 * (each - 1) + 1, counts: [4], project: 4 * 49, global: 4 * 50 + 1, problems: [] },
    );
  });
});
