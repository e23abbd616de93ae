import assert from 'node:assert/strict';
import { EngineError, type EngineErrorCode } from '../../../src/engine/base/errors.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { shortId, type Memory } from '../../../src/engine/model/memory.js';
import { storeMemory, storeProblems, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

type Verb = (engine: MemoryEngine, id: string) => Promise<Memory>;

const verbs = {
  pin: (engine, id) => engine.pin(id),
  unpin: (engine, id) => engine.unpin(id),
  forget: (engine, id) => engine.forget(id),
  restore: (engine, id) => engine.restore(id),
  promote: (engine, id) => engine.promote(id),
  markCritical: (engine, id) => engine.markCritical(id),
  useful: (engine, id) => engine.feedback(id, true),
  notUseful: (engine, id) => engine.feedback(id, false),
  rate1: (engine, id) => engine.feedback(id, 1),
  rate3: (engine, id) => engine.feedback(id, 3),
  rate4: (engine, id) => engine.feedback(id, 4),
  rate5: (engine, id) => engine.feedback(id, 5),
} satisfies Record<string, Verb>;

/** Does the verbs to a note, a day apart, and says which of its fields differ at the end and what the audit log says. */
function check(
  steps: readonly (keyof typeof verbs)[],
  changed: Readonly<Record<string, unknown>>,
  audit: readonly string[],
): void {
  it(steps.join(', '), async () => {
    const host = new TestHost();
    const engine = await host.open();
    const id = await storeMemory(engine, 'The build runs on Node 20.', { lane: 'note', gate: 'epistemic' });
    const before = await engine.get(id);
    for (const step of steps) {
      host.advanceDays(1);
      // Every other time by its handle, as people and models name it.
      const answer = await verbs[step](
        engine,
        steps.indexOf(step) % 2 === 0 ? id : `#${shortId({ id }).toUpperCase()}`,
      );
      assert.deepEqual(answer, await engine.get(id));
    }
    const after: Partial<Memory> = await engine.get(id);
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Memory)[];
    const differs = names.filter(it => JSON.stringify(before[it]) !== JSON.stringify(after[it]));
    assert.deepEqual(Object.fromEntries(differs.map(it => [it, after[it]])), changed);
    const log = await sql(host.globalFile, 'SELECT action, actor FROM audit WHERE memory_id IS NOT NULL ORDER BY seq');
    assert.deepEqual(
      log.map(it => `${String(it.action)} by ${String(it.actor)}`),
      ['create', ...audit].map(it => `${it} by test`),
    );
    assert.deepEqual(await storeProblems(engine), []);
  });
}

function fails(name: string, reference: string, code: EngineErrorCode): void {
  it(name, async () => {
    const engine = await new TestHost().open();
    await storeMemory(engine, 'The build runs on Node 20.');
    for (const verb of [...Object.values(verbs), (it: MemoryEngine, id: string) => it.get(id)]) {
      await assert.rejects(verb(engine, reference), error => {
        assert.ok(EngineError.is(error, code), String(error));
        assert.ok(error.message.length < 200 && !error.message.includes('\n'), error.message);
        return true;
      });
    }
  });
}

