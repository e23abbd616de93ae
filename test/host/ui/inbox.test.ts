import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { Memory } from '../../../src/engine/model/memory.js';
import { inspectorIn, testReadability } from './kit/inspectorPage.js';
import { walkByTab } from './kit/tabStops.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import { answerDialog, answerInput, dialog, openContainer, runCommand } from './kit/workbench.js';
import { openEngineOf, rememberOne, runCommandLine } from './storeFixtures.js';

describe('the inbox', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    const older = await rememberOne(storage, 'The ferry leaves at eight.', '--gate', 'epistemic');
    const newer = await rememberOne(storage, 'The ferry leaves at nine.', '--gate', 'epistemic', '--lane', 'note');
    const crane = await rememberOne(storage, 'The crane lifts two tonnes.', '--gate', 'epistemic');
    const engine = await openEngineOf(storage);
    await engine.revise({ id: older, replacedBy: newer }, 'model');
    await engine.actionRequests.add(crane, 'forget');
    await engine.remember({
      ...{ content: 'Paint the pier.', gate: 'promissory', source: 'explicit', lane: 'confirmed', store: 'project' },
      dueAt: new Date(Date.now() - 86_400_000).toISOString(),
    });
    await engine.close();
    window = await openWindow(storage);
    await openContainer(window, 'Recollect');
    return window;
  });

  const inspector = (): Locator => inspectorIn(window);
  const row = (text: string): Locator => inspector().getByRole('option').filter({ hasText: text });
  const button = (name: string): Locator => inspector().locator('.detail vscode-button', { hasText: name });
  const says = (text: string): Promise<true> =>
    until(`the page says ${text}`, async () => (await inspector().innerText()).includes(text));
  const stored = async (text: string): Promise<Memory | undefined> => {
    const listed = await runCommandLine(storage, 'list', '--json');
    return (JSON.parse(listed) as readonly Memory[]).find(it => it.content.includes(text));
  };

  it('lists what wants a decision, requests of assistants first, and maintenance at its end', async () => {
    await runCommand(window, 'Recollect: Show Inspector');
    await inspector().getByRole('tab', { name: 'Inbox' }).click();
    await says('Needs you: 3');
    const rows = await inspector().getByRole('option').allInnerTexts();
    assert.deepEqual(
      rows.map(it => it.split('\n')[0]),
      ['The crane lifts two tonnes.', 'The ferry leaves at nine.', 'Paint the pier.', 'Forget what has faded'],
    );
    await screenshot(window, 'inbox-list');
  });

  it('settles a contradiction, and takes that back', async () => {
    await row('Paint the pier').click();
    const before = await button('In a Week').boundingBox();
    await row('The ferry leaves').click();
    await says('Which one holds?');
    await inspector().locator('.side', { hasText: 'at eight' }).locator('vscode-button').click();
    await says('Kept: The ferry leaves at eight.');
    await says('Needs you: 2');
    assert.equal(await stored('at nine'), undefined);
    await row('Paint the pier').click();
    await says('Kept: The ferry leaves at eight.');
    // What is decided next is where it was.
    assert.deepEqual(await button('In a Week').boundingBox(), before);
    await inspector().getByRole('button', { name: 'Undo' }).click();
    await says('Needs you: 3');
    await says('It is as it was.');
    assert.ok((await stored('at nine')) !== undefined);
  });

  it('has every element within reach of the Tab key', async () => {
    await row('Paint the pier').click();
    await says('Is this plan done?');
    // A key, because a focus by the pointer is not drawn.
    await inspector().getByRole('tab', { name: 'Inbox' }).press('ArrowLeft');
    await window.page.keyboard.press('ArrowRight');
    await says('Is this plan done?');
    const { reached, ...problems } = await walkByTab(window);
    assert.deepEqual(problems, { missed: [], unseen: [] });
    assert.equal(reached.filter(it => it.includes('vscode-button')).length, 4, reached.join('\n'));
  });

  testReadability('inbox', () => window);

  it('finishes a plan, and takes that back', async () => {
    await button('Done').click();
    await says('Done: Paint the pier.');
    assert.equal(await stored('Paint'), undefined);
    await inspector().getByRole('button', { name: 'Undo' }).click();
    await until('it is back', async () => (await stored('Paint')) !== undefined);
  });

  it('gives a plan another day', async () => {
    await row('Paint the pier').click();
    await button('In a Week').click();
    await says('Due on');
    const week = Date.now() + 7 * 86_400_000;
    assert.ok(Math.abs(Date.parse((await stored('Paint'))!.dueAt!) - week) < 2 * 86_400_000);
    await says('Needs you: 2');
  });

  it('carries out what an assistant asks', async () => {
    await row('The crane').click();
    await says('asks to forget it');
    await button('Do It').click();
    await says('Done as requested: The crane lifts two tonnes.');
    assert.equal(await stored('The crane'), undefined);
  });

  it('shows a person what an assistant would share, and shares it after their yes alone', async () => {
    await runCommandLine(storage, 'team', 'init', '--yes');
    const quay = await rememberOne(storage, 'We moor at quay two.', '--store', 'project');
    const engine = await openEngineOf(storage);
    await engine.actionRequests.add(quay, 'share');
    await engine.close();
    await row('We moor at quay two.').click();
    await says('asks to share it with your team');
    await screenshot(window, 'inbox-share');
    await button('Share…').click();
    await answerInput(window, 'Ada');
    await dialog(window).filter({ hasText: 'We moor at quay two.' }).waitFor();
    await screenshot(window, 'inbox-share-preview');
    await answerDialog(window, 'Cancel');
    await says('asks to share it with your team');
    const folder = join(storage.workspace, '.recollect', 'team');
    const files = (): readonly string[] => readdirSync(folder).filter(it => it.endsWith('.jsonl'));
    assert.deepEqual(files(), []);
    await button('Share…').click();
    await answerInput(window, 'Ada');
    await answerDialog(window, 'Share');
    await says('Done as requested: We moor at quay two.');
    const [file = ''] = files();
    assert.match(readFileSync(join(folder, file), 'utf8'), /We moor at quay two\./u);
  });
});
