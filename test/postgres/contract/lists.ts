import assert from 'node:assert/strict';
import type { Memory } from '../../../src/engine/model/memory.js';
import type { Period } from '../../../src/engine/model/query.js';
import type { StoreFilter } from '../../../src/engine/store/store.js';
import { StoreOfTest, type Contract } from './kit.js';

const since = { usual: '2026-02-01T00:00:00.000Z', ofOftenUsed: '2026-01-01T00:00:00.000Z', oftenUsed: 10 };

const archived = (archiveReason: NonNullable<Memory['archiveReason']>): Partial<Memory> => ({
  status: 'archived',
  archiveReason,
});

/** Made in this order, a second apart, except for what says otherwise. */
const memories: readonly (readonly [content: string, rest: Partial<Memory>])[] = [
  ['correction', { gate: 'correction', kind: 'decision', tags: ['red', 'blue, green'] }],
  ['note', { lane: 'note', decayClass: 'session', tags: ['red'] }],
  ['pinned', { pinned: true, tags: ['RED'] }],
  ['in a document', { provenance: { source: 'mcp', uri: 'file:///a.ts', session: "s'1" } }],
  ['code', { kind: 'code', provenance: { source: 'code-index', uri: 'file:///b.ts' } }],
  ['faded', archived('faded')],
  ['forgotten', archived('forgotten')],
  ['merged', archived('merged')],
  ['gone', archived('gone')],
  ['superseded', { status: 'superseded' }],
  ['elsewhere', { scopeId: 'work', tags: ['red'] }],
  ['ÄRGER mit der Größe [x] 100%_\\', { decayClass: 'permanent' }],
];
const active = ['ÄRGER mit der Größe [x] 100%_\\', 'code', 'in a document', 'pinned', 'note', 'correction'];

/** The contents that each filter of the shared set finds, newest first. */
const filters: readonly (readonly [name: string, filter: Partial<StoreFilter>, found: readonly string[]])[] = [
  ['one status', { statuses: ['active'] }, active],
  ['two statuses', { statuses: ['superseded', 'archived'] }, ['superseded', 'gone', 'merged', 'forgotten', 'faded']],
  ['no status', { statuses: [] }, []],
  ['gates', { gates: ['correction', 'promissory'] }, ['correction']],
  ['kinds', { kinds: ['code', 'decision'] }, ['code', 'correction']],
  ['decay classes', { decayClasses: ['session', 'permanent'] }, [active[0]!, 'note']],
  ['a lane', { lane: 'note' }, ['note']],
  ['a pin', { pinned: true }, ['pinned']],
  ['no pin', { pinned: false, statuses: ['active'] }, active.filter(it => it !== 'pinned')],
  ['a document', { uri: 'file:///a.ts' }, ['in a document']],
  ['a session', { session: "s'1" }, ['in a document']],
  ['an unknown session', { session: '%' }, []],
  ['a tag, in its case', { tags: ['red'] }, ['note', 'correction']],
  ['all of several tags', { tags: ['blue, green', 'red'] }, ['correction']],
  ['a part of a tag with a comma', { tags: ['blue'] }, []],
  ['no tags', { tags: [], lane: 'note' }, ['note']],
  ['another set', { scopeId: 'work' }, ['elsewhere']],
  ['an unknown set', { scopeId: 'unknown' }, []],
  ['text in any case', { containing: 'ärger MIT der GRÖßE' }, [active[0]!]],
  ['several words in any order', { words: ['größe', 'ÄRGER'] }, [active[0]!]],
  ['words of which one is missing', { words: ['größe', 'submarine'] }, []],
  ['text with signs of patterns', { containing: '[X] 100%_\\' }, [active[0]!]],
  ['text that only a pattern would match', { containing: 'a_t' }, []],
  ['text that only a wildcard would match', { containing: 'n%e' }, []],
  ['an empty text', { containing: '', lane: 'note' }, ['note']],
  [
    'without what cannot be found',
    { withoutForgotten: true, statuses: ['archived', 'superseded'] },
    ['superseded', 'faded'],
  ],
  ['active ones without what cannot be found', { withoutForgotten: true, statuses: ['active'] }, active],
  [
    'without search aids',
    { withoutAids: true, statuses: ['active'] },
    active.filter(it => it !== 'code' && it !== 'note'),
  ],
  ['a beginning', { since: '2026-03-02T09:00:09.000Z' }, [active[0]!, 'superseded']],
  ['an end, which is excluded', { until: '2026-03-02T09:00:02.000Z' }, ['note', 'correction']],
  [
    'several at once',
    {
      statuses: ['active'],
      gates: ['epistemic'],
      kinds: ['context'],
      lane: 'confirmed',
      pinned: false,
      uri: 'file:///a.ts',
      session: "s'1",
      containing: 'DOC',
      since: '2026-03-01T00:00:00.000Z',
      until: '2026-04-01T00:00:00.000Z',
      withoutForgotten: true,
      withoutAids: true,
    },
    ['in a document'],
  ],
];

