import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hookCommandWord } from '../engine/base/shellWord.js';

/** How the source names the command line, from where it lies in the package. */
const commandLineInPlace = '${CLAUDE_PLUGIN_ROOT}/../../dist/cli.js';
const schemas = 'https://agent-plugins.org/schemas/1.0.0';

interface PluginManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly author: { readonly name: string };
  readonly license: string;
  readonly keywords: readonly string[];
}

interface PluginOptions {
  /** media/claude-plugin of the package, the one source of all forms. */
  readonly source: string;
  /** Where the launcher lies; the plugin is written next to it. */
  readonly storage: string;
  readonly launcher: string;
}

/**
 * Writes the plugin with the full path of the launcher in it, so that it works from wherever a program copies it, and goes on
 * working after an update. It has the forms of Claude Code, of Agent Plugins 1.0 and Copilot, and of Codex, and lies in a
 * marketplace of its own.
 * @returns the plugin's folder; its parent is the marketplace
 */
export async function writePlugin({ source, storage, launcher }: PluginOptions): Promise<string> {
  const marketplace = path.join(storage, 'bin', 'marketplace');
  const folder = path.join(marketplace, 'recollect');
  await cp(source, folder, { recursive: true });
  // Codex starts a plugin's server in the plugin's folder, where no project is known: `recollect connect codex` adds the server.
  const codex = path.join(marketplace, 'codex');
  for (const part of ['skills', 'hooks'])
    await cp(path.join(source, part), path.join(codex, part), { recursive: true });
  const hooks = path.join('hooks', 'hooks.json');
  for (const file of [path.join(folder, '.mcp.json'), path.join(folder, hooks), path.join(codex, hooks)]) {
    const written = await readFile(file, 'utf8');
    // Codex has one event after a tool, and none of its own for a failure.
    const text = file.startsWith(codex) ? written.replace('"PostToolUseFailure"', '"PostToolUse"') : written;
    // Functions, for a replacement that is a text may have signs of its own.
    const inCommand = text.replaceAll(inJson(`"${commandLineInPlace}"`), () => inJson(hookCommandWord(launcher)));
    await writeFile(
      file,
      inCommand.replaceAll(commandLineInPlace, () => inJson(launcher)),
    );
  }
  const manifest = JSON.parse(
    await readFile(path.join(source, '.claude-plugin', 'plugin.json'), 'utf8'),
  ) as PluginManifest;
  const { name, description } = manifest;
  const files: Readonly<Record<string, object>> = {
    'recollect/plugin.json': { $schema: `${schemas}/plugin.schema.json`, ...manifest },
    'recollect/mcp.json': {
      $schema: `${schemas}/mcp.schema.json`,
      mcpServers: { recollect: { type: 'stdio', command: 'node', args: [launcher, 'mcp'] } },
    },
    'recollect/com.github.copilot/hooks/hooks.json': copilotHooks(launcher),
    'codex/.codex-plugin/plugin.json': { ...manifest, skills: './skills/' },
    '.claude-plugin/marketplace.json': {
      name,
      owner: manifest.author,
      description,
      // It prints where the plugin lies, and writes it before: an update of Recollect is one of the plugin.
      plugins: [
        { name, description, source: { source: 'command', command: `node ${hookCommandWord(launcher)} plugin` } },
      ],
    },
    '.agents/plugins/marketplace.json': {
      name,
      interface: { displayName: 'Recollect' },
      plugins: [{ name, source: { source: 'local', path: './codex' } }],
    },
  };
  for (const [file, content] of Object.entries(files)) {
    const target = path.join(marketplace, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, `${JSON.stringify(content, undefined, 2)}\n`);
  }
  return folder;
}

/**
 * Copilot's names of the events; its input does not name them. A command that ended with a code other than 0 is no failure of
 * its tool there: it comes as any other result, with the code in its text.
 */
function copilotHooks(launcher: string): object {
  const hook = (event: string, timeoutSec: number, matcher?: string): object[] => [
    {
      ...(matcher === undefined ? {} : { matcher }),
      type: 'command',
      command: `node ${hookCommandWord(launcher)} hook ${event}`,
      timeoutSec,
    },
  ];
  const shells = 'bash|powershell';
  return {
    version: 1,
    hooks: {
      sessionStart: hook('session-start', 10),
      preToolUse: hook('before-tool', 5, `${shells}|create|edit|str_replace_editor|apply_patch`),
      postToolUse: hook('after-tool', 5, shells),
      postToolUseFailure: hook('after-tool', 5, shells),
      agentStop: hook('stop', 20),
    },
  };
}

/** A text as it stands within a string of JSON. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
