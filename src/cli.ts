import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { hookTaskArgument } from './cli/hooks/childProcess.js';
import { runHook } from './cli/hooks/runHook.js';
import { limitYoungGeneration } from './cli/youngGeneration.js';
import { prewarmSearch, type SearchWorkerHandle } from './engine/prewarmSearch.js';

/*
 * Entry of `recollect …`. A call loads only what it needs: the rest is in bundles of their own next to this
 * one. The exit code says how it went; see cli/command.ts.
 */
/* eslint-disable @typescript-eslint/no-require-imports */
const loadCommands = (): typeof import('./cli/main.js') =>
  require(path.join(__dirname, 'commands.js')) as typeof import('./cli/main.js');
const loadServer = (): typeof import('./cli/mcpMain.js') =>
  require(path.join(__dirname, 'mcp.js')) as typeof import('./cli/mcpMain.js');

const loadPromptTask = (): typeof import('./cli/hooks/promptTask.js') =>
  require(path.join(__dirname, 'promptTask.js')) as typeof import('./cli/hooks/promptTask.js');
/** Starts a search during the reading of the code that asks for it. */
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

const [, , command = '', event] = process.argv;
const isHook = command === 'hook' && !process.argv.includes('--help');
// With other flags V8 compiles Node's own modules from their source, which costs a hook more than it has to do.
if (!isHook) setFlags();
// A server stays, and its memory with it; any other call is over before that matters.
if (command === 'mcp') limitYoungGeneration();
if (isHook) {
  void runHook(process.argv.slice(3));
} else if (process.send !== undefined && command === hookTaskArgument) {
  if (event === 'prompt') {
    const searchWorker = prewarm();
    loadPromptTask().servePromptTask(searchWorker);
  } else loadCommands().serveStopTask();
} else {
  const searchWorker = searchCommands.includes(command) ? prewarm() : undefined;
  const run = command === 'mcp' ? loadServer().runMcp : loadCommands().runCli;
  void run(process.argv, searchWorker).then(code => {
    process.exitCode = code;
  });
}
