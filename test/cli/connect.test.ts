import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Shell } from './shell.js';

describe('recollect connect', () => {
  it('shows the difference, writes it after a yes, and takes it back to the byte', async () => {
    const shell = new Shell();
    const folder = path.join(shell.home, '.codex');
    const file = path.join(folder, 'config.toml');
    const before = 'model = "x" # mine';
    mkdirSync(folder);
    writeFileSync(file, before);

    const shown = await shell.run('connect codex --dry-run');
    assert.match(shown.out, /^\+\[mcp_servers\.recollect\]$/mu);
    assert.equal(readFileSync(file, 'utf8'), before);
    const unasked = await shell.run('connect codex');
    assert.deepEqual([unasked.code, readFileSync(file, 'utf8')], [2, before]);

    assert.equal((await shell.run('connect codex --yes')).code, 0);
    const launcher = path.join(shell.home, 'memory', 'bin', 'recollect.cjs');
    assert.ok(existsSync(launcher) && readFileSync(file, 'utf8').includes(JSON.stringify([launcher, 'mcp'])));
    assert.match((await shell.run('connect codex --yes')).out, /^Codex is connected in .* already\.\n$/u);

    assert.equal((await shell.run('connect codex --undo --yes')).code, 0);
    assert.equal(readFileSync(file, 'utf8'), before);
  });

  it('writes the file of each assistant in the form that it reads, and removes one that it made', async () => {
    const shell = new Shell();
    const launcher = path.join(shell.home, 'memory', 'bin', 'recollect.cjs');
    const plain = { command: 'node', args: [launcher, 'mcp'] };
    const folders: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
      darwin: path.join('Library', 'Application Support'),
      win32: path.join('AppData', 'Roaming'),
    };
    const applications = path.join(shell.home, folders[process.platform] ?? '.config');
    const files: Readonly<Record<string, readonly [file: string, content: object]>> = {
      'claude-code': [
        path.join(shell.home, '.claude.json'),
        { mcpServers: { recollect: { type: 'stdio', ...plain, env: {} } } },
      ],
      opencode: [
        path.join(shell.home, '.config', 'opencode', 'opencode.json'),
        { mcp: { recollect: { type: 'local', command: ['node', launcher, 'mcp'], enabled: true } } },
      ],
      vscode: [
        path.join(applications, 'Code', 'User', 'mcp.json'),
        { servers: { recollect: { type: 'stdio', ...plain } } },
      ],
      'claude-desktop': [
        path.join(applications, 'Claude', 'claude_desktop_config.json'),
        { mcpServers: { recollect: plain } },
      ],
      cursor: [path.join(shell.home, '.cursor', 'mcp.json'), { mcpServers: { recollect: plain } }],
      copilot: [
        path.join(shell.home, '.copilot', 'mcp-config.json'),
        { mcpServers: { recollect: { type: 'local', ...plain, tools: ['*'] } } },
      ],
    };
    for (const [name, [file, content]] of Object.entries(files)) {
      assert.equal((await shell.run(['connect', name, '--yes'])).code, 0, name);
      assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), content);
      assert.equal((await shell.run(['connect', name, '--undo', '--yes'])).code, 0, name);
      assert.ok(!existsSync(file), name);
    }
  });

  it('says who can reach the memory', async () => {
    const shell = new Shell();
    mkdirSync(path.join(shell.home, '.gemini'));
    await shell.run('connect cursor --yes');
    const seen = { at: '2026-03-02T09:00:00.000Z', client: 'mcp:cursor-vscode', ids: [] };
    const lines = [
      { ...seen, via: 'tools/list' },
      { ...seen, at: '2026-03-04T09:00:00.000Z', via: 'recall' },
    ];
    mkdirSync(path.join(shell.home, 'memory', 'access'), { recursive: true });
    writeFileSync(
      path.join(shell.home, 'memory', 'access', 'reads.jsonl'),
      lines.map(it => `${JSON.stringify(it)}\n`).join(''),
    );
    const { data } = await shell.json('status');
    const stateOf = (name: string): unknown => {
      const { installed, connected } = (data as { name: string; installed: boolean; connected: boolean }[]).find(
        it => it.name === name,
      )!;
      return { installed, connected };
    };
    assert.deepEqual(stateOf('cursor'), { installed: true, connected: true });
    assert.deepEqual(stateOf('gemini'), { installed: true, connected: false });
    const { out } = await shell.run('connect');
    assert.match(out, /^cursor +Cursor: connected, tools seen 2 Mar 2026, last call 4 Mar 2026$/mu);
    assert.match(out, /^claude-code +Claude Code: (?:not found on this machine|not connected)$/mu);
    const { code, err } = await shell.run('connect notepad');
    assert.deepEqual([code, err.includes('There are: claude-code, ')], [2, true]);
  });
});
