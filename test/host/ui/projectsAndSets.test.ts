import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { Memory } from '../../../src/engine/model/memory.js';
import { maxSearchLength } from '../../../src/protocol.js';
import { createRepository } from '../../support/git.js';
import { accessibilityProblems } from './kit/accessibility.js';
import { walkByTab } from './kit/tabStops.js';
import { clickAsMemoriesChange, inspectorIn, testReadability } from './kit/inspectorPage.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import {
  answerInput,
  openContainer,
  pick,
  quickInput,
  quickPickRows,
  runCommand,
  setTheme,
  sideBarRows,
  undoRow,
} from './kit/workbench.js';
import { rememberMany, runCommandLine } from './storeFixtures.js';

describe('projects and sets', () => {
  let storage: Storage;
  let window: Window;
  let lighthouse: string;

  useWindow(async its => {
    storage = its;
    lighthouse = join(storage.folder, 'lighthouse');
    mkdirSync(lighthouse);
    await runCommandLine(storage, 'remember', '--store', 'project', 'The ferry is called Perpetua.');
    await runCommandLine(storage, 'remember', '--store', 'global', 'I like short answers.');
    for (const text of ['The lamp turns once in ten seconds.', 'The keeper is Ada and answers on channel 16.'])
      await runCommandLine(storage, 'remember', '--store', 'project', text, '--project', lighthouse);
    window = await openWindow(storage);
    await openContainer(window, 'Recollect');
    return window;
  });

  const inspector = (): Locator => inspectorIn(window);
  const places = (): Promise<string[]> => inspector().locator('#memory-place vscode-option').allInnerTexts();
  const rows = (): Promise<string[]> => inspector().getByRole('option').locator('.content').allInnerTexts();
  const choosePlace = async (name: string): Promise<void> => {
    await inspector().locator('#memory-place').click();
    await inspector().locator('#memory-place .option', { hasText: name }).click();
  };
  const search = (): Locator => inspector().getByRole('searchbox', { name: 'Search by meaning' });
  const shows = (...texts: readonly string[]): Promise<unknown> =>
    until(`the page lists ${texts.join(' ')}`, async () => {
      const found = await rows();
      return found.length === texts.length && texts.every(text => found.some(it => it.includes(text)));
    });
  const listIn = async (folder: string): Promise<readonly string[]> => {
    const listed = await runCommandLine(storage, 'list', '--scope', 'project-only', '--json', '--project', folder);
    return (JSON.parse(listed) as readonly Memory[]).map(it => it.content).sort();
  };
  const nothingSerious = async (): Promise<void> => {
    assert.deepEqual(await accessibilityProblems(window), []);
  };

  it('offers every project with its count, and lists the memories of one', async () => {
    await runCommand(window, 'Recollect: Memories of All Projects');
    await shows('I like short', 'The ferry');
    await until('there are three places and all of them', async () => (await places()).length === 4);
    assert.deepEqual(
      (await places()).map(it => it.trim()),
      ['This window', 'harbour (1)', 'For all projects (1)', 'lighthouse (2)'],
    );
    await screenshot(window, 'projects-list');
    await nothingSerious();
    await choosePlace('lighthouse');
    await shows('The lamp turns', 'The keeper is Ada');
  });

  it('searches the memories of another project', async () => {
    assert.equal(await search().getAttribute('maxlength'), String(maxSearchLength));
    await search().fill('Who is the keeper?');
    await shows('The keeper is Ada');
    await search().fill('xylophone');
    await until('it says so', async () => (await inspector().innerText()).includes('No memory matches.'));
    await search().fill('');
    await shows('The lamp turns', 'The keeper is Ada');
  });

  testReadability('projects', () => window);

  it('copies a memory of another project into this one by keyboard alone, and takes that back', async () => {
    await inspector().getByRole('listbox').focus();
    await window.page.keyboard.press('End');
    await inspector().locator('h1', { hasText: 'The lamp turns' }).waitFor();
    await inspector().getByRole('tab', { name: 'Memories' }).focus();
    const { missed, unseen } = await walkByTab(window);
    assert.deepEqual([missed, unseen], [[], []]);
    await inspector().locator('vscode-button', { hasText: 'Copy or Move…' }).focus();
    await window.page.keyboard.press('Enter');
    await quickInput(window).waitFor();
    await screenshot(window, 'projects-destination');
    await window.page.keyboard.press('Enter');
    await until('it is there', async () =>
      (await listIn(storage.workspace)).includes('The lamp turns once in ten seconds.'),
    );
    assert.equal((await listIn(lighthouse)).length, 2);
    await until('it is counted', async () => (await places())[1]?.includes('harbour (2)'));
    await screenshot(window, 'projects-copied');
    await runCommand(window, 'Recollect: Undo Last Change');
    await until('it is gone', async () => (await listIn(storage.workspace)).length === 1);
    assert.equal((await listIn(lighthouse)).length, 2);
  });

  it('moves a memory of another project to the global memory, and back', async () => {
    await inspector().getByRole('option', { name: 'The keeper' }).click();
    await inspector().locator('vscode-button', { hasText: 'Copy or Move…' }).click();
    await pick(window, 'Move to the memory for all projects');
    await shows('The lamp turns');
    assert.deepEqual(await listIn(lighthouse), ['The lamp turns once in ten seconds.']);
    await runCommand(window, 'Recollect: Undo Last Change');
    await shows('The lamp turns', 'The keeper is Ada');
    await choosePlace('This window');
  });

  it('puts a memory into a new set, shows the set, and takes that back', async () => {
    // A row that is clicked while the rows of what was typed come is none of them.
    const isAlone = (text: string): Promise<unknown> =>
      until(`${text} is the only row`, async () => {
        const [row, ...others] = await quickPickRows(window).allInnerTexts();
        return row?.includes(text) === true && others.length === 0;
      });
    await runCommand(window, 'Recollect: Move to Set…');
    await quickInput(window).fill('ferry');
    await isAlone('Perpetua');
    await pick(window, 'Perpetua');
    await until('it asks for the set', async () => (await quickPickRows(window).count()) === 2);
    await screenshot(window, 'set-choose');
    await pick(window, 'New Set…');
    await window.page.locator('.quick-input-widget:visible', { hasText: 'Its name, such as' }).waitFor();
    await answerInput(window, 'night shift');
    await undoRow(window).filter({ hasText: 'moved "' }).waitFor();
    assert.deepEqual(await listIn(storage.workspace), []);
    await runCommand(window, 'Recollect: Show a Set…');
    await pick(window, 'night shift');
    const inSideBar = (text: string): Promise<unknown> =>
      until(`the explorer shows ${text}`, async () =>
        (await sideBarRows(window).allInnerTexts()).some(it => it.includes(text)),
      );
    await inSideBar('Perpetua');
    await until('the filter is named', async () =>
      (await window.page.locator('.part.sidebar').innerText()).includes('Set night shift: 1 memory'),
    );
    await screenshot(window, 'set-shown');
    await runCommand(window, 'Recollect: Clear Filter');
    await runCommand(window, 'Recollect: Move to Set…');
    await quickInput(window).fill('@set:"night shift"');
    await isAlone('Perpetua');
    await pick(window, 'Perpetua');
    await pick(window, 'No set');
    await until('it is back', async () => (await listIn(storage.workspace)).length === 1);
  });

  it('shows the memories of a place to the last one', async () => {
    await rememberMany(storage, 1_050);
    await runCommand(window, 'Recollect: Memories of All Projects');
    await choosePlace('harbour');
    const [shown, older] = [inspector().getByRole('option'), inspector().locator('button.more')];
    for (let count = 100; count < 1_051; count += 100) {
      await until(`there are ${count}`, async () => (await shown.count()) === count);
      await older.waitFor();
      await clickAsMemoriesChange(older);
    }
    await until('there are all', async () => (await shown.count()) === 1_051);
    assert.equal(await older.count(), 0);
    await search().fill('uoy 1049 li');
    await until('it is found by a part of it', async () => (await rows()).some(it => it.startsWith('Buoy 1049 lies')));
  });
});

