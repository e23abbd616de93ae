import assert from 'node:assert/strict';
import { Command } from 'commander';
import { z } from 'zod';
import { exitCodes, type ExitCode, type WithEngine } from '../../../src/cli/command.js';
import { registerPersonCommands } from '../../../src/cli/registerCommand.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import {
  argument,
  definePersonCommand,
  flag,
  isoDate,
  option,
  wholeNumber,
  type CommandAnswer,
} from '../../../src/operations/personCommand.js';

const input = z.strictObject({
  words: argument('<word...>', z.array(z.string()), 'words to count'),
  colors: option('--color <color...>', z.array(z.enum(['red', 'green'])).exactOptional(), 'only these'),
  since: option('--since <date>', isoDate.exactOptional(), 'from then on'),
  limit: option('--limit <n>', wholeNumber.default(3), 'words at most'),
  loud: option('--loud', flag, 'in capitals', ['limit']),
  store: option('--store <store>', z.enum(['here', 'there']), 'where'),
});

/** Runs one line on a program with a verb of its own. @returns its input, exit code and help */
async function run(
  line: string,
  answer: Partial<CommandAnswer> = {},
): Promise<{ readonly given: unknown; readonly exitCode: ExitCode | undefined; readonly help: string }> {
  let given: unknown;
  let exitCode: ExitCode | undefined;
  const withEngine: WithEngine = async work => {
    exitCode = await work(undefined as unknown as MemoryEngine, true);
  };
  const program = new Command('recollect').exitOverride().configureOutput({ writeErr: () => undefined });
  program.command('count');
  const count = definePersonCommand({
    name: 'count words',
    description: 'count words',
    input,
    run: (_engine, its) => {
      given = its;
      return Promise.resolve({ output: undefined, lines: [], ...answer });
    },
  });
  registerPersonCommands(program, withEngine, [count]);
  const [group] = program.commands;
  for (const it of [group!, ...group!.commands]) it.exitOverride().configureOutput({ writeErr: () => undefined });
  await program.parseAsync(line.split(' '), { from: 'user' });
  return { given, exitCode, help: group!.commands[0]!.helpInformation() };
}

describe('a verb that is declared once', () => {
  it('reads words, choices, dates, numbers, defaults and flags by its schema', async () => {
    assert.deepEqual((await run('count words a b --color red green --since 2026-03-01 --store here')).given, {
      words: ['a', 'b'],
      colors: ['red', 'green'],
      since: '2026-03-01T00:00:00.000Z',
      limit: 3,
      store: 'here',
    });
  });

  it('refuses in its own words what the schema does not take', async () => {
    const refused = [
      ['count words a --store here --limit many', /--limit <n>.*It must be a whole number\./u],
      ['count words a --store here --since nonsense', /It must be a date such as 2026-03-01\./u],
      ['count words a --store nowhere', /Allowed choices are here, there\./u],
      ['count words a --store here --loud --limit 2', /cannot be used with/u],
      ['count words a', /required option '--store <store>' not specified/u],
      ['count words --store here', /missing required argument 'word'/u],
    ] as const;
    for (const [line, message] of refused) await assert.rejects(run(line), { message }, line);
  });

  it('has its help, and ends with the exit code of its answer', async () => {
    const line = 'count words a --store here';
    const { help } = await run(line);
    assert.match(help, /count words \[options\] <word\.\.\.>/u);
    assert.match(help, /--color <color\.\.\.> +only these \(choices: "red", "green"\)/u);
    assert.match(help, /--limit <n> +words at most \(default: 3\)/u);
    for (const ending of ['failed', 'notFound', 'damaged'] as const)
      assert.equal((await run(line, { ending })).exitCode, exitCodes[ending]);
    assert.equal((await run(line)).exitCode, exitCodes.ok);
  });
});
