import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { defaultConfig } from '../../../src/engine/model/config.js';
import type { MaintenanceProgress } from '../../../src/engine/model/maintenance.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { storeMemory, storeProblems, type TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';
import { fileBytes, storeContents, runCounts, maintenanceHost, runMaintenance } from './maintenanceHost.js';

/** Checks which of these memories are active, archived (with the reason) or deleted, days later. */
function becomes(
  name: string,
  profile: 'classes' | 'kinds' | 'gentle',
  options: Partial<RememberInput> & { readonly after?: (engine: MemoryEngine, id: string) => Promise<unknown> },
  expected: Readonly<Record<number, string>>,
): void {
  it(name, async () => {
    const host = maintenanceHost({}, { decay: { ...defaultConfig.decay, profile } });
    const engine = await host.open();
    const { after, ...input } = options;
    const id = await storeMemory(engine, 'The harbour crane lifts twelve tonnes.', input);
    await after?.(engine, id);
    const start = host.time;
    const seen: Record<number, string> = {};
    for (const day of Object.keys(expected).map(Number)) {
      host.time = start + day * 86_400_000;
      await runMaintenance(engine);
      const [memory] = await engine.getMany([id]);
      seen[day] = memory === undefined ? 'pruned' : (memory.archiveReason ?? memory.status);
    }
    assert.deepEqual(seen, expected);
    assert.deepEqual(await storeProblems(engine), []);
  });
}

describe('a memory', () => {
  const facts = { gate: 'epistemic', kind: 'context', decayClass: 'durable' } as const;
  becomes(
    'that is a note of a week is archived by decay and pruned a month later',
    'classes',
    { ...facts, lane: 'note', decayClass: 'session' },
    { 7: 'active', 8: 'faded', 37: 'faded', 38: 'pruned' },
  );
  const durable = { 90: 'active', 91: 'faded', 5000: 'faded' };
  becomes(
    'that an assistant was to keep is archived after 90 days and never deleted',
    'classes',
    { ...facts, lane: 'note', source: 'mcp' },
    durable,
  );
  becomes('that is confirmed is archived after 90 days and never deleted', 'classes', facts, durable);
  becomes(
    'of the class session is archived after a week',
    'classes',
    { ...facts, decayClass: 'session' },
    { 7: 'active', 8: 'faded' },
  );
  becomes(
    'of the class ephemeral is archived after a day',
    'classes',
    { ...facts, decayClass: 'ephemeral' },
    { 1: 'active', 2: 'faded' },
  );
  becomes('of a stable kind stays active', 'kinds', { ...facts, kind: 'decision' }, { 1000: 'active' });
  // 90 × 0.5^(days / 30) < 30 from day 47.5 on; 14 days of that.
  becomes('of a decaying kind is archived after two weeks below 30', 'kinds', facts, { 61: 'active', 62: 'faded' });
  becomes('is archived late under the gentle profile', 'gentle', facts, { 390: 'active', 391: 'faded' });
  becomes(
    'that is pinned stays active',
    'classes',
    { ...facts, after: (engine, id) => engine.pin(id) },
    { 5000: 'active' },
  );
  becomes(
    'that is critical stays active',
    'classes',
    { ...facts, after: (engine, id) => engine.markCritical(id) },
    { 5000: 'active' },
  );
  becomes(
    'that a person forgot is pruned a month later',
    'classes',
    { ...facts, after: (engine, id) => engine.forget(id) },
    {
      29: 'forgotten',
      30: 'pruned',
    },
  );
  becomes(
    'that is a confirmed promise stays active until a person decides',
    'classes',
    { gate: 'promissory' },
    { 5000: 'active' },
  );
  becomes(
    'that is a note expires',
    'gentle',
    { ...facts, lane: 'note', source: 'conversation' },
    { 59: 'active', 60: 'expired', 90: 'pruned' },
  );
  becomes(
    'that is a noted promise expires',
    'classes',
    { gate: 'promissory', lane: 'note', source: 'conversation' },
    { 59: 'active', 60: 'expired' },
  );
  becomes(
    'that was promoted does not expire',
    'gentle',
    { ...facts, lane: 'note', source: 'conversation', after: (engine, id) => engine.promote(id) },
    { 60: 'active' },
  );
  becomes(
    'that is pinned does not expire',
    'gentle',
    { ...facts, lane: 'note', source: 'conversation', after: (engine, id) => engine.pin(id) },
    { 900: 'active' },
  );
});

