import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { shortId, type Memory } from '../../../src/engine/model/memory.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { storeProblems, type TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';
import { maintenanceHost } from './maintenanceHost.js';

/** A row as version 0.1.0 wrote it, in the columns that it filled otherwise than today. */
interface FormerRow {
  readonly content: string;
  readonly confidence: number;
  readonly gate?: string;
  readonly decayClass?: string;
  readonly dueAt?: string;
  readonly expiresAt?: string;
  readonly input?: Partial<RememberInput>;
}

const asModel = { source: 'mcp', lane: 'note', store: 'global', whole: true, readsDay: false } as const;

/** Stores memories, and makes of each row what version 0.1.0 would have written. @returns ids in the same order */
async function storeFormerRows(host: TestHost, rows: readonly FormerRow[]): Promise<string[]> {
  const engine = await host.open();
  const ids: string[] = [];
  for (const { content, input } of rows) {
    const [outcome] = await engine.remember({ content, ...asModel, ...input });
    assert.ok(outcome?.outcome === 'stored');
    ids.push(outcome.id);
  }
  await engine.close();
  for (const [i, { confidence, gate, decayClass, dueAt, expiresAt }] of rows.entries()) {
    const columns = Object.entries({ confidence, gate, decay_class: decayClass, due_at: dueAt, expires_at: expiresAt })
      .filter(([, value]) => value !== undefined)
      .map(([column, value]) => `${column} = '${value}'`);
    await sql(host.globalFile, `UPDATE memories SET ${columns.join(', ')} WHERE id = '${ids[i]!}'`);
  }
  return ids;
}

async function runCli(engine: MemoryEngine): Promise<Awaited<ReturnType<MemoryEngine['maintenance']['run']>>[number]> {
  return (await engine.maintenance.run({ scope: 'global-only' }))[0]!;
}

async function read(engine: MemoryEngine, ids: readonly string[]): Promise<Memory[]> {
  const found = new Map((await engine.getMany(ids)).map(it => [it.id, it]));
  return ids.map(it => found.get(it)!);
}

const state = ({ dueAt, expiresAt, decayClass, confidence, status }: Memory): unknown[] => [
  dueAt?.slice(0, 10),
  expiresAt?.slice(0, 10),
  decayClass,
  confidence,
  status,
];