describe('curate', () => {
  const forgotten = { status: 'archived', archiveReason: 'forgotten', archivedAt: '2026-03-03T09:00:00.000Z' };
  // 85 after one day of a half-life of 45.
  const afterOneDay = 90 * 0.5 ** (1 / 45);
  check(['pin'], { pinned: true, confidence: afterOneDay }, ['pin']);
  check(['pin', 'pin'], { pinned: true, confidence: afterOneDay }, ['pin']);
  check(['unpin'], {}, []);
  check(['pin', 'unpin'], { confidence: afterOneDay, updatedAt: '2026-03-04T09:00:00.000Z' }, ['pin', 'unpin']);
  check(['forget'], forgotten, ['archive']);
  check(['forget', 'forget'], forgotten, ['archive']);
  check(['restore'], {}, []);
  check(['forget', 'restore'], { updatedAt: '2026-03-04T09:00:00.000Z' }, ['archive', 'restore']);
  check(
    ['pin', 'forget', 'restore', 'restore'],
    { pinned: true, confidence: afterOneDay, updatedAt: '2026-03-05T09:00:00.000Z' },
    ['pin', 'archive', 'restore'],
  );
  check(['promote'], { lane: 'confirmed' }, ['promote']);
  check(['promote', 'promote'], { lane: 'confirmed' }, ['promote']);
  check(['markCritical', 'markCritical'], { decayClass: 'permanent' }, ['edit']);
  check(['useful', 'useful', 'notUseful'], { feedback: 1, usefulCount: 2 }, ['feedback', 'feedback', 'feedback']);
  check(['rate4'], { feedback: 1, usefulCount: 1 }, ['feedback']);
  check(['rate5', 'rate3'], { feedback: 2, usefulCount: 1 }, ['feedback', 'feedback']);
  check(['rate1'], { feedback: -2 }, ['feedback']);

  fails('an id without a memory', '01950000-0000-7000-8000-000000000000', 'notFound');
  fails('a short id without a memory', '#00000000', 'notFound');
  fails('no id at all', '', 'notFound');
  fails('something quite different', "'; DROP TABLE memories; --", 'notFound');
  fails('a page of text', 'x\n'.repeat(500_000), 'notFound');
  fails('a wildcard', '%', 'notFound');

  it('asks which one, where a handle could be two', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    const one = await storeMemory(engine, 'The build runs on Node 20.');
    const two = await storeMemory(engine, 'The build runs on Node 22.', { store: 'project' });
    const twin = `${two.slice(0, -8)}${shortId({ id: one })}`;
    const file = engine.stores[0]!.file;
    await sql(file, `UPDATE memories SET id = '${twin}'`);
    await assert.rejects(engine.pin(shortId({ id: one })), error => {
      assert.ok(EngineError.is(error, 'ambiguousId'));
      assert.ok(error.message.includes(one) && error.message.includes(twin));
      return true;
    });
    assert.equal((await engine.pin(twin)).store, 'project');
  });

  it('shows the value at which it was pinned as long as it is pinned, and fades from there afterwards', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const id = await storeMemory(engine, 'The build runs on Node 20.', { decayClass: 'session' });
    const shown = async (): Promise<number> => engine.effectiveConfidence(await engine.get(id));
    host.advanceDays(3.5);
    const half = await shown();
    await engine.pin(id);
    host.advanceDays(100);
    assert.equal(await shown(), half);
    await engine.unpin(id);
    assert.equal(await shown(), half);
    host.advanceDays(3.5);
    assert.equal(await shown(), half / 2);
  });

  it('lets no note expire that was promoted or found useful', async () => {
    for (const vouch of ['promote', 'useful'] as const) {
      const engine = await new TestHost().open();
      const id = await storeMemory(engine, 'The build runs on Node 20.', { lane: 'note', source: 'conversation' });
      assert.notEqual((await engine.get(id)).expiresAt, undefined);
      assert.equal((await verbs[vouch](engine, id)).expiresAt, undefined);
    }
  });

  it('sets a priority of 1 to 10, which decides between memories that are as probable', async () => {
    const host = new TestHost();
    host.settings = { ...host.settings, embeddings: 'off' };
    const engine = await host.open();
    const at = '2026-02-25T10:00:00Z';
    const id = await storeMemory(engine, 'The gate of pier 17 opens at dawn.', { at });
    const other = await storeMemory(engine, 'The gate of pier 23 opens at dawn.', { at });
    const found = async (): Promise<readonly string[]> =>
      (await engine.recall({ query: 'when does the gate open', isUntracked: true })).hits.map(it => it.memory.id);
    assert.equal((await engine.setPriority(id, 10)).priority, 10);
    assert.deepEqual(await found(), [id, other]);
    await engine.setPriority(other, 10);
    await engine.setPriority(id, 1);
    assert.deepEqual(await found(), [other, id]);
    for (const priority of [0, 11, 2.5])
      await assert.rejects(engine.setPriority(id, priority), error => EngineError.is(error, 'invalidInput'));
  });

  it('does not lose one of two changes made at once', async () => {
    const engine = await new TestHost().open();
    const id = await storeMemory(engine, 'The build runs on Node 20.');
    await Promise.all([
      ...Array.from({ length: 20 }, () => engine.feedback(id, true)),
      engine.pin(id),
      engine.markCritical(id),
    ]);
    const { feedback, pinned, decayClass } = await engine.get(id);
    assert.deepEqual({ feedback, pinned, decayClass }, { feedback: 20, pinned: true, decayClass: 'permanent' });
  });
});

