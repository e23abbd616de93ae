import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Locator } from 'playwright-core';
import type { Memory } from '../../../src/engine/model/memory.js';
import { maxTextLength } from '../../../src/protocol.js';
import { webviewFrame } from './kit/accessibility.js';
import { inspectorIn, testReadability } from './kit/inspectorPage.js';
import { walkByTab } from './kit/tabStops.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import { clickInline, openContainer, sideBarRows } from './kit/workbench.js';
import { openEngineOf, rememberOne, runCommandLine } from './storeFixtures.js';

describe('the page of a memory', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    const engine = await openEngineOf(storage);
    await engine.remember({
      content: 'The ferry needs 0.6 metres under her keel.',
      gate: 'epistemic',
      source: 'explicit',
      lane: 'confirmed',
      store: 'project',
      whole: true,
      uri: pathToFileURL(join(storage.workspace, 'src', 'departures.ts')).href,
      range: { startLine: 8, endLine: 9 },
      aids: { questions: ['What does the ferry need?'], keywords: ['port', 'quay'] },
    });
    await engine.close();
    await rememberOne(storage, 'The ferry needs two hours at the pier.', '--gate', 'epistemic', '--lane', 'note');
    window = await openWindow(storage);
    await openContainer(window, 'Recollect');
    return window;
  });

  const inspector = (): Locator => inspectorIn(window);
  const button = (name: string): Locator => inspector().locator('vscode-button', { hasText: name });
  const says = (text: string): Promise<true> =>
    until(`the page says ${text}`, async () => (await inspector().innerText()).includes(text));
  const stored = async (text: string): Promise<Memory | undefined> => {
    const listed = await runCommandLine(storage, 'list', '--json');
    return (JSON.parse(listed) as readonly Memory[]).find(it => it.content.includes(text));
  };
  const edit = async (text: string): Promise<void> => {
    await button('Edit Text').click();
    const field = inspector().getByRole('textbox', { name: 'Text of the memory' });
    const frame = await webviewFrame(window);
    await until('the text has the focus', () => frame.evaluate<boolean>("document.activeElement.id === 'memory-text'"));
    await field.fill(text);
    await window.page.keyboard.press('Control+Enter');
  };

  it('opens from the row of a memory, and says all that is known of it', async () => {
    await sideBarRows(window).filter({ hasText: 'two hours' }).waitFor();
    await clickInline(window, 'The ferry needs 0.6', 'Show in Inspector');
    await inspector().locator('path.past').first().waitFor({ state: 'attached' });
    for (const it of ['said by a person', 'project memory', 'What does the ferry need?', 'port, quay', 'times said: 1'])
      await says(it);
    assert.equal(await inspector().locator('.history tbody tr').count(), 1);
    await screenshot(window, 'memory-page-inspector');
  });

  it('opens its code', async () => {
    await inspector().locator('button.link', { hasText: 'departures.ts' }).click();
    await window.page.locator('.tab.active[aria-label^="departures.ts"]').waitFor();
    await window.page.locator('.tab', { hasText: 'Memory Inspector' }).click();
    await inspector().locator('h1.content').waitFor();
  });

  it("edits the text in place, as the person's word, and undoes it", async () => {
    await clickInline(window, 'two hours at the pier', 'Show in Inspector');
    await says('The ferry needs two hours');
    await edit('The ferry needs three hours at the pier.');
    await says('The text is changed.');
    assert.equal((await stored('three hours'))?.lane, 'confirmed');
    await screenshot(window, 'memory-page-edited');
    await inspector().getByRole('button', { name: 'Undo' }).click();
    await until('it is as it was', async () => (await stored('two hours'))?.lane === 'note');
    await until('the page shows it', async () => (await inspector().locator('h1').innerText()).includes('two hours'));
  });

  it('refuses a secret with a sentence, and keeps what was written until it is cancelled', async () => {
    const secret = ['AKIA', 'IOSFODNN7EXAMPLQ'].join('');
    await edit(`The key of the pier is ${secret}.`);
    await says('secrets are not kept');
    await screenshot(window, 'memory-page-secret');
    assert.ok((await inspector().locator('textarea').inputValue()).includes(secret));
    assert.equal(await stored(secret), undefined);
    const field = inspector().locator('textarea');
    assert.equal(await field.getAttribute('maxlength'), String(maxTextLength));
    // Gives up what an input method offers, and not the edit.
    await field.dispatchEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true });
    await window.page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    assert.equal(await field.count(), 1);
    await field.press('Escape');
    await until('the text is back', async () => (await inspector().locator('h1').innerText()).includes('two hours'));
  });

  it('pins and undoes it', async () => {
    await button('Pin').click();
    await says('pinned, so it does not fade');
    await inspector().getByRole('button', { name: 'Undo' }).click();
    await until('it is not pinned', async () => (await stored('two hours'))?.pinned === false);
  });

  it('follows what another program changes', async () => {
    await runCommandLine(storage, 'pin', (await stored('two hours'))!.id);
    await says('pinned, so it does not fade');
  });

  it('has every element within reach of the Tab key', async () => {
    // A key, because a focus by the pointer is not drawn.
    await inspector().getByRole('tab', { name: 'Memory' }).press('ArrowLeft');
    await window.page.keyboard.press('ArrowRight');
    await inspector().locator('circle.event').first().waitFor();
    const { reached, ...problems } = await walkByTab(window);
    assert.deepEqual(problems, { missed: [], unseen: [] });
    assert.ok(
      reached.some(it => it.includes('edit-text')),
      reached.join('\n'),
    );
  });

  testReadability('memory-page', () => window);
});
