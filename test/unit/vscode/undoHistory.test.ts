import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import type { EngineHost } from '../../../src/engine/model/host.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import { globalPlace } from '../../../src/engine/model/project.js';
import { maxUndoSteps, UndoHistory } from '../../../src/vscode/undo/undoHistory.js';
import { standingStep } from '../../../src/vscode/undo/undoSteps.js';
import { bundlePaths } from '../../support/bundlePaths.js';
import { linkContradiction } from '../../support/fixtures.js';
import { staticConfig } from '../../support/staticConfig.js';

describe('UndoHistory', () => {
  let folder: string;
  let file: string;
  let host: EngineHost;
  let engine: MemoryEngine;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'recollect-undo-'));
    file = join(folder, 'undo.json');
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const time = new Date('2026-03-02T09:00:00Z');
    host = {
      ...bundlePaths,
      dataDir: folder,
      workspaceFolders: [],
      client: 'test',
      log,
      config: () => staticConfig,
      now: () => time,
    };
    engine = await openEngine(host);
  });
  afterEach(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const remember = async (content: string): Promise<string> => {
    const [outcome] = await engine.remember({ content, source: 'explicit', lane: 'confirmed', whole: true });
    assert.ok(outcome !== undefined && outcome.outcome !== 'refused');
    return outcome.id;
  };
  const forget = async (history: UndoHistory, ...ids: string[]): Promise<void> => {
    for (const id of ids) await engine.forget(id);
    await history.record(engine, { name: 'forgot', ids, steps: [{ do: 'restore', ids }] });
  };
  const active = async (): Promise<readonly string[]> => (await engine.list()).map(it => it.content).sort();

  it('undoes the last changes one after another, a batch as one, also in another window', async () => {
    const [a, b, c] = [await remember('A is one.'), await remember('B is two.'), await remember('C is three.')];
    const history = new UndoHistory(file);
    await forget(history, a);
    await forget(history, b, c);
    assert.deepEqual(await active(), []);
    const other = new UndoHistory(file);
    assert.deepEqual((await other.undo(engine))?.ids, [b, c]);
    assert.deepEqual(await active(), ['B is two.', 'C is three.']);
    assert.deepEqual((await history.undo(engine))?.ids, [a]);
    assert.equal((await active()).length, 3);
    assert.equal(await other.undo(engine), undefined);
  });

  it('undoes an edit of a text, which lies in the store of its memory alone', async () => {
    const id = await remember('The ferry is Perpetua.');
    const history = new UndoHistory(file);
    const edit = async (before: string, content: string): Promise<void> => {
      await engine.editText(id, { before, content });
      await history.record(engine, { name: 'edited', ids: [id], steps: [{ do: 'undoEdit', ids: [id] }] });
    };
    await edit('The ferry is Perpetua.', 'The ferry is Felicity.');
    await edit('The ferry is Felicity.', 'The ferry is Agatha.');
    assert.doesNotMatch(readFileSync(file, 'utf8'), /ferry/u);
    await history.undo(engine);
    assert.deepEqual(await active(), ['The ferry is Felicity.']);
    await new UndoHistory(file).undo(engine);
    assert.deepEqual(await active(), ['The ferry is Perpetua.']);
    assert.equal(await history.undo(engine), undefined);
  });

  it('offers the change before once one is undone, for a day', async () => {
    const [a, b] = [await remember('A is one.'), await remember('B is two.')];
    let now = new Date('2026-03-02T09:00:00Z');
    const history = new UndoHistory(file, () => now);
    await forget(history, a);
    await forget(history, b);
    await history.undo(engine);
    assert.deepEqual((await history.recent(engine))?.ids, [a]);
    now = new Date('2026-03-03T10:00:00Z');
    assert.equal(await history.recent(engine), undefined);
    assert.deepEqual((await history.undo(engine))?.ids, [a]);
  });

  it('passes over a change of which nothing is left to undo', async () => {
    const [a, b] = [await remember('A is one.'), await remember('B is two.')];
    const history = new UndoHistory(file);
    await forget(history, a);
    await history.record(engine, { name: 'remembered', ids: [b], steps: [{ do: 'forget', ids: [b] }] });
    await engine.forget(b);
    assert.deepEqual((await history.undo(engine))?.ids, [a]);
    assert.deepEqual(await active(), ['A is one.']);
  });

  it('offers no change that was taken back elsewhere', async () => {
    const [a, b] = [await remember('A is one.'), await remember('B is two.')];
    const history = new UndoHistory(file);
    await forget(history, a);
    await forget(history, b);
    assert.deepEqual((await history.recent(engine))?.ids, [b]);
    await engine.restore(b);
    assert.deepEqual((await history.recent(engine))?.ids, [a]);
    await engine.restore(a);
    assert.equal(await history.recent(engine), undefined);
  });

  it('forgets a change that another one takes back', async () => {
    const id = await remember('A is one.');
    const history = new UndoHistory(file);
    await engine.forget(id);
    await history.note(engine, { name: 'forgot', ids: [id], steps: [{ do: 'restore', ids: [id] }] });
    await engine.restore(id);
    await history.note(engine, { name: 'restored', ids: [id], steps: [{ do: 'forget', ids: [id] }] });
    assert.equal(await history.undo(engine), undefined);
    assert.deepEqual(await active(), ['A is one.']);
    await history.note(engine, { name: 'settled', ids: [id], steps: [{ do: 'restore', ids: [id] }] });
    await history.noteTakenBack(engine, { name: 'settled', ids: [id] });
    assert.equal(await history.undo(engine), undefined);
  });

  it('undoes a confirmation and a life for good, with the end that a note had', async () => {
    const [stored] = await engine.remember({
      content: 'The quay is 80 metres long.',
      source: 'conversation',
      lane: 'note',
    });
    assert.equal(stored?.outcome, 'stored');
    const before = await engine.get(stored.id);
    assert.ok(before.lane === 'note' && before.expiresAt !== undefined);
    const history = new UndoHistory(file);
    const ids = [before.id];
    const confirmed = await engine.promote(before.id);
    await history.record(engine, { name: 'confirmed', ids, steps: [standingStep(before)] });
    await engine.markCritical(before.id);
    await history.record(engine, { name: 'keptForGood', ids, steps: [standingStep(confirmed)] });
    await history.undo(engine);
    assert.equal((await engine.get(before.id)).decayClass, before.decayClass);
    await history.undo(engine);
    assert.deepEqual(standingOf(await engine.get(before.id)), standingOf(before));
    assert.equal(await history.recent(engine), undefined);
  });

  it('undoes a move between projects, and then the edit before it', async () => {
    await engine.close();
    engine = await openEngine({ ...host, workspaceFolders: [folder] });
    const [stored] = await engine.remember({ content: 'The ferry is Perpetua.', source: 'explicit', store: 'project' });
    assert.equal(stored?.outcome, 'stored');
    const ids = [stored.id];
    const history = new UndoHistory(file);
    await engine.editText(stored.id, { before: 'The ferry is Perpetua.', content: 'The ferry is Felicity.' });
    await history.record(engine, { name: 'edited', ids, steps: [{ do: 'undoEdit', ids }] });
    const place = (await engine.hub.placeOf(stored.id))!.id;
    await engine.hub.transfer(ids, { from: place, to: globalPlace, copies: false });
    await history.record(engine, {
      name: 'moved',
      ids,
      steps: [{ do: 'transfer', ids, from: globalPlace, to: place }],
    });
    assert.equal((await history.undo(engine))?.name, 'moved');
    assert.equal((await engine.hub.placeOf(stored.id))!.id, place);
    assert.equal((await history.recent(engine))?.name, 'edited');
    await history.undo(engine);
    assert.deepEqual(await active(), ['The ferry is Perpetua.']);
  });

  it('undoes a review as one change, unless it was taken back where it was made', async () => {
    const rules = join(folder, 'AGENTS.md');
    writeFileSync(rules, '# Rules\n\n- Use tabs in Go files.\n- Write tests for each fix.\n');
    const { id } = await engine.exchange.import({ path: rules, format: 'markdown' });
    const history = new UndoHistory(file);
    const notes = async (): Promise<number> => (await engine.list()).filter(it => it.lane === 'note').length;
    const undecided = await notes();
    const keep = async (): Promise<void> => {
      const ids = (await engine.intakes.undecidedLines(id!)).map(it => it.memory.id);
      const { at } = await engine.intakes.decide(id!, Object.fromEntries(ids.map(it => [it, 'keep'])));
      await history.record(engine, { name: 'reviewed', ids, steps: [{ do: 'undoReview', intake: id!, at }] });
    };
    await keep();
    assert.deepEqual([undecided, await notes()], [2, 0]);
    assert.deepEqual((await history.undo(engine))?.ids.length, 2);
    assert.equal(await notes(), 2);
    await keep();
    await engine.intakes.undo(id!);
    assert.equal(await history.recent(engine), undefined);
  });

  it('offers nothing older once a change was made that cannot be undone', async () => {
    const history = new UndoHistory(file);
    await forget(history, await remember('A is one.'));
    await history.clear(engine);
    assert.equal(await history.recent(engine), undefined);
    assert.equal(await history.undo(engine), undefined);
  });

  it('keeps ten changes, and none of their texts', async () => {
    const history = new UndoHistory(file);
    const ids: string[] = [];
    for (let i = 0; i < maxUndoSteps + 2; i++) {
      ids.push(await remember(`Berth ${i} is closed.`));
      await forget(history, ids[i]!);
    }
    const undone: string[] = [];
    for (let it = await history.undo(engine); it !== undefined; it = await history.undo(engine)) undone.push(...it.ids);
    assert.deepEqual(undone, ids.slice(2).reverse());
    await forget(history, ids[11]!);
    assert.doesNotMatch(readFileSync(file, 'utf8'), /Berth/u);
  });

  it('reopens a conflict that was settled, without the texts in its file', async () => {
    const [older, newer] = [await remember('The ferry is Perpetua.'), await remember('The ferry is Felicity.')];
    await linkContradiction(host, newer, older);
    const history = new UndoHistory(file);
    const result = await engine.conflicts.resolve(newer, older, 'keepA');
    await history.record(engine, { name: 'settled', ids: [newer], steps: [{ do: 'reopen', result }] });
    assert.doesNotMatch(readFileSync(file, 'utf8'), /Perpetua|Felicity/u);
    await history.undo(engine);
    assert.equal((await engine.conflicts.list()).length, 1);
    assert.deepEqual(await active(), ['The ferry is Felicity.', 'The ferry is Perpetua.']);
  });

  it('passes over what was deleted for good, and leaves what was restored already', async () => {
    const [a, b] = [await remember('A is one.'), await remember('B is two.')];
    const history = new UndoHistory(file);
    await forget(history, a);
    await forget(history, b);
    await engine.deletion.purge([b]);
    await engine.restore(a);
    assert.equal(await history.undo(engine), undefined);
    assert.deepEqual(await active(), ['A is one.']);
  });

  it('leaves alone the changes of a project that is not open', async () => {
    const history = new UndoHistory(file);
    await engine.close();
    engine = await openEngine({ ...host, workspaceFolders: [folder] });
    await forget(history, await remember('A is one.'));
    await engine.close();
    engine = await openEngine(host);
    assert.equal(await history.last(engine), undefined);
  });
});

function standingOf({ lane, decayClass, expiresAt }: Memory): unknown {
  return { lane, decayClass, expiresAt };
}
