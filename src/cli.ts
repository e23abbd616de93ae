import path from 'node:path';
import { runHook, taskArgument } from './cli/hook.js';

/*
 * Entry of `recollect …`. Whoever waits for it reads only what it needs: the rest is in bundles of their own beside this
 * one. The exit code says how it went; see cli/command.ts.
 */
/* eslint-disable @typescript-eslint/no-require-imports */
const commands = (): typeof import('./cli/main.js') =>
  require(path.join(__dirname, 'commands.js')) as typeof import('./cli/main.js');
const server = (): typeof import('./cli/mcpMain.js') =>
  require(path.join(__dirname, 'mcp.js')) as typeof import('./cli/mcpMain.js');

const [, , command] = process.argv;
if (command === 'hook' && !process.argv.includes('--help')) {
  void runHook(process.argv.slice(3));
} else if (process.send !== undefined && command === taskArgument) {
  commands().serveTask();
} else {
  void (command === 'mcp' ? server().runMcp(process.argv) : commands().runCli(process.argv)).then(code => {
    process.exitCode = code;
  });
}
