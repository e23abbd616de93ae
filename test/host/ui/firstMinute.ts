// A newcomer's first minute: what firstMinute.test.ts walks, and what the pictures in docs/user-guide/getting-started.md show.
import type { Locator } from 'playwright-core';
import { chat, openChatWindow, sendMessage, waitForAnswer } from './kit/chat.js';
import { until } from './kit/until.js';
import type { Storage, Window } from './kit/window.js';
import { openContainer, openFile, runCommand, sideBarRows, statusBar, webview, widenSideBar } from './kit/workbench.js';

export const firstMinuteSteps = ['installed', 'said', 'asked', 'why'] as const;
export type FirstMinuteStep = (typeof firstMinuteSteps)[number];

/** One of the prompts of the empty view, and what is asked later. */
const fact = 'We deploy on Tuesdays.';
const question = 'When do we deploy?';
const size = { width: 1100, height: 640 };

/**
 * Installed into a clean profile, with nothing read: the view offers a sentence, a click and Enter say it; in a new process
 * and a new browser profile it is known when it is asked for, and a click shows why.
 * @param storage with the extension and the test model
 * @param prepare called on each new window
 * @param onStep called when a step is on the screen
 */
export async function walkFirstMinute(
  storage: Storage,
  prepare: (window: Window) => Promise<void>,
  onStep: (window: Window, step: FirstMinuteStep) => Promise<void>,
): Promise<void> {
  const inWindow = async (work: (window: Window) => Promise<void>): Promise<void> => {
    const window = await openChatWindow(storage, {
      // Otherwise VS Code offers other models above the input.
      settings: { 'chat.byokUtilityModelDefault': 'mainAgent' },
      environment: { RECOLLECT_TEST_MODEL_PROSE: '1' },
    });
    try {
      await window.page.setViewportSize(size);
      await prepare(window);
      await openContainer(window, 'Recollect');
      await widenSideBar(window, 300);
      await openFile(window, 'departures.ts');
      await work(window);
    } finally {
      await window.close();
    }
  };
  await inWindow(async window => {
    await runCommand(window, 'View: Hide Secondary Side Bar');
    const view = window.page.locator('.part.sidebar .welcome-view-content');
    const prompt = view.locator('a', { hasText: fact });
    await prompt.waitFor();
    await show(window, 'installed');
    await prompt.click();
    const input = chat(window).locator('.interactive-input-part .monaco-editor');
    await until('the sentence is in the chat', async () =>
      (await input.locator('.view-lines').innerText()).replaceAll(/\s+/gu, ' ').includes(fact),
    );
    await input.click();
    await window.page.keyboard.press('Escape');
    await window.page.keyboard.press('Enter');
    await waitForAnswer(window, 'A note until you confirm it');
    await row(window).waitFor();
    await show(window, 'said');
  });
  await inWindow(async window => {
    await row(window).waitFor();
    await runCommand(window, 'Chat: Open Chat');
    await sendMessage(window, question);
    await waitForAnswer(window, fact);
    const used = statusBar(window, '1 used');
    await used.waitFor();
    await show(window, 'asked');
    await used.click();
    await webview(window).getByText(fact).first().waitFor();
    await runCommand(window, 'View: Hide Secondary Side Bar');
    await show(window, 'why');
  });

  async function show(window: Window, step: FirstMinuteStep): Promise<void> {
    await runCommand(window, 'Notifications: Clear All Notifications');
    await window.page.mouse.move(size.width / 2, size.height - 60);
    await onStep(window, step);
  }
}

function row(window: Window): Locator {
  return sideBarRows(window).filter({ hasText: fact }).first();
}
