import assert from 'node:assert/strict';
import { runCommandLine } from './storeFixtures.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import {
  answerDialog,
  answerInput,
  answerNotification,
  dialog,
  notifications,
  openContainer,
  pick,
  quickPickRows,
  runCommand,
} from './kit/workbench.js';

const short = 'The departures board refreshes every 30 seconds from the tide service.';
const long = 'The departures board of the harbour refreshes every 30 seconds from the tide service, never faster.';

describe('consolidation', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    for (const it of [short, long])
      await runCommandLine(storage, 'remember', it, '--whole', '--gate', 'epistemic', '--kind', 'context');
    await runCommandLine(
      storage,
      'remember',
      'I prefer small pull requests with a test in each.',
      '--gate',
      'behavioral',
    );
    window = await openWindow(storage);
    // The palette lists the commands once the extension is registered.
    await openContainer(window, 'Recollect');
    return window;
  });

  const active = async (): Promise<string[]> =>
    (JSON.parse(await runCommandLine(storage, 'list', '--gate', 'epistemic', '--json')) as { content: string }[])
      .map(it => it.content)
      .sort();
  const press = (title: string) => window.page.locator(`.editor-actions [aria-label^="${title}"]`).first().click();
  const openProposal = async (of: string, says: string): Promise<void> => {
    await runCommand(window, 'Recollect: Merge Memories…');
    await pick(window, of);
    const diff = window.page.locator('.monaco-diff-editor');
    await until('the diff shows both texts', async () => {
      // Where long lines wrap depends on the fonts of the machine.
      const text = (await diff.innerText()).replace(/\s+/gu, ' ');
      return text.includes('The departures board refreshes') && text.includes(says);
    });
  };

  it('shows near-duplicates and the merged text as a diff', async () => {
    await runCommand(window, 'Recollect: Merge Memories…');
    await quickPickRows(window).filter({ hasText: '2 memories' }).first().waitFor();
    await screenshot(window, 'consolidate-pick');
    await window.page.keyboard.press('Escape');
    await openProposal('The departures board of the harbour', 'never faster');
    await screenshot(window, 'consolidate-diff');
    assert.deepEqual(await active(), [long, short].sort());
  });

  it('merges the memories by the button, and undoes it', async () => {
    await press('Accept Merge');
    await notifications(window).filter({ hasText: 'Merged, 1 forgotten' }).first().waitFor();
    await screenshot(window, 'consolidate-accepted');
    assert.deepEqual(await active(), [long]);
    await answerNotification(window, 'Merged, 1 forgotten', 'Undo');
    await until('both are active again', async () => (await active()).length === 2);
    assert.deepEqual(await active(), [long, short].sort());
  });

  it('merges with an edited text, and undoes it by the command', async () => {
    await runCommandLine(
      storage,
      'remember',
      `${short} Always.`,
      '--whole',
      '--gate',
      'epistemic',
      '--kind',
      'context',
    );
    const three = await active();
    await openProposal('tide service. Always.', 'Always');
    await press('Edit and Accept');
    await answerInput(window, 'The board asks the tides twice a minute.');
    await until('two are one', async () => (await active()).length === 2);
    assert.deepEqual(await active(), ['The board asks the tides twice a minute.', long]);
    await runCommand(window, 'Recollect: Undo a Merge…');
    await pick(window, 'The board asks the tides');
    await until('all are active again', async () => (await active()).length === 3);
    assert.deepEqual(await active(), three);
  });

  it('backs up the stores, and restores a checkpoint once confirmed', async () => {
    await runCommand(window, 'Recollect: Back Up…');
    await answerInput(window, 'before the regatta');
    await notifications(window).filter({ hasText: 'Backed up' }).first().waitFor();
    await runCommandLine(storage, 'remember', 'The ferry is called Perpetua.', '--gate', 'epistemic');
    await runCommand(window, 'Recollect: Restore Checkpoint…');
    await quickPickRows(window).filter({ hasText: 'before the regatta' }).first().waitFor();
    await screenshot(window, 'checkpoint-pick');
    await quickPickRows(window).filter({ hasText: 'before the regatta' }).filter({ hasText: 'project memory' }).click();
    await until('it asks', async () => (await dialog(window).innerText()).includes('Replace everything'));
    await screenshot(window, 'checkpoint-restore');
    await answerDialog(window, 'Restore');
    await until('the ferry is gone', async () => !(await active()).join().includes('Perpetua'));
    await answerNotification(window, 'Restored', 'Undo');
    await until('the ferry is back', async () => (await active()).join().includes('Perpetua'));
  });

  it('shows the identity document', async () => {
    await runCommand(window, 'Recollect: Show Identity');
    const page = window.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame').locator('body');
    await until('the page is there', async () => (await page.innerText()).includes('I prefer small pull requests'));
    await screenshot(window, 'identity');
  });
});
