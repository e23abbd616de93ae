import { config } from 'zod';
import type { SearchWorkerHandle } from '../engine/prewarmSearch.js';
import type { ExitCode } from './command.js';
import { addMcp, mcpParts } from './mcp.js';
import { newProgram, runProgram, takeOptionsAnywhere } from './program.js';

export { serve } from '../mcp/serve.js';

/**
 * Runs `recollect mcp …`: a program of that one command, for a client that waits for its server.
 * @param indexes a thread that was begun for it
 */
export function runMcp(argv: readonly string[], indexes?: SearchWorkerHandle): Promise<ExitCode> {
  // Of most schemas a server reads a few messages, and compiling one takes three times as long as its first message.
  config({ jitless: true });
  return runProgram(() => {
    const program = newProgram();
    addMcp(program, () => ({ ...mcpParts(program), indexes }));
    takeOptionsAnywhere(program);
    return program;
  }, argv);
}
