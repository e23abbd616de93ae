import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Memory } from '../../../src/engine/model/memory.js';
import { runCommandLine } from './storeFixtures.js';
import { until } from './kit/until.js';
import { openWindow, screenshot, useWindow, type Storage, type Window } from './kit/window.js';
import {
  answerInput,
  notifications,
  openContainer,
  pick,
  quickInput,
  runCommand,
  sideBarRows,
  statusBar,
} from './kit/workbench.js';

describe('a window with several folders', () => {
  let storage: Storage;
  let window: Window;
  let lighthouse: string;

  useWindow(async its => {
    storage = its;
    lighthouse = join(storage.folder, 'lighthouse');
    mkdirSync(lighthouse);
    const workspace = join(storage.folder, 'coast.code-workspace');
    writeFileSync(workspace, JSON.stringify({ folders: [{ path: storage.workspace }, { path: lighthouse }] }));
    window = await openWindow(storage, { folder: workspace });
    await openContainer(window, 'Recollect');
    return window;
  });

  const listIn = async (folder: string): Promise<readonly string[]> => {
    const listed = await runCommandLine(storage, 'list', '--scope', 'project-only', '--json', '--project', folder);
    return (JSON.parse(listed) as readonly Memory[]).map(it => it.content);
  };
  const row = (text: string) => sideBarRows(window).filter({ hasText: text }).first();
  const remember = async (text: string): Promise<void> => {
    await window.page.locator('.quick-input-widget:visible', { hasText: 'Remember for lighthouse' }).waitFor();
    await answerInput(window, text);
    await row(text).waitFor();
  };

  it('asks once which project new memories go to, and names it in the row and in the status bar', async () => {
    await runCommand(window, 'Recollect: Remember…');
    await quickInput(window).waitFor();
    await screenshot(window, 'folders-question');
    await pick(window, 'lighthouse');
    await remember('The lamp turns once in ten seconds.');
    assert.match(await row('The lamp turns').innerText(), /lighthouse/u);
    await until('the status bar names it', async () => (await statusBar(window, 'lighthouse').count()) > 0);
    await screenshot(window, 'folders-row');
    await runCommand(window, 'Recollect: Remember…');
    await remember('The keeper is called Ada.');
    assert.equal((await listIn(lighthouse)).length, 2);
    assert.deepEqual(await listIn(storage.workspace), []);
    assert.equal(await notifications(window).count(), 0, 'nothing was guessed');
  });

  it('changes it in the menu of maintenance', async () => {
    await runCommand(window, 'Recollect: Project of New Memories…');
    await pick(window, 'harbour');
    await runCommand(window, 'Recollect: Remember…');
    await window.page.locator('.quick-input-widget:visible', { hasText: 'Remember for harbour' }).waitFor();
    await answerInput(window, 'The ferry is called Perpetua.');
    await until('it is there', async () => (await listIn(storage.workspace)).length === 1);
    assert.match(await row('The ferry is called').innerText(), /harbour/u);
  });
});
