import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Memory } from '../../../src/engine/model/memory.js';
import { accessibilityProblems, webviewFrame } from './kit/accessibility.js';
import { clickAsMemoriesChange, inspectorIn, testReadability } from './kit/inspectorPage.js';
import { walkByTab } from './kit/tabStops.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import { openContainer, pick, runCommand, sideBarRows } from './kit/workbench.js';
import { openEngineOf, rememberMany, rememberOne, runCommandLine } from './storeFixtures.js';

const dayMs = 86_400_000;

describe('the page of all memories', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    window = await openWindow(storage);
    await openContainer(window, 'Recollect');
    return window;
  });

  const inspector = (): Locator => inspectorIn(window);
  const rows = (): Locator => inspector().getByRole('option');
  const texts = (): Promise<string[]> => rows().locator('.content').allInnerTexts();
  const search = (): Locator => inspector().getByRole('searchbox', { name: 'Search by meaning' });
  const filter = (): Locator => inspector().getByRole('searchbox', { name: 'Only with these words' });
  const shows = (...expected: readonly string[]): Promise<unknown> =>
    until(`it lists ${expected.join(' | ')}`, async () => {
      const found = await texts();
      return found.length === expected.length && expected.every((it, i) => found[i]!.startsWith(it));
    });
  const says = (text: string): Promise<true> =>
    until(`the page says ${text}`, async () => (await inspector().innerText()).includes(text));
  const choose = async (id: string, option: string): Promise<void> => {
    await inspector().locator(id).click();
    await inspector().locator(`${id} .option`, { hasText: option }).click();
  };
  const active = async (): Promise<readonly string[]> =>
    (JSON.parse(await runCommandLine(storage, 'list', '--json')) as readonly Memory[]).map(it => it.content);

  it('says that nothing is remembered yet', async () => {
    await runCommand(window, 'Recollect: Show Inspector');
    await says('Nothing is remembered yet');
  });

  it('lists whole texts, the newest first, with what tells each apart and no number of the engine', async () => {
    const engine = await openEngineOf(storage);
    const learned: readonly (readonly [daysAgo: number, content: string, lane: 'confirmed' | 'note'])[] = [
      [0, 'The ferry is called Perpetua.', 'confirmed'],
      [3, 'Ada is the keeper of the light, and answers on channel 16 from dawn until the last ferry has left.', 'note'],
      [9, 'Never deploy on a Friday before noon.', 'confirmed'],
      [40, 'Tides come from the mapping authority.', 'confirmed'],
    ];
    for (const [daysAgo, content, lane] of learned) {
      await engine.rememberAll([
        {
          ...{ content, lane, gate: 'epistemic', source: 'explicit', store: 'project', whole: true },
          at: new Date(Date.now() - daysAgo * dayMs).toISOString(),
        },
      ]);
    }
    await engine.close();
    await shows('The ferry', 'Ada is', 'Never deploy', 'Tides come');
    await says('4 memories');
    const ada = rows().filter({ hasText: 'Ada is' });
    assert.match(await ada.innerText(), /last ferry has left\.\s+note · 3 days ago/u);
    assert.doesNotMatch(await inspector().locator('.list').innerText(), /%/u);
    await screenshot(window, 'memories-list');
  });

  it('sorts by use and by what fades first', async () => {
    for (let i = 0; i < 2; i++) await rememberOne(storage, 'Tides come from the mapping authority.');
    await choose('#memory-order', 'Most used first');
    await until('it comes first', async () => (await texts())[0]?.startsWith('Tides come'));
    await choose('#memory-order', 'Newest first');
    await until('the newest is first', async () => (await texts())[0]?.startsWith('The ferry'));
  });

  it('filters by words, and says how many there are', async () => {
    await filter().fill('FERRY called');
    await shows('The ferry');
    await says('1 memory');
    await filter().fill('xylophone');
    await says('No memory matches.');
    await filter().fill('');
    await says('4 memories');
  });

  it('searches by meaning, from the key of the page', async () => {
    await rows().first().click();
    await inspector().locator('#memory-rows').focus();
    await window.page.keyboard.press('Control+f');
    const frame = await webviewFrame(window);
    await until('the search has the focus', () =>
      frame.evaluate<boolean>("document.activeElement.id === 'memory-search'"),
    );
    await window.page.keyboard.type('who is the keeper of the light?');
    await until('the keeper comes first', async () => (await texts())[0]?.startsWith('Ada is'));
    await says('Best answers first');
    const order = (): Promise<string> =>
      inspector()
        .locator('#memory-order')
        .evaluate((it: { value: string }) => it.value);
    await until('the choice of the order says so', async () => (await order()) === 'best');
    await screenshot(window, 'memories-search');
    await search().fill('');
    await says('4 memories');
    await until('the order before is chosen again', async () => (await order()) === 'newest');
  });

  it('selects several by keyboard, forgets them at once, and takes that back', async () => {
    await rows().filter({ hasText: 'Ada is' }).click();
    await inspector().locator('#memory-rows').focus();
    await window.page.keyboard.press('Shift+ArrowDown');
    await says('2 selected');
    await screenshot(window, 'memories-selected');
    assert.deepEqual(await accessibilityProblems(window), []);
    await inspector().locator('.batch vscode-button', { hasText: 'Forget' }).click();
    await says('Forgotten: 2 memories');
    await until('they are gone', async () => (await active()).length === 2);
    await inspector().locator('.list').getByRole('button', { name: 'Undo' }).click();
    await until('they are back', async () => (await active()).length === 4);
  });

  it('moves several at once, asked once, and takes that back', async () => {
    await rows().filter({ hasText: 'Ada is' }).click();
    await inspector().locator('#memory-rows').focus();
    await window.page.keyboard.press('Shift+ArrowDown');
    await says('2 selected');
    await inspector().locator('.batch vscode-button', { hasText: 'Move…' }).click();
    await pick(window, 'Move to the memory for all projects');
    const inProject = async (): Promise<number> =>
      (JSON.parse(await runCommandLine(storage, 'list', '--json')) as readonly Memory[]).filter(
        it => it.store === 'project',
      ).length;
    await until('both are moved', async () => (await inProject()) === 2);
    await until('it is marked', async () =>
      (await rows().filter({ hasText: 'Ada is' }).innerText()).includes('for all projects'),
    );
    assert.doesNotMatch(await rows().filter({ hasText: 'The ferry' }).innerText(), /for all projects/u);
    await runCommand(window, 'Recollect: Undo Last Change');
    await until('both are back', async () => (await inProject()) === 4);
  });

  it('selects with Ctrl and Shift of a click too', async () => {
    await rows().nth(0).click();
    await rows()
      .nth(3)
      .click({ modifiers: ['Control'] });
    await says('2 selected');
    await rows()
      .nth(1)
      .click({ modifiers: ['Shift'] });
    await says('3 selected');
    await inspector().locator('#memory-rows').focus();
    await window.page.keyboard.press('Escape');
    await says('4 memories');
  });

  it('lists what is forgotten or replaced, each to restore', async () => {
    const id = await rememberOne(storage, 'The old crane lifts one tonne.');
    await runCommandLine(storage, 'forget', id);
    await choose('#memory-order', 'Forgotten or replaced');
    await shows('The old crane');
    await rows().first().click();
    await inspector().locator('#memory-restore').click();
    await says('It is in use again.');
    await says('Nothing is forgotten or replaced.');
    await choose('#memory-order', 'Newest first');
    await says('5 memories');
  });

  it('has every element within reach of the Tab key', async () => {
    await rows().first().click();
    // A key, because a focus by the pointer is not drawn.
    await inspector().getByRole('tab', { name: 'Memories' }).press('ArrowRight');
    await window.page.keyboard.press('ArrowLeft');
    await inspector().locator('#memory-copy').waitFor();
    const { reached, ...problems } = await walkByTab(window);
    assert.deepEqual(problems, { missed: [], unseen: [] });
    assert.ok(
      reached.some(it => it.includes('memory-rows')),
      reached.join('\n'),
    );
  });

  testReadability(
    'memories',
    () => window,
    async () => {
      await inspector().getByRole('button', { name: 'All memories' }).click();
      await until('the list is there', () => inspector().getByRole('listbox').isVisible());
      await screenshot(window, 'memories-narrow-list');
      assert.deepEqual(await accessibilityProblems(window), []);
    },
  );

  it('shows ten thousand a page at a time, and counts them', async () => {
    await rememberMany(storage, 10_000);
    await says('100 of 10,005 memories');
    assert.equal(await rows().count(), 100);
    await screenshot(window, 'memories-10000');
    await clickAsMemoriesChange(inspector().locator('button.more'));
    await until('there are more', async () => (await rows().count()) === 200);
    await filter().fill('buoy 1049');
    await shows('Buoy 1049');
    await filter().fill('buoy');
    await says('100 of 10,000 memories');
    await filter().fill('');
  });

  it('opens from the first row of a tree of ten thousand, with the keys in its search field', async () => {
    await runCommand(window, 'View: Close All Editors');
    const [first] = await sideBarRows(window).all();
    assert.match((await first!.getAttribute('aria-label')) ?? '', /^Search 10,00\d memories…/u);
    await screenshot(window, 'tree-10000');
    await first!.click();
    const frame = await webviewFrame(window);
    await until('the search has the focus', () =>
      frame.evaluate<boolean>("document.activeElement?.id === 'memory-search'"),
    );
    await window.page.keyboard.type('buoy 1049');
    await until('it is found', async () => (await texts()).some(it => it.startsWith('Buoy 1049 ')));
  });
});
