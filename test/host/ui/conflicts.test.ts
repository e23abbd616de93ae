import assert from 'node:assert/strict';
import type { Memory } from '../../../src/engine/model/memory.js';
import type { Conflict, PlanToReview } from '../../../src/engine/model/conflict.js';
import { sql } from '../../support/sqlite.js';
import { openEngineOf, runCommandLine, projectFile, rememberOne } from './storeFixtures.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import {
  answerDialog,
  answerInput,
  chooseFromMenu,
  clickInline,
  dialog,
  openContainer,
  pick,
  quickInput,
  quickPickRows,
  runCommand,
  setTheme,
  showTooltip,
  sideBarRows,
  undoRow,
} from './kit/workbench.js';

describe('conflicts and plans to review', () => {
  let storage: Storage;
  let window: Window;
  let ids: readonly string[];

  useWindow(async its => {
    storage = its;
    ids = [
      await rememberOne(storage, 'The ferry is called Perpetua.', '--gate', 'epistemic', '--kind', 'context'),
      await rememberOne(storage, 'Felicity is the name she sails under.', '--gate', 'epistemic', '--kind', 'context'),
      await rememberOne(storage, 'Replace the rule of twelfths by the harmonic method.', '--gate', 'promissory'),
      await rememberOne(storage, 'Pay the harbour dues.', '--gate', 'promissory'),
    ];
    await wait();
    window = await openWindow(storage);
    await openContainer(window, 'Recollect');
    return window;
  });

  /** A model's word that the second memory replaces the first, which a person typed; and the plans overdue. */
  async function wait(): Promise<void> {
    const [older = '', newer = '', ...plans] = ids;
    const row = (id: string): string => `(SELECT row FROM memories WHERE id = '${id}')`;
    await sql(
      projectFile(storage),
      `INSERT INTO edges (source, target, type, strength, reason, created_at, outdated, marked_by, marked_at) VALUES (${row(newer)}, ${row(older)}, 'contradicts', 0.9, 'Perpetua against Felicity.', '2026-01-01T00:00:00.000Z', 'target', 'model', '2026-01-01T00:00:00.000Z')`,
      `UPDATE memories SET in_degree = 1 WHERE id IN ('${older}', '${newer}')`,
      `UPDATE memories SET due_at = '2026-01-0' || (CASE id WHEN '${plans[0]}' THEN 1 ELSE 2 END) || 'T12:00:00.000Z' WHERE gate = 'promissory'`,
      "UPDATE meta SET value = value + 1 WHERE key = 'revision'",
    );
  }

  const row = (text: string) => sideBarRows(window).filter({ hasText: text }).first();
  const isGone = (text: string): Promise<true> =>
    until(`"${text}" is gone`, async () => (await sideBarRows(window).filter({ hasText: text }).count()) === 0);
  const conflicts = async (): Promise<readonly Conflict[]> =>
    JSON.parse(await runCommandLine(storage, 'conflicts', '--json')) as readonly Conflict[];

  /** In the row of a conflict alone. */
  const word = 'Which holds?';

  it('are on top of the explorer, and say whose word they are', async () => {
    await row(word).waitFor();
    assert.match(await row('Needs You').innerText(), /3\s+1 contradiction, 2 overdue/u);
    assert.match(
      await row(word).innerText(),
      /Felicity is the name she sails under\.\s*or: The ferry is called Perpetua/u,
    );
    assert.match(
      (await row(word).getAttribute('aria-label')) ?? '',
      /Felicity.* contradicts The ferry.*An assistant said on/u,
    );
    assert.match(
      (await row('Needs You').getAttribute('aria-label')) ?? '',
      /^Needs You, 3, 1 contradiction, 2 overdue, /u,
    );
    await row('Overdue since').waitFor();
    for (const theme of ['Light 2026', 'Dark 2026'] as const) {
      await setTheme(window, theme);
      const tooltip = await showTooltip(window, row(word), 'Older: ');
      assert.match(await tooltip.innerText(), /Newer: [^]*An assistant said on/u);
      await screenshot(window, `conflicts-${theme.replace(/ .*/u, '').toLowerCase()}`);
    }
  });

  it('are resolved by the inline button, and undone', async () => {
    await clickInline(window, word, 'Settle Conflict');
    await quickPickRows(window).filter({ hasText: 'Keep both' }).waitFor();
    await screenshot(window, 'conflicts-settle');
    await pick(window, 'Keep the older one');
    await isGone(word);
    assert.deepEqual(await conflicts(), []);
    assert.match(await runCommandLine(storage, 'list', '--status', 'superseded'), /Felicity/u);
    await undoRow(window).filter({ hasText: 'kept "The ferry is called Perpetua."' }).click();
    await row(word).waitFor();
    assert.equal((await conflicts()).length, 1);
  });

  it('are resolved from the palette', async () => {
    await runCommand(window, 'Recollect: Settle Conflict…');
    // The only pair is not asked for.
    await pick(window, 'Keep both');
    await isGone(word);
    assert.deepEqual(await conflicts(), []);
    await undoRow(window).filter({ hasText: 'kept 2 memories' }).click();
    await row(word).waitFor();
  });

  it('come back with one undo after all were settled at once from the group', async () => {
    const fact = ['--gate', 'epistemic', '--kind', 'context'];
    const older = await rememberOne(storage, 'The quay has nine bollards.', ...fact);
    const newer = await rememberOne(storage, 'The quay has twelve bollards.', ...fact, '--lane', 'note');
    const engine = await openEngineOf(storage);
    await engine.revise({ id: older, replacedBy: newer }, 'model');
    await engine.close();
    await until('there are two pairs', async () => (await conflicts()).length === 2);
    await row('2 contradict').click({ button: 'right' });
    await chooseFromMenu(window, /^Keep the Newer of All Pairs/u);
    await dialog(window).filter({ hasText: 'Keep the newer memory of each of 2 pairs?' }).waitFor();
    await screenshot(window, 'conflicts-all');
    await answerDialog(window, 'Keep the Newer Ones');
    await isGone(word);
    assert.deepEqual(await conflicts(), []);
    await undoRow(window).filter({ hasText: 'kept 2 memories' }).click();
    await until('both are back', async () => (await conflicts()).length === 2);
    await row('2 contradict').waitFor();
  });

  it('extend one plan, and complete another', async () => {
    await clickInline(window, 'Replace the rule of twelfths', 'Revisit: Extend');
    await until('it asks for a day', async () => await quickInput(window).isVisible());
    await screenshot(window, 'revisit-extend');
    await answerInput(window, '2200-01-01');
    const left = async (): Promise<readonly string[]> =>
      (JSON.parse(await runCommandLine(storage, 'revisit', '--json')) as readonly PlanToReview[]).map(
        it => it.memory.id,
      );
    await until('it is not to be revisited', async () => (await left()).length === 1);
    const extended = JSON.parse(await runCommandLine(storage, 'show', ids[2]!, '--json')) as Memory;
    assert.equal(extended.dueAt, '2200-01-01T23:59:59.999Z');
    // The row below moves up, and would do so under the pointer.
    await until('the other is on top', async () =>
      (await row('Overdue since').innerText()).includes('Pay the harbour'),
    );
    await clickInline(window, 'Pay the harbour dues.', 'Revisit: Done');
    await isGone('Overdue since');
    assert.deepEqual(await left(), []);
    await undoRow(window).filter({ hasText: 'done: "Pay the harbour dues."' }).click();
    await row('Overdue since').waitFor();
  });
});
