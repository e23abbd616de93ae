import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { Memory, StoreKind } from '../../../src/engine/model/memory.js';
import { contentTermSet } from '../../../src/engine/text/analyzer.js';
import { placeNearDuplicates } from '../../../src/engine/recall/nearDuplicates.js';
import { storeMemory, TestHost } from '../../support/fixtures.js';

interface Note {
  readonly content: string;
  readonly day: number;
  readonly kind?: string;
  readonly status?: string;
  readonly probability?: number;
  readonly wording?: number;
  readonly hasAids?: boolean;
  readonly vector?: Int8Array;
  readonly store?: StoreKind;
  /** Contents of the notes that the encoder takes for replaced by it. */
  readonly mayReplace?: readonly string[];
}

/** Contents and probabilities in the new order. */
function place(
  notes: readonly Note[],
  newestFirst = true,
): readonly (readonly [content: string, probability: number])[] {
  const candidates = notes.map(
    ({
      content,
      day,
      kind = 'context',
      status = 'active',
      probability = 0.1,
      wording = 0.5,
      hasAids = false,
      vector,
      store = 'global',
      mayReplace,
    }) => ({
      hit: {
        memory: {
          id: content,
          content,
          kind,
          status,
          store,
          reinforcedAt: new Date(day).toISOString(),
          provenance: { mayReplace },
        } as unknown as Memory,
      },
      relevance: { probability },
      wording,
      hasAids,
      vector,
      terms: contentTermSet(content),
    }),
  );
  return placeNearDuplicates(candidates, { newestFirst }).map(it => [it.hit.memory.content, it.relevance.probability]);
}

const older = {
  content: 'The ferry leaves from pier four at nine',
  day: 1,
  probability: 0.4,
  vector: Int8Array.of(127, 0),
};
const newer = {
  content: 'The ferry leaves from pier four at eleven',
  day: 2,
  probability: 0.2,
  vector: Int8Array.of(127, 0),
};
const other = { content: 'Tickets are sold in the harbour office', day: 3, vector: Int8Array.of(0, 127) };

