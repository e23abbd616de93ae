import path from 'node:path';
import type { McpConfigFile, McpServerEntry } from './mcpConfig.js';

/** A program that can reach the memory through our MCP server, and where it reads its servers from. */
export interface ConnectableAssistant {
  /** As a person names it on a command line. */
  readonly id: string;
  readonly title: string;
  /** The program on PATH, where it has one. */
  readonly program?: string;
  /** Folders of which one exists where it is installed. */
  readonly folders: readonly string[];
  /** The full path of the file of its servers. */
  readonly file: string;
  readonly config: McpConfigFile;
  /** How its client names itself in the protocol. */
  readonly clientName: RegExp;
  entry(launcher: string): McpServerEntry;
}

export interface Places {
  readonly home: string;
  /** VS Code's folder `User`, where the caller knows it; else the one of the stable VS Code. */
  readonly vscodeUser?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** Folders that the configurations of assistants lie in. */
interface ConfigurationFolders {
  readonly home: string;
  readonly env: Places['env'];
  /** Of programs that follow the XDG base directories. */
  readonly config: string;
  /** Of desktop applications. */
  readonly applications: string;
  readonly copilotHome: string;
  readonly codexHome: string;
  readonly vscodeFolder: string;
  readonly inHome: (...parts: readonly string[]) => string;
}

/**
 * Every assistant that can be connected by a file, in the order in which they are shown. All files are the person's own: the
 * entry names a path of this machine, and a file of a project is shared.
 */
export function connectableAssistants(places: Places): readonly ConnectableAssistant[] {
  const folders = findFolders(places);
  return assistants.map(describe => describe(folders));
}

function findFolders({ home, vscodeUser, env, platform }: Places): ConfigurationFolders {
  const config = env.XDG_CONFIG_HOME ?? path.join(home, '.config');
  const applications =
    platform === 'darwin'
      ? path.join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? (env.APPDATA ?? path.join(home, 'AppData', 'Roaming'))
        : config;
  return {
    home,
    env,
    config,
    applications,
    copilotHome: env.COPILOT_HOME ?? path.join(home, '.copilot'),
    codexHome: env.CODEX_HOME ?? path.join(home, '.codex'),
    vscodeFolder: vscodeUser ?? path.join(applications, 'Code', 'User'),
    inHome: (...parts) => path.join(home, ...parts),
  };
}

function json(file: string, more: Partial<McpConfigFile> = {}): { file: string; config: McpConfigFile } {
  return { file, config: { path: file, section: 'mcpServers', allowsComments: false, ...more } };
}

function plain(launcher: string): McpServerEntry {
  return { command: 'node', args: [launcher, 'mcp'] };
}

function stdio(launcher: string): McpServerEntry {
  return { type: 'stdio', ...plain(launcher) };
}

const assistants: readonly ((folders: ConfigurationFolders) => ConnectableAssistant)[] = [
  ({ inHome, home, env }) => ({
    id: 'claude-code',
    title: 'Claude Code',
    program: 'claude',
    folders: [env.CLAUDE_CONFIG_DIR ?? inHome('.claude')],
    // Written by `claude mcp add --scope user`.
    ...json(path.join(env.CLAUDE_CONFIG_DIR ?? home, '.claude.json')),
    clientName: /^claude-code/u,
    entry: launcher => ({ ...stdio(launcher), env: {} }),
  }),
  ({ applications }) => ({
    id: 'claude-desktop',
    title: 'Claude Desktop',
    folders: [path.join(applications, 'Claude')],
    ...json(path.join(applications, 'Claude', 'claude_desktop_config.json')),
    clientName: /^claude-ai|^claude[ -]desktop/iu,
    entry: plain,
  }),
  ({ codexHome }) => ({
    id: 'codex',
    title: 'Codex',
    program: 'codex',
    folders: [codexHome],
    ...json(path.join(codexHome, 'config.toml'), { section: 'mcp_servers', format: 'toml' }),
    clientName: /^codex/u,
    entry: plain,
  }),
  ({ config }) => ({
    id: 'opencode',
    title: 'opencode',
    program: 'opencode',
    folders: [path.join(config, 'opencode')],
    ...json(path.join(config, 'opencode', 'opencode.json'), { section: 'mcp', allowsComments: true }),
    clientName: /^opencode/u,
    entry: launcher => ({ type: 'local', command: ['node', launcher, 'mcp'], enabled: true }),
  }),
  ({ inHome }) => ({
    id: 'cursor',
    title: 'Cursor',
    program: 'cursor',
    folders: [inHome('.cursor')],
    ...json(inHome('.cursor', 'mcp.json')),
    clientName: /^cursor/u,
    entry: plain,
  }),
  ({ inHome }) => ({
    id: 'windsurf',
    title: 'Windsurf',
    program: 'windsurf',
    folders: [inHome('.codeium', 'windsurf')],
    ...json(inHome('.codeium', 'windsurf', 'mcp_config.json')),
    clientName: /^windsurf/u,
    entry: plain,
  }),
  ({ inHome }) => ({
    id: 'gemini',
    title: 'Gemini CLI',
    program: 'gemini',
    folders: [inHome('.gemini')],
    ...json(inHome('.gemini', 'settings.json'), { allowsComments: true }),
    clientName: /^gemini-cli/u,
    entry: plain,
  }),
  ({ copilotHome }) => ({
    id: 'copilot',
    title: 'Copilot CLI',
    program: 'copilot',
    folders: [copilotHome],
    ...json(path.join(copilotHome, 'mcp-config.json')),
    clientName: /^github-copilot|^copilot/u,
    entry: launcher => ({ type: 'local', ...plain(launcher), tools: ['*'] }),
  }),
  ({ vscodeFolder }) => ({
    id: 'vscode',
    title: 'VS Code agents',
    program: 'code',
    folders: [vscodeFolder],
    ...json(path.join(vscodeFolder, 'mcp.json'), { section: 'servers', allowsComments: true }),
    clientName: /^visual[ -]studio[ -]code/iu,
    entry: stdio,
  }),
];
