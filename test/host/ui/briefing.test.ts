import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { hookMoments } from '../../../src/engine/model/guards.js';
import { readFileConfig } from '../../../src/engine/access/settingsFile.js';
import { webviewFrame } from './kit/accessibility.js';
import { inspectorIn, testReadability } from './kit/inspectorPage.js';
import { walkByTab } from './kit/tabStops.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import { openContainer, runCommand } from './kit/workbench.js';
import { openEngineOf, rememberOne, runCommandLine } from './storeFixtures.js';

const inADay = (): string => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

describe('what my assistant gets', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    await rememberOne(storage, 'Never deploy the departures board on Fridays.', '--gate', 'behavioral');
    await rememberOne(storage, 'Heights in tide tables are metres, not feet.', '--gate', 'correction');
    await rememberOne(storage, 'Deploy the board never on Fridays.', '--gate', 'behavioral', '--lane', 'note');
    await rememberOne(storage, `Renew the licence of the tide data by ${inADay()}.`, '--gate', 'promissory');
    await rememberOne(storage, 'The ferry is called Perpetua.', '--gate', 'relational', '--lane', 'note');
    const old = await rememberOne(storage, 'The pier master is Olga.', '--lane', 'note');
    await replaceByNote(storage, old, 'The pier master is Ivar, since Olga retired.');
    await runCommandLine(storage, 'handover', 'Done: the board. Open: the tide parser. Next: its tests.');
    window = await openWindow(storage);
    await openContainer(window, 'Recollect');
    return window;
  });

  const page = (): Locator => inspectorIn(window);
  const says = (...texts: readonly string[]): Promise<true> =>
    until(`the page says ${texts.join(', ')}`, async () => {
      const shown = await page().innerText();
      return texts.every(it => shown.includes(it));
    });
  const isOn = (moment: string): Promise<boolean> =>
    page()
      .locator(`#moment-${moment}`)
      .evaluate(it => (it as unknown as { checked: boolean }).checked);
  const moments = (): readonly string[] => readFileConfig(storage.globalStorage).hooks.moments;

  it('shows the lines of a session that starts now, and why each is there', async () => {
    await runCommand(window, 'Recollect: What My Assistant Gets');
    await says(
      'Once its hooks are installed',
      'about',
      'How work is done here',
      'Never deploy the departures board on Fridays.',
      'a rule, confirmed',
    );
    await says('Handed over by the session before', 'Open: the tide parser.', 'Due', 'Renew the licence');
    await says('found by a recall: 1 memory');
    assert.doesNotMatch(await page().innerText(), /#[0-9a-f]{8}/u);
    await says('Changed since the last session', 'before (', 'due ');
    assert.doesNotMatch(await page().innerText(), /\[due /u);
    await screenshot(window, 'briefing');
  });

  it('shows no switch as on for a program that has never asked', async () => {
    await says('has not asked');
    assert.equal(await page().locator('#moment-start').isVisible(), false);
  });

  it('shows what another program gets', async () => {
    await page().locator('vscode-single-select').click();
    await page().getByRole('option', { name: 'Codex' }).click();
    await says('Never deploy the departures board on Fridays.');
    await until('it is chosen', () =>
      page()
        .locator('vscode-single-select')
        .evaluate(it => (it as unknown as { value: string }).value === 'codex'),
    );
  });

  testReadability('briefing', () => window);

  it('reaches every line and switch by Tab', async () => {
    await page().locator('.fold > summary', { hasText: 'Moments allowed' }).press('Enter');
    await page().locator('#moment-start').waitFor();
    await page().getByRole('tab', { name: 'Access' }).focus();
    const { reached, missed, unseen } = await walkByTab(window);
    assert.deepEqual([missed, unseen], [[], []]);
    assert.equal(reached.filter(it => it.includes('moment-')).length, hookMoments.length);
  });

  it('switches a moment off and on by keyboard, in the settings that hooks read', async () => {
    await page().locator('#moment-command').focus();
    await window.page.keyboard.press('Space');
    await until('it is off', () => !moments().includes('command'));
    await until('it shows that', async () => !(await isOn('command')));
    assert.equal(await (await webviewFrame(window)).evaluate('document.activeElement.id'), 'moment-command');
    await window.page.keyboard.press('Space');
    await until('it is on', () => moments().includes('command'));
    await until('it shows that', () => isOn('command'));
  });

  it('says that nothing is given where the start is switched off', async () => {
    await page().locator('#moment-start').click();
    await says('the start of a session is switched off');
    await screenshot(window, 'briefing-off');
    await page().locator('#moment-start').click();
    await says('given these lines');
    assert.deepEqual(moments(), hookMoments);
  });

  it('opens the page of a memory', async () => {
    await page().getByRole('button', { name: 'Heights in tide tables' }).click();
    await until('it is open', async () => (await page().locator('h1').innerText()).includes('Heights in tide tables'));
  });
});

/** As a model says it. */
async function replaceByNote(storage: Storage, older: string, content: string): Promise<void> {
  const engine = await openEngineOf(storage);
  await engine.remember({
    content,
    lane: 'note',
    store: 'project',
    source: 'mcp',
    whole: true,
    links: { replaces: [older] },
  });
  await engine.close();
}
