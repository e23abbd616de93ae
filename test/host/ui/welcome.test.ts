import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Memory } from '../../../src/engine/model/memory.js';
import { runCommandLine } from './storeFixtures.js';
import { until } from './kit/until.js';
import { openWindow, screenshot, useWindow, type Storage, type Window } from './kit/window.js';
import { openContainer, pick, quickPickRows, runCommand } from './kit/workbench.js';

const rules = ['Use tabs.', 'Name tests by what they hold.', 'Ask before a push.', 'Keep functions short.'];

describe('the view of an empty memory', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    mkdirSync(join(storage.folder, 'claude'));
    writeFileSync(join(storage.workspace, 'CLAUDE.md'), `# Rules\n\n${rules.map(it => `- ${it}\n`).join('')}`);
    window = await openWindow(storage, { environment: { CLAUDE_CONFIG_DIR: join(storage.folder, 'claude') } });
    await openContainer(window, 'Recollect');
    return window;
  });

  const view = () => window.page.locator('.part.sidebar .welcome-view-content');
  const says = (text: string): Promise<true> =>
    until(`the view says ${text}`, async () => (await view().innerText()).includes(text));

  it('offers to connect Claude Code where it is installed, and the rules of the folder', async () => {
    await says('Claude Code is on this machine, and does not reach this memory yet.');
    await view().locator('.monaco-button', { hasText: 'Connect Claude Code…' }).waitFor();
    await says('This folder has rules for assistants');
    await screenshot(window, 'welcome');
  });

  it('counts the rules where they are imported, and asks nothing but how far they are trusted', async () => {
    await view().locator('.monaco-button', { hasText: 'Import Your Rules…' }).click();
    const widget = window.page.locator('.quick-input-widget:visible');
    await widget.filter({ hasText: 'Import Your CLAUDE.md (4 rules)' }).waitFor();
    await screenshot(window, 'welcome-rules');
    await pick(window, 'As confirmed memories');
    const kept = async (): Promise<readonly string[]> =>
      (JSON.parse(await runCommandLine(storage, 'list', '--json')) as readonly Memory[]).map(it => it.content);
    await until('all are there', async () => (await kept()).length === rules.length);
    assert.deepEqual([...(await kept())].sort(), [...rules].sort());
  });

  it('does not offer rules that are there already', async () => {
    await runCommand(window, 'Recollect: Import…');
    await quickPickRows(window).first().waitFor();
    const offered = await quickPickRows(window).allInnerTexts();
    assert.ok(offered.length > 3 && offered.every(it => !it.includes('Import Your')), offered.join('\n'));
    await window.page.keyboard.press('Escape');
  });
});
