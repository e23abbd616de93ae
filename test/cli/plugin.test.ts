import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runProcess } from '../support/runProcess.js';
import { temporaryFolder } from '../support/fixtures.js';
import { workingFolder } from '../../src/cli/program.js';
import { Shell } from './shell.js';

interface Hooks {
  readonly hooks: Readonly<Record<string, readonly (Hook & { readonly hooks?: readonly Hook[] })[]>>;
}
interface Hook {
  readonly command?: string;
}
interface Servers {
  readonly mcpServers: Readonly<Record<string, { readonly command: string; readonly args: readonly string[] }>>;
}

interface Marketplace {
  readonly plugins: readonly { readonly source: { readonly source: string; readonly command: string } }[];
}

const readJson = (...parts: readonly string[]): unknown => JSON.parse(readFileSync(path.join(...parts), 'utf8'));

describe('recollect plugin', () => {
  let shell: Shell;
  let folder: string;
  beforeEach(async () => {
    shell = new Shell();
    const { code, out } = await shell.run('plugin');
    assert.equal(code, 0);
    // Claude Code takes the one line of the output for the plugin's folder.
    folder = out.trimEnd();
    assert.equal(out, `${folder}\n`);
    assert.equal(folder, path.join(shell.home, 'memory', 'bin', 'marketplace', 'recollect'));
  });

  it('writes hooks and a server that work from a copy of the plugin', async () => {
    await shell.run(['remember', 'The ferry leaves from pier seven.']);
    const copy = path.join(temporaryFolder(), 'copied');
    cpSync(folder, copy, { recursive: true });
    const { hooks } = readJson(copy, 'hooks', 'hooks.json') as Hooks;
    const copilot = readJson(copy, 'com.github.copilot', 'hooks', 'hooks.json') as Hooks;
    const codex = readJson(folder, '..', 'codex', 'hooks', 'hooks.json') as Hooks;
    const nested = { hook_event_name: 'SessionStart', source: 'startup', cwd: shell.project };
    const commands = [
      hooks.SessionStart![0]!.hooks![0]!.command!,
      copilot.hooks.sessionStart![0]!.command!,
      codex.hooks.SessionStart![0]!.hooks![0]!.command!,
    ];
    const inputs = [
      nested,
      { sessionId: 's', timestamp: 1, source: 'new', cwd: shell.project },
      { ...nested, model: 'm', permission_mode: 'default' },
    ];
    for (const [index, command] of commands.entries()) {
      const env = { PATH: process.env.PATH ?? '', HOME: shell.home, CLAUDE_PLUGIN_ROOT: copy };
      const input = JSON.stringify(inputs[index]);
      const { code, out } = await runProcess(['sh', '-c', command], { input, cwd: copy, env });
      assert.equal(code, 0);
      assert.match(out, /pier seven/u, command);
    }
    for (const file of ['.mcp.json', 'mcp.json']) {
      const { command, args } = (readJson(copy, file) as Servers).mcpServers.recollect!;
      assert.deepEqual([command, args], ['node', [path.join(shell.home, 'memory', 'bin', 'recollect.cjs'), 'mcp']]);
    }
  });

  it('runs nothing that stands in the name of the data folder', async () => {
    // Such names are allowed on POSIX systems alone.
    const dataDir = path.join(shell.home, 'memory $(touch ran) `touch ran` "$HOME" it\'s $& $$');
    const command = ['remember', 'The ferry leaves from pier seven.', '--data-dir', dataDir];
    assert.equal((await shell.run(command)).code, 0);
    const { out } = await shell.run(['plugin', '--data-dir', dataDir]);
    const [written, cwd] = [out.trimEnd(), temporaryFolder()];
    const commands = ['hooks/hooks.json', 'com.github.copilot/hooks/hooks.json', '../codex/hooks/hooks.json'].map(
      it => {
        const { hooks } = readJson(written, it) as Hooks;
        const [start] = (hooks.SessionStart ?? hooks.sessionStart)!;
        return (start!.hooks?.[0] ?? start!).command!;
      },
    );
    const { plugins } = readJson(written, '..', '.claude-plugin', 'marketplace.json') as Marketplace;
    const env = { PATH: process.env.PATH ?? '', HOME: shell.home };
    const input = JSON.stringify({ hook_event_name: 'SessionStart', source: 'startup', cwd: shell.project });
    for (const it of commands) {
      const { code, out: answer } = await runProcess(['sh', '-c', it], { input, cwd, env });
      assert.deepEqual([code, answer.includes('pier seven')], [0, true], it);
    }
    const asked = await runProcess(['sh', '-c', plugins[0]!.source.command], { input: '', cwd, env });
    assert.equal(asked.out, out);
    assert.deepEqual(readdirSync(cwd), []);
    const { args } = (readJson(written, '.mcp.json') as Servers).mcpServers.recollect!;
    assert.equal(args[0], path.join(dataDir, 'bin', 'recollect.cjs'));
  });

  it('has the manifest of Agent Plugins 1.0, with no field that it does not define', () => {
    const manifest = readJson(folder, 'plugin.json') as Readonly<Record<string, unknown>>;
    const defined = ['$schema', 'name', 'version', 'description', 'author', 'license', 'keywords'];
    assert.deepEqual(Object.keys(manifest), defined);
    assert.equal(manifest.$schema, 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json');
    const servers = readJson(folder, 'mcp.json') as Readonly<Record<string, unknown>>;
    assert.deepEqual(Object.keys(servers), ['$schema', 'mcpServers']);
    assert.equal(servers.$schema, 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json');
  });

  it('has the same skills in each form, and no server for Codex, which would start it where no project is known', () => {
    const skills = readdirSync(path.resolve('media', 'claude-plugin', 'skills'));
    const codex = path.join(folder, '..', 'codex');
    for (const it of [folder, codex]) assert.deepEqual(readdirSync(path.join(it, 'skills')), skills);
    assert.deepEqual(readdirSync(codex).sort(), ['.codex-plugin', 'hooks', 'skills']);
    const manifest = readJson(codex, '.codex-plugin', 'plugin.json') as Readonly<Record<string, unknown>>;
    assert.equal(manifest.mcpServers, undefined);
  });

  it('lies in a marketplace that asks it for its folder, and writes the same again', async () => {
    const marketplace = path.join(folder, '..', '.claude-plugin', 'marketplace.json');
    const before = readFileSync(marketplace, 'utf8');
    const { plugins } = JSON.parse(before) as Marketplace;
    assert.equal(plugins[0]!.source.source, 'command');
    const env = { PATH: process.env.PATH ?? '', HOME: shell.home };
    const { out } = await runProcess(['sh', '-c', plugins[0]!.source.command], { input: '', cwd: shell.home, env });
    assert.equal(out, `${folder}\n`);
    assert.equal(readFileSync(marketplace, 'utf8'), before);
  });
});

describe('the folder that an MCP server works in', () => {
  const plugin = path.resolve('/plugins/recollect');
  const [home, project] = [process.env.HOME!, path.resolve('/work/harbour')];
  for (const [title, cwd, env, expected] of [
    ['is where it was started', project, { PWD: '/elsewhere' }, project],
    [
      'is that of the shell where it was started in the folder of its plugin',
      plugin,
      { PLUGIN_ROOT: plugin, PWD: project },
      project,
    ],
    [
      'is no project where the shell was in the folder of the plugin too',
      plugin,
      { PLUGIN_ROOT: plugin, PWD: plugin },
      home,
    ],
    ['is no project where that is not known', plugin, { PLUGIN_ROOT: plugin }, home],
    ['is the project where a plugin is named and it was not started there', project, { PLUGIN_ROOT: plugin }, project],
  ] as const) {
    it(title, () => {
      assert.equal(workingFolder(cwd, env), expected);
    });
  }
});
