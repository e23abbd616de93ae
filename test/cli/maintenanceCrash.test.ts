import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../src/engine/engine.js';
import { defaultConfig, type Config } from '../../src/engine/model/config.js';
import { maintenanceActions, type MaintenanceRun } from '../../src/engine/model/maintenance.js';
import type { Memory } from '../../src/engine/model/memory.js';
import { populateStore } from '../bench/kit/populatedStore.js';
import { spawnEngineProcess } from '../support/spawnEngineProcess.js';
import { storeProblems, temporaryFolder, TestHost } from '../support/fixtures.js';
import { sql } from '../support/sqlite.js';

const memories = 3_000;
/** Half of what the store holds; in one day no more than a part of what is over it. */
const config: Config = {
  ...defaultConfig,
  embeddings: 'off',
  maintenance: {
    ...defaultConfig.maintenance,
    quotas: { ...defaultConfig.maintenance.quotas, 'short-term': 20_000, 'long-term': 400_000, permanent: 1_000_000 },
    bytesPerRun: 256 * 1024,
  },
};
/** What a run has come to when its process is killed. */
const moments: Readonly<Record<string, (run: MaintenanceRun) => boolean>> = {
  'while it decides': () => true,
  'while it archives what faded': ({ counts }) => counts.faded > 0,
  'while it archives what expired': ({ counts }) => counts.expired > 0,
  'while it keeps the quotas': ({ counts }) => counts.quota > 0,
  'while it deletes': ({ counts }) => counts.pruned > 0,
};

describe('maintenance whose process is killed', function () {
  for (const [name, hasCome] of Object.entries(moments)) {
    it(`${name} leaves the store consistent, and the next run reports the interruption and continues`, async () => {
      const host = new TestHost();
      host.settings = config;
      host.time = Date.now();
      await populateStore(host, memories, 'a model');
      const untouched = await host.open();
      const before = await everything(untouched);
      await untouched.close();

      const filledDir = host.dataDir;
      do {
        host.dataDir = path.join(temporaryFolder(), 'data');
        cpSync(filledDir, host.dataDir, { recursive: true });
      } while (!(await killWhen(host, hasCome)));
      host.time = Date.now();

      const engine = await host.open();
      assert.deepEqual(await storeProblems(engine), []);
      const [dead] = await engine.maintenance.runs();
      assert.equal(dead!.status, 'running');
      assert.ok(hasCome(dead!));
      await isToldAsDone(engine, dead!, before);
      // Whether it is dead or slow is unknown until its lease is over.
      await assert.rejects(engine.maintenance.run(), { code: 'storeBusy' });
      host.time = Date.now() + 31_000;
      const [next] = await engine.maintenance.run();
      assert.equal(next!.status, 'finished');
      const { faded, expired, quota, pruned } = dead!.counts;
      assert.equal(
        next!.warnings[0],
        `The run #${dead!.id.slice(-8)} of ${dead!.at} was interrupted: its program ended in the middle. What it had done stays (${faded + expired + quota} archived, ${pruned} deleted), and this run went on from there.`,
      );
      assert.ok(dead!.quotaBytes + next!.quotaBytes <= config.maintenance.bytesPerRun);
      assert.deepEqual(
        (await engine.maintenance.runs()).map(it => it.status),
        ['finished', 'interrupted'],
      );
      await isToldAsDone(engine, next!, before);
      nothingOfAPersonIsLost(before, await everything(engine));
      assert.equal((await engine.maintenance.undo(dead!.id)).length, faded + expired + quota);
      assert.deepEqual(await storeProblems(engine), []);
    });
  }
});

/**
 * Starts a run in a child process and kills the process when the run's record has reached a state. Returns false when the
 * run ended before that was seen, as may happen on a busy machine.
 */
async function killWhen(host: TestHost, hasCome: (run: MaintenanceRun) => boolean): Promise<boolean> {
  const child = spawnEngineProcess({
    dataDir: host.dataDir,
    config,
    calls: [['maintenance.run', { scope: 'global-only' }]],
  });
  const isOver = child.answers.then(() => true);
  for (;;) {
    const [row] = await sql(host.globalFile, "SELECT body FROM records WHERE kind = 'run'");
    const run = row === undefined ? undefined : (JSON.parse(row.body as string) as MaintenanceRun);
    if (run !== undefined && hasCome(run)) break;
    const ended = await Promise.race([isOver, new Promise(resolve => setTimeout(resolve, 1, false))]);
    if (ended === true) return false;
  }
  child.process.kill('SIGKILL');
  const answers = await child.answers;
  return answers.length === 1;
}

async function everything(engine: MemoryEngine): Promise<Map<string, Memory>> {
  const found = new Map<string, Memory>();
  for (let offset = 0; ; offset += 1_000) {
    const page = await engine.list({ statuses: ['active', 'archived', 'superseded'], limit: 1_000, offset });
    for (const it of page) found.set(it.id, it);
    if (page.length < 1_000) return found;
  }
}

/** The record of a run says exactly what became of the memories. */
async function isToldAsDone(
  engine: MemoryEngine,
  { at, counts, decisions, more }: MaintenanceRun,
  before: ReadonlyMap<string, Memory>,
): Promise<void> {
  const after = await everything(engine);
  const gone = [...after.values()].filter(it => it.archivedAt === at);
  for (const action of maintenanceActions) {
    const left = action === 'pruned' ? undefined : gone.filter(it => it.archiveReason === action);
    if (left !== undefined) assert.equal(left.length, counts[action], action);
    assert.equal(decisions[action].length + more[action], counts[action], action);
    for (const { id } of decisions[action]) {
      assert.ok(before.has(id));
      if (left === undefined) assert.ok(!after.has(id));
      else assert.ok(left.some(it => it.id === id));
    }
  }
}

function nothingOfAPersonIsLost(before: ReadonlyMap<string, Memory>, after: ReadonlyMap<string, Memory>): void {
  for (const [id, memory] of before) {
    const now = after.get(id);
    if (memory.lane === 'confirmed') assert.equal(now?.content, memory.content);
    if (memory.pinned)
      assert.deepEqual({ ...now, retentionScore: 0 }, { ...memory, retentionScore: 0, scoringVersion: 1 });
  }
}
