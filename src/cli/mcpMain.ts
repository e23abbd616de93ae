import type { ExitCode } from './command.js';
import { addMcp, mcpParts } from './mcp.js';
import { newProgram, runProgram, takeOptionsAnywhere } from './program.js';

export { serve } from '../mcp/serve.js';

/** Runs `recollect mcp …`: a program of that one command, for a client that waits for its server. */
export function runMcp(argv: readonly string[]): Promise<ExitCode> {
  return runProgram(() => {
    const program = newProgram();
    addMcp(program, () => mcpParts(program));
    takeOptionsAnywhere(program);
    return program;
  }, argv);
}
