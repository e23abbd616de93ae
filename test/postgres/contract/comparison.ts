import assert from 'node:assert/strict';
import type { ComparisonSession } from '../../../src/engine/store/factComparison.js';
import { hashContent } from '../../../src/engine/store/contentHash.js';
import { StoreOfTest, type Contract } from './kit.js';

export const comparisonContract: Contract = backend => {
  const test = new StoreOfTest(backend);

  const open = (): ComparisonSession => test.store.openComparison(undefined, { relatedCosine: 0.8, embeds: false });
  const fact = (content: string, scopeId = ''): Parameters<ComparisonSession['add']>[0][number] => ({
    id: `new: ${content}`,
    content,
    contentHash: hashContent(content),
    assertedAt: test.now,
    scopeId,
    vector: undefined,
  });
  /** What a new fact is to each memory that it is related to. */
  const relate = async (content: string, scopeId?: string): Promise<readonly string[]> => {
    const session = open();
    const { relatedMemories } = await session.add([fact(content, scopeId)], true);
    session.end();
    return relatedMemories[0]!.filter(it => it.relation !== 'unrelated').map(it => `${it.relation} ${it.id.slice(-1)}`);
  };

  it('finds nothing to compare with in an empty store', async () => {
    assert.deepEqual(await relate('The database runs on port 5432.'), []);
  });

  it('finds the memory that a fact contradicts, with the certainty and the reason', async () => {
    await test.keepTexts('The staging database runs on port 5433.', 'Tabs are wide.');
    const session = open();
    const { relatedMemories, vectors, embedding } = await session.add(
      [fact('The staging database runs on port 5432.')],
      true,
    );
    session.end();
    const [found] = relatedMemories[0]!;
    assert.deepEqual(
      [found!.relation, found!.contentHash],
      ['conflicting', hashContent('The staging database runs on port 5433.')],
    );
    assert.ok(found!.certainty > 0.5 && found!.certainty <= 1 && found!.reason.length > 0);
    assert.deepEqual([vectors, embedding], [[undefined], undefined]);
  });

  it('compares with active memories of the same set only', async () => {
    const text = 'The staging database runs on port 5433.';
    await test.keep(text, { status: 'archived', archiveReason: 'faded' });
    await test.keep(text, { scopeId: 'work' });
    assert.deepEqual(await relate('The staging database runs on port 5432.'), []);
    assert.deepEqual(await relate('The staging database runs on port 5432.', 'work'), ['conflicting 2']);
  });

  it('compares the facts of a call with each other, also of earlier batches', async () => {
    const session = open();
    const first = await session.add(
      [fact('The staging database runs on port 5432.'), fact('The staging database runs on port 5433.')],
      false,
    );
    const second = await session.add([fact('The staging database runs on port 5434.')], true);
    session.end();
    const idsOf = (related: (typeof first)['relatedMemories'][number]): readonly string[] =>
      related
        .filter(it => it.relation === 'conflicting')
        .map(it => it.id.slice(-5))
        .sort();
    assert.deepEqual([...first.relatedMemories, ...second.relatedMemories].map(idsOf), [
      [],
      ['5432.'],
      ['5432.', '5433.'],
    ]);
  });

  it('sees every write before a batch, and knows up to which revision', async () => {
    const session = open();
    assert.equal(session.revision, Infinity);
    await session.add([fact('Tabs are wide.')], false);
    const before = session.revision;
    await test.keepTexts('The staging database runs on port 5433.');
    const { relatedMemories } = await session.add([fact('The staging database runs on port 5432.')], true);
    session.end();
    assert.deepEqual(
      relatedMemories[0]!.map(it => it.relation),
      ['conflicting'],
    );
    assert.equal(session.revision, before);
    assert.ok(before <= (await test.store.revision()) - 1);
  });

  it('compares nothing with an empty batch, and survives an end in the middle', async () => {
    const session = open();
    assert.deepEqual((await session.add([], false)).relatedMemories, []);
    session.end();
    session.end();
    assert.deepEqual(await relate('Tabs are wide.'), []);
  });
};
