import assert from 'node:assert/strict';
import type { Memory } from '../../../src/engine/model/memory.js';
import type { SearchResult, StoreFilter, StoreQuery } from '../../../src/engine/store/store.js';
import { weighTerms } from '../../../src/engine/text/queryTerms.js';
import { analyzeQuestion } from '../../../src/engine/text/questionAnalysis.js';
import { edge, oddTexts, StoreOfTest, type Contract } from './kit.js';

const recallable: StoreFilter = { scopeId: '', statuses: ['active', 'archived'], withoutForgotten: true };
const model = { id: 'm', dimensions: 8 };

export const searchContract: Contract = backend => {
  const test = new StoreOfTest(backend);

  const ask = (
    text: string,
    filter: Partial<StoreFilter> = {},
    {
      limit = 20,
      ...rest
    }: Partial<StoreQuery> & { readonly limit?: number; readonly keywords?: readonly string[] } = {},
  ): Promise<SearchResult> => {
    const question = analyzeQuestion(text);
    const terms = weighTerms(question, { keywords: rest.keywords ?? [] });
    const query = { question, terms, model: undefined, meaning: undefined, ...rest };
    return test.store.search(query, { ...recallable, ...filter }, limit);
  };
  const find = async (...parameters: Parameters<typeof ask>): Promise<readonly string[]> =>
    (await ask(...parameters)).hits.map(it => it.memory.content);
  const sorted = (texts: readonly string[]): readonly string[] => [...texts].sort();

  const said = (content: string): Pick<Memory, 'content' | 'contentHash'> => {
    const { contentHash } = test.memory(content);
    return { content, contentHash };
  };

  it('finds nothing in an empty store, and says so much', async () => {
    const result = await ask('Where is Bergen?');
    assert.deepEqual(
      [result.hits, result.embedded, result.searchable, result.sequence, result.embedding],
      [[], 0, 0, 0, undefined],
    );
    assert.deepEqual([result.contradictions.byMemoryId.size, result.revision], [0, await test.store.revision()]);
  });

  it('finds what has the words of a question, the rarer word first', async () => {
    await test.keepTexts(
      'The ferry leaves Bergen at noon.',
      'The ferry is red.',
      'The ferry is late.',
      'Tabs are wide.',
    );
    const found = await find('When does the ferry leave Bergen?');
    assert.equal(found[0], 'The ferry leaves Bergen at noon.');
    assert.deepEqual(
      sorted(found),
      sorted(['The ferry leaves Bergen at noon.', 'The ferry is red.', 'The ferry is late.']),
    );
  });

  it('gives each hit whole: its memory, how near it is, its aids and its vector', async () => {
    const vector = Int8Array.of(127, 0, 0, 0, 0, 0, 0, 0);
    const memory = test.memory('The ferry leaves Bergen at noon.', { tags: ['sea'], priority: 7 });
    await test.store.write('test', async tx => {
      await tx.insertMany([memory], [{ model: 'm', vector }]);
      await tx.setAids(memory.id, { questions: ['When?'], keywords: ['boat'] });
    });
    const { hits, statistics } = await ask('ferry', {}, { model, meaning: { vectors: [vector] } });
    assert.equal(hits.length, 1);
    const [hit] = hits;
    assert.deepEqual(hit!.memory, await test.get(memory.id));
    assert.deepEqual([hit!.aids, hit!.vector], [{ questions: ['When?'], keywords: ['boat'] }, vector]);
    assert.ok(Math.abs(hit!.nearness!.question - 1) < 0.02);
    assert.equal(hit!.nearness!.alternative, undefined);
    assert.deepEqual([statistics.documents, statistics.documentFrequencies.get('ferri')], [1, 1]);
    const [lexical] = (await ask('ferry')).hits;
    assert.equal(lexical!.vector, undefined);
  });

  it('finds by tags, by search aids and by keywords of the asker', async () => {
    const [one] = await test.keepTexts('The ship leaves at noon.', 'Tabs are wide.');
    await test.keep('It is red.', { tags: ['Zürich'] });
    await test.store.write('test', tx => tx.setAids(one!, { questions: ['When does the ferry go?'], keywords: [] }));
    assert.deepEqual(await find('ferry'), ['The ship leaves at noon.']);
    assert.deepEqual(await find('zurich'), ['It is red.']);
    assert.deepEqual(await find('unknown', {}, { keywords: ['tabs'] }), ['Tabs are wide.']);
  });

  it("finds by the user's own words that are kept with a memory, while it has them", async () => {
    const provenance = { source: 'mcp', client: 'test', said: 'the chandler must hurry' } as const;
    const id = await test.keep('The mast is new.', { provenance });
    await test.keepTexts('Tabs are wide.', 'The chandler opens at seven.');
    await test.store.checkpoints.make({ reason: 'by hand', origin: 'person' });
    const [checkpoint] = await test.store.checkpoints.list();
    const { hits } = await ask('chandler');
    assert.deepEqual(
      hits.map(({ memory, aids }) => [memory.content, aids]),
      [
        ['The chandler opens at seven.', undefined],
        ['The mast is new.', undefined],
      ],
    );
    const update = (change: Partial<Memory>): Promise<unknown> =>
      test.store.write('test', async tx => tx.update({ ...(await tx.get(id))!, ...change }, 'edit'));
    await update(said('The mast is old and must be mended.'));
    assert.deepEqual(await find('hurry'), ['The mast is old and must be mended.']);
    await update({ provenance: { source: 'mcp', client: 'test', said: 'it creaks' } });
    assert.deepEqual([await find('hurry'), (await find('creaks')).length], [[], 1]);
    await update({ provenance: { source: 'mcp', client: 'test' } });
    assert.deepEqual([await find('creaks'), await find('mast')], [[], ['The mast is old and must be mended.']]);
    await test.store.checkpoints.restore('test', checkpoint!.id);
    assert.deepEqual(await find('hurry'), ['The mast is new.']);
    await test.store.write('test', tx => tx.delete(id, 'prune'));
    assert.deepEqual(await find('hurry'), []);
  });

  it('sees every write before it: new, changed and deleted memories, aids and sets', async () => {
    const one = await test.keep('The ferry leaves Bergen at noon.');
    assert.deepEqual(await find('ferry'), ['The ferry leaves Bergen at noon.']);
    const two = await test.keep('A ferry is red.');
    assert.equal((await find('ferry')).length, 2);
    await test.store.write('test', async tx => {
      await tx.update({ ...(await tx.get(one))!, ...said('The train leaves.') }, 'edit');
    });
    assert.deepEqual([await find('ferry'), await find('train')], [['A ferry is red.'], ['The train leaves.']]);
    await test.store.write('test', tx => tx.setAids(one, { questions: [], keywords: ['ferry'] }));
    assert.equal((await find('ferry')).length, 2);
    await test.store.write('test', tx => tx.delete(two, 'prune'));
    assert.deepEqual(await find('ferry'), ['The train leaves.']);
    await test.store.write('test', async tx => {
      await tx.update({ ...(await tx.get(one))!, scopeId: 'work' }, 'edit');
    });
    assert.deepEqual([await find('train'), await find('train', { scopeId: 'work' })], [[], ['The train leaves.']]);
  });

  it('gives the revision and the write counter of the set that it saw', async () => {
    await test.store.write('test', async tx => {
      await tx.nextSequence('');
      await tx.nextSequence('work');
      await tx.nextSequence('work');
    });
    await test.keep('The ferry is red.');
    const [shared, work] = [await ask('ferry'), await ask('ferry', { scopeId: 'work' })];
    assert.deepEqual([shared.sequence, work.sequence, shared.revision], [1, 2, await test.store.revision()]);
  });

  it('keeps sets apart', async () => {
    await test.keep('The ferry is red.');
    await test.keep('The ferry is blue.', { scopeId: 'work' });
    await test.keep('The ferry is green.', { scopeId: 'Work' });
    assert.deepEqual(
      [await find('ferry'), await find('ferry', { scopeId: 'work' })],
      [['The ferry is red.'], ['The ferry is blue.']],
    );
    assert.deepEqual(await find('ferry', { scopeId: 'unknown' }), []);
  });

  it('finds what was archived by itself, and nothing that a person put away', async () => {
    await test.keep('The ferry is red.');
    for (const it of ['forgotten', 'done', 'merged', 'gone', 'faded', 'expired', 'quota'] as const)
      await test.keep(`The ferry is ${it}.`, { status: 'archived', archiveReason: it });
    await test.keep('The ferry is replaced.', { status: 'superseded' });
    const archived = ['The ferry is expired.', 'The ferry is faded.', 'The ferry is quota.'];
    assert.deepEqual(sorted(await find('ferry')), [...archived, 'The ferry is red.']);
    assert.deepEqual(await find('ferry', { statuses: ['active'] }), ['The ferry is red.']);
    assert.deepEqual(sorted(await find('ferry', { statuses: ['archived'] })), archived);
    const everything = { scopeId: '', statuses: ['active', 'superseded', 'archived'] } as const;
    const all = await find('ferry', { ...everything, withoutForgotten: false });
    assert.deepEqual([all.length, all.includes('The ferry is replaced.')], [9, true]);
  });

  const fields: readonly (readonly [name: string, filter: Partial<StoreFilter>, mine: Partial<Memory>])[] = [
    ['a gate', { gates: ['correction'] }, { gate: 'correction' }],
    ['a kind', { kinds: ['decision'] }, { kind: 'decision' }],
    ['a lane', { lane: 'note' }, { lane: 'note' }],
    ['a decay class', { decayClasses: ['session'] }, { decayClass: 'session' }],
    ['a pin', { pinned: true }, { pinned: true }],
    ['tags', { tags: ['a, b', 'c'] }, { tags: ['c', 'a, b'] }],
    ['a document', { uri: 'file:///a' }, { provenance: { source: 'mcp', uri: 'file:///a' } }],
    ['a session', { session: "s'1" }, { provenance: { source: 'mcp', session: "s'1" } }],
    ['a period', { since: '2026-01-01', until: '2026-01-02' }, { createdAt: '2026-01-01T10:00:00.000Z' }],
    ['a part of the text', { containing: 'MINE' }, {}],
  ];
  for (const [name, filter, mine] of fields) {
    it(`finds by words among the memories of ${name}`, async () => {
      await test.keep('The ferry is theirs.');
      await test.keep('The ferry is mine.', mine);
      await test.keep('Tabs are mine.', mine);
      const found = await find('ferry', filter);
      // Its session says something of a memory too.
      assert.deepEqual([found[0], found.includes('The ferry is theirs.')], ['The ferry is mine.', false]);
    });
  }

  it('leaves out memories by their ids', async () => {
    const [one] = await test.keepTexts('The ferry is red.', 'The ferry is blue.');
    assert.deepEqual(await find('ferry', { exceptIds: [one!] }), ['The ferry is blue.']);
  });

  it('takes quoted phrases and excluded words at their word', async () => {
    await test.keepTexts('The red ferry leaves.', 'The ferry leaves red.', 'The ferry is blue.');
    assert.deepEqual(await find('"red ferry"'), ['The red ferry leaves.']);
    assert.deepEqual(sorted(await find('ferry -red')), ['The ferry is blue.']);
    assert.deepEqual(await find('ferry "leaves red" -blue'), ['The ferry leaves red.']);
    assert.deepEqual(await find('"no such phrase"'), []);
  });

  it('takes no more than the limit, the best ones', async () => {
    await test.keepAll(
      Array.from({ length: 40 }, (_, i) => test.memory(`The ferry number ${i} is ${'very '.repeat(i)}red.`)),
    );
    assert.equal((await find('ferry', {}, { limit: 200 })).length, 40);
    const few = await ask('ferry number 7', {}, { limit: 5 });
    assert.equal(few.hits[0]!.memory.content, 'The ferry number 7 is very very very very very very very red.');
  });

  it('finds texts in any language by their words', async () => {
    await test.keepTexts(
      'Die Straße führt über die Größe der Äcker.',
      '部署使用 Kubernetes，数据库端口是五四三二。',
      'Party 🎉 tonight',
      'C++ and C# with getUserById in src/app/main.ts',
    );
    const found: string[] = [];
    for (const it of ['strasse aecker groesse Äcker', '数据库', '🎉', 'c++', 'user', 'main.ts'])
      found.push((await find(it))[0]?.slice(0, 5) ?? '');
    assert.deepEqual(found, ['Die S', '部署使用 ', 'Party', 'C++ a', 'C++ a', 'C++ a']);
  });

  for (const [name, text] of oddTexts.slice(0, -1)) {
    it(`finds a text with ${name}, and is asked with it`, async () => {
      await test.keepTexts('Tabs are wide.', text);
      const found = await ask(text);
      assert.deepEqual([found.hits[0]?.memory.content, found.lexicalOnlyReason], [text, undefined]);
      await ask(`"${text.slice(0, 30)}" -${text.slice(5, 30)}`);
    });
  }

  it('answers a question of no words, and one with a thousand', async () => {
    await test.keepTexts('The ferry is red.');
    for (const it of ['', ' ', '???', '"" -']) await ask(it);
    const many = Array.from({ length: 1_000 }, (_, i) => `word${i}`).join(' ');
    assert.deepEqual(await find(`${many} ferry`), ['The ferry is red.']);
  });

  it('brings the open contradictions of its hits', async () => {
    const [one = '', two = '', three = ''] = await test.keepTexts(
      'The ferry leaves at noon.',
      'At two it goes.',
      'Nothing of it.',
    );
    const edges = [edge(two, one, 'contradicts', 0.9), edge(three, one, 'contradicts', 0.7)];
    await test.store.write('test', async tx => {
      await tx.link(edges);
      for (const it of edges) await tx.restoreMark(it, { outdated: 'target', by: 'model', at: test.now });
      await tx.settle(three, one);
    });
    const { hits, contradictions } = await ask('ferry');
    assert.deepEqual(
      hits.map(it => it.memory.id),
      [one],
    );
    assert.deepEqual(contradictions.byMemoryId, await test.store.contradictions([one], 3));
    assert.deepEqual(
      [...contradictions.memories].map(([id, it]) => [id, it.content]),
      [[two, 'At two it goes.']],
    );
  });

  it('counts the memories with a vector, and those that could be found', async () => {
    const [one, two] = await test.keepTexts('The ferry is red.', 'The ferry is blue.');
    await test.keep('The ferry is gone.', { status: 'archived', archiveReason: 'forgotten' });
    await test.store.saveVectors(new Map([[one!, { model: 'm', vector: Int8Array.of(127, 0, 0, 0, 0, 0, 0, 0) }]]));
    const meaning = { vectors: [Int8Array.of(0, 127, 0, 0, 0, 0, 0, 0)] };
    const { embedded, searchable, hits } = await ask('ferry', {}, { model, meaning });
    assert.deepEqual([embedded, searchable, sorted(hits.map(it => it.memory.id))], [1, 2, [one, two]]);
  });
};
