import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { rememberTool } from '../../../src/operations/remember.js';
import { storeMemory, TestHost } from '../../support/fixtures.js';

type Fact = Parameters<typeof rememberTool.run>[1]['facts'] extends readonly (infer F)[] | undefined ? F : never;

/** Facts of a harbor's firmware that lasts: none has `due` or `lasts`. */
const lasting: readonly string[] = [
  'The bootloader keeps two images, because a failed update cannot be repaired in winter.',
  'We chose Postgres because SQLite was too slow in spring.',
  'The cache is off because it filled the disk on Friday.',
  'Deployments are frozen in December, so migrations must be small.',
  'Ingrid is the product owner.',
  'Ingrid is on leave until April; Tomek stands in for her.',
  'It is not decided whether provisioning over BLE is wanted.',
  'Until the move to the new cluster, deployments go through Jenkins.',
  'The tide table is right now read from a file.',
  'The crane driver is a temporary workaround for the old controller.',
  'We plan to replace the gateway next quarter.',
  'I will ask the vendor about the license next week.',
  'The Friday branch is stale.',
  'The token lives 15m.',
  'Backups run every Friday at ten.',
  'The buoy was replaced in May.',
  'The release of this sprint is built by hand.',
  'Never flash a board without asking.',
  'Unit tests run with make check.',
  'The lab opens at nine.',
  'June is the on-call month of Tomek.',
  'Vacation requests go to Ingrid.',
];

const day = (host: TestHost, offset: number): string =>
  new Date(host.time + offset * 86_400_000).toISOString().slice(0, 10);

async function outcomes(engine: MemoryEngine, facts: readonly Fact[]): Promise<{ text: string; outcomes: unknown[] }> {
  const { text, structured } = await rememberTool.run(engine, { facts: [...facts] }, { source: 'mcp' });
  return { text, outcomes: (structured as { outcomes: unknown[] }).outcomes };
}

const active = async (engine: MemoryEngine): Promise<string[]> =>
  (await engine.list({ limit: 100 })).map(it => it.content);

describe('the time of a fact that a model stores', () => {
  it('misses where a plan or an event names a date, and comes with the fact said again', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    const [event, habit] = ['The steering committee is on 4 May 2026.', 'Backups run on the 5th of each month.'];
    const first = await outcomes(engine, [{ content: event }, { content: habit }]);
    assert.equal([...first.text.matchAll(/remember it again with due/gu)].length, 1);
    assert.match(first.text, /It names 4 May 2026\. If it happens then/u);
    const again = await outcomes(engine, [{ content: event, due: '2026-05-04' }]);
    assert.doesNotMatch(again.text, /It names/u);
    const kept = await engine.list({});
    assert.deepEqual(
      kept.map(it => it.dueAt?.slice(0, 10)).filter(it => it !== undefined),
      ['2026-05-04'],
    );
    assert.equal(kept.length, 2);
  });

  it('keeps everything over eighty days but what due and lasts ended', async () => {
    const host = new TestHost({ project: true });
    let engine = await host.open();
    const stored = await outcomes(engine, [
      ...lasting.map(content => ({ content })),
      { content: 'The audit of the ledger.', due: day(host, 55) },
      { content: 'The radio on bench two is broken.', lasts: 'week' },
      { content: 'The demo board is at the trade fair.', lasts: 'day' },
    ]);
    assert.equal(stored.outcomes.length, lasting.length + 3);
    const confidence = new Map((await engine.list({ limit: 100 })).map(it => [it.content, it.confidence]));
    assert.deepEqual(
      (await engine.list({ limit: 100 })).filter(it => it.dueAt !== undefined).map(it => it.content),
      ['The audit of the ledger.'],
    );
    for (const days of [20, 40, 60, 80]) {
      await engine.close();
      host.advanceDays(20);
      engine = await host.open();
      await engine.maintenance.run();
      const kept = new Set(await active(engine));
      assert.deepEqual(
        lasting.filter(it => !kept.has(it)),
        [],
        `archived by day ${days}`,
      );
      assert.ok(!kept.has('The radio on bench two is broken.') && !kept.has('The demo board is at the trade fair.'));
      const found = await engine.recall({ query: 'audit of the ledger' });
      assert.equal(
        found.hits.some(it => it.memory.content === 'The audit of the ledger.'),
        days < 62,
        `the audit by day ${days}`,
      );
      const weakened = (await engine.list({ limit: 100 })).filter(it => it.confidence < confidence.get(it.content)!);
      assert.deepEqual(
        weakened.map(it => it.content),
        [],
      );
    }
  });

  it('says until when a memory is kept, and for which project', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    const { text, outcomes: views } = await outcomes(engine, [
      { content: 'The audit is on 20 March 2026.', due: '2026-03-20' },
      { content: 'The lab opens at nine.' },
      { content: 'Answer in one paragraph.' },
    ]);
    assert.deepEqual(
      views.map(it => (it as { keptUntil?: string }).keptUntil),
      ['2026-03-27', undefined, undefined],
    );
    const [first, second, third] = text.split('\n').filter(it => it.startsWith('Stored'));
    assert.match(first!, /^Stored #[\da-f]{8} for \S.*, kept until 27 March 2026/u);
    assert.match(second!, /^Stored #[\da-f]{8} for (?!all projects)/u);
    assert.match(third!, /^Stored #[\da-f]{8} for all projects/u);
    assert.ok(!second!.includes('kept until'));
  });
});

describe('the place of a fact', () => {
  it("is the caller's choice, the project's for what is anchored, and one store for a set", async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    const place = async (content: string, rest: Partial<RememberInput>): Promise<string | undefined> => {
      const [outcome] = await engine.remember({ content, source: 'mcp', whole: true, ...rest });
      return outcome?.outcome === 'stored' ? outcome.store : undefined;
    };
    assert.deepEqual(
      [
        await place('I prefer tabs.', {}),
        await place('I prefer spaces.', { store: 'global' }),
        await place('Answer in one sentence.', { uri: 'file:///harbor/crane.ts' }),
        await place('The crane of the trial is red.', { scopeId: 'trial' }),
        await place('The buoy of the trial is green.', { scopeId: 'trial', store: 'project' }),
        await place('The pier of the rehearsal is wet.', { scopeId: 'rehearsal', store: 'project' }),
        await place('The rope of the rehearsal is new.', { scopeId: 'rehearsal' }),
      ],
      ['project', 'global', 'project', 'global', 'global', 'project', 'project'],
    );
  });
});

describe('how sure a new memory is', () => {
  it('depends on its source, not on its wording', async () => {
    const engine = await new TestHost({ project: true }).open();
    const confidence = async (content: string, source: 'explicit' | 'mcp' | 'import'): Promise<number> =>
      (await engine.get(await storeMemory(engine, content, { source }))).confidence;
    assert.deepEqual(
      [
        await confidence('Never flash a board without asking.', 'explicit'),
        await confidence('Ingrid leads the radio team.', 'mcp'),
        await confidence('xyzzy', 'mcp'),
        await confidence('The lab opens at nine.', 'import'),
      ],
      [90, 75, 75, 70],
    );
  });
});
