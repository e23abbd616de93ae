import { Argument, type Command } from 'commander';
import { readHookInput, readHookOptions } from '../hooks/hookCall.js';
import { hookEvents, hookNames } from '../hooks/hookEvents.js';
import { runHook } from '../hooks/runHook.js';

/** `recollect hook`, for `--help` and for options before it; else `cli.ts` runs it without all this. */
export function registerHookCommand(program: Command, dataDir: () => string | undefined): void {
  const { 'session-start': start, prompt, stop } = hookEvents;
  program
    .command('hook')
    .description(
      "answer an assistant's hook, whose JSON is read from stdin; says nothing where there is nothing to say",
    )
    .addArgument(new Argument('[event]', 'what happens, where the JSON does not name it').choices(hookNames))
    .option(
      '--budget <tokens>',
      `tokens of packed context at most (default: ${prompt.tokenBudget}; at a session start ${start.tokenBudget})`,
    )
    .option(
      '--timeout <seconds>',
      `ends without a word after this time (default: ${start.timeoutMs / 1000}; at a stop ${stop.timeoutMs / 1000})`,
    )
    .action(
      async (
        event: string | undefined,
        { budget, timeout }: { readonly budget?: string; readonly timeout?: string },
      ) => {
        const dataDirOption = dataDir();
        const options = readHookOptions([
          ...(event === undefined ? [] : [event]),
          ...(budget === undefined ? [] : ['--budget', budget]),
          ...(timeout === undefined ? [] : ['--timeout', timeout]),
          ...(dataDirOption === undefined ? [] : ['--data-dir', dataDirOption]),
        ]);
        const input = await readHookInput();
        if (input !== undefined) await runHook(options, input);
      },
    );
}
