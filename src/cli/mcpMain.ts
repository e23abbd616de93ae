import { config } from 'zod';
import type { SearchWorkerHandle } from '../engine/engine.js';
import type { ExitCode } from './command.js';
import { registerMcpCommand, mcpServerOptions } from './commands/mcp.js';
import { createProgram, runProgram, allowGlobalOptionsAnywhere } from './program.js';

export { serve } from '../mcp/serve.js';
export { defaultMcpTools } from '../operations/registry.js';

/**
 * Runs `recollect mcp …`: a program of that one command, for a client that waits for its server.
 * @param searchWorker a thread that was started for it
 */
export function runMcp(argv: readonly string[], searchWorker?: SearchWorkerHandle): Promise<ExitCode> {
  // Of most schemas a server reads a few messages, and compiling one takes three times as long as its first message.
  config({ jitless: true });
  return runProgram(() => {
    const program = createProgram();
    registerMcpCommand(program, () => ({ ...mcpServerOptions(program), searchWorker }));
    allowGlobalOptionsAnywhere(program);
    return program;
  }, argv);
}
