import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { looksLikeProjectFact } from '../../../src/engine/classify/projectFact.js';
import type { Gate, StoreKind } from '../../../src/engine/model/memory.js';
import {
  linkContradiction,
  memoryInput,
  storeMemory,
  storeProblems,
  TestHost,
  writeToStore,
} from '../../support/fixtures.js';

describe('moving memories between stores', () => {
  let host: TestHost;
  let engine: MemoryEngine;

  beforeEach(async () => {
    host = new TestHost({ project: true });
    engine = await host.open();
  });

  const contents = async (store: StoreKind): Promise<string[]> =>
    (await engine.list({ scope: store === 'project' ? 'project-only' : 'global-only' })).map(it => it.content).sort();

  it('keeps everything of a memory but its store, and moving back undoes it', async () => {
    const aids = { questions: ['Which day is release day?'], keywords: ['cadence'] };
    const id = await storeMemory(engine, 'Releases happen on Thursdays.', { aids, tags: ['release'], priority: 8 });
    await engine.pin(id);
    const before = await engine.get(id);
    const { moved, refused } = await engine.moves.move([id], 'project');
    assert.deepEqual([moved.map(it => it.id), refused], [[id], []]);
    assert.deepEqual([await contents('project'), await contents('global')], [['Releases happen on Thursdays.'], []]);
    const there = await engine.get(id);
    assert.deepEqual(there, { ...before, store: 'project', sequence: there.sequence });
    assert.deepEqual((await engine.aids([id])).get(id), aids);
    const { hits } = await engine.recall({ query: 'release cadence', scope: 'project-only' });
    assert.deepEqual(
      hits.map(it => it.memory.id),
      [id],
    );
    await engine.moves.move([id.slice(-8)], 'global');
    const back = await engine.get(id);
    assert.deepEqual(back, { ...before, sequence: back.sequence });
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('keeps the branch on which a memory was learned where it was learned, and nowhere else', async () => {
    const branchOf = async (id: string): Promise<unknown> => (await engine.get(id)).provenance.branch;
    const setBranch = async (id: string, kind: StoreKind): Promise<void> => {
      const { store, centrality, ...memory } = await engine.get(id);
      const provenance = { ...memory.provenance, branch: 'feature/lint' };
      const { file } = engine.stores.find(it => it.kind === kind)!;
      await writeToStore(host, kind, file, async tx => {
        await tx.delete(id, 'purge');
        await tx.insertMany([{ ...memory, provenance }]);
      });
    };
    const own = await storeMemory(engine, 'The lint rules are strict.', { store: 'project' });
    await setBranch(own, 'project');
    await engine.moves.move([own], 'global');
    await engine.moves.move([own], 'project');
    const foreign = await storeMemory(engine, 'Squash every merge.');
    await setBranch(foreign, 'global');
    await engine.moves.move([foreign], 'project');
    assert.deepEqual([await branchOf(own), await branchOf(foreign)], ['feature/lint', undefined]);
  });

  it('takes the edges between moved memories along, and gives the others back on return', async () => {
    const older = await storeMemory(engine, 'The build runs on Node 20.');
    const newer = await storeMemory(engine, 'The build runs on Node 22.');
    const edgesOf = async (id: string): Promise<string[]> =>
      (await engine.graph.neighbors(id)).map(it => `${it.edge.type} ${it.memory.id}`).sort();
    await linkContradiction(host, newer, older);
    const before = await edgesOf(newer);
    assert.ok(before.includes(`contradicts ${older}`));
    await engine.moves.move([newer], 'project');
    assert.deepEqual(await edgesOf(newer), []);
    await engine.moves.move([newer], 'global');
    assert.deepEqual(await edgesOf(newer), before);
    await engine.moves.move([older, newer], 'project');
    assert.deepEqual(await edgesOf(newer), before);
    assert.equal((await engine.conflicts.list()).length, 1);
  });

  it('leaves a memory active that a person restored while what replaced it was elsewhere', async () => {
    const older = await storeMemory(engine, 'The build runs on Node 20.');
    const newer = await storeMemory(engine, 'The build runs on Node 22.');
    await linkContradiction(host, newer, older);
    await engine.conflicts.resolve(newer, older, 'keepA');
    await engine.moves.move([newer], 'project');
    await engine.restore(older);
    await engine.moves.move([newer], 'global');
    assert.equal((await engine.get(older)).status, 'active');
    const types = (await engine.graph.neighbors(newer)).map(it => it.edge.type);
    assert.deepEqual([types.includes('contradicts'), types.includes('supersedes')], [true, false]);
  });

  it('refuses what the other store has already, and moves the rest', async () => {
    const twin = await storeMemory(engine, 'The linter is oxlint.');
    const other = await storeMemory(engine, 'Squash every merge.');
    await storeMemory(engine, 'The linter is oxlint.', { store: 'project' });
    const { moved, refused } = await engine.moves.move([twin, other], 'project');
    assert.deepEqual(
      [moved.map(it => it.id), refused.map(it => it.memory.id), await contents('global')],
      [[other], [twin], ['The linter is oxlint.']],
    );
  });

  it('does nothing with what is there already', async () => {
    const id = await storeMemory(engine, 'Squash every merge.');
    assert.deepEqual(await engine.moves.move([id], 'global'), { moved: [], refused: [] });
  });

  it('ends a move that was interrupted between the stores', async () => {
    const id = await storeMemory(engine, 'Squash every merge.');
    const { store, centrality, ...copy } = await engine.get(id);
    const { file } = engine.stores.find(it => it.kind === 'project')!;
    await writeToStore(host, 'project', file, tx => tx.insertMany([copy]));
    await engine.moves.move([id], 'global');
    assert.deepEqual([await contents('project'), await contents('global')], [[], ['Squash every merge.']]);
  });

  it('ends a move that was interrupted on the way into the project, by the same call', async () => {
    const id = await storeMemory(engine, 'Squash every merge.');
    const { store, centrality, ...copy } = await engine.get(id);
    const { file } = engine.stores.find(it => it.kind === 'project')!;
    await writeToStore(host, 'project', file, tx => tx.insertMany([copy]));
    await engine.moves.move([id], 'project');
    assert.deepEqual([await contents('project'), await contents('global')], [['Squash every merge.'], []]);
  });

  it('is refused where the memory is there already and was changed in one of the two places', async () => {
    const id = await storeMemory(engine, 'Squash every merge.');
    const { store, centrality, ...copy } = await engine.get(id);
    const { file } = engine.stores.find(it => it.kind === 'project')!;
    await writeToStore(host, 'project', file, tx => tx.insertMany([{ ...copy, pinned: true }]));
    for (const to of ['global', 'project'] as const) {
      const { moved, refused } = await engine.moves.move([id], to);
      assert.deepEqual(
        [moved, refused.map(it => String(it.reason))],
        [
          [],
          [
            `It is in both places and differs there. Delete one of the two: recollect delete ${id.slice(-8)} --scope project-only, or global-only.`,
          ],
        ],
      );
    }
    assert.deepEqual(
      [await contents('project'), await contents('global')],
      [copy.content, copy.content].map(it => [it]),
    );
  });

  it('needs an open project', async () => {
    const alone = await new TestHost().open();
    const id = await storeMemory(alone, 'Squash every merge.');
    await assert.rejects(alone.moves.move([id], 'project'), /Open its folder first/u);
  });

  it('offers global memories that look like a project, once by itself and again when asked', async () => {
    const without = new TestHost();
    without.dataDir = host.dataDir;
    const withoutProject = await without.open();
    for (const content of ['We deploy on Tuesdays.', 'I like short answers.', 'The linter config is in `oxlint.json`.'])
      await withoutProject.remember({ content, source: 'explicit', lane: 'confirmed' });
    // A model's word is listed when it is asked for; a person's word is no guess.
    await engine.remember(memoryInput('The invoice job runs at four.', { lane: 'note' }));
    await engine.remember(memoryInput('The quay opens at five.', { lane: 'confirmed' }));
    const note = { store: 'project', lane: 'note' } as const;
    const placed = await storeMemory(engine, 'The harbour gate is shut.', note);
    await engine.revise({ id: placed, appliesTo: 'user' }, 'model');
    await engine.moves.move([await storeMemory(engine, 'The crane is rented.', note)], 'global');
    assert.equal(await engine.moves.firstReview(), 2);
    assert.equal(await engine.moves.firstReview(), 0);
    assert.deepEqual(
      (await engine.moves.candidates()).map(it => it.content),
      [
        'The harbour gate is shut.',
        'The invoice job runs at four.',
        'The linter config is in `oxlint.json`.',
        'We deploy on Tuesdays.',
      ],
    );
    assert.equal((await contents('global')).length, 7);
  });

  const facts: readonly (readonly [string, boolean, Gate?])[] = [
    ['The invoice job runs at four in the morning.', true, 'epistemic'],
    ['My sister keeps the invoices.', false, 'relational'],
    ['Our integration tests need Redis on port 6390.', true],
    ['Always run make lint before a commit in this repo.', true],
    ['Generated files live in src/generated.', true],
    ['I work in the morning.', false],
    ['The user prefers British spelling.', false],
    ['Use tabs in every project.', false],
    ['Answer in German.', false],
    ['My editor config is in ~/.config/nvim/init.lua.', false],
  ];
  for (const [content, expected, gate = 'behavioral'] of facts) {
    it(`${expected ? 'takes' : 'does not take'} ${JSON.stringify(content)} for a project's fact`, () => {
      assert.equal(looksLikeProjectFact({ content, gate, provenance: { source: 'explicit' } }), expected);
    });
  }
});
