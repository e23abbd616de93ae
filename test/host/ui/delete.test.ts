import assert from 'node:assert/strict';
import type { Memory } from '../../../src/engine/model/memory.js';
import { runCommandLine, rememberOne } from './storeFixtures.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import {
  answerDialog,
  dialog,
  notifications,
  openContainer,
  pick,
  quickPickRows,
  runCommand,
} from './kit/workbench.js';

describe('permanent deletion', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    await rememberOne(storage, 'The ferry is called Perpetua.');
    await rememberOne(storage, 'Heights are metres above chart datum.');
    await runCommandLine(storage, 'remember', 'I prefer small pull requests.', '--store', 'global');
    window = await openWindow(storage);
    await openContainer(window, 'Recollect');
    return window;
  });

  const left = async (): Promise<string[]> =>
    (JSON.parse(await runCommandLine(storage, 'list', '--status', 'active', 'archived', '--json')) as Memory[])
      .map(it => it.content)
      .sort();
  const choose = async (): Promise<void> => {
    await runCommand(window, 'Recollect: Delete for Good…');
    await quickPickRows(window).filter({ hasText: 'Perpetua' }).click();
    await until('it asks', () => dialog(window).filter({ hasText: 'Delete this memory for good?' }).isVisible());
  };

  it('names the memories, and deletes nothing when declined', async () => {
    await choose();
    assert.match(await dialog(window).innerText(), /“The ferry is called Perpetua\.”[^]*checkpoints and backups/u);
    await screenshot(window, 'purge-question');
    await answerDialog(window, 'Cancel');
    assert.equal((await left()).length, 3);
  });

  it('purges one memory', async () => {
    await choose();
    await answerDialog(window, 'Delete for Good');
    await until('it is reported', () =>
      notifications(window).filter({ hasText: 'deleted for good' }).first().isVisible(),
    );
    assert.deepEqual(await left(), ['Heights are metres above chart datum.', 'I prefer small pull requests.']);
  });

  it('empties one store once confirmed', async () => {
    await runCommand(window, 'Recollect: Reset Store…');
    await pick(window, 'project memory');
    await until('it asks', () => dialog(window).filter({ hasText: 'Delete everything in the project' }).isVisible());
    assert.match(await dialog(window).innerText(), /This deletes 1 memory with/u);
    await screenshot(window, 'reset-question');
    await answerDialog(window, 'Delete for Good');
    await until('it is empty', async () => (await left()).length === 1);
    assert.deepEqual(await left(), ['I prefer small pull requests.']);
  });
});
