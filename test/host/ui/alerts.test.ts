import { alertMark, notifications, openContainer, runCommand, showTooltip } from './kit/workbench.js';
import { until } from './kit/until.js';
import { openWindow, screenshot, useWindow, type Window } from './kit/window.js';
import { rememberOne } from './storeFixtures.js';

describe('alerts in the status bar', () => {
  let window: Window;

  useWindow(async storage => {
    for (let i = 0; i < 4; i++)
      await rememberOne(storage, `Crane ${i} lifts ${i + 2} tonnes of the heaviest load that the quay has seen.`);
    const quotas = { 'short-term': 1, 'long-term': 1, permanent: 1 };
    window = await openWindow(storage, {
      settings: { 'recollect.maintenance.quotas': quotas, 'recollect.embeddings': 'off' },
    });
    return window;
  });

  it('are a mark without a popup, and a tooltip with the next step', async () => {
    await openContainer(window, 'Recollect');
    await alertMark(window).waitFor();
    if ((await notifications(window).count()) > 0) throw new Error('A notification came without being asked for.');
    const tooltip = await showTooltip(window, alertMark(window).locator('..'), 'Over the quota');
    const text = await tooltip.innerText();
    for (const it of ['long-term memories', 'Preview Maintenance'])
      if (!text.includes(it)) throw new Error(`The tooltip lacks "${it}": ${text}`);
    await screenshot(window, 'alert-quota');
  });

  it('go when the cause is gone', async () => {
    await runCommand(window, 'Recollect: Run Maintenance');
    await until('the mark is gone', async () => (await alertMark(window).count()) === 0);
  });
});
