import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { DecayClass } from '../../../src/engine/model/memory.js';
import { storeProblems, TestHost } from '../../support/fixtures.js';

/** A fact as a model sends it; `replaces` is the number of an earlier one. */
interface Fact {
  readonly content: string;
  readonly due?: string;
  readonly lasts?: DecayClass;
  readonly replaces?: number;
  readonly person?: true;
}

/** What a model noted in three sessions about the controller of a greenhouse, with the words that once misled rules. */
const sessions: readonly (readonly (string | Fact)[])[] = [
  [
    'The controller runs on an ESP32-S3, because the older board reset itself in winter.',
    'Valves are driven over Modbus at 19200 baud.',
    'Never open two valves at once: the pump stalls and the fuse blows.',
    'Humidity is sampled every 30 seconds by default, and every 5 seconds above 90 %.',
    'The build is `make firmware`, the tests are `make check`.',
    'Releases are tagged on Fridays by Aurelio.',
    'Aurelio is the product owner.',
    { content: 'Aurelio is on leave from 1 December 2026 until April 2027; Bettina stands in for him.' },
    'Sensor ids are burned in at the factory and cannot be changed.',
    'The staging greenhouse is reached at gh-stage-01.',
    'Logs go to Loki, since the old syslog server was too slow in spring.',
    'Do not mock the valve driver in tests; use the fake in tests/fakes.',
    'The dashboard is written in Svelte.',
    'Currently the CI runs on self-hosted runners.',
    'Commit subjects begin with the name of the module.',
    'Open question: whether the heating is controlled by us as well.',
    'The backup battery lasts four hours at 20 °C and two hours below 0 °C.',
    { content: 'The user wants answers without an introduction.', person: true },
    { content: 'The user reads British English.', person: true },
    'Firmware images are signed with the key in the vault of the team.',
  ],
  [
    { content: 'The pilot in Almeria starts on 15 January.', due: '2027-01-15' },
    { content: 'The audit of the irrigation log is due.', due: '2026-12-10' },
    { content: 'Valves are driven over Modbus at 38400 baud.', replaces: 1 },
    { content: 'Humidity is sampled every 20 seconds normally and every 4 seconds above 88 %.', replaces: 3 },
    'Never run the heater above 60 °C: the foil melts under 200 mA of current, which looks like a leak.',
    { content: 'The staging greenhouse is down for cleaning.', lasts: 'ephemeral' },
    { content: 'Bettina works on the branch feature/frost.', lasts: 'session' },
    'This sprint the team moved from Jira to Linear.',
    'The frost alarm must not be muted by software.',
    'The water meter counts ten litres per pulse.',
    'Deployments to customers happen in March and September.',
    'We use Postgres because SQLite locked up on Friday nights.',
    'The REST API is versioned in the path.',
    'Temperatures are stored in tenths of a degree.',
    'The cache of the dashboard is off for now, as it filled the disk today.',
    'Integration tests take 22 minutes on bench-2.',
    'Ask before anything is flashed to the pilot hardware.',
    'The vendor of the valves answers within two weeks.',
    'Light sensors need a calibration after every change of the roof foil.',
    'The gateway has no internet until the customer opens port 8883.',
  ],
  [
    { content: 'Integration tests take 9 minutes now.', replaces: 35 },
    { content: 'The staging greenhouse is reached at gh-stage-02.', replaces: 9 },
    { content: 'The dashboard is written in Solid.', replaces: 12 },
    { content: 'Order spare pumps before the end of the year.', due: '2026-12-31' },
    { content: 'The trade fair in Essen is on 26 January 2027.', due: '2027-01-26' },
    { content: 'Marek tests the new nozzle today.', lasts: 'ephemeral' },
    'Marek maintains the nozzle library.',
    'The nozzle library is licensed under MPL 2.0.',
    'Float switches bounce for 40 ms and are debounced in hardware.',
    'The irrigation plan is computed at 04:00 local time.',
    'MQTT topics are greenhouse/<id>/<sensor>.',
    'Do not merge on your own; Bettina reviews every change.',
    'The mobile app is maintained by an agency in Porto.',
    'A reset takes 12 seconds, so that the watchdog waits 15.',
    'Units in the code are SI; the screen converts them.',
    'Customers call the irrigation plan "the schedule".',
    'The soil probe returns 0xFFFF while it is warming up.',
    'Feature flags are in flags.yaml and are read at start.',
    'The error "valve timeout 17" means a missing ground.',
    'Documentation is built with mdBook and lives in docs/.',
  ],
];
const questions = [
  'how fast is the bus of the valves?',
  'how often is humidity sampled?',
  'who decides about the product?',
  'where is the staging greenhouse?',
  'what is the dashboard written in?',
  'how long do the integration tests take?',
  'why do we use Postgres?',
  'what must never be done with valves?',
  'how are answers to be written?',
  'what does valve timeout 17 mean?',
  'why is the cache of the dashboard off?',
  'which microcontroller does the controller use?',
];

