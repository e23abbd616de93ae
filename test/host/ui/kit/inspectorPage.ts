import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { accessibilityProblems, webviewFrame } from './accessibility.js';
import { until } from './until.js';
import { screenshot, type Window } from './window.js';
import { runCommand, setTheme } from './workbench.js';

/** The inspector that a window shows. */
export function inspectorIn({ page }: Window): Locator {
  return page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame').locator('#inspector');
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