describe('a folder without memories that looks like a project', () => {
  let window: Window;

  useWindow(async storage => {
    const [known, opened] = ['quay', 'copy'].map(it => {
      mkdirSync(join(storage.folder, it));
      return createRepository(join(storage.folder, it, 'lighthouse'), 'https://git.example/harbour/lighthouse.git');
    });
    await runCommandLine(storage, 'remember', '--store', 'project', 'The keeper is Ada.', '--project', known!);
    window = await openWindow(storage, { folder: opened! });
    await openContainer(window, 'Recollect');
    return window;
  });

  const sideBar = (): Promise<string> => window.page.locator('.part.sidebar').innerText();
  const line = /This folder has no memories yet and looks like the project lighthouse \(.*quay.lighthouse\)\./u;

  for (const theme of ['Light 2026', 'Dark 2026'] as const) {
    it(`says so in the explorer, in the theme ${theme}`, async () => {
      await setTheme(window, theme);
      await until('the explorer says so', async () => line.test(await sideBar()));
      await screenshot(window, `explorer-similar-project-${theme.split(' ')[0]!.toLowerCase()}`);
    });
  }

  it('shows the memories of that project once a person agrees', async () => {
    await runCommand(window, "Recollect: Use Another Project's Memory…");
    await quickInput(window).waitFor();
    await screenshot(window, 'explorer-similar-project-choice');
    await pick(window, 'lighthouse');
    await until('its memory is there', async () =>
      (await sideBarRows(window).allInnerTexts()).some(it => it.includes('Ada')),
    );
    await until('the line is gone', async () => !line.test(await sideBar()));
  });
});