async function storeSession(host: TestHost, facts: readonly (string | Fact)[], ids: string[]): Promise<void> {
  const engine = await host.open();
  for (const it of facts) {
    const { content, due, lasts, replaces, person }: Fact = typeof it === 'string' ? { content: it } : it;
    const [outcome] = await engine.remember({
      content,
      source: 'mcp',
      lane: 'note',
      whole: true,
      readsDay: false,
      ...(due === undefined ? {} : { dueAt: new Date(due).toISOString() }),
      ...(lasts === undefined ? {} : { decayClass: lasts }),
      ...(person === true ? { store: 'global' as const } : {}),
      ...(replaces === undefined ? {} : { links: { replaces: [ids[replaces]!] } }),
    });
    assert.ok(outcome?.outcome === 'stored', content);
    assert.equal(outcome.reason, undefined, content);
    assert.equal(outcome.keptUntil !== undefined, due !== undefined || lasts !== undefined, content);
    ids.push(outcome.id);
  }
  await engine.close();
}

async function ask(engine: MemoryEngine): Promise<string[][]> {
  const answers: string[][] = [];
  for (const query of questions) {
    const { hits } = await engine.recall({ query, isUntracked: true });
    for (const it of hits) assert.equal(it.outdating, undefined, `${query}: ${it.memory.content}`);
    answers.push(hits.map(it => it.memory.content));
  }
  return answers;
}

describe('eighty days after a day of notes by a model', () => {
  it('nothing is gone, doubted or in another order but by what the model said of it', async () => {
    const host = new TestHost({ project: true });
    host.client = 'mcp:claude-code';
    host.time = Date.parse('2026-11-27T09:00:00.000Z');
    const ids: string[] = [];
    for (const it of sessions) await storeSession(host, it, ids);
    const facts = sessions.flat().map((it): Fact => (typeof it === 'string' ? { content: it } : it));
    assert.equal(ids.length, 60);

    let engine = await host.open();
    const first = await ask(engine);
    const before = await engine.getMany(ids);
    await engine.close();
    const short = new Set(facts.filter(it => it.due !== undefined || it.lasts !== undefined).map(it => it.content));
    for (let day = 20; day <= 80; day += 20) {
      host.advanceDays(20);
      engine = await host.open();
      await engine.maintenance.run();
      const memories = await engine.getMany(ids);
      const active = new Set(memories.filter(it => it.status === 'active').map(it => it.content));
      // Archived, or deleted a month later.
      const ended = new Set(facts.map(it => it.content).filter(it => !active.has(it)));
      assert.deepEqual(
        [...ended].filter(it => !short.has(it)),
        [],
        `archived by day ${day}`,
      );
      const lasts = facts.filter(it => it.lasts !== undefined).map(it => it.content);
      assert.deepEqual(
        lasts.filter(it => !ended.has(it)),
        [],
        `past its life on day ${day}`,
      );
      const kept = new Set(memories.map(it => it.id));
      assert.deepEqual(
        memories.map(it => [it.content, it.confidence, it.decayClass, it.dueAt]),
        before.filter(it => kept.has(it.id)).map(it => [it.content, it.confidence, it.decayClass, it.dueAt]),
      );
      assert.deepEqual(await engine.conflicts.list({ undecidedOnly: true }), []);
      const answers = await ask(engine);
      for (const [i, answer] of answers.entries()) {
        assert.deepEqual(
          answer.filter(it => !short.has(it)),
          first[i]!.filter(it => !short.has(it)),
          `${questions[i]!} on day ${day}`,
        );
      }
      assert.deepEqual(await storeProblems(engine), []);
      await engine.close();
    }
  });
});
