import path from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import type { HttpServerOptions } from '../../http/memoryHttpServer.js';
import { findDataDir } from '../dataDir.js';
import { readVersion, type GlobalOptions } from '../program.js';
import { readServeToken, type ServeToken } from '../serveToken.js';
import { printAnswer } from '../terminal.js';
import { isOfferedTool, mcpServerOptions, toolsOption, type ToolSet } from './mcp.js';

interface ServeCommandOptions {
  readonly port?: number;
  readonly tokenFile?: string;
  readonly ask: boolean;
  readonly owner?: boolean;
  readonly tools: ToolSet;
}

const maxPort = 65_535;

/** `recollect serve` */
export function registerServeCommand(program: Command): void {
  program
    .command('serve')
    .description('serve the memory to other programs on this machine over HTTP, until Ctrl+C')
    .option('--port <number>', 'the port on 127.0.0.1 (default: a free one, which is printed)', parsePort)
    .option('--token-file <file>', 'the token, in a file that only you may read; made if it is not there')
    .option('--no-ask', 'never ask the person over MCP; what needs their yes is kept as a request')
    .option(
      '--owner',
      'programs with the token may forget notes and run maintenance, but nothing you confirmed or pinned',
    )
    .addOption(toolsOption(' over MCP'))
    .action(async ({ port = 0, tokenFile, ask: askForConfirmation, owner = false, tools }: ServeCommandOptions) => {
      const options = program.opts<GlobalOptions>();
      const isJson = options.json === true;
      const token = await readServeToken(tokenFile, process.env);
      // A bundle of its own: no other command reads it.
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const { serveHttp, defaultMcpTools } = require(
        path.join(__dirname, 'http.js'),
      ) as typeof import('../serveMain.js');
      const given = mcpServerOptions(program);
      const folders = given.projects ?? given.filterProjects([given.workingFolder]);
      const serverOptions: HttpServerOptions = {
        ...given,
        // A client does not say in which folder the server works, unless that is none.
        projects: folders.length === 0 ? undefined : folders,
        version: readVersion(),
        askForConfirmation,
        ownerDecides: owner,
        isOffered: isOfferedTool(tools, [], defaultMcpTools),
        token: token.token,
      };
      const dataDir = findDataDir(options.dataDir);
      if (!isJson) console.error(`Memory: ${dataDir.path} (${dataDir.source})`);
      await serveHttp(serverOptions, port, listening => {
        printAddress(isJson, { url: `http://127.0.0.1:${listening}`, token, projects: folders });
      });
      if (!isJson) console.error('Ended; everything that was acknowledged is kept.');
    });
}

interface Address {
  readonly url: string;
  readonly token: ServeToken;
  readonly projects: readonly string[];
}

function printAddress(isJson: boolean, { url, token, projects }: Address): void {
  const shown = token.source === 'run' ? { token: token.token } : {};
  const addresses = { url, mcp: `${url}/mcp`, openapi: `${url}/openapi.json` };
  const lines = [
    `Listening on ${url}, for programs on this machine.`,
    token.source === 'run' ? `Token, for this run alone: ${token.token}` : `Token: the one in ${token.name}`,
    'Each request sends it: Authorization: Bearer TOKEN',
    projects.length === 0
      ? 'Project: none; a request may name one (project), with the full path of its folder.'
      : `Project: ${projects.join(', ')}`,
    `MCP: ${addresses.mcp}   Description: ${addresses.openapi}`,
    'Ctrl+C ends it.',
  ];
  printAnswer(isJson, { output: { ...addresses, ...shown, projects }, lines });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/u.test(text) && port <= maxPort) return port;
  throw new InvalidArgumentError(`A port is a number from 0 (a free one) to ${maxPort}.`);
}
