import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Locator } from 'playwright-core';
import type { Memory } from '../../../src/engine/model/memory.js';
import { maxTextLength } from '../../../src/protocol.js';
import { webviewFrame } from './kit/accessibility.js';
import { inspectorIn, openDetails, reloadOnceKept, testReadability } from './kit/inspectorPage.js';
import { walkByTab } from './kit/tabStops.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import { clickInline, openContainer, openFile, pick, runCommand, sideBarRows } from './kit/workbench.js';
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
    await inspector().locator('#memory-edit').click();
    const field = inspector().getByRole('textbox', { name: 'Text of the memory' });
    const frame = await webviewFrame(window);
    await until('the text has the focus', () => frame.evaluate<boolean>("document.activeElement.id === 'memory-text'"));
    await field.fill(text);
    await window.page.keyboard.press('Control+Enter');
  };

  it('opens from the row of a memory, and says all that is known of it', async () => {
    await sideBarRows(window).filter({ hasText: 'two hours' }).waitFor();
    await clickInline(window, 'The ferry needs 0.6', 'Show in Inspector');
    await says('You said it to test');
    await says('Kept for harbour.');
    const chart = inspector().locator('.chart').first();
    assert.equal(await chart.isVisible(), false);
    await openDetails(inspector());
    await chart.waitFor();
    const [drawn, room] = [await chart.boundingBox(), await inspector().locator('.memory-page').boundingBox()];
    assert.ok(drawn!.width <= room!.width, `${drawn!.width} of ${room!.width}`);
    for (const it of ['said by you', 'What does the ferry need?', 'port, quay', 'times said: 1']) await says(it);
    assert.equal(await inspector().locator('.history tbody tr').count(), 1);
    await screenshot(window, 'memory-page-inspector');
  });

  it('opens its code', async () => {
    await inspector().locator('button.link', { hasText: 'departures.ts' }).click();
    await window.page.locator('.tab.active[aria-label^="departures.ts"]').waitFor();
    await window.page.locator('.tab', { hasText: 'Memory Inspector' }).click();
    await inspector().locator('h1.content').waitFor();
  });

  it('opens the memory of a row that is clicked while another editor hides it', async () => {
    await openFile(window, 'departures.ts');
    await until('it is hidden', async () => (await window.page.locator('iframe.webview.ready').count()) === 0);
    await sideBarRows(window).filter({ hasText: 'two hours' }).click();
    await inspector().locator('h1', { hasText: 'two hours' }).waitFor();
  });

  it("edits the text in place, as the person's word, and undoes it", async () => {
    await clickInline(window, 'two hours at the pier', 'Show in Inspector');
    await inspector().locator('h1', { hasText: 'two hours' }).waitFor();
    await edit('The ferry needs three hours at the pier.');
    await says('The text is changed.');
    assert.equal((await stored('three hours'))?.lane, 'confirmed');
    await screenshot(window, 'memory-page-edited');
    await inspector().getByRole('button', { name: 'Undo' }).click();
    await until('it is as it was', async () => (await stored('two hours'))?.lane === 'note');
    await until('the page shows it', async () => (await inspector().locator('h1').innerText()).includes('two hours'));
  });

  it('keeps what was typed and not saved, over another memory, another editor, a reload and a closed tab', async () => {
    const typed = 'The ferry needs four hours';
    const isKept = (): Promise<true> =>
      until('it is there', async () => (await inspector().locator('textarea').inputValue()) === typed);
    await inspector().locator('#memory-edit').click();
    await inspector().locator('textarea').fill(typed);
    await sideBarRows(window).filter({ hasText: 'The ferry needs 0.6' }).click();
    await inspector().locator('h1', { hasText: '0.6' }).waitFor();
    await openFile(window, 'departures.ts');
    await sideBarRows(window).filter({ hasText: 'two hours' }).click();
    await isKept();
    await says('have not saved it yet');
    await screenshot(window, 'memory-page-draft');
    const { id } = (await stored('two hours'))!;
    // Also where the draft was typed, not only the memory that showed in between.
    await reloadOnceKept(window, `"memory":"${id}","drafts":[{"id":"${id}"`);
    // VS Code may not have stored yet which editor was in front.
    await window.page.locator('.tab', { hasText: 'Memory Inspector' }).click();
    await isKept();
    await runCommand(window, 'View: Close All Editors');
    await until('it is closed', async () => (await window.page.locator('iframe.webview').count()) === 0);
    await sideBarRows(window).filter({ hasText: 'two hours' }).click();
    await isKept();
    await inspector().locator('textarea').press('Escape');
    await until('the text is back', async () => (await inspector().locator('h1').innerText()).includes('two hours'));
    await runCommand(window, 'View: Close All Editors');
    await sideBarRows(window).filter({ hasText: 'two hours' }).click();
    await inspector().locator('h1', { hasText: 'two hours' }).waitFor();
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
    await inspector().locator('#memory-pin').click();
    await says('Pinned: does not fade.');
    await inspector().getByRole('button', { name: 'Undo' }).click();
    await until('it is not pinned', async () => (await stored('two hours'))?.pinned === false);
  });

  it('follows what another program changes', async () => {
    await runCommandLine(storage, 'pin', (await stored('two hours'))!.id);
    await says('Pinned: does not fade.');
  });

  it('confirms a note, and changes visibly', async () => {
    await runCommandLine(storage, 'unpin', (await stored('two hours'))!.id);
    await says('A note until you confirm it.');
    await button('Confirm').click();
    await says('Confirmed: it counts as your word');
    await until('there is nothing left to confirm', async () => (await button('Confirm').count()) === 0);
    await until('it is no note', async () => !(await inspector().innerText()).includes('A note'));
    assert.equal((await stored('two hours'))?.lane, 'confirmed');
  });

  it('forgets, and restores from the page of what is forgotten', async () => {
    await inspector().locator('#memory-forget').click();
    await says('It is forgotten');
    await says('No longer used (forgotten, ');
    assert.equal(await stored('two hours'), undefined);
    await screenshot(window, 'memory-page-forgotten');
    await inspector().locator('#memory-restore').click();
    await says('It is in use again.');
    assert.ok((await stored('two hours')) !== undefined);
  });

  it('moves to the memory that every project reads, by a choice of VS Code', async () => {
    await inspector().locator('#memory-move').click();
    await pick(window, 'Move to the memory for all projects');
    await says('Kept for all projects.');
    assert.equal((await stored('two hours'))?.store, 'global');
    await runCommand(window, 'Recollect: Undo Last Change');
    await says('Kept for harbour.');
  });

  it('copies the text', async () => {
    await inspector().locator('#memory-copy').click();
    await says('Copied.');
  });

  it('settles a contradiction in place, and takes that back', async () => {
    const three = 'The ferry needs three hours at the pier.';
    const newer = await rememberOne(storage, three, '--gate', 'epistemic', '--lane', 'note');
    const engine = await openEngineOf(storage);
    const older = (await stored('two hours'))!.id;
    await engine.revise({ id: older, replacedBy: newer }, 'model');
    await engine.close();
    await says('Another memory says otherwise:');
    await screenshot(window, 'memory-page-conflict');
    await button('Keep the Other').click();
    await says('this one is replaced');
    await says('No longer used (replaced, ');
    await inspector().locator('#memory-restore').waitFor();
    await inspector().getByRole('button', { name: 'Undo' }).click();
    await says('Another memory says otherwise:');
    await button('Keep Both').click();
    await says('Both are kept.');
    await until('it is settled', async () => !(await inspector().innerText()).includes('says otherwise'));
  });

  it('is searched by the find widget of VS Code while it is read', async () => {
    await inspector().locator('#memory-edit').focus();
    await window.page.keyboard.press('Control+f');
    await window.page.locator('.simple-find-part-wrapper.visible, .simple-find-part.visible').first().waitFor();
    await window.page.keyboard.press('Escape');
  });

  it('has every element within reach of the Tab key', async () => {
    // A key, because a focus by the pointer is not drawn.
    await inspector().getByRole('tab', { name: 'Memories' }).press('ArrowRight');
    await window.page.keyboard.press('ArrowLeft');
    await openDetails(inspector());
    await inspector().getByRole('tab', { name: 'Memories' }).focus();
    await inspector().locator('circle.event').first().waitFor();
    const { reached, ...problems } = await walkByTab(window);
    assert.deepEqual(problems, { missed: [], unseen: [] });
    assert.ok(
      reached.some(it => it.includes('memory-edit')),
      reached.join('\n'),
    );
  });

  testReadability('memory-page', () => window);

  it('keeps the words of its history whole at 450 pixels', async () => {
    await runCommand(window, 'View: Toggle Primary Side Bar Visibility');
    await window.page.setViewportSize({ width: 500, height: 800 });
    const frame = await webviewFrame(window);
    await until('it is narrow', () => frame.evaluate<boolean>('innerWidth <= 460'));
    await openDetails(inspector());
    await inspector().locator('.history').scrollIntoViewIfNeeded();
    await screenshot(window, 'memory-page-450');
    const broken = `[...document.querySelectorAll('.history th, .history td')].flatMap(cell => {
      const text = [...cell.childNodes].find(it => it.nodeType === Node.TEXT_NODE && it.data.trim() !== '');
      return [...(text?.data ?? '').matchAll(/[\\p{L}\\d]+/gu)].flatMap(({ 0: word, index }) => {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        return range.getClientRects().length > 1 ? [word] : [];
      });
    })`;
    assert.deepEqual(await frame.evaluate(broken), []);
  });
});
