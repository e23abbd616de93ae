import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { prewarmSearch, type SearchWorkerHandle } from '../engine/search/prewarmSearch.js';
import { hookTaskArgument } from './hooks/childProcess.js';
import { limitYoungGeneration } from './youngGeneration.js';

/* eslint-disable @typescript-eslint/no-require-imports */
const loadCommands = (): typeof import('./main.js') =>
  require(path.join(__dirname, 'commands.js')) as typeof import('./main.js');
const loadServer = (): typeof import('./mcpMain.js') =>
  require(path.join(__dirname, 'mcp.js')) as typeof import('./mcpMain.js');
const loadPromptTask = (): typeof import('./hooks/promptTask.js') =>
  require(path.join(__dirname, 'promptTask.js')) as typeof import('./hooks/promptTask.js');
/* eslint-enable @typescript-eslint/no-require-imports */
/** Starts the search thread while the code that uses it is read. */
const prewarm = (): SearchWorkerHandle =>
  prewarmSearch({ bundleDir: __dirname, modelsDir: path.join(__dirname, 'models') });

/** Commands that search. */
const searchCommands = ['mcp', 'recall', 'remember'];

/**
 * V8 makes machine code of what runs often, and of a pattern at its second use, for programs that stay busy. These answer
 * now and then: half of the time of the recalls after the first went into it.
 */
function setFlags(): void {
  // By default 67,584 (Node 20). V8 of Node 23 and later does not know it, and says so on every start.
  if (Number.parseInt(process.versions.node, 10) <= 22) setFlagsFromString('--interrupt-budget=200000');
  setFlagsFromString('--no-regexp-tier-up'); // Machine code at once: the byte code before it takes four times as long.
}

/**
 * Runs one command line that is no hook's, and sets the exit code. Loads only what it needs: the rest is in bundles of their own
 * next to this one.
 * @param argv `process.argv`
 */
export function start(argv: readonly string[]): void {
  setFlags();
  const [, , command = '', event] = argv;
  // A server stays, and its memory with it; any other call is over before that matters.
  if (command === 'mcp') limitYoungGeneration();
  if (process.send !== undefined && command === hookTaskArgument) {
    if (event === 'prompt') {
      const searchWorker = prewarm();
      loadPromptTask().servePromptTask(searchWorker);
    } else loadCommands().serveStopTask();
    return;
  }
  const searchWorker = searchCommands.includes(command) ? prewarm() : undefined;
  const run = command === 'mcp' ? loadServer().runMcp : loadCommands().runCli;
  void run(argv, searchWorker).then(code => {
    process.exitCode = code;
  });
}
