import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { runCommandLine, rememberOne } from './storeFixtures.js';
import { webviewFrame } from './kit/accessibility.js';
import { sampleMemories } from './kit/sampleMemories.js';
import { inspectorIn } from './kit/inspectorPage.js';
import { walkByTab } from './kit/tabStops.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, type Storage, type Window } from './kit/window.js';
import { quickInput, quickPickRows, sideBarRows, undoRow } from './kit/workbench.js';

/** Uses no pointer, and no programmatic focus. */
describe('keyboard-only use', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    for (const args of Object.values(sampleMemories)) await rememberOne(storage, ...args);
    window = await openWindow(storage);
    return window;
  });

  const press = (...keys: readonly string[]): Promise<void> =>
    keys.reduce((before, key) => before.then(() => window.page.keyboard.press(key)), Promise.resolve());
  const run = async (command: string): Promise<void> => {
    await until(`the palette offers "${command}"`, async () => {
      await press('Escape', 'F1');
      await quickInput(window).waitFor({ timeout: 2_000 });
      await window.page.keyboard.type(command);
      await quickPickRows(window).filter({ hasText: command }).first().waitFor({ timeout: 3_000 });
      return true;
    });
    await press('Enter');
  };
  const inspector = (): Locator => inspectorIn(window);
  const selected = (): Promise<string> => inspector().locator('[role=tab][aria-selected=true]').innerText();
  /** From wherever the focus is, in the inspector or before it. */
  const goToTabs = async (): Promise<void> => {
    const frame = await webviewFrame(window);
    await until('the focus is at the tabs', async () => {
      if ((await frame.evaluate<string | null>('document.activeElement.getAttribute("role")')) === 'tab') return true;
      await press('Tab');
      return false;
    });
  };
  /** Chooses a page by the arrow keys, which go round; one that is pressed before the last one showed would go past it. */
  const goToPage = (page: string): Promise<unknown> =>
    until(`the page ${page} is chosen`, async () => {
      await goToTabs();
      const before = await selected();
      if (before === page) return true;
      await press('ArrowRight');
      await until('the next page is chosen', async () => (await selected()) !== before, 5_000);
      return (await selected()) === page;
    });
  const contents = async (...more: readonly string[]): Promise<readonly string[]> => {
    const listed = await runCommandLine(storage, 'list', '--json', ...more);
    return (JSON.parse(listed) as readonly { readonly content: string }[]).map(it => it.content);
  };

  it('remembers a typed text', async () => {
    await run('Recollect: Remember…');
    await quickInput(window).waitFor();
    await window.page.keyboard.type('The slipway is closed in January.');
    await press('Enter');
    await until('it is remembered', async () => (await contents()).includes('The slipway is closed in January.'));
  });

  it('forgets the selected memory, and undoes it', async () => {
    await run('Recollect: Focus on Recollect View');
    const row = sideBarRows(window).filter({ hasText: 'The slipway is closed' });
    await row.waitFor();
    const isAt = async (): Promise<boolean> => (await row.getAttribute('class'))?.includes('focused') === true;
    await press('Home');
    await until('its row is reached', async () => {
      if (await isAt()) return true;
      await press('ArrowDown');
      return isAt();
    });
    await press('Space', 'Delete');
    await until('it is gone', async () => (await row.count()) === 0);
    await undoRow(window).filter({ hasText: 'forgot "The slipway' }).waitFor();
    await press('ControlOrMeta+Z');
    await until('it is remembered again', async () =>
      (await contents('--status', 'active')).includes('The slipway is closed in January.'),
    );
    await row.waitFor();
  });

  it('searches and opens a memory in the inspector', async () => {
    await runCommandLine(storage, 'recall', 'Where do the tide tables come from?');
    await run('Recollect: Explain Last Answer');
    await until('it shows', async () => (await inspector().textContent())?.includes('In the Answer'));
    await goToPage('Memories');
    await press('Control+f');
    const frame = await webviewFrame(window);
    await until('the search has the focus', () =>
      frame.evaluate<boolean>('document.activeElement.id === "memory-search"'),
    );
    await window.page.keyboard.type('where are tides from');
    const rows = inspector().getByRole('option');
    await until('it comes first', async () => (await rows.first().innerText()).startsWith('Tide tables come'));
    await until('the list is reached', async () => {
      await press('Tab');
      return frame.evaluate<boolean>('document.activeElement.id === "memory-rows"');
    });
    await press('Home');
    await inspector().locator('h1', { hasText: 'Tide tables come' }).waitFor();
  });

  it('reaches every element of the inspector with a visible focus', async () => {
    const pages = {
      Memories: 'vscode-textfield',
      Answers: 'summary',
      Inbox: 'div role="listbox"',
      'Access and Health': 'vscode-button',
    };
    for (const [page, its] of Object.entries(pages)) {
      await goToPage(page);
      await until(
        `${page} is there`,
        async () => (await inspector().locator(its.replace(/ (.*)/u, '[$1]')).count()) > 0,
      );
      const { reached, ...problems } = await walkByTab(window);
      assert.deepEqual({ page, ...problems }, { page, missed: [], unseen: [] });
      assert.ok(
        reached.some(it => it.includes(its.replace(/^div /u, ''))),
        `${page}: ${reached.join('\n')}`,
      );
    }
  });
});
