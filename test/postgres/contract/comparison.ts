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
  /** Last characters of the ids of what is like a new fact. */
  const relate = async (content: string, scopeId?: string): Promise<readonly string[]> => {
    const session = open();
    const { relatedMemories } = await session.add([fact(content, scopeId)], true);
    session.end();
    return relatedMemories[0]!.map(it => it.id.slice(-1));
  };

  it('finds nothing to compare with in an empty store', async () => {
    assert.deepEqual(await relate('The database runs on port 5432.'), []);
  });

  it('finds the memory that is like a fact, with how alike they are', async () => {
    const [id] = await test.keepTexts('The staging database runs on port 5433.', 'Tabs are wide.');
    const session = open();
    const { relatedMemories, vectors, embedding } = await session.add(
      [fact('The staging database runs on port 5432.')],
      true,
    );
    session.end();
    const [found, ...others] = relatedMemories[0]!;
    assert.deepEqual([found!.id, found!.isRelated, others], [id, true, []]);
    assert.ok(found!.similarity > 0.3 && found!.similarity < 1 && found!.likeness >= found!.similarity);
    assert.deepEqual([vectors, embedding], [[undefined], undefined]);
  });

  it('compares with active memories of the same set only', async () => {
    const text = 'The staging database runs on port 5433.';
    await test.keep(text, { status: 'archived', archiveReason: 'faded' });
    await test.keep(text, { scopeId: 'work' });
    assert.deepEqual(await relate('The staging database runs on port 5432.'), []);
    assert.deepEqual(await relate('The staging database runs on port 5432.', 'work'), ['2']);
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
      related.map(it => it.id.slice(-5)).sort();
    assert.deepEqual([...first.relatedMemories, ...second.relatedMemories].map(idsOf), [
      [],
      ['5432.'],
      ['5432.', '5433.'],
    ]);
  });

  it('sees every write before a batch', async () => {
    const session = open();
    await session.add([fact('Tabs are wide.')], false);
    await test.keepTexts('The staging database runs on port 5433.');
    const { relatedMemories } = await session.add([fact('The staging database runs on port 5432.')], true);
    session.end();
    assert.equal(relatedMemories[0]!.length, 1);
  });

  it('compares nothing with an empty batch, and survives an end in the middle', async () => {
    const session = open();
    assert.deepEqual((await session.add([], false)).relatedMemories, []);
    session.end();
    session.end();
    assert.deepEqual(await relate('Tabs are wide.'), []);
  });
};