/** Stores a text as code, because texts as similar as these would contradict each other. */
function keepApart(engine: MemoryEngine, content: string, rest: Partial<RememberInput> = {}): Promise<string> {
  return storeMemory(engine, content, { ...rest, kind: 'code' });
}

/** A store with work for every pass: 20 durable memories, 4 to archive, 2 expired notes, 3 archived long ago. */
async function fill(host: TestHost, engine: MemoryEngine): Promise<void> {
  for (let i = 0; i < 3; i++) await engine.forget(await keepApart(engine, `forgotten crane ${i}`));
  for (let i = 0; i < 4; i++)
    await keepApart(engine, `fading winch ${i}`, { decayClass: 'session', gate: 'epistemic' });
  // Remembered twice, so that they expire before they decay.
  for (let i = 0; i < 4; i++)
    await keepApart(engine, `noted rope ${i % 2}`, {
      lane: 'note',
      source: 'conversation',
      decayClass: 'durable',
      gate: 'relational',
    });
  host.advanceDays(60);
  for (let i = 0; i < 20; i++) {
    host.time += 1;
    await keepApart(engine, `durable anchor ${String(i).padStart(2, '0')}`, {
      decayClass: 'durable',
      gate: 'epistemic',
    });
  }
}

describe('maintenance run', () => {
  // 20 texts of 17 bytes and 2 of tags are 380; 8 of them fit into 160.
  const tight = {
    quotas: { ...defaultConfig.maintenance.quotas, 'short-term': 1000, 'long-term': 160, permanent: 1000 },
  };

  it('keeps imported notes to a quota of their own, and archives nothing that a person said for them', async () => {
    const quotas = { ...defaultConfig.maintenance.quotas, imported: 60, 'long-term': 4_000 };
    const engine = await maintenanceHost({ quotas }).open();
    const texts = (word: string): readonly string[] => [1, 2, 3, 4, 5, 6].map(it => `The ${word} lifts ${it} tons.`);
    for (const content of texts('crane'))
      await engine.remember({ content, source: 'import', lane: 'note', whole: true });
    for (const content of texts('winch'))
      await engine.remember({ content, source: 'explicit', lane: 'confirmed', whole: true });
    const [found] = await engine.maintenance.run();
    assert.equal(found!.counts.quota, 4);
    const left = (await engine.list({ statuses: ['active'], limit: 100 })).map(it => it.provenance.source);
    assert.deepEqual(left.sort(), [
      'explicit',
      'explicit',
      'explicit',
      'explicit',
      'explicit',
      'explicit',
      'import',
      'import',
    ]);
  });

  it('archives notes of a full tier before what a person confirmed', async () => {
    const quotas = { ...defaultConfig.maintenance.quotas, 'long-term': 80 };
    const engine = await maintenanceHost({ quotas }).open();
    const remember = async (word: string, lane: 'confirmed' | 'note'): Promise<void> => {
      for (const it of [1, 2, 3])
        await engine.remember({ content: `The ${word} lifts ${it} tons.`, source: 'explicit', lane, whole: true });
    };
    // The older ones would go first.
    await remember('crane', 'confirmed');
    await remember('winch', 'note');
    await engine.maintenance.run();
    const left = (await engine.list({ statuses: ['active'], limit: 100 })).map(it => it.lane);
    assert.deepEqual(left, ['confirmed', 'confirmed', 'confirmed']);
  });

  it('does every pass in order, reports each, and leaves a line in the audit log', async () => {
    const host = maintenanceHost(tight);
    const engine = await host.open();
    await fill(host, engine);
    const passes: string[] = [];
    const [found] = await engine.maintenance.run({
      onProgress: it => {
        if (it.done === it.total && !passes.includes(it.pass)) passes.push(it.pass);
      },
    });
    assert.deepEqual(passes, ['plan', 'archive', 'expire', 'score', 'quota', 'prune']);
    assert.deepEqual(runCounts(found!), [4, 2, 12, 3]);
    assert.equal(found!.counts.scored, 20);
    assert.deepEqual(found!.tiers['long-term'], { quota: 160, before: 380 + 2 * 14, after: 152, protected: 0 });
    assert.deepEqual([found!.leftOver, found!.quotaBytes, found!.processed], [0, 228, 29]);
    const [first] = found!.decisions.quota;
    assert.equal(first!.bytes, 19);
    // Not judged, emphasized, recalled or matched: 0.3 × 0.35 + 0.2 × 0.25 + 0.1 × 0.5.
    assert.deepEqual(first!.signals, {
      relevanceToGoals: 0,
      emotionalWeight: 0.35,
      predictiveValue: 0.25,
      recencyFrequency: 0.5,
    });
    assert.equal(first!.score, 0.205);
    // Equal scores: the oldest go first.
    const active = await engine.list();
    assert.deepEqual(
      active.map(it => it.content).sort(),
      [12, 13, 14, 15, 16, 17, 18, 19].map(it => `durable anchor ${it}`),
    );
    assert.ok(active.every(it => it.retentionScore === 0.205 && it.scoringVersion === 1));
    const log = await sql(host.globalFile, 'SELECT action, detail FROM audit ORDER BY seq');
    const tail = log.slice(-1)[0]!;
    assert.equal(tail.action, 'maintain');
    assert.deepEqual(
      ['archive', 'prune'].map(action => log.filter(it => it.action === action).length),
      [3 + 18, 3],
    );
    assert.deepEqual(await storeProblems(engine), []);
    assert.deepEqual(await engine.maintenance.runs(), [found]);
  });

  it('predicts exactly what it would do as a dry run, without changing a byte', async () => {
    const host = maintenanceHost(tight);
    const engine = await host.open();
    await fill(host, engine);
    await engine.traces(); // Flushes buffered usage.
    const before = fileBytes(host.globalFile);
    const [dry] = await engine.maintenance.preview();
    assert.equal(fileBytes(host.globalFile), before);
    const [real] = await engine.maintenance.run();
    const { id, dryRun, finishedAt, ...rest } = real!;
    assert.equal(dry!.dryRun, true);
    assert.deepEqual({ ...dry, id, dryRun, finishedAt }, { ...rest, id, dryRun, finishedAt });
    assert.deepEqual(await engine.maintenance.runs(), [real]);
  });

  it('changes nothing when repeated, even if the byte limit was reached', async () => {
    const host = maintenanceHost({ ...tight, bytesPerRun: 100 });
    const engine = await host.open();
    await fill(host, engine);
    const first = await runMaintenance(engine);
    assert.deepEqual([runCounts(first), first.leftOver, first.quotaBytes], [[4, 2, 5, 3], 380 - 95 - 160, 95]);
    const before = await storeContents(host);
    const second = await runMaintenance(engine);
    assert.deepEqual([runCounts(second), second.counts.scored], [[0, 0, 0, 0], 0]);
    assert.deepEqual(await storeContents(host), before);
    host.advanceDays(1);
    assert.deepEqual(runCounts(await runMaintenance(engine)), [0, 0, 5, 0]);
  });

  it('continues after an abort at any batch and ends in the state of a single run', async () => {
    const whole = maintenanceHost(tight);
    const parts = maintenanceHost(tight);
    const [one, other] = [await whole.open(), await parts.open()];
    await fill(whole, one);
    await fill(parts, other);
    await runMaintenance(one);
    const statuses: string[] = [];
    for (let stopAfter = 1; statuses.at(-1) !== 'finished' && stopAfter < 20; stopAfter++) {
      const controller = new AbortController();
      let batches = 0;
      const [found] = await other.maintenance.run({
        signal: controller.signal,
        onProgress: (it: MaintenanceProgress) => {
          if (it.pass !== 'plan' && ++batches === 1) controller.abort();
        },
      });
      statuses.push(found!.status);
      assert.deepEqual(await storeProblems(other), []);
    }
    assert.deepEqual(statuses, ['cancelled', 'cancelled', 'cancelled', 'cancelled', 'finished']);
    const state = async (engine: MemoryEngine): Promise<unknown> =>
      (await engine.list({ statuses: ['active', 'archived'] }))
        .map(it => [it.content, it.status, it.archiveReason, it.retentionScore].join(' '))
        .sort();
    assert.deepEqual(await state(other), await state(one));
  });

  it('changes nothing if aborted before its decisions', async () => {
    const host = maintenanceHost(tight);
    const engine = await host.open();
    await fill(host, engine);
    const before = await storeContents(host);
    const controller = new AbortController();
    const [found] = await engine.maintenance.run({
      signal: controller.signal,
      onProgress: () => {
        controller.abort();
      },
    });
    assert.deepEqual([found!.status, runCounts(found!)], ['cancelled', [0, 0, 0, 0]]);
    assert.deepEqual(await storeContents(host), before);
    assert.deepEqual(await engine.maintenance.run({ signal: AbortSignal.abort() }), []);
  });

  it('skips memories that change between decision and action', async () => {
    const host = maintenanceHost(tight);
    const engine = await host.open();
    await fill(host, engine);
    const [winch] = await engine.list({ decayClasses: ['session'] });
    let touched: Promise<unknown> | undefined;
    const [found] = await engine.maintenance.run({
      onProgress: it => {
        if (it.pass === 'plan' && it.done === it.total) touched = engine.feedback(winch!.id, true);
      },
    });
    await touched;
    assert.equal(found!.counts.faded, 3);
    assert.equal((await engine.get(winch!.id)).status, 'active');
  });

  it('runs in one process at a time, and continues after its process died', async () => {
    const host = maintenanceHost(tight);
    const engine = await host.open();
    await fill(host, engine);
    await runMaintenance(engine);
    const [kept] = await sql(host.globalFile, "SELECT id, body FROM records WHERE kind = 'run'");
    const dead = JSON.stringify({ ...(JSON.parse(kept!.body as string) as object), id: 'dead', status: 'running' });
    await sql(
      host.globalFile,
      `INSERT INTO meta VALUES ('lease:maintenance', 'dead ${host.time + 20_000}')`,
      `INSERT INTO records VALUES ('run', 'dead', '${host.now().toISOString()}', '${dead}')`,
    );
    await assert.rejects(engine.maintenance.run(), { code: 'storeBusy' });
    assert.equal((await engine.maintenance.runs()).find(it => it.id === 'dead')?.status, 'running');
    host.time += 21_000;
    await runMaintenance(engine);
    assert.equal((await engine.maintenance.runs()).find(it => it.id === 'dead')?.status, 'interrupted');
    assert.deepEqual(await sql(host.globalFile, "SELECT key FROM meta WHERE key LIKE 'lease:%'"), []);
  });

  it('stops when the engine closes', async () => {
    const host = maintenanceHost(tight);
    const engine = await host.open();
    await fill(host, engine);
    const running = engine.maintenance.run();
    await engine.close();
    const [found] = await running;
    assert.notEqual(found!.status, 'running');
    const again = await host.open();
    await runMaintenance(again);
    assert.deepEqual(await storeProblems(again), []);
  });

  it('can be undone: exactly the memories it archived are active again', async () => {
    const host = maintenanceHost(tight);
    const engine = await host.open();
    await fill(host, engine);
    const forgotten = await storeMemory(engine, 'a person forgot this');
    await engine.forget(forgotten);
    const found = await runMaintenance(engine);
    const [dropped] = found.decisions.faded;
    await engine.forget(dropped!.id);
    host.advanceDays(0.1);
    const back = await engine.maintenance.undo(found.id);
    assert.equal(back.length, 4 + 2 + 12 - 1);
    assert.equal((await engine.list()).length, 25);
    assert.deepEqual(
      (await engine.getMany([forgotten, dropped!.id])).map(it => it.archiveReason),
      ['forgotten', 'forgotten'],
    );
    assert.deepEqual(await engine.maintenance.undo(found.id), []);
    // Decayed and expired memories are restored for good; those over a quota are archived again, one day's bytes later.
    host.advanceDays(1);
    assert.deepEqual(runCounts(await runMaintenance(engine)), [0, 0, 14, 0]);
    await assert.rejects(engine.maintenance.undo('nothing'), { code: 'notFound' });
  });

  it('keeps the last runs only, newest first', async () => {
    const host = maintenanceHost({ keepRuns: 3, keepDecisions: 1 });
    const engine = await host.open();
    await keepApart(engine, 'fading winch 1', { decayClass: 'session', gate: 'epistemic' });
    await keepApart(engine, 'fading winch 2', { decayClass: 'session', gate: 'epistemic' });
    for (let i = 0; i < 5; i++) {
      host.advanceDays(7);
      await runMaintenance(engine);
    }
    const runs = await engine.maintenance.runs();
    assert.deepEqual(
      runs.map(it => it.at.slice(0, 10)),
      ['2026-04-06', '2026-03-30', '2026-03-23'],
    );
    await keepApart(engine, 'fading winch 3', { decayClass: 'session', gate: 'epistemic' });
    await keepApart(engine, 'fading winch 4', { decayClass: 'session', gate: 'epistemic' });
    host.advanceDays(8);
    const found = await runMaintenance(engine);
    assert.deepEqual([found.decisions.faded.length, found.more.faded, found.counts.faded], [1, 1, 2]);
  });

  it('warns about invalid weights and uses those of balanced', async () => {
    const host = maintenanceHost({ weights: { emotionalWeight: 7 } });
    const engine = await host.open();
    const found = await runMaintenance(engine);
    assert.deepEqual(found.warnings, [
      'The weight emotionalWeight must be a number from 0 to 1; it is "7". The preset balanced is used.',
    ]);
    assert.equal(found.inputs.preset, 'balanced');
    assert.ok(host.logLines.some(it => it.includes('emotionalWeight')));
    const [named] = await engine.maintenance.run({ preset: 'archival' });
    assert.deepEqual([named!.inputs.preset, named!.warnings], ['archival', []]);
  });

  it('waits an hour after a scheduled run that was cancelled, and never starts by itself with an interval of 0', async () => {
    const host = maintenanceHost(tight);
    const engine = await host.open();
    await fill(host, engine);
    const due = async (signal?: AbortSignal): Promise<string[]> =>
      (await engine.maintenance.runIfDue(signal === undefined ? {} : { signal })).map(it => it.status);
    const controller = new AbortController();
    await due();
    host.advanceDays(7.1);
    const cancelled = engine.maintenance.runIfDue({
      signal: controller.signal,
      onProgress: () => {
        controller.abort();
      },
    });
    assert.deepEqual(
      (await cancelled).map(it => it.status),
      ['cancelled'],
    );
    assert.deepEqual(await due(), []);
    host.advanceDays(1.1 / 24);
    host.settings = { ...host.settings, maintenance: { ...host.settings.maintenance, intervalDays: 0 } };
    assert.deepEqual(await due(), []);
    host.settings = { ...host.settings, maintenance: { ...host.settings.maintenance, intervalDays: 7 } };
    assert.deepEqual(await due(), ['finished']);
  });

  it('starts automatically when it is due, once across all processes', async () => {
    const host = maintenanceHost(tight);
    const [engine, other] = [await host.open(), await host.open()];
    await fill(host, engine);
    const due = async (): Promise<number> =>
      (await Promise.all([engine, other].map(it => it.maintenance.runIfDue()))).flat().length;
    const seen = [await due()];
    for (const days of [6.9, 0.2, 0, 6.9, 0.2]) {
      host.advanceDays(days);
      seen.push(await due());
    }
    assert.deepEqual(seen, [0, 0, 1, 0, 0, 1]);
    assert.deepEqual(
      (await engine.maintenance.runs()).map(it => it.trigger),
      ['schedule', 'schedule'],
    );
  });
});
