import assert from 'node:assert/strict';
import type { Memory } from '../../../src/engine/model/memory.js';
import type { NewMemory } from '../../../src/engine/store/store.js';
import { actionsOf, edge, oddTexts, StoreOfTest, type Contract } from './kit.js';

const asMemory = (memory: NewMemory): Memory => ({ ...memory, store: 'project', centrality: 0 });

export const memoriesContract: Contract = backend => {
  const test = new StoreOfTest(backend);

  it('is empty when it is new', async () => {
    const { store } = test;
    assert.deepEqual(await store.get(['unknown']), []);
    assert.deepEqual(await test.list(), []);
    assert.deepEqual(
      [await store.sequence(''), await store.auditHead(), await store.lastChangeAt()],
      [0, '', undefined],
    );
    assert.deepEqual([await store.groups(''), await store.sets(), await store.listAnchored()], [[], [], []]);
    for await (const page of store.scanAll()) assert.deepEqual(page, []);
    assert.deepEqual([store.kind, store.readOnly, store.notices], ['project', false, []]);
    assert.deepEqual(await test.problems(), []);
  });

  it('gives back every field as it was written', async () => {
    const full: NewMemory = {
      ...test.memory('The office in Bergen closes at noon.'),
      summary: 'Office hours',
      gate: 'promissory',
      kind: 'progress',
      lane: 'note',
      decayClass: 'ephemeral',
      confidence: 63.25,
      priority: 9,
      pinned: true,
      reinforcementCount: 3,
      accessCount: 4,
      usefulCount: 2,
      feedback: -1,
      tags: ['office', 'Zürich, Bern', ''],
      status: 'archived',
      archiveReason: 'quota',
      scopeId: 'work',
      sequence: 7,
      dueAt: '2026-05-01T00:00:00.000Z',
      expiresAt: '2026-06-01T00:00:00.000Z',
      retentionScore: 0.1234567890123,
      scoringVersion: 2,
      provenance: {
        source: 'mcp',
        session: 'one',
        uri: 'file:///a%20b/c.ts',
        client: 'mcp:"x"',
        branch: 'main',
        range: { startLine: 0, endLine: 4 },
        symbol: 'open',
        anchorHash: 'abc',
        author: 'Ada <ada>',
      },
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-02T00:00:00.000Z',
      reinforcedAt: '2026-01-03T00:00:00.000Z',
      accessedAt: '2026-01-04T00:00:00.000Z',
      archivedAt: '2026-01-05T00:00:00.000Z',
    };
    await test.keepAll([full]);
    assert.deepEqual(await test.get(full.id), asMemory(full));
  });

  it('leaves absent what a memory lacks', async () => {
    const plain = test.memory('The office in Bergen closes at noon.');
    await test.keepAll([plain]);
    assert.deepEqual(await test.get(plain.id), asMemory(plain));
  });

  for (const [name, text] of oddTexts) {
    it(`keeps a text with ${name} exactly, and finds it by its words`, async () => {
      const short = text.slice(0, 200);
      const memory = test.memory(text, {
        summary: short,
        tags: [short, 'other'],
        provenance: { source: 'explicit', session: short, uri: short, reason: text },
      });
      await test.keepAll([memory]);
      assert.deepEqual(await test.get(memory.id), asMemory(memory));
      assert.deepEqual(await test.list({ tags: [short] }), [text]);
      assert.deepEqual(await test.list({ session: short, uri: short }), [text]);
      assert.deepEqual(await test.list({ containing: text.slice(2, 60) }), [text]);
      assert.deepEqual(await test.problems(), []);
    });
  }

  it('gets the memories that are there, each once, and none for an empty list', async () => {
    const [one, two] = await test.keepTexts('Paris is sunny.', 'Tabs are wide.');
    const found = await test.store.get([two!, one!, 'gone', one!]);
    assert.deepEqual(found.map(it => it.id).sort(), [one, two]);
    assert.deepEqual(await test.store.get([]), []);
  });

  it('resolves an id and the last eight digits of one, and nothing else', async () => {
    const [one, two] = await test.keepTexts('Paris is sunny.', 'Tabs are wide.');
    const { store } = test;
    assert.deepEqual(await store.resolve(one!), [one]);
    assert.deepEqual(await store.resolve(two!.slice(-8)), [two]);
    for (const it of ['', '%', '________', '%0000001', two!.slice(-7), two!.slice(0, 8)])
      assert.deepEqual(await store.resolve(it), [], it);
  });

  it('resolves a short id that two memories share to both', async () => {
    const twin = '01900000-0000-7000-8000-ffff00000001';
    const one = await test.keep('Paris is sunny.');
    await test.keep('Tabs are wide.', { id: twin });
    assert.deepEqual([...(await test.store.resolve(one.slice(-8)))].sort(), [one, twin]);
  });

  it('replaces every field in an update, and drops what the new state lacks', async () => {
    const before = test.memory('Paris is sunny.', {
      dueAt: '2026-05-01T00:00:00.000Z',
      accessedAt: test.now,
      retentionScore: 0.5,
      scoringVersion: 1,
      tags: ['city'],
      provenance: { source: 'mcp', session: 's', uri: 'file:///a' },
    });
    await test.keepAll([before]);
    const after = asMemory({ ...test.memory('Paris is rainy.', { confidence: 20, tags: [] }), id: before.id });
    await test.store.write('test', tx => tx.update(after, 'edit'));
    assert.deepEqual(await test.get(before.id), after);
    assert.deepEqual(await test.list({ containing: 'sunny' }), []);
    assert.deepEqual(await test.list({ containing: 'rainy' }), ['Paris is rainy.']);
    assert.deepEqual(await test.problems(), []);
  });

  it('logs in a history how an update changed the confidence, and what the writer says', async () => {
    const id = await test.keep('Paris is sunny.');
    const memory = (await test.get(id))!;
    const at = test.now;
    await test.store.write('Ada', async tx => {
      await tx.update({ ...memory, confidence: 55 }, 'weaken', { by: 'x' });
      await tx.update({ ...memory, confidence: 55, priority: 9 }, 'edit', { why: "it's 'so'" });
    });
    const [created, ...rest] = await test.store.history(id);
    assert.deepEqual([created!.action, created!.actor], ['create', 'test']);
    // By which `verify` finds a row that was changed past the program.
    const row = [memory.lane, 0, 55];
    assert.deepEqual(rest, [
      { at, action: 'weaken', actor: 'Ada', detail: { by: 'x', confidence: { from: 80, to: 55 }, row } },
      { at, action: 'edit', actor: 'Ada', detail: { why: "it's 'so'" } },
    ]);
    assert.deepEqual(await test.store.history('unknown'), []);
  });

  it('applies a batch in order: the last state stays, and every change has its line', async () => {
    const known = await test.keep('Known.');
    const old = (await test.get(known))!;
    const [one, two] = [test.memory('one'), test.memory('two')];
    const vector = { model: 'm', vector: new Int8Array(4).fill(1) };
    const weaker = asMemory({ ...one, confidence: 40 });
    const from = await test.store.auditLog('');
    await test.store.write('test', tx =>
      tx.applyBatch([
        { op: 'insert', memory: one, vector },
        { op: 'update', memory: { ...old, confidence: 30 }, action: 'weaken', detail: { by: 'one' } },
        { op: 'insert', memory: two, vector },
        { op: 'update', memory: weaker, action: 'weaken', detail: { by: 'two' } },
        { op: 'update', memory: { ...weaker, tags: ['later'] }, action: 'reinforce', detail: {} },
        { op: 'update', memory: asMemory({ ...two, content: 'new' }), action: 'edit', detail: {} },
        { op: 'update', memory: { ...old, confidence: 20 }, action: 'weaken', detail: { by: 'two' } },
      ]),
    );
    const found = await test.store.get([one.id, two.id, known]);
    assert.deepEqual(found.map(it => [it.content, it.confidence, it.tags]).sort(), [
      ['Known.', 20, []],
      ['new', 80, []],
      ['one', 40, ['later']],
    ]);
    const lines = (await test.store.auditLog('')).slice(from.length);
    assert.deepEqual(
      lines.map(it => [it.action, it.memoryId, it.detail.confidence]),
      [
        ['create', one.id, undefined],
        ['weaken', known, { from: 80, to: 30 }],
        ['create', two.id, undefined],
        ['weaken', one.id, { from: 80, to: 40 }],
        ['reinforce', one.id, undefined],
        ['edit', two.id, undefined],
        ['weaken', known, { from: 30, to: 20 }],
      ],
    );
    // A changed text loses its vector.
    assert.deepEqual([...(await test.store.vectors('m', [one.id, two.id, known])).keys()], [one.id]);
    assert.deepEqual(await test.list({ tags: ['later'] }), ['one']);
    assert.deepEqual(await test.problems(), []);
  });

  it('applies an empty batch and inserts no memories without a trace', async () => {
    const before = await test.store.revision();
    await test.store.write('test', async tx => {
      await tx.applyBatch([]);
      await tx.insertMany([]);
      await tx.link([]);
    });
    assert.deepEqual([await test.store.revision(), await test.store.auditHead()], [before, '']);
  });

  it('shows a write what it has written itself', async () => {
    await test.keep('Known.');
    const [one, two, three] = [test.memory('one'), test.memory('two'), test.memory('three')];
    const many = Array.from({ length: 300 }, (_, i) => test.memory(`many ${i}`));
    await test.store.write('test', async tx => {
      await tx.insertMany([...many, one, two, three]);
      assert.equal((await tx.get(one.id))?.content, 'one');
      assert.equal(await tx.get('unknown'), undefined);
      await tx.update(asMemory({ ...two, priority: 9 }), 'edit');
      assert.equal((await tx.getMany([two.id, 'unknown']))[0]?.priority, 9);
      assert.deepEqual(await tx.getMany([]), []);
      assert.deepEqual(
        (await tx.findByHash([two.contentHash], '')).map(it => it.priority),
        [9],
      );
      await tx.link([edge(three.id, one.id, 'refines', 1)]);
      assert.deepEqual(
        (await tx.edges([one.id])).map(it => it.source),
        [three.id],
      );
      await tx.delete(three.id, 'purge');
      assert.deepEqual([await tx.get(three.id), await tx.edges([one.id])], [undefined, []]);
    });
    assert.equal((await test.list({}, { limit: 1_000, offset: 0 })).length, 303);
    assert.equal((await test.get(one.id))!.centrality, 0);
    assert.deepEqual(await test.problems(), []);
  });

  it('logs what one write starts at once in the order in which it was started', async () => {
    const id = await test.keep('Known.');
    const known = (await test.get(id))!;
    await test.store.write('test', async tx => {
      await tx.get(id);
      await Promise.all([tx.insertMany([test.memory('one')]), tx.update({ ...known, priority: 1 }, 'edit')]);
    });
    assert.deepEqual(actionsOf(await test.store.auditLog('')), ['create', 'create', 'edit']);
    assert.deepEqual([(await test.get(id))!.priority, await test.problems()], [1, []]);
  });

  it('finds a fact by its hash in its set, whatever its status', async () => {
    const one = await test.keep('Paris is sunny.', { status: 'archived', archiveReason: 'forgotten' });
    const two = await test.keep('Tabs are wide.');
    const other = await test.keep('Paris is sunny.', { scopeId: 'work' });
    const hashes = (await test.store.get([one, two])).map(it => it.contentHash);
    const find = (of: readonly string[], scopeId: string): Promise<readonly string[]> =>
      test.store.write('test', async tx => (await tx.findByHash(of, scopeId)).map(it => it.id));
    assert.deepEqual(await find([...hashes, 'unknown'], ''), [one, two]);
    assert.deepEqual(await find(hashes, 'work'), [other]);
    assert.deepEqual(await find([], ''), []);
  });

  it('refuses a second row of the same fact in a set, and leaves nothing of that write', async () => {
    await test.keep('Paris is sunny.');
    const before = [await test.store.revision(), await test.store.auditHead()];
    const writing = test.store.write('test', async tx => {
      await tx.insertMany([test.memory('Tabs are wide.')]);
      await tx.insertMany([test.memory('Paris is sunny.')]);
      await tx.log('maintain', {});
    });
    await assert.rejects(writing, { name: 'EngineError' });
    assert.deepEqual(await test.list(), ['Paris is sunny.']);
    assert.deepEqual([await test.store.revision(), await test.store.auditHead()], before);
    await test.keep('Paris is sunny.', { scopeId: 'work' });
    assert.deepEqual(await test.problems(), []);
  });

  it('refuses a second memory with the same id', async () => {
    const id = await test.keep('Paris is sunny.');
    await assert.rejects(test.keep('Tabs are wide.', { id }), { name: 'EngineError' });
    assert.deepEqual(await test.list(), ['Paris is sunny.']);
  });

  it('follows repeated merges to the memory that is left', async () => {
    const [a, b, c] = await test.keepTexts('a', 'b', 'c');
    const merged = { status: 'archived', archiveReason: 'merged' } as const;
    const targetOf = (id: string): Promise<string | undefined> =>
      test.store.write('test', async tx => (await tx.mergeTargetOf(id))?.content);
    assert.equal(await targetOf(a!), undefined);
    await test.store.write('test', async tx => {
      await tx.link([edge(b!, a!, 'derived_from'), edge(c!, b!, 'derived_from')]);
      for (const it of await tx.getMany([a!, b!])) await tx.update({ ...it, ...merged }, 'merge');
    });
    assert.deepEqual([await targetOf(a!), await targetOf(b!), await targetOf('unknown')], ['c', 'c', undefined]);
    // A merge that was undone and done the other way round is a circle.
    await test.store.write('test', tx => tx.link([edge(a!, c!, 'derived_from')]));
    assert.equal(await targetOf(a!), 'c');
    const last = (await test.get(c!))!;
    await test.store.write('test', tx => tx.update({ ...last, scopeId: 'work' }, 'edit'));
    assert.equal(await targetOf(a!), undefined);
  });

  it('counts the writes of each set by itself', async () => {
    const next = (scopeId: string): Promise<number> => test.store.write('test', tx => tx.nextSequence(scopeId));
    assert.deepEqual([await next(''), await next(''), await next('work')], [1, 2, 1]);
    await test.store.write('test', async tx => {
      assert.deepEqual([await tx.nextSequence(''), await tx.nextSequence('work')], [3, 2]);
      assert.equal(await tx.nextSequence(''), 4);
    });
    assert.deepEqual(
      [await test.store.sequence(''), await test.store.sequence('work'), await test.store.sequence('other')],
      [4, 2, 0],
    );
  });

  it('returns what the work of a write returns, and throws what it throws', async () => {
    assert.equal(await test.store.write('test', () => Promise.resolve(42)), 42);
    const failure = new Error('no');
    const before = [await test.store.revision(), await test.store.auditHead()];
    const writing = test.store.write('test', async tx => {
      await tx.insertMany([test.memory('one')]);
      await tx.nextSequence('');
      await tx.putRecord('goal', 'a', {});
      throw failure;
    });
    await assert.rejects(writing, (it: unknown) => it === failure);
    assert.deepEqual([await test.list(), await test.store.sequence(''), await test.store.records('goal')], [[], 0, []]);
    assert.deepEqual([await test.store.revision(), await test.store.auditHead()], before);
    await test.keep('one');
    assert.deepEqual(await test.problems(), []);
  });

  it('raises the revision once in each write that changes something', async () => {
    const revisions: number[] = [await test.store.revision()];
    const after = async (write: () => Promise<unknown>): Promise<void> => {
      await write();
      revisions.push(await test.store.revision());
    };
    await after(() => test.keepAll([test.memory('one'), test.memory('two')]));
    await after(() => test.store.write('test', tx => tx.log('export', { count: 2 })));
    await after(() => test.store.write('test', tx => tx.putRecord('goal', 'a', {})));
    await after(() => test.store.write('test', tx => tx.announce()));
    await after(() => test.store.write('test', () => Promise.resolve()));
    assert.deepEqual(
      revisions.map(it => it - revisions[0]!),
      [0, 1, 1, 1, 2, 2],
    );
  });

  it('deletes a memory with its edges, aids, vectors and former texts; its lines in the log stay', async () => {
    const [one, two] = await test.keepTexts('Paris is sunny.', 'Tabs are wide.');
    await test.store.write('test', async tx => {
      await tx.link([edge(one!, two!, 'refines'), edge(two!, one!, 'contradicts')]);
      await tx.setAids(one!, { questions: ['Where?'], keywords: ['city'] });
      for (const id of [one!, two!]) await tx.putRecord('formerText', id, { texts: [] });
    });
    await test.store.saveVectors(new Map([[one!, { model: 'm', vector: new Int8Array(3) }]]));
    await test.store.write('test', tx => tx.delete(one!, 'prune'));
    const { store } = test;
    assert.deepEqual(
      (await store.records('formerText', 10)).map(it => it.id),
      [two],
    );
    assert.deepEqual(
      [await test.get(one!), await store.edges([one!, two!]), (await store.aids([one!])).size],
      [undefined, [], 0],
    );
    assert.deepEqual(
      [(await store.vectors('m', [one!])).size, await store.embeddingProgress('m')],
      [0, { embedded: 0, total: 1 }],
    );
    assert.equal((await test.get(two!))!.centrality, 0);
    assert.deepEqual(actionsOf(await store.history(one!)), ['create', 'link', 'prune']);
    assert.deepEqual(await test.problems(), []);
    await test.keep('Paris is sunny.');
    assert.deepEqual(await test.problems(), []);
  });

  it('saves retention scores without a line in the log and without a new revision', async () => {
    const [one, two] = await test.keepTexts('one', 'two');
    const before = [await test.store.revision(), await test.store.auditHead()];
    await test.store.write('test', tx =>
      tx.saveScores(
        new Map([
          [one!, 0.987654321],
          ['unknown', 1],
        ]),
        7,
      ),
    );
    await test.store.write('test', tx => tx.saveScores(new Map(), 8));
    const found = new Map(
      (await test.store.get([one!, two!])).map(it => [it.id, [it.retentionScore, it.scoringVersion]]),
    );
    assert.deepEqual(
      [found.get(one!), found.get(two!)],
      [
        [0.987654321, 7],
        [undefined, undefined],
      ],
    );
    assert.deepEqual([await test.store.revision(), await test.store.auditHead()], before);
  });
};
