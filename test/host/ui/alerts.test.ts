import assert from 'node:assert/strict';
import { inspectorIn } from './kit/inspectorPage.js';
import {
  alertMark,
  answerDialog,
  dialog,
  notifications,
  openContainer,
  runCommand,
  showTooltip,
} from './kit/workbench.js';
import { until } from './kit/until.js';
import { openWindow, screenshot, useWindow, type Storage, type Window } from './kit/window.js';
import { rememberOne, runCommandLine } from './storeFixtures.js';

describe('alerts in the status bar', () => {
  let storage: Storage;
  let window: Window;
  const statuses = async (): Promise<readonly string[]> => {
    const listed = await runCommandLine(storage, 'list', '--status', 'active', '--status', 'archived', '--json');
    return [...new Set((JSON.parse(listed) as readonly { readonly status: string }[]).map(it => it.status))].sort();
  };

  useWindow(async its => {
    storage = its;
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

  it('lead to a run that asks first, with the numbers and a way to see what would go', async () => {
    await runCommand(window, 'Recollect: Run Maintenance…');
    await until('it asks', async () => (await dialog(window).innerText()).includes('To forget: '));
    assert.match(await dialog(window).innerText(), /To forget: [1-9]\d*\. What is forgotten can be restored/u);
    assert.doesNotMatch(await dialog(window).innerText(), /delete/u);
    await screenshot(window, 'maintenance-ask');
    await answerDialog(window, 'Show What');
    const memories = inspectorIn(window).locator('.decisions li', { hasText: 'Crane' });
    await until('the inspector shows them', async () => (await memories.count()) > 0);
    await screenshot(window, 'maintenance-show-what');
    assert.deepEqual(await statuses(), ['active']);
  });

  it('go when the cause is gone', async () => {
    await runCommand(window, 'Recollect: Run Maintenance…');
    await answerDialog(window, 'Run Maintenance');
    await until('it says what it did', async () =>
      (await notifications(window).allInnerTexts()).some(it => /Maintenance is done: [1-9]/u.test(it)),
    );
    assert.ok((await statuses()).includes('archived'));
    await until('the mark is gone', async () => (await alertMark(window).count()) === 0);
  });

  it('leave a later run with nothing to do, which asks nothing and says so in the status bar', async () => {
    await runCommand(window, 'Notifications: Clear All Notifications');
    await runCommand(window, 'Recollect: Run Maintenance…');
    await window.page.locator('.statusbar-item', { hasText: 'Nothing had to go' }).waitFor();
    assert.deepEqual([await dialog(window).count(), await notifications(window).count()], [0, 0]);
  });
});
