import assert from 'node:assert/strict';
import type { Memory } from '../../../src/engine/model/memory.js';
import { openWindow, screenshot, useWindow, type Storage, type Window } from './kit/window.js';
import {
  answerInput,
  goToLine,
  openContainer,
  openFile,
  quickInput,
  runCommand,
  sideBarRows,
} from './kit/workbench.js';
import { runCommandLine } from './storeFixtures.js';

/** More facts than are remembered at once. */
const manyFacts = Array.from({ length: 60 }, (_, i) => `The crane at berth ${i} lifts ${i + 2} tonnes.`).join(' ');

describe('the box that asks what is to be remembered', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    window = await openWindow(storage);
    await openContainer(window, 'Recollect');
    return window;
  });

  const list = async (): Promise<readonly Memory[]> =>
    JSON.parse(await runCommandLine(storage, 'list', '--json')) as readonly Memory[];
  const box = (title: string) => window.page.locator('.quick-input-widget:visible', { hasText: title });

  it('keeps a text that is refused, with the reason, also once it was left', async () => {
    await runCommand(window, 'Recollect: Remember…');
    await answerInput(window, manyFacts);
    await box('at most 50 can be remembered at once').waitFor();
    await screenshot(window, 'remember-refused');
    await window.page.keyboard.press('Escape');
    await runCommand(window, 'Recollect: Remember…');
    await box('at most 50 can be remembered at once').waitFor();
    assert.equal(await quickInput(window).inputValue(), manyFacts);
    await answerInput(window, 'The crane lifts two tonnes.');
    await sideBarRows(window).filter({ hasText: 'The crane lifts two tonnes.' }).waitFor();
    await runCommand(window, 'Recollect: Remember…');
    await quickInput(window).waitFor();
    assert.equal(await quickInput(window).inputValue(), '', 'a text that is remembered is gone from the box');
    await window.page.keyboard.press('Escape');
  });

  it('keeps what was typed when Escape leaves the box', async () => {
    await runCommand(window, 'Recollect: Remember…');
    await quickInput(window).fill('The harbour closes at');
    await window.page.keyboard.press('Escape');
    await runCommand(window, 'Recollect: Remember…');
    await quickInput(window).waitFor();
    assert.equal(await quickInput(window).inputValue(), 'The harbour closes at');
    await quickInput(window).fill('');
    await window.page.keyboard.press('Escape');
  });

  it('asks what is to be known about selected code, and attaches it there', async () => {
    await openFile(window, 'departures.ts');
    await goToLine(window, 15);
    await window.page.keyboard.press('Shift+ArrowDown');
    await runCommand(window, 'Recollect: Remember Selection');
    await box('Remember about Timetable.canLeave').waitFor();
    assert.equal(await quickInput(window).inputValue(), '');
    await screenshot(window, 'remember-code');
    await answerInput(window, 'Ask the harbour master before this limit is changed.');
    await sideBarRows(window).filter({ hasText: 'Ask the harbour master' }).waitFor();
    const { provenance } = (await list()).find(it => it.content.startsWith('Ask the harbour'))!;
    assert.equal(provenance.symbol, 'Timetable.canLeave');
    assert.deepEqual(provenance.range, { startLine: 14, endLine: 15 });
  });

  it('shows selected prose, to be edited', async () => {
    await openFile(window, 'README.md');
    await goToLine(window, 3);
    await window.page.keyboard.press('Shift+End');
    await runCommand(window, 'Recollect: Remember Selection');
    await quickInput(window).waitFor();
    const text = await quickInput(window).inputValue();
    assert.ok(text.length > 10);
    await answerInput(window, `${text} So says the README.`);
    await sideBarRows(window).filter({ hasText: 'So says the README.' }).waitFor();
    assert.ok((await list()).some(it => it.content === `${text} So says the README.`));
  });
});
