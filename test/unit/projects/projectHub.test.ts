import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { EngineError } from '../../../src/engine/base/errors.js';
import { newUuid } from '../../../src/engine/base/uuid.js';
import { globalPlace, type PlaceInput } from '../../../src/engine/model/project.js';
import { storeMemory, storeProblems, temporaryFolder, TestHost, writeToStore } from '../../support/fixtures.js';

describe('the memories of all projects', () => {
  let host: TestHost;
  let engine: MemoryEngine;
  let here: string;
  let there: string;
  let pier: string;
  let gate: string;

  const openFolder = async (folder: string): Promise<MemoryEngine> => {
    host.workspaceFolders = [folder];
    return host.open();
  };
  const contents = async (place: string, query?: string): Promise<string[]> =>
    (await engine.hub.memories(place, { limit: 50, ...(query === undefined ? {} : { query }) })).memories.map(
      it => it.content,
    );

  beforeEach(async () => {
    host = new TestHost();
    const [lighthouse, harbor] = ['lighthouse', 'harbor'].map(it => path.join(temporaryFolder(), it));
    const other = await openFolder(harbor!);
    pier = await storeMemory(other, 'The pier is repainted every March.', {
      store: 'project',
      aids: { questions: ['When is the jetty painted?'], keywords: ['maintenance'] },
    });
    gate = await storeMemory(other, 'The north gate opens at dawn.', { store: 'project' });
    await storeMemory(other, 'The ferry costs two crowns.', { store: 'project', scopeId: 'trial' });
    await other.forget(await storeMemory(other, 'The buoy is red.', { store: 'project' }));
    await other.close();
    engine = await openFolder(lighthouse!);
    await storeMemory(engine, 'The lamp turns once in ten seconds.', { store: 'project' });
    await storeMemory(engine, 'I like short answers.');
    const places = await engine.hub.places();
    here = places.find(it => it.name === 'lighthouse')!.id;
    there = places.find(it => it.name === 'harbor')!.id;
  });

  it('are listed with counts, the present project first', async () => {
    assert.deepEqual(
      (await engine.hub.places()).map(it => [it.name, it.memories, it.isOpen]),
      [
        ['lighthouse', 1, true],
        ['', 1, true],
        ['harbor', 2, false],
      ],
    );
  });

  it('are read and searched without being counted as recalled', async () => {
    assert.deepEqual(await contents(there), ['The north gate opens at dawn.', 'The pier is repainted every March.']);
    assert.equal((await contents(there, 'when is the jetty painted'))[0], 'The pier is repainted every March.');
    assert.deepEqual(await contents(there, 'repaint'), ['The pier is repainted every March.']);
    assert.deepEqual(await contents(there, 'xylophone'), []);
    assert.deepEqual(await contents(here), ['The lamp turns once in ten seconds.']);
    assert.deepEqual(await contents(globalPlace), ['I like short answers.']);
    assert.deepEqual(await engine.traces(), []);
    assert.deepEqual(
      (await engine.recall({ query: 'when is the pier painted' })).hits.map(it => it.memory.content),
      [],
    );
    await engine.close();
    engine = await openFolder(host.workspaceFolders[0]!);
    const [, seen] = (await engine.hub.memories(there, { limit: 2 })).memories;
    assert.equal(seen?.accessCount, 0);
  });

  it('are copied with all that belongs to them, and a copy can be taken back', async () => {
    const before = (await engine.hub.memories(there, { limit: 50 })).memories.find(it => it.id === pier)!;
    const { moved, refused } = await engine.hub.transfer([pier], { from: there, to: here, copies: true });
    assert.deepEqual([moved.length, refused], [1, []]);
    const [copy] = moved;
    assert.notEqual(copy!.id, pier);
    assert.deepEqual({ ...copy!, id: pier, sequence: before.sequence }, before);
    assert.deepEqual((await engine.aids([copy!.id])).get(copy!.id)?.questions, ['When is the jetty painted?']);
    assert.equal((await engine.recall({ query: 'When is the jetty painted?' })).hits[0]?.memory.id, copy!.id);
    assert.equal((await contents(there)).length, 2);
    const again = await engine.hub.transfer([pier], { from: there, to: here, copies: true });
    assert.deepEqual([again.moved, again.refused.length], [[], 1]);
    await engine.hub.removeCopies([copy!.id], here);
    assert.deepEqual(await contents(here), ['The lamp turns once in ten seconds.']);
    assert.equal((await contents(there)).length, 2);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('refuse a copy to where the memory is already, as an interrupted move leaves it', async () => {
    const { store, centrality, ...twin } = (await engine.hub.memories(here, { limit: 1 })).memories[0]!;
    const { file } = engine.stores.find(it => it.kind === 'global')!;
    await writeToStore(host, 'global', file, tx => tx.insertMany([twin]));
    const { moved, refused } = await engine.hub.transfer([twin.id], { from: here, to: globalPlace, copies: true });
    assert.deepEqual(
      [moved, refused.map(it => String(it.reason))],
      [[], [`The memory #${twin.id.slice(-8)} is in both places already. Move it, and one is left.`]],
    );
    await engine.hub.transfer([twin.id], { from: here, to: globalPlace, copies: false });
    assert.deepEqual([await contents(here), (await contents(globalPlace)).length], [[], 2]);
  });

  it('are shown to the last one, page by page, and found by any part of their text', async () => {
    const content = (i: number): string => `Buoy ${i} lies off the pier [north*], checked by Ærø and ÜBUNG crew ${i}.`;
    const { store, centrality, ...lamp } = (await engine.hub.memories(here, { limit: 1 })).memories[0]!;
    const buoys = Array.from({ length: 1_150 }, (_, i) => {
      const createdAt = new Date(host.time - (i + 1) * 60_000);
      return {
        ...lamp,
        id: newUuid(createdAt),
        content: content(i),
        contentHash: `buoy ${i}`,
        createdAt: createdAt.toISOString(),
      };
    });
    const { file } = engine.stores.find(it => it.kind === 'project')!;
    await writeToStore(host, 'project', file, tx => tx.insertMany(buoys));
    const all = async (query: string): Promise<string[]> => {
      const pages: string[][] = [];
      while (pages.length < 5) {
        const page = await engine.hub.memories(here, { query, limit: 300, offset: pages.length * 300 });
        pages.push(page.memories.map(it => it.content));
      }
      return pages.flat();
    };
    const expected = buoys.map(it => it.content);
    assert.deepEqual(await all(''), [lamp.content, ...expected]);
    for (const part of ['uoy', 'ier [NORTH*', 'ærØ', 'übun']) {
      const found = await all(part);
      assert.deepEqual([...found].sort(), [...expected].sort(), part);
    }
  });

  it('are ordered, filtered by words and counted, over all that the session reads too', async () => {
    const told = 'The keeper is Ada.';
    const keeper = await storeMemory(engine, told, { store: 'project', lane: 'note', source: 'conversation' });
    for (let i = 0; i < 2; i++) await storeMemory(engine, 'I like short answers.');
    const list = async (place: string | undefined, input: Partial<PlaceInput>): Promise<unknown> => {
      const { memories, total } = await engine.hub.memories(place, { limit: 10, ...input });
      return [total, ...memories.map(it => it.content)];
    };
    const lamp = 'The lamp turns once in ten seconds.';
    assert.deepEqual(await list(undefined, {}), [3, told, 'I like short answers.', lamp]);
    assert.deepEqual(await list(undefined, { order: 'used' }), [3, 'I like short answers.', told, lamp]);
    assert.deepEqual(((await list(undefined, { order: 'fading' })) as unknown[])[1], told);
    assert.deepEqual(await list(undefined, { words: 'ONCE lamp', limit: 1 }), [1, lamp]);
    assert.deepEqual(await list(here, { words: 'short' }), [0]);
    await engine.forget(keeper);
    assert.deepEqual(await list(here, { outOfUse: true }), [1, told]);
    assert.deepEqual(await list(here, { outOfUse: true, query: 'keeper' }), [undefined, told]);
  });

  it('are moved between any two places and back', async () => {
    await engine.hub.transfer([pier], { from: there, to: globalPlace, copies: false });
    assert.deepEqual(await contents(there), ['The north gate opens at dawn.']);
    assert.deepEqual((await contents(globalPlace)).sort(), [
      'I like short answers.',
      'The pier is repainted every March.',
    ]);
    await engine.hub.transfer([pier], { from: globalPlace, to: there, copies: false });
    assert.equal((await contents(there)).length, 2);
    assert.deepEqual(await contents(globalPlace), ['I like short answers.']);
  });

  it('stay where they are when a move is refused', async () => {
    const gone = '01900000-0000-7000-8000-000000000000';
    for (const [ids, to, code] of [
      [[gate, gone], here, 'notFound'],
      [[gate], 'nowhere', 'notFound'],
      [[gate], there, 'invalidInput'],
    ] as const) {
      const call = engine.hub.transfer(ids, { from: there, to, copies: false });
      await assert.rejects(call, error => EngineError.is(error, code));
    }
    assert.equal((await contents(there)).length, 2);
    assert.ok(!existsSync(path.join(host.dataDir, 'projects', 'nowhere')));
    await assert.rejects(engine.hub.memories('..', { limit: 5 }), error => EngineError.is(error, 'notFound'));
  });

  it('are closed to a client that a person lets into one store only', async () => {
    const limited = Object.assign(new TestHost({ project: true }), { dataDir: host.dataDir, onlyStore: 'project' });
    const client = await limited.open();
    for (const call of [() => client.hub.places(), () => client.hub.memories(there, { limit: 5 })])
      await assert.rejects(call, error => EngineError.is(error, 'notAllowed'));
  });
});
