import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Locator } from 'playwright-core';
import { accessibilityProblems, webviewFrame } from './kit/accessibility.js';
import { walkByTab } from './kit/tabStops.js';
import { testReadability } from './kit/inspectorPage.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import {
  answerDialog,
  answerNotification,
  dialog,
  notifications,
  openContainer,
  quickPickRows,
  runCommand,
} from './kit/workbench.js';

describe('connecting other assistants', () => {
  let storage: Storage;
  let window: Window;
  let file: string;
  let home: string;

  useWindow(async its => {
    storage = its;
    home = join(storage.folder, 'home');
    file = join(home, '.claude.json');
    window = await openWindow(storage);
    await openContainer(window, 'Recollect');
    return window;
  });

  const asks = (text: string): Promise<unknown> =>
    until('it asks', () => dialog(window).filter({ hasText: text }).isVisible());
  const asksToConnect = (): Promise<unknown> => asks('to connect Claude Code?');
  const diffShows = (text: string): Promise<unknown> =>
    until('the diff shows the entry', async () =>
      (await window.page.locator('.monaco-diff-editor').innerText()).includes(text),
    );

  it('shows a diff, and writes nothing when declined', async () => {
    const text = '{\n  "mcpServers": {\n    "other": { "command":"x" }\n  }\n}\n';
    writeFileSync(file, text);
    await runCommand(window, 'Recollect: Connect Claude Code…');
    await asksToConnect();
    await diffShows('recollect.cjs');
    await screenshot(window, 'connect-claude-code');
    await answerDialog(window, 'Cancel');
    await until('it is closed', async () => !(await dialog(window).isVisible()));
    assert.equal(readFileSync(file, 'utf8'), text);
    assert.ok(!existsSync(join(storage.globalStorage, 'bin')));
  });

  it('writes the file once confirmed, and undoes exactly that', async () => {
    const before = readFileSync(file, 'utf8');
    await runCommand(window, 'Recollect: Connect Claude Code…');
    await asksToConnect();
    await answerDialog(window, 'Connect');
    await notifications(window).filter({ hasText: 'can use the memory' }).first().waitFor();
    const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as {
      mcpServers: Record<string, { args?: string[] }>;
    };
    assert.deepEqual(Object.keys(mcpServers), ['other', 'recollect']);
    const [launcher] = mcpServers.recollect!.args!;
    assert.equal(launcher, join(storage.globalStorage, 'bin', 'recollect.cjs'));
    assert.match(readFileSync(launcher, 'utf8'), /dist\/cli\.js/u);
    await answerNotification(window, 'can use the memory', 'Undo');
    await until('the file is as it was', () => readFileSync(file, 'utf8') === before);
  });

  it('disconnects the agents of this VS Code, and restores every byte', async () => {
    const agents = join(dirname(dirname(storage.globalStorage)), 'mcp.json');
    mkdirSync(dirname(agents), { recursive: true });
    const before = '\uFEFF{\r\n\t// mine\r\n\t"inputs": [ 1,2 ],\r\n\t"servers": {}, // none yet\r\n}\r\n';
    writeFileSync(agents, before);
    await runCommand(window, 'Recollect: Connect VS Code Agents…');
    await asks('to connect agents of VS Code?');
    await answerDialog(window, 'Connect');
    await notifications(window)
      .filter({ hasText: /Agents of VS Code can use the memory from their next/u })
      .first()
      .waitFor();
    assert.match(readFileSync(agents, 'utf8'), /"recollect": \{/u);
    await runCommand(window, 'Recollect: Connect VS Code Agents…');
    await answerNotification(window, 'is connected already', 'Disconnect');
    await until('the file is as it was', () => readFileSync(agents, 'utf8') === before);
  });

  it('deletes a file that it created', async () => {
    rmSync(file);
    await runCommand(window, 'Recollect: Connect Claude Code…');
    await asksToConnect();
    await answerDialog(window, 'Connect');
    await until('it is there', () => existsSync(file));
    await runCommand(window, 'Recollect: Connect Claude Code…');
    await answerNotification(window, 'is connected already', 'Disconnect');
    await until('it is gone', () => !existsSync(file));
  });

  it('rejects an invalid file', async () => {
    writeFileSync(file, '{ "mcpServers": ');
    await runCommand(window, 'Recollect: Connect Claude Code…');
    await notifications(window).filter({ hasText: '.claude.json is not valid JSON' }).first().waitFor();
    await screenshot(window, 'connect-broken');
    assert.equal(readFileSync(file, 'utf8'), '{ "mcpServers": ');
  });

  describe('on the page of who can reach the memory', () => {
    let cursorFile: string;
    const page = async (): Promise<Locator> => (await webviewFrame(window)).locator('#inspector');
    const button = async (id: string): Promise<Locator> => (await page()).locator(`#connect-${id}`);
    const says = (name: string, ...texts: readonly string[]): Promise<unknown> =>
      until(`${name} ${texts.join(', ')}`, async () => {
        const rows = await (await page()).locator('.assistants li').allInnerTexts();
        return rows.some(it => it.includes(name) && texts.every(text => it.includes(text)));
      });
    const nothingSerious = async (): Promise<void> => {
      assert.deepEqual(await accessibilityProblems(window), []);
    };
    const focused = async (): Promise<string | null> =>
      (await webviewFrame(window)).evaluate<string | null>(
        "document.activeElement?.getAttribute('aria-label') ?? null",
      );

    before(() => {
      cursorFile = join(home, '.cursor', 'mcp.json');
      mkdirSync(join(storage.globalStorage, 'access'), { recursive: true });
      const line = (via: string, at: string): string => JSON.stringify({ at, client: 'mcp:gemini-cli', via, ids: [] });
      const lines = [line('tools/list', '2026-01-02T03:04:05.000Z'), line('recall', '2026-01-03T03:04:05.000Z'), ''];
      writeFileSync(join(storage.globalStorage, 'access', 'reads.jsonl'), lines.join('\n'));
    });

    it('lists each program with what is known of it', async () => {
      await runCommand(window, 'Notifications: Clear All Notifications');
      await runCommand(window, 'Recollect: Connections');
      await says('Chats of VS Code', 'connected', 'by this extension');
      await says('Claude Code', '.claude.json is not valid JSON');
      const absent = (await page()).locator('.fold', { hasText: 'Not on this machine' });
      await absent.locator('summary').click();
      await says('Gemini CLI', 'not connected', 'tools seen', 'last call');
      await says('Cursor', 'not connected', cursorFile);
      const rows = await (await page()).locator('.assistants li').count();
      assert.equal(rows, 10);
    });

    testReadability(
      'access',
      () => window,
      async () => {
        const brokenNames = `[...document.querySelectorAll('.path .part')].flatMap(it => {
        const range = document.createRange();
        range.selectNodeContents(it);
        return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1 ? [it.textContent] : [];
      })`;
        assert.deepEqual(await (await webviewFrame(window)).evaluate(brokenNames), []);
      },
    );

    it('reaches every button by Tab', async () => {
      await (await page()).getByRole('tab', { name: 'Access' }).focus();
      const { reached, missed, unseen } = await walkByTab(window);
      assert.deepEqual([missed, unseen], [[], []]);
      assert.equal(reached.filter(it => it.includes('connect-')).length, 9);
    });

    it('connects a program and takes that back by keyboard alone', async () => {
      await (await button('cursor')).focus();
      assert.equal(await focused(), 'Connect Cursor…');
      await window.page.keyboard.press('Enter');
      await asks('Write ~/.cursor/mcp.json to connect Cursor?');
      await diffShows('recollect.cjs');
      await screenshot(window, 'access-diff');
      await window.page.keyboard.press('Enter');
      await until('the file is written', () => existsSync(cursorFile));
      await says('Cursor', 'Disconnect');
      await until('the focus is where it was', async () => (await focused()) === 'Disconnect Cursor…');
      await screenshot(window, 'access-connected');
      await window.page.keyboard.press('Enter');
      await asks('Take the connection of Cursor back?');
      await window.page.keyboard.press('Enter');
      await until('the file is gone', () => !existsSync(cursorFile));
      await says('Cursor', 'not connected');
    });

    it('says why a file cannot be edited', async () => {
      await (await button('claude-code')).click();
      const alert = (await page()).getByRole('alert');
      await until('it says why', async () => (await alert.innerText()).includes('.claude.json is not valid JSON'));
      await screenshot(window, 'access-failure');
      await nothingSerious();
    });

    it('leads to what each may do, with its calls', async () => {
      await (await page()).locator('vscode-button', { hasText: 'Rights of Assistants…' }).click();
      const row = quickPickRows(window).filter({ hasText: 'gemini-cli' });
      await row.waitFor();
      assert.match(await row.innerText(), /last call .*, (?:1 call|[02-9] calls), 0 refused/u);
      await window.page.keyboard.press('Escape');
    });
  });
});
