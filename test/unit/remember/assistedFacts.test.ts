import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { shortId, type Memory, type SearchAids } from '../../../src/engine/model/memory.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import type { RememberOutcome } from '../../../src/engine/model/rememberOutcome.js';
import { memoryInput, storeMemory, storeProblems, TestHost } from '../../support/fixtures.js';

const old = 'The harbour gate has a brass bell.';
const changed = 'Bells are made of steel now.';

describe('facts of an assistant', () => {
  let host: TestHost;
  let engine: MemoryEngine;

  beforeEach(async () => {
    host = new TestHost({ project: true });
    host.settings = { ...host.settings, embeddings: 'off' };
    engine = await host.open();
  });

  afterEach(async () => {
    assert.deepEqual(await storeProblems(engine), []);
  });

  const tell = async (content: string, rest: Partial<RememberInput> = {}): Promise<RememberOutcome> =>
    (await engine.remember(memoryInput(content, { lane: 'note', ...rest })))[0]!;
  const idOf = (it: RememberOutcome): string => {
    assert.notEqual(it.outcome, 'refused');
    return (it as { readonly id: string }).id;
  };
  const reasonOf = (it: RememberOutcome): string | undefined => ('reason' in it ? it.reason : undefined);
  const aidsOf = async (id: string): Promise<SearchAids | undefined> => (await engine.aids([id])).get(id);
  /** `type outdated-end by` of each edge between two memories. */
  const edgesBetween = async (one: string, other: string): Promise<string[]> =>
    (await engine.graph.neighbors(one))
      .filter(({ edge }) => edge.source === other || edge.target === other)
      .map(({ edge: { source, target, type, mark } }) => {
        const ends: Record<string, string> = { source, target, none: 'none' };
        return mark === undefined ? type : `${type} ${ends[mark.outdated] === one ? 'one' : 'other'} ${mark.by}`;
      });
  const strengthOf = ({ status, lane, confidence, reinforcementCount }: Memory): unknown => ({
    status,
    lane,
    confidence,
    reinforcementCount,
  });

  it('store search aids on one line, distinct, at most three questions and ten words, each cut to its length', async () => {
    const id = idOf(
      await tell(old, {
        aids: {
          questions: ['What\nrings  there?', 'What rings there?', 'q'.repeat(200), 'Is it loud?', 'Is there a fourth?'],
          keywords: [...Array.from({ length: 12 }, (_, i) => `word ${i}`), 'k'.repeat(90)],
        },
      }),
    );
    const long = idOf(await tell(changed, { aids: { keywords: ['k'.repeat(90), ' '] } }));
    assert.deepEqual(
      [await aidsOf(id), await aidsOf(long)],
      [
        {
          questions: ['What rings there?', 'q'.repeat(120), 'Is it loud?'],
          keywords: Array.from({ length: 10 }, (_, i) => `word ${i}`),
        },
        { questions: [], keywords: ['k'.repeat(40)] },
      ],
    );
  });

  it('store no search aid that holds a secret, also one that the limit would cut in two', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const id = idOf(
      await tell(old, {
        aids: {
          questions: [`Is ${token} the token?`, `${'Which one is it? '.repeat(6)}${token}`, 'What rings there?'],
          keywords: [token, 'chime'],
        },
      }),
    );
    assert.deepEqual(await aidsOf(id), { questions: ['What rings there?'], keywords: ['chime'] });
  });

  it('mark a note that they replace as outdated, and cost it no confidence', async () => {
    const first = idOf(await tell(old));
    const before = strengthOf(await engine.get(first));
    const second = await tell(changed, { links: { replaces: [`#${shortId({ id: first }).toUpperCase()}`] } });
    assert.deepEqual(
      [second.outcome, reasonOf(second), await edgesBetween(first, idOf(second)), strengthOf(await engine.get(first))],
      ['stored', undefined, ['contradicts one model'], before],
    );
  });

  for (const name of ['confirmed', 'pinned'] as const) {
    it(`leave a ${name} memory that they replace whole`, async () => {
      const first = await storeMemory(engine, old, { lane: name === 'confirmed' ? 'confirmed' : 'note' });
      if (name === 'pinned') await engine.pin(first);
      const before = await engine.get(first);
      const second = idOf(await tell(changed, { links: { replaces: [first] } }));
      const { centrality } = await engine.get(first);
      assert.deepEqual(await engine.get(first), { ...before, centrality });
      const { hits } = await engine.recall({ query: 'harbour gate bell' });
      assert.deepEqual(
        hits.map(it => [it.memory.id, it.before, it.outdating?.isNewer]),
        [
          [second, undefined, true],
          [first, undefined, false],
        ],
      );
    });
  }

  it('are linked to what they refine', async () => {
    const first = idOf(await tell(old));
    const second = await tell('It rings at noon.', { links: { refines: [first] } });
    assert.deepEqual([reasonOf(second), await edgesBetween(idOf(second), first)], [undefined, ['refines']]);
  });

  it('reinforce the memory that they say again, in whatever words, without a second row', async () => {
    const first = await storeMemory(engine, old);
    const { confidence } = await engine.get(first);
    host.advanceDays(1);
    const again = await tell('A brass thing rings at the port entrance.', {
      links: { sameAs: first },
      aids: { keywords: ['chime'] },
    });
    const { content, lane, reinforcementCount, confidence: after } = await engine.get(first);
    assert.deepEqual(
      [again.outcome, idOf(again), content, lane, reinforcementCount, after >= confidence, await aidsOf(first)],
      ['reinforced', first, old, 'confirmed', 2, true, { questions: [], keywords: ['chime'] }],
    );
    assert.equal((await engine.list()).length, 1);
  });

  it('give a note their wording where they say it again, and keep the former one as what was said', async () => {
    const note = idOf(await tell('stop ringing that bell at night'));
    const content = 'The bell is never rung at night.';
    const again = await tell(content, { links: { sameAs: note } });
    const { lane, provenance, reinforcementCount } = await engine.get(note);
    assert.deepEqual(
      [again.outcome, idOf(again), (await engine.get(note)).content, lane, reinforcementCount, provenance.said],
      ['reinforced', note, content, 'note', 2, 'stop ringing that bell at night'],
    );
    assert.equal((await engine.recall({ query: 'bell never rung at night' })).hits[0]?.memory.id, note);
    // Said in these words once more, it is known.
    assert.equal(idOf(await tell(content)), note);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('add search aids to a known memory where there is room, and keep those that a person edited', async () => {
    const id = idOf(await tell(old, { aids: { questions: ['Is it loud?'], keywords: ['chime'] } }));
    await engine.revise({ id, questions: ['What rings there?'], keywords: ['gong'] }, 'person');
    const more = Array.from({ length: 12 }, (_, i) => `word ${i}`);
    await tell(old, { aids: { questions: ['Is it loud?'], keywords: more } });
    assert.deepEqual(await aidsOf(id), {
      questions: ['What rings there?', 'Is it loud?'],
      keywords: ['gong', ...more.slice(0, 9)],
    });
    const inputs = ['one', 'two'].map(it => memoryInput(changed, { lane: 'note', aids: { keywords: [it] } }));
    const [[first]] = (await engine.rememberAll(inputs)) as [[RememberOutcome]];
    assert.deepEqual((await aidsOf(idOf(first)))?.keywords, ['one', 'two']);
  });

  it('are plans where they have a due date, unless the caller names another gate', async () => {
    const dueAt = new Date(host.time + 9 * 86_400_000).toISOString();
    const gates = [];
    for (const gate of [undefined, 'epistemic'] as const) {
      const content = `The brass bell of pier ${gate ?? 'one'} is polished.`;
      gates.push((await engine.get(idOf(await tell(content, { dueAt, ...(gate && { gate }) })))).gate);
    }
    assert.deepEqual(gates, ['promissory', 'epistemic']);
  });

  it('say which ids name no memory, and are stored', async () => {
    const outcome = await tell(changed, { links: { replaces: ['#00000000'], refines: ['nonsense'] } });
    assert.deepEqual(
      [outcome.outcome, reasonOf(outcome)],
      ['stored', 'There is no memory #00000000. There is no memory #nonsense.'],
    );
  });

  const elsewhere: readonly (readonly [string, Partial<RememberInput>])[] = [
    ['in another store', { store: 'project' }],
    ['in another set', { scopeId: 'elsewhere' }],
  ];
  for (const [where, place] of elsewhere) {
    for (const link of ['replaces', 'refines', 'sameAs'] as const) {
      it(`are stored and say that nothing was marked where ${link} names a memory ${where}`, async () => {
        const first = idOf(await tell(old, place));
        const before = await engine.get(first);
        const links = link === 'sameAs' ? { sameAs: first } : { [link]: [first] };
        const second = await tell(changed, { links });
        assert.deepEqual(
          [second.outcome, reasonOf(second), await engine.get(first), await edgesBetween(first, idOf(second))],
          [
            'stored',
            `#${shortId({ id: first })} is in another store or set, so that nothing was marked there.`,
            before,
            [],
          ],
        );
      });
    }
  }

  it('go to the store of the memory that they replace when the caller names none', async () => {
    const first = idOf(await tell(old, { store: 'project' }));
    const [outcome] = await engine.remember({
      content: changed,
      whole: true,
      source: 'explicit',
      gate: 'behavioral',
      links: { replaces: [first] },
    });
    assert.deepEqual(
      [(await engine.get(idOf(outcome!))).store, await edgesBetween(first, idOf(outcome!))],
      ['project', ['contradicts one model']],
    );
  });

  it('say that a fact holds again that had been replaced, and by what', async () => {
    const first = idOf(await tell(old));
    const second = idOf(await tell(changed, { links: { replaces: [first] } }));
    const again = await tell(old);
    assert.deepEqual(
      [again.outcome, reasonOf(again)],
      [
        'reinforced',
        `Said again, it holds again, and so does #${shortId({ id: second })}, which had replaced it: if only one of them does, say which replaces the other.`,
      ],
    );
    assert.equal((await engine.conflicts.replacements([await engine.get(first)])).size, 0);
    assert.equal(reasonOf(await tell(old)), undefined);
  });

  it('do not reopen what a person has settled', async () => {
    const first = await storeMemory(engine, 'The build runs on Node 20.');
    host.advanceDays(1);
    const second = await storeMemory(engine, 'The build runs on Node 22.');
    await engine.revise({ id: first, replacedBy: second }, 'person');
    await engine.conflicts.resolve(first, second, 'keepBoth');
    const again = await tell('The build runs on Node 22.', { links: { replaces: [first] } });
    assert.deepEqual(
      [again.outcome, await edgesBetween(first, second), await engine.conflicts.list()],
      ['reinforced', ['contradicts one person'], []],
    );
  });
});
