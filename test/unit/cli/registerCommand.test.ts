import assert from 'node:assert/strict';
import { Command } from 'commander';
import { z } from 'zod';
import {
  defineProgramCommand,
  exitCodes,
  type ExitCode,
  type ProgramContext,
  type RunCommand,
} from '../../../src/cli/command.js';
import { registerCommands } from '../../../src/cli/registerCommand.js';
import { createCaller, printAnswer } from '../../../src/cli/terminal.js';
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

/** Runs commands without an engine. */
function createRunner(exit: (code: ExitCode) => void = () => undefined): RunCommand {
  return async work => {
    const answer = await work({ dataDir: 'memory' } as ProgramContext, createCaller(true));
    exit(printAnswer(true, typeof answer === 'function' ? await answer(undefined as unknown as MemoryEngine) : answer));
  };
}

/** Runs one line on a program with a verb of its own. @returns its input, exit code and help */
async function run(
  line: string,
  answer: Partial<CommandAnswer> = {},
): Promise<{ readonly given: unknown; readonly exitCode: ExitCode | undefined; readonly help: string }> {
  let given: unknown;
  let exitCode: ExitCode | undefined;
  const runCommand = createRunner(it => (exitCode = it));
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
  registerCommands(program, runCommand, [count]);
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

  it('refuses an empty word, before anything is opened', async () => {
    for (const line of ['count words  --store here', 'count words a  --store here'])
      await assert.rejects(run(line), { code: 'invalidInput', message: /An empty word was given for <word\.\.\.>/u });
  });

  it('names a group, a former name with the new one, and help below the options', async () => {
    const program = new Command('recollect').configureOutput({ writeErr: () => undefined });
    const said: string[] = [];
    const { error } = console;
    console.error = (line: string) => said.push(line);
    try {
      const run = () => Promise.resolve({ output: undefined, lines: [] });
      registerCommands(program, createRunner(), [
        { name: 'tally', description: 'counts' },
        definePersonCommand({
          name: 'tally all',
          description: 'count all',
          help: '\nMore.',
          input: z.strictObject({}),
          run,
        }),
        definePersonCommand({
          ...{ name: 'sum', description: 'count all', now: 'recollect tally all' },
          input: z.strictObject({}),
          run,
        }),
      ]);
      await program.parseAsync(['sum'], { from: 'user' });
    } finally {
      console.error = error;
    }
    assert.deepEqual(said, ['This command has another name now: recollect tally all']);
    assert.doesNotMatch(program.helpInformation(), /sum/u);
    assert.match(program.helpInformation(), /tally +counts/u);
  });

  it('answers without the engine, and takes an empty word where its schema says so', async () => {
    const given: unknown[] = [];
    const program = new Command('recollect');
    registerCommands(program, createRunner(), [
      defineProgramCommand({
        name: 'note',
        description: 'note a text',
        input: z.strictObject({ text: argument('<text>', z.string().min(0), 'the text') }),
        answer: ({ dataDir }, { text }) => {
          given.push(dataDir, text);
          return Promise.resolve({ output: undefined, lines: [] });
        },
      }),
    ]);
    await program.parseAsync(['note', ''], { from: 'user' });
    assert.deepEqual(given, ['memory', '']);
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