describe('editing the text of a memory', () => {
  const before = 'The build runs on Node 20.';
  const content = 'The build runs on Node 22.';
  const open = async (more: Parameters<typeof storeMemory>[2] = {}) => {
    const host = new TestHost();
    const engine = await host.open();
    return { host, engine, id: await storeMemory(engine, before, more) };
  };

  it("makes the memory the person's, is found by its new words, and is written to the audit log without them", async () => {
    const { host, engine, id } = await open({ lane: 'note', source: 'conversation' });
    assert.notEqual((await engine.get(id)).expiresAt, undefined);
    host.advanceDays(1);
    const edited = await engine.editText(shortId({ id }), { content: `  ${content}\n`, before });
    assert.deepEqual(edited, await engine.get(id));
    assert.deepEqual(
      [edited.content, edited.summary, edited.lane, edited.expiresAt, edited.updatedAt],
      [content, content, 'confirmed', undefined, '2026-03-03T09:00:00.000Z'],
    );
    const { hits } = await engine.recall({ query: 'Node 22' });
    assert.deepEqual(
      hits.map(it => it.memory.content),
      [content],
    );
    const [, line] = await engine.explainer.history(id);
    const { row, ...detail } = line!.detail;
    assert.deepEqual([line?.action, line?.actor, detail], ['edit', 'test', { change: 'text' }]);
    // By which `verify` finds a row that was changed past the program.
    assert.deepEqual(row, ['confirmed', 0, edited.confidence]);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('is undone as a whole, one edit after the other', async () => {
    const { engine, id } = await open({ lane: 'note', source: 'conversation' });
    const { lane, expiresAt } = await engine.get(id);
    await engine.editText(id, { content, before });
    const second = 'The build runs on Node 24.';
    await engine.editText(id, { content: second, before: content });
    assert.deepEqual([(await engine.textEdits.undo(id)).content, await engine.textEdits.canUndo(id)], [content, true]);
    const undone = await engine.textEdits.undo(id);
    assert.deepEqual([undone.content, undone.lane, undone.expiresAt], [before, lane, expiresAt]);
    assert.equal(await engine.textEdits.canUndo(id), false);
    await assert.rejects(engine.textEdits.undo(id), { message: 'It has no edit that could be taken back.' });
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('keeps a former text until the memory is deleted for good, and of the ten edited last', async () => {
    const { host, engine, id } = await open();
    await engine.editText(id, { content, before });
    await engine.deletion.purge([id]);
    assert.deepEqual(await sql(host.globalFile, "SELECT id FROM records WHERE kind = 'formerText'"), []);
    const ids: string[] = [];
    for (let i = 0; i < 11; i++) {
      ids.push(await storeMemory(engine, `Berth ${i} is open.`));
      host.advanceDays(1);
      await engine.editText(ids[i]!, { before: `Berth ${i} is open.`, content: `Berth ${i} is closed.` });
    }
    const undoable = await Promise.all(ids.map(it => engine.textEdits.canUndo(it)));
    assert.deepEqual(
      undoable,
      ids.map((_, i) => i > 0),
    );
  });

  it('refuses a secret, nothing, the text of another memory, and one that was changed meanwhile', async () => {
    const { engine, id } = await open();
    const other = await storeMemory(engine, 'Lunch is at noon.');
    const secret = ['AKIA', 'IOSFODNN7EXAMPLQ'].join('');
    const refused = async (text: string, seen: string, says: RegExp): Promise<void> => {
      await assert.rejects(engine.editText(id, { content: text, before: seen }), error => {
        assert.ok(EngineError.is(error, 'invalidInput'), String(error));
        assert.match(error.message, says);
        return true;
      });
    };
    await refused(`The key is ${secret}.`, before, /^It contains a secret \([^)]+\), and secrets are not kept/u);
    await refused('  ', before, /^There is nothing to remember/u);
    await refused('Lunch is at noon.', before, new RegExp(`#${shortId({ id: other })}`, 'u'));
    await refused(content, 'The build runs on Node 18.', /^It has been changed meanwhile/u);
    assert.equal((await engine.get(id)).content, before);
    await engine.forget(id);
    await refused(content, before, /^It is no longer in use/u);
  });

  it('follows the date that the new text of a plan names', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const plan = 'Release the app on 10 March 2026.';
    const id = await storeMemory(engine, plan, { gate: 'promissory' });
    const due = (await engine.get(id)).dueAt;
    assert.match(due ?? '', /^2026-03-10/u);
    const later = 'Release the app on 20 March 2026.';
    assert.match((await engine.editText(id, { content: later, before: plan })).dueAt ?? '', /^2026-03-20/u);
    const same = 'Release the new app on 20 March 2026.';
    assert.match((await engine.editText(id, { content: same, before: later })).dueAt ?? '', /^2026-03-20/u);
  });
});