describe('the first maintenance after an upgrade', () => {
  const plan = { gate: 'promissory', decayClass: 'session' } as const;
  const rows: readonly FormerRow[] = [
    {
      content: 'The pump controller is an STM32 because the old board froze in winter.',
      confidence: 78,
      ...plan,
      dueAt: '2027-02-28T23:59:59.999Z',
    },
    { content: 'Marit is on leave, and Jonas stands in for her.', confidence: 60, decayClass: 'session' },
    { content: 'The gateway talks Modbus to the pumps.', confidence: 60, expiresAt: '2026-05-01T09:00:00.000Z' },
    // What a caller gave: a day as a day is given, a life of a text that says nothing of one.
    {
      content: 'The pumps are replaced in winter.',
      confidence: 78,
      ...plan,
      dueAt: '2027-02-28T00:00:00.000Z',
    },
    { content: 'The gateway listens on port 502.', confidence: 60, decayClass: 'session' },
    // Stored by this version: a short life of a text with a former cue, as the model gave it.
    {
      content: 'Jonas is on vacation.',
      confidence: 75,
      input: { decayClass: 'session' },
    },
    // The former rules and today's read the same day.
    {
      content: 'Order the new seals by 2026-06-30.',
      confidence: 78,
      ...plan,
      dueAt: '2026-06-30T23:59:59.999Z',
      input: { lane: 'confirmed', source: 'explicit' },
    },
  ];
  const former = [
    ['2027-02-28', undefined, 'session', 78, 'active'],
    [undefined, undefined, 'session', 60, 'active'],
    [undefined, '2026-05-01', 'durable', 60, 'active'],
    ['2027-02-28', undefined, 'session', 78, 'active'],
    [undefined, undefined, 'session', 60, 'active'],
    [undefined, undefined, 'session', 75, 'active'],
    ['2026-06-30', undefined, 'session', 78, 'active'],
  ];
  const healed = [
    [undefined, undefined, 'durable', 75, 'active'],
    [undefined, undefined, 'durable', 75, 'active'],
    [undefined, undefined, 'durable', 75, 'active'],
    ['2027-02-28', undefined, 'session', 75, 'active'],
    [undefined, undefined, 'session', 75, 'active'],
    [undefined, undefined, 'session', 75, 'active'],
    ['2026-06-30', undefined, 'session', 90, 'active'],
  ];

  it('takes back what rules gave, after a preview that lists it, and an undo gives it again for good', async () => {
    const host = maintenanceHost();
    const ids = await storeFormerRows(host, rows);
    const engine = await host.open();
    const [preview] = await engine.maintenance.preview({ scope: 'global-only' });
    assert.deepEqual((await read(engine, ids)).map(state), former);
    assert.deepEqual(
      preview?.takenBack?.items.map(({ id, kind, from, to }) => [ids.indexOf(id), kind, from.slice(0, 10), to]),
      [
        [0, 'day', '2027-02-28', undefined],
        [2, 'day', '2026-05-01', undefined],
        [0, 'life', 'session', 'durable'],
        [1, 'life', 'session', 'durable'],
        [0, 'points', '78', '75'],
        [1, 'points', '60', '75'],
        [2, 'points', '60', '75'],
        [3, 'points', '78', '75'],
        [4, 'points', '60', '75'],
        [6, 'points', '78', '90'],
      ],
    );

    const run = await runCli(engine);
    assert.deepEqual(run.takenBack, preview.takenBack);
    assert.deepEqual((await read(engine, ids)).map(state), healed);
    assert.equal(await engine.maintenance.countUndoable(run.id), 6);

    const undone = await engine.maintenance.undo(run.id);
    assert.equal(undone.length, 6);
    assert.deepEqual((await read(engine, ids)).map(state), former);
    assert.equal((await runCli(engine)).takenBack, undefined);
    assert.deepEqual((await read(engine, ids)).map(state), former);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('brings back what a short life of the rules archived, and archives nothing by one', async () => {
    const host = maintenanceHost();
    const ids = await storeFormerRows(host, rows.slice(0, 2));
    await sql(
      host.globalFile,
      `UPDATE memories SET status = 'archived', archive_reason = 'faded', archived_at = '2026-03-10T09:00:00.000Z' WHERE id = '${ids[1]!}'`,
    );
    host.advanceDays(30);
    const engine = await host.open();
    const [preview] = await engine.maintenance.preview({ scope: 'global-only' });
    assert.equal(preview?.counts.faded, 0);
    const run = await runCli(engine);
    assert.equal(run.counts.faded, 0);
    assert.deepEqual(
      (await read(engine, ids)).map(it => it.status),
      ['active', 'active'],
    );
    await engine.maintenance.undo(run.id);
    assert.deepEqual(
      (await read(engine, ids)).map(it => it.status),
      ['active', 'archived'],
    );
  });

  it('takes back the contradictions that rules found and what they cost, never one that was settled or stated', async () => {
    const host = maintenanceHost();
    mkdirSync(path.dirname(host.globalFile), { recursive: true });
    copyFileSync('test/fixtures/stores/0.1.0/project/memory.db', host.globalFile);
    host.time = Date.parse('2026-05-20T09:00:00.000Z');
    const engine = await host.open();
    const contradictions = (): Promise<Record<string, unknown>[]> =>
      sql(
        host.globalFile,
        `SELECT substr(s.id, -8) AS source, substr(t.id, -8) AS target, e.settled_at AS settled
         FROM edges e JOIN memories s ON s.row = e.source JOIN memories t ON t.row = e.target
         WHERE e.type = 'contradicts' ORDER BY 1`,
      );
    const before = await contradictions();
    const settled = before.filter(it => it.settled !== null);
    assert.deepEqual([before.length, settled.length], [3, 1]);
    const confidenceOf = async (id: string): Promise<number> => (await engine.getMany([id]))[0]!.confidence;

    const run = await runCli(engine);
    assert.equal(run.takenBack?.counts.mark, 2);
    assert.deepEqual(await contradictions(), settled);
    const port = (await engine.getMany(run.takenBack.items.map(it => it.id))).find(it => shortId(it) === '2fd11310')!;
    assert.equal(port.confidence, 90);
    const [loser] = await sql(host.globalFile, "SELECT confidence FROM memories WHERE id LIKE '%68c797e9'");
    // By its source 5 more; what the contradiction cost it stays, for a person settled it.
    assert.equal(loser?.confidence, 46);

    await engine.maintenance.undo(run.id);
    assert.deepEqual(await contradictions(), before);
    assert.equal(await confidenceOf(port.id), 44);
    assert.deepEqual(await storeProblems(engine), []);
  });
});
