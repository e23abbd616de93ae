import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import {
  answerInput,
  notifications,
  openContainer,
  quickInput,
  runCommand,
  setTheme,
  sideBarRows,
  webview,
} from './kit/workbench.js';

/** What is asked of a picture; the tests do not know the browser's types. */
interface Drawn {
  readonly naturalWidth: number;
}

/** Step -> text in the alternative text of its picture. */
const pictures = {
  remember: 'the box that asks',
  recall: 'A question in the palette',
  review: 'which one holds',
  why: 'One answer',
};

describe('the walkthrough', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    window = await openWindow(storage);
    return window;
  });

  const welcome = (): Locator => window.page.locator('.gettingStartedContainer');
  const step = (id: string): Locator => welcome().locator(`.getting-started-step[data-step-id$="#start#${id}"]`);
  const press = async (id: string, button: string): Promise<void> => {
    if (!((await step(id).getAttribute('class')) ?? '').includes('expanded')) await step(id).click();
    await step(id).locator('.monaco-button', { hasText: button }).click();
  };
  const done = (id: string): Promise<true> =>
    until(`"${id}" is done`, async () => (await step(id).locator('.codicon.complete').count()) > 0);
  const getStarted = async (): Promise<void> => {
    await runCommand(window, 'Recollect: Get Started');
    await step('remember').waitFor();
  };

  it('does not open by itself', async () => {
    await openContainer(window, 'Recollect');
    await window.page.locator('.part.sidebar .welcome-view-content', { hasText: 'Nothing is remembered' }).waitFor();
    const open = {
      walkthroughs: await welcome().count(),
      editors: await window.page.locator('.part.editor .tab').count(),
      notifications: await notifications(window).count(),
    };
    assert.deepEqual(open, { walkthroughs: 0, editors: 0, notifications: 0 });
  });

  it('shows four steps with pictures of the theme', async () => {
    await getStarted();
    assert.equal(await welcome().locator('.getting-started-step').count(), 4);
    const sources = new Set<string>();
    for (const theme of ['Light 2026', 'Dark 2026'] as const) {
      await setTheme(window, theme);
      for (const [id, says] of Object.entries(pictures)) {
        await step(id).click();
        const picture = welcome().locator(`img[alt*="${says}"]`);
        await until(`the picture of "${id}" is drawn, another one than before`, async () => {
          const drawn = await picture.evaluate(it => (it as unknown as Drawn).naturalWidth > 0, undefined, {
            timeout: 2_000,
          });
          const source = await picture.getAttribute('srcset');
          return drawn && source !== null && !sources.has(source) && sources.add(source);
        });
      }
      await screenshot(window, `walkthrough-${theme.replace(/ .*/u, '').toLowerCase()}`);
    }
  });

  it('runs "Remember…"', async () => {
    await press('remember', 'Remember…');
    await until('it asks', () => quickInput(window).isVisible());
    await window.page.keyboard.press('Escape');
    await done('remember');
  });

  it('shows the explorer', async () => {
    await press('review', 'Show Memories');
    await done('review');
  });

  it('runs "Recall…"', async () => {
    await press('recall', 'Recall…');
    await until('it asks', () => quickInput(window).isVisible());
    await window.page.keyboard.press('Escape');
    await done('recall');
  });

  it('shows the inspector', async () => {
    await press('why', 'Show Inspector');
    await until('it is there', async () => (await webview(window).innerText()).includes('Access and Health'));
    await getStarted();
    await done('why');
  });
});

describe('the walkthrough after its steps', () => {
  let window: Window;

  useWindow(async storage => {
    window = await openWindow(storage);
    return window;
  });

  const ticked = (): Locator =>
    window.page.locator('.gettingStartedContainer .getting-started-step > .codicon.complete');

  it('shows each as done that was done before it was first opened, also before a reload', async () => {
    await openContainer(window, 'Recollect');
    await window.page.locator('.part.sidebar .welcome-view-content', { hasText: 'Nothing is remembered' }).waitFor();
    await runCommand(window, 'Recollect: Remember…');
    await answerInput(window, 'We deploy on Wednesdays.');
    await sideBarRows(window).filter({ hasText: 'Wednesdays' }).waitFor();
    await runCommand(window, 'Recollect: Recall…');
    await until('it asks', () => quickInput(window).isVisible());
    await window.page.keyboard.press('Escape');
    await runCommand(window, 'Recollect: Show Inspector');
    await until('it is there', async () => (await webview(window).innerText()).includes('Access and Health'));
    // A window keeps its state in the browser, which a new window has not.
    await window.page.reload();
    await until('it is open again', () => sideBarRows(window).filter({ hasText: 'Wednesdays' }).isVisible());
    await runCommand(window, 'Recollect: Get Started');
    await until('all four are done', async () => (await ticked().count()) === 4);
  });
});
