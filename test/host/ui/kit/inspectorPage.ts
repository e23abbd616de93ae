import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { ToWebview } from '../../../../src/protocol.js';
import { accessibilityProblems, webviewFrame } from './accessibility.js';
import { until } from './until.js';
import { screenshot, type Window } from './window.js';
import { runCommand, setTheme } from './workbench.js';

/** The inspector that a window shows. */
export function inspectorIn({ page }: Window): Locator {
  return page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame').locator('#inspector');
}

/** Opens the details of the memory that shows, and follows one of their links; by keys, after which a focus is drawn. */
export async function openFromDetails(inspector: Locator, link: string): Promise<void> {
  await openDetails(inspector);
  await inspector.locator('.memory-page').getByRole('button', { name: link }).press('Enter');
}

/** Opens the details of the memory that shows, by a key. */
export async function openDetails(inspector: Locator): Promise<void> {
  const fold = inspector.locator('.memory-page > .fold');
  await fold.waitFor();
  if ((await fold.getAttribute('open')) === null) await fold.locator('> summary').press('Enter');
}

/** Clicks buttons of the inspector, and has it hear that memories changed before what the first asked for has come. */
export async function clickAsMemoriesChange(buttons: Locator): Promise<void> {
  await buttons.evaluateAll(
    (all: readonly { click(): void }[], message) => {
      for (const it of all) it.click();
      (globalThis as unknown as EventTarget).dispatchEvent(new MessageEvent('message', { data: message }));
    },
    { type: 'changed' } satisfies ToWebview,
  );
}

/** Reloads the window once VS Code has stored the inspector's state, which it does every few seconds. */
export async function reloadOnceKept(window: Window, kept: string): Promise<void> {
  const probe = `(async () => {
    let isKept = false;
    for (const { name } of await indexedDB.databases()) {
      const db = await new Promise(resolve => { indexedDB.open(name).onsuccess = it => resolve(it.target.result); });
      for (const store of db.objectStoreNames) {
        const all = db.transaction(store).objectStore(store).getAll();
        const values = await new Promise(resolve => { all.onsuccess = () => resolve(all.result); });
        if (values.some(it => String(it).replaceAll('\\\\', '').includes(${JSON.stringify(kept)}))) isKept = true;
      }
      db.close();
    }
    return isKept;
  })()`;
  await until('VS Code has kept it', async () => {
    // It does not store the state of a window in the background.
    await window.page.bringToFront();
    return window.page.evaluate<boolean>(probe);
  });
  await window.page.reload();
}

/**
 * Tests of the inspector's page that is open: it can be read in every theme, and at 300 pixels.
 * @param name of the pictures
 * @param inNarrowWindow what is tried there besides
 */
export function testReadability(
  name: string,
  window: () => Window,
  inNarrowWindow: () => Promise<void> = () => Promise.resolve(),
): void {
  const nothingSerious = async (): Promise<void> => {
    assert.deepEqual(await accessibilityProblems(window()), []);
  };

  for (const theme of ['Light 2026', 'Dark 2026', 'High Contrast'] as const) {
    it(`is readable in ${theme}`, async () => {
      await setTheme(window(), theme);
      await screenshot(window(), `${name}-${theme.replace(/ .*/u, '').toLowerCase()}`);
      await nothingSerious();
    });
  }

  it('fits into 300 pixels', async () => {
    const { page } = window();
    await setTheme(window(), 'Dark 2026');
    await runCommand(window(), 'View: Toggle Primary Side Bar Visibility');
    await page.setViewportSize({ width: 350, height: 800 });
    const frame = await webviewFrame(window());
    await until('it is narrow', () => frame.evaluate<boolean>('innerWidth <= 310'));
    await screenshot(window(), `${name}-narrow`);
    assert.equal(await frame.evaluate('document.querySelector("#page").scrollWidth > innerWidth'), false);
    await nothingSerious();
    await inNarrowWindow();
    await page.setViewportSize({ width: 1280, height: 800 });
    await runCommand(window(), 'View: Toggle Primary Side Bar Visibility');
  });
}