export const listsContract: Contract = backend => {
  const test = new StoreOfTest(backend);

  describe('with a filter', () => {
    beforeEach(async () => {
      const made = memories.map(([content, rest], i) => {
        const at = new Date(test.host.time + i * 1_000).toISOString();
        return test.memory(content, { createdAt: at, updatedAt: at, reinforcedAt: at, ...rest });
      });
      await test.keepAll(made);
      const { id } = made[1]!;
      await test.store.write('test', tx => tx.setAids(id, { questions: ['x'], keywords: [] }));
    });

    for (const [name, filter, found] of filters) {
      it(`lists and counts the memories of ${name}`, async () => {
        assert.deepEqual(await test.list(filter), found);
        assert.equal(await test.store.count({ scopeId: '', ...filter }), found.length);
      });
    }

    it('lists all but some by their ids', async () => {
      const [note] = await test.store.list({ scopeId: '', lane: 'note' }, { limit: 1, offset: 0 });
      const filter = { tags: ['red'], exceptIds: [note!.id, 'unknown'] };
      assert.deepEqual(await test.list(filter), ['correction']);
      assert.equal((await test.list({ exceptIds: [] })).length, 11);
    });

    it('scans with the same filter, oldest first', async () => {
      const found: string[] = [];
      for await (const page of test.store.scanAll({ scopeId: '', statuses: ['active'] }))
        found.push(...page.map(it => it.content));
      assert.deepEqual(found, [...active].reverse());
    });

    it('names the isolated sets with their memories', async () => {
      await test.keep('old', { scopeId: 'work', ...archived('faded') });
      await test.keep('one', { scopeId: 'Ärzte' });
      await test.keep('two', { scopeId: 'a b' });
      assert.deepEqual(await test.store.sets(), [
        { scopeId: 'a b', active: 1, archived: 0 },
        { scopeId: 'work', active: 1, archived: 1 },
        { scopeId: 'Ärzte', active: 1, archived: 0 },
      ]);
    });

    it('names the memories with a place in a document, of every set', async () => {
      await test.keep('theirs', { scopeId: 'work', status: 'superseded', provenance: { source: 'mcp', uri: 'x:' } });
      const anchored = (await test.store.listAnchored()).map(it => it.content).sort();
      assert.deepEqual(anchored, ['code', 'in a document', 'theirs']);
    });
  });

  it('lists pages, newest first, and of one moment by id', async () => {
    const made = Array.from({ length: 7 }, (_, i) => test.memory(`memory ${i}`));
    await test.keepAll([...made].reverse());
    await test.keep('latest');
    assert.deepEqual(await test.list({}, { limit: 3, offset: 0 }), ['latest', 'memory 6', 'memory 5']);
    assert.deepEqual(await test.list({}, { limit: 3, offset: 6 }), ['memory 1', 'memory 0']);
    assert.deepEqual(await test.list({}, { limit: 3, offset: 8 }), []);
    assert.deepEqual(await test.list({}, { limit: 0, offset: 0 }), []);
  });

  it('scans all memories of every set and status in pages, oldest first', async () => {
    const made = Array.from({ length: 620 }, (_, i) =>
      test.memory(`memory ${i}`, i % 2 === 0 ? {} : { scopeId: 'work' }),
    );
    await test.keepAll(made);
    await test.keep('archived', archived('forgotten'));
    const pages: (readonly Memory[])[] = [];
    for await (const page of test.store.scanAll()) pages.push(page);
    assert.deepEqual(
      pages.flat().map(it => it.content),
      [...made.map(it => it.content), 'archived'],
    );
    assert.ok(pages.length > 1 && pages.every(it => it.length > 0));
  });

  it('distinguishes hot and cold memories in a filter and in the counts', async () => {
    const old = {
      createdAt: '2025-01-01T00:00:00.000Z',
      updatedAt: '2025-01-01T00:00:00.000Z',
      reinforcedAt: '2025-01-01T00:00:00.000Z',
    };
    const january = '2026-01-15T00:00:00.000Z';
    const hot: readonly (readonly [string, Partial<Memory>])[] = [
      ['changed', { ...old, updatedAt: since.usual }],
      ['said again', { ...old, reinforcedAt: since.usual }],
      ['used', { ...old, accessedAt: since.usual, accessCount: 1 }],
      ['used often', { ...old, accessedAt: january, accessCount: 11 }],
      ['pinned', { ...old, pinned: true }],
      ['permanent', { ...old, decayClass: 'permanent' }],
      ['code', { ...old, provenance: { source: 'code-index' } }],
    ];
    const cold: readonly (readonly [string, Partial<Memory>])[] = [
      ['old', old],
      ['used then', { ...old, accessedAt: january, accessCount: 10 }],
      ['archived', { ...old, ...archived('faded') }],
    ];
    await test.keepAll([...hot, ...cold].map(([content, rest]) => test.memory(content, rest)));
    const temperature = async (is: 'hot' | 'cold'): Promise<readonly string[]> =>
      [...(await test.list({ temperature: { is, since } }))].sort();
    assert.deepEqual(await temperature('hot'), hot.map(([it]) => it).sort());
    assert.deepEqual(await temperature('cold'), cold.map(([it]) => it).sort());
  });

  it('counts groups, of all times and of a period', async () => {
    await test.keepTexts('one', 'two');
    const from = test.now;
    await test.keep('three');
    await test.keep('four', { ...archived('faded'), gate: 'behavioral', kind: 'preference', decayClass: 'session' });
    const until = test.now;
    await test.keep('five');
    await test.keep('six', { scopeId: 'work' });
    const usual = { gate: 'epistemic', decayClass: 'durable', kind: 'context', status: 'active' };
    const other = { gate: 'behavioral', decayClass: 'session', kind: 'preference', status: 'archived', count: 1 };
    const groups = async (period?: Period): Promise<readonly unknown[]> =>
      [...(await test.store.groups('', period))].sort((a, b) => a.count - b.count || (a.gate < b.gate ? -1 : 1));
    assert.deepEqual(await groups(), [other, { ...usual, count: 4 }]);
    assert.deepEqual(await groups({ since: from, until }), [other, { ...usual, count: 1 }]);
    assert.deepEqual(await groups({ since: '2020', until: '2021' }), []);
    assert.deepEqual(await test.store.groups('work'), [{ ...usual, count: 1 }]);
  });

  it('names the plans to review: overdue, archived by themselves, and decaying', async () => {
    const now = '2026-03-10T00:00:00.000Z';
    const plan = { gate: 'promissory' } as const;
    const past = (day: string): Partial<Memory> => ({ ...plan, dueAt: `2026-03-0${day}T00:00:00.000Z` });
    const made: readonly (readonly [string, Partial<Memory>])[] = [
      ['overdue since the 5th', past('5')],
      ['overdue since the 2nd', past('2')],
      ['overdue and faded', { ...past('3'), ...archived('faded'), archivedAt: now }],
      ['overdue and done', { ...past('3'), ...archived('done'), archivedAt: now }],
      ['overdue, no plan', { dueAt: '2026-03-01T00:00:00.000Z' }],
      ['faded early', { ...plan, ...archived('faded'), archivedAt: '2026-03-01T00:00:00.000Z' }],
      ['faded late', { ...plan, ...archived('quota'), archivedAt: '2026-03-02T00:00:00.000Z' }],
      ['forgotten', { ...plan, ...archived('forgotten'), archivedAt: '2026-03-02T00:00:00.000Z' }],
      [
        'decaying, changed',
        { ...plan, reinforcedAt: '2026-02-01T00:00:00.000Z', updatedAt: '2026-02-03T00:00:00.000Z' },
      ],
      [
        'decaying, said again',
        { ...plan, reinforcedAt: '2026-02-02T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
      ],
      [
        'due later',
        {
          ...plan,
          dueAt: '2027-01-01T00:00:00.000Z',
          reinforcedAt: '2026-02-05T00:00:00.000Z',
          updatedAt: '2026-01-01T00:00:00.000Z',
        },
      ],
      ['pinned', { ...plan, pinned: true }],
      ['permanent', { ...plan, decayClass: 'permanent' }],
      ['elsewhere', { ...past('1'), scopeId: 'work' }],
    ];
    await test.keepAll(made.map(([content, rest]) => test.memory(content, rest)));
    const review = async (scopeId: string, limit: number): Promise<readonly string[]> =>
      (await test.store.plansToReview(scopeId, now, limit)).map(it => it.content);
    const overdue = ['overdue since the 2nd', 'overdue and faded', 'overdue since the 5th'];
    const decaying = ['decaying, said again', 'decaying, changed', 'due later'];
    assert.deepEqual(await review('', 10), [...overdue, 'faded late', 'faded early', ...decaying]);
    assert.deepEqual(await review('', 1), [overdue[0], 'faded late', decaying[0]]);
    assert.deepEqual(await review('work', 10), ['elsewhere']);
  });
};
