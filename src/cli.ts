import path from 'node:path';
import { isOfNoMemory, readHookInput, readHookOptions } from './cli/hooks/hookCall.js';

/*
 * Entry of `recollect …`. An assistant waits for a hook at each edit and each command, and mostly there is nothing to say: this
 * bundle has what finds that out, and the rest is in others next to it. The exit code says how it went; see cli/command.ts.
 */
/* eslint-disable @typescript-eslint/no-require-imports */
const loadHook = (): typeof import('./cli/hooks/runHook.js') =>
  require(path.join(__dirname, 'hook.js')) as typeof import('./cli/hooks/runHook.js');
const loadStart = (): typeof import('./cli/start.js') =>
  require(path.join(__dirname, 'start.js')) as typeof import('./cli/start.js');
/* eslint-enable @typescript-eslint/no-require-imports */

/**
 * `recollect hook [session-start|prompt|before-tool|after-tool|stop] [--budget N] [--timeout SECONDS] [--data-dir FOLDER]`, with
 * the hook's JSON on stdin. Ends with 0 whatever happens.
 * @param args what follows `hook`
 */
async function answerHook(args: readonly string[]): Promise<void> {
  try {
    const options = readHookOptions(args);
    const input = await readHookInput();
    if (input !== undefined && !isOfNoMemory(options, input)) await loadHook().runHook(options, input);
  } catch {
    // An assistant must never be stopped.
  }
  process.exit(0);
}

// Other V8 flags make it compile Node's own modules from their source, which costs a hook more than it has to do.
if (process.argv[2] === 'hook' && !process.argv.includes('--help')) void answerHook(process.argv.slice(3));
else loadStart().start(process.argv);