describe('near-duplicates', () => {
  it('stand newest first, and the newer one is as probable as the one it precedes', () => {
    assert.deepEqual(place([older, other, newer]), [
      [newer.content, 0.4],
      [older.content, 0.4],
      [other.content, 0.1],
    ]);
  });

  it('that the encoder takes for replaced come after what replaces them, however unlike the two are', () => {
    const moved = { content: 'Boats go at noon from the west quay', day: 2, vector: Int8Array.of(90, 90) };
    const contents = (notes: readonly Note[]): readonly string[] => place(notes).map(it => it[0]);
    assert.deepEqual(contents([older, other, moved]), [older.content, other.content, moved.content]);
    const replacing = { ...moved, mayReplace: [older.content] };
    assert.deepEqual(contents([older, other, replacing]), [moved.content, older.content, other.content]);
    const asked = { ...replacing, hasAids: true };
    assert.deepEqual(contents([older, other, asked]), [older.content, other.content, moved.content]);
  });

  it('stay in their order where a model was asked whether the newer one replaces the other', () => {
    assert.deepEqual(
      place([older, other, { ...newer, hasAids: true }]).map(it => it[0]),
      [older.content, other.content, newer.content],
    );
  });

  it('do not give way to a newer note that lacks a word of the question, if they have every word', () => {
    const payments = { ...older, content: 'The payments service runs on port 8443', wording: 1 };
    const crane = { ...newer, content: 'The crane service runs on port 7001', wording: 0.6 };
    const contents = (notes: readonly Note[]): readonly string[] => place(notes).map(it => it[0]);
    assert.deepEqual(contents([payments, crane]), [payments.content, crane.content]);
    assert.deepEqual(contents([payments, { ...crane, wording: 1 }]), [crane.content, payments.content]);
  });

  it('of a project precede what holds for all projects, whatever their age and who knew of the other', () => {
    const [habit, exception] = [newer, { ...older, store: 'project', hasAids: true } as const];
    const order = [exception.content, habit.content];
    for (const newestFirst of [true, false]) {
      assert.deepEqual(
        place([habit, exception], newestFirst).map(it => it[0]),
        order,
      );
      assert.deepEqual(
        place([exception, habit], newestFirst).map(it => it[0]),
        order,
      );
    }
    const unrelated = { ...other, store: 'project' } as const;
    assert.deepEqual(
      place([habit, unrelated]).map(it => it[0]),
      [habit.content, unrelated.content],
    );
  });

  it('keep their rank where the question is no matter of age', () => {
    assert.deepEqual(
      place([older, other, newer], false).map(it => it[0]),
      [older.content, other.content, newer.content],
    );
  });

  it('stay where they are in the right order', () => {
    assert.deepEqual(
      place([newer, older]).map(it => it[0]),
      [newer.content, older.content],
    );
  });

  it('are not the only two that were found, unless they are fairly alike', () => {
    const notes = [
      { content: 'Rust sources go through rustfmt', day: 1, vector: Int8Array.of(127, 0) },
      { content: 'Rusty pipes go through inspection', day: 2, vector: Int8Array.of(24, 124) },
    ];
    assert.deepEqual(
      place(notes).map(it => it[0]),
      notes.map(it => it.content),
    );
  });

  it('are not what merely shares a word', () => {
    const notes = [
      { content: 'The ferry leaves from pier four', day: 1 },
      { content: 'The ferry has a new engine', day: 2 },
    ];
    assert.deepEqual(
      place(notes).map(it => it[0]),
      notes.map(it => it.content),
    );
  });

  it('are not code and not archived memories', () => {
    for (const change of [{ kind: 'code' }, { status: 'archived' }]) {
      assert.deepEqual(
        place([older, { ...newer, ...change }]).map(it => it[0]),
        [older.content, newer.content],
      );
    }
  });

  it('of no candidates are none', () => {
    assert.deepEqual(place([]), []);
  });

  it('of a project are first in its answers only', async () => {
    const host = new TestHost({ project: true });
    const [folder] = host.workspaceFolders;
    const engine = await host.open();
    const exception = 'In this repository Ilse prefers spaces.';
    const habit = 'Ilse prefers tabs.';
    for (const [content, store] of [
      [exception, 'project'],
      ['The ferry leaves from pier four.', 'project'],
      [habit, 'global'],
    ] as const) {
      host.advanceDays(1);
      const [outcome] = await engine.remember({ content, store, source: 'mcp', lane: 'note', whole: true });
      assert.equal(outcome?.outcome, 'stored');
    }
    const ask = async (it: MemoryEngine): Promise<string[]> =>
      (await it.recall({ query: 'does Ilse prefer tabs or spaces?' })).hits.map(hit => hit.memory.content);
    assert.deepEqual((await ask(engine)).slice(0, 2), [exception, habit]);
    await engine.close();
    const elsewhere = new TestHost({ project: true });
    elsewhere.dataDir = host.dataDir;
    assert.notEqual(elsewhere.workspaceFolders[0], folder);
    assert.deepEqual(await ask(await elsewhere.open()), [habit]);
  });

  it('of a project are first where they were stored instead of a habit, in whatever words', async () => {
    const engine = await new TestHost({ project: true }).open();
    const habit = await storeMemory(engine, 'Ilse prefers tabs.');
    const fact = 'Kotlin files are formatted with four blanks a level, never with tabs.';
    const input = { content: fact, store: 'project', source: 'mcp', lane: 'note', whole: true } as const;
    const [outcome] = await engine.remember({ ...input, links: { replaces: [habit] } });
    assert.match(JSON.stringify(outcome), /in this project the new fact comes first/u);
    const { hits } = await engine.recall({ query: 'does Ilse prefer tabs or spaces?' });
    assert.deepEqual(
      hits.map(it => it.memory.content),
      [fact, 'Ilse prefers tabs.'],
    );
  });

  it('stand newest first in the answer of a recall', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const notes = [
      'The build of the harbour app takes six minutes on the old runner.',
      'Inger paints the boathouse every spring.',
      'Tickets are sold in the office by the quay.',
      'The crane was serviced by a firm from Bergen.',
      'The build of the harbour app takes two minutes on the new runner.',
    ];
    for (const it of notes) {
      host.advanceDays(1);
      await storeMemory(engine, it, { whole: true });
    }
    const { hits } = await engine.recall({ query: 'how long is the old runner busy with the harbour app' });
    assert.deepEqual(
      hits.slice(0, 2).map(it => it.memory.content),
      [notes.at(-1), notes[0]],
    );
  });
});
