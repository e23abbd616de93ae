import path from 'node:path';
import { Option, type Command } from 'commander';
import type { MemoryServerOptions } from '../../mcp/memoryServer.js';
import { findDataDir } from '../dataDir.js';
import { filterProjects } from '../filterProjects.js';
import { createHost, readVersion, requireFolder, workingFolder, type GlobalOptions } from '../program.js';

/** Options of the server that come from those of the whole command line. */
type McpServerOptions = Omit<MemoryServerOptions, 'version' | 'askForConfirmation' | 'isOffered'>;

interface McpCommandOptions {
  readonly ask: boolean;
  readonly tools: ToolSet;
  readonly without?: string[];
}

const toolSets = ['default', 'all'] as const;
export type ToolSet = (typeof toolSets)[number];

/** Which tools an MCP client is offered. @param way in the sentence of the help, where there are others */
export function toolsOption(way = ''): Option {
  return new Option(
    '--tools <set>',
    `tools to offer${way}: what assistants need, or also context, feedback, graph, pin, traces, metrics and maintain`,
  )
    .choices(toolSets)
    .default('default');
}

/** @param defaultTools of the set `default` */
export function isOfferedTool(
  toolSet: ToolSet,
  without: readonly string[],
  defaultTools: readonly { readonly name: string }[],
): (toolName: string) => boolean {
  return name => !without.includes(name) && (toolSet === 'all' || defaultTools.some(it => it.name === name));
}

/** `recollect mcp` */
export function registerMcpCommand(program: Command, serverOptions: () => McpServerOptions): void {
  program
    .command('mcp')
    .description('serve the memory to one assistant over stdin and stdout (MCP), until it ends')
    .option('--no-ask', 'never ask the person; what needs their yes is kept as a request')
    .addOption(toolsOption())
    .option('--without <tool...>', 'tools not to offer, because the client has them from elsewhere')
    .action(async ({ ask: askForConfirmation, tools: toolSet, without = [] }: McpCommandOptions) => {
      // A bundle of its own: no other command reads the SDK.
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const { serve, defaultMcpTools } = require(path.join(__dirname, 'mcp.js')) as typeof import('../mcpMain.js');
      const isOffered = isOfferedTool(toolSet, without, defaultMcpTools);
      await serve({ ...serverOptions(), version: readVersion(), askForConfirmation, isOffered });
    });
}

/**
 * @param program with the options of every command
 * @throws EngineError invalidInput where a project that they name is no folder
 */
export function mcpServerOptions(program: Command): McpServerOptions {
  const options = program.opts<GlobalOptions>();
  return {
    host: createHost(options, findDataDir(options.dataDir).path),
    projects: options.project?.map(requireFolder),
    filterProjects,
    workingFolder: workingFolder(process.cwd(), process.env),
  };
}
