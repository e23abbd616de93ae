import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import { answerDialog, answerNotification, dialog, notifications, openContainer, runCommand } from './kit/workbench.js';

describe('connecting other assistants', () => {
  let storage: Storage;
  let window: Window;
  let file: string;

  useWindow(async its => {
    storage = its;
    file = join(storage.workspace, '.mcp.json');
    window = await openWindow(storage);
    await openContainer(window, 'Recollect');
    return window;
  });

  const asks = (): Promise<unknown> =>
    until('it asks', () => dialog(window).filter({ hasText: 'to connect Claude Code?' }).isVisible());

  it('shows a diff, and writes nothing when declined', async () => {
    const text = '{\n  "mcpServers": {\n    "other": { "command":"x" }\n  }\n}\n';
    writeFileSync(file, text);
    await runCommand(window, 'Recollect: Connect Claude Code…');
    await asks();
    await until('the diff shows the entry', async () =>
      (await window.page.locator('.monaco-diff-editor').innerText()).includes('recollect.cjs'),
    );
    await screenshot(window, 'connect-claude-code');
    await answerDialog(window, 'Cancel');
    await until('it is closed', async () => !(await dialog(window).isVisible()));
    assert.equal(readFileSync(file, 'utf8'), text);
    assert.ok(!existsSync(join(storage.globalStorage, 'bin')));
  });

  it('writes the file once confirmed, and undoes exactly that', async () => {
    const before = readFileSync(file, 'utf8');
    await runCommand(window, 'Recollect: Connect Claude Code…');
    await asks();
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

  it('disconnects, and restores every byte', async () => {
    const agents = join(storage.workspace, '.vscode', 'mcp.json');
    mkdirSync(dirname(agents), { recursive: true });
    const before = '\uFEFF{\r\n\t// mine\r\n\t"inputs": [ 1,2 ],\r\n\t"servers": {}, // none yet\r\n}\r\n';
    writeFileSync(agents, before);
    await runCommand(window, 'Recollect: Connect VS Code Agents…');
    await until('it asks', () => dialog(window).filter({ hasText: 'to connect agents of VS Code?' }).isVisible());
    await answerDialog(window, 'Connect');
    await notifications(window).filter({ hasText: 'agents of VS Code can use the memory' }).first().waitFor();
    assert.match(readFileSync(agents, 'utf8'), /"recollect": \{/u);
    await runCommand(window, 'Recollect: Connect VS Code Agents…');
    await answerNotification(window, 'is connected already', 'Disconnect');
    await until('the file is as it was', () => readFileSync(agents, 'utf8') === before);
  });

  it('deletes a file that it created', async () => {
    rmSync(file);
    await runCommand(window, 'Recollect: Connect Claude Code…');
    await asks();
    await answerDialog(window, 'Connect');
    await until('it is there', () => existsSync(file));
    await runCommand(window, 'Recollect: Connect Claude Code…');
    await answerNotification(window, 'is connected already', 'Disconnect');
    await until('it is gone', () => !existsSync(file));
  });

  it('rejects an invalid file', async () => {
    writeFileSync(file, '{ "mcpServers": ');
    await runCommand(window, 'Recollect: Connect Claude Code…');
    await notifications(window).filter({ hasText: '.mcp.json is not valid JSON' }).first().waitFor();
    await screenshot(window, 'connect-broken');
    assert.equal(readFileSync(file, 'utf8'), '{ "mcpServers": ');
  });

  it('shows who can reach the memory, and connects and disconnects one by keyboard alone', async () => {
    const cursorFile = join(storage.folder, 'home', '.cursor', 'mcp.json');
    const { page } = window;
    const rows = page.locator('.quick-input-widget .monaco-list-row');
    const open = async (): Promise<void> => {
      await runCommand(window, 'Recollect: Who Can Reach the Memory…');
      await until('all assistants are listed', async () => (await rows.count()) >= 9);
    };
    await open();
    await screenshot(window, 'connections');
    const labels = await rows.allInnerTexts();
    const names = [
      'Claude Code',
      'Claude Desktop',
      'Codex',
      'opencode',
      'Cursor',
      'Windsurf',
      'Gemini CLI',
      'Copilot CLI',
    ];
    for (const it of [...names, 'agents of VS Code'])
      assert.ok(
        labels.some(label => label.includes(it)),
        it,
      );
    await page.keyboard.type('Cursor');
    await until('one is left', async () => (await rows.count()) === 1);
    await page.keyboard.press('Enter');
    await until('it asks', () => dialog(window).filter({ hasText: 'Write mcp.json to connect Cursor?' }).isVisible());
    await until('the diff shows the entry', async () =>
      (await page.locator('.monaco-diff-editor').innerText()).includes('recollect.cjs'),
    );
    await page.keyboard.press('Enter');
    await until('the file is written', () => existsSync(cursorFile));
    await notifications(window).filter({ hasText: 'Cursor can use the memory' }).first().waitFor();
    await open();
    await page.keyboard.type('Cursor');
    await until('it is connected', async () => /Cursor[\s\S]*connected/u.test((await rows.allInnerTexts()).join('')));
    await screenshot(window, 'connections-connected');
    await page.keyboard.press('Enter');
    await until('it asks', () => dialog(window).filter({ hasText: 'Take the connection of Cursor back?' }).isVisible());
    await screenshot(window, 'connections-take-back');
    await page.keyboard.press('Enter');
    await until('the file is gone', () => !existsSync(cursorFile));
  });
});
