import { createWriteStream } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { pipeline } from 'node:stream/promises';
import { Command, CommanderError, Option } from 'commander';
import { EngineError } from '../engine/base/errors.js';
import {
  classifyStatement,
  exportFormats,
  openEngine,
  type ExportFormat,
  type MemoryEngine,
} from '../engine/engine.js';
import { defaultConfig } from '../engine/model/config.js';
import {
  decayClasses,
  gates,
  kinds,
  lanes,
  scopes,
  storeKinds,
  type DecayClass,
  type Gate,
  type Kind,
  type Lane,
  type Memory,
  type Scope,
  type StoreKind,
} from '../engine/model/memory.js';
import { findDataDir } from './dataDir.js';
import { describeHit, describeMemory, describeOutcome, describeReport, listLine } from './describe.js';
import { addModels, readEmbeddings } from './models.js';
import { filtered, filterOf, wholeNumber, type FilterOptions } from './options.js';

/** What the exit code of the command line means. */
const exitCodes = {
  ok: 0,
  /** Understood, but it could not be done; the sentence on stderr says why. */
  failed: 1,
  /** Not understood: an unknown command, a wrong option or value. */
  usage: 2,
  /** No such memory, or nothing found. */
  notFound: 3,
  /** `verify` found problems. */
  damaged: 4,
} as const;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

interface GlobalOptions {
  readonly dataDir?: string;
  readonly project?: string;
  readonly embeddings?: string;
  readonly json?: true;
  readonly verbose?: true;
}

/** Runs one command line (`process.argv`) and returns its exit code. Results go to stdout, everything else to stderr. */
export async function runCli(argv: readonly string[]): Promise<ExitCode> {
  // `recollect list | head` closes our stdout early; that is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.ok);
    throw error;
  });
  let code: ExitCode = exitCodes.ok;
  const program = buildProgram(it => {
    code = it;
  });
  try {
    await program.parseAsync(argv);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    console.error(error instanceof EngineError ? error.message : `Something went wrong: ${String(error)}`);
    if (EngineError.is(error, 'invalidInput')) return exitCodes.usage;
    return EngineError.is(error, 'notFound') ? exitCodes.notFound : exitCodes.failed;
  }
}

function buildProgram(exit: (code: ExitCode) => void): Command {
  const program = new Command('recollect')
    .description('Memory for your coding assistants, kept on your machine.')
    .option('--data-dir <folder>', 'where the memories lie (default: RECOLLECT_HOME, else where VS Code keeps them)')
    .option('--project <folder>', 'the project to work in (default: this folder)')
    .option('--embeddings <model>', 'what finds by meaning: built-in, off, a model, a folder (or RECOLLECT_EMBEDDINGS)')
    .option('--json', 'print JSON')
    .option('--verbose', 'say on stderr what happens')
    .exitOverride();

  /** Opens the engine for one command, and closes it whatever happens. */
  const withEngine = async (work: (engine: MemoryEngine, json: boolean) => Promise<ExitCode>): Promise<void> => {
    const options = program.opts<GlobalOptions>();
    const engine = await open(options);
    try {
      exit(await work(engine, options.json === true));
    } finally {
      await engine.close();
    }
  };

  addRemember(program, withEngine);
  addRecall(program, withEngine);
  addList(program, withEngine);
  addChanges(program, withEngine);
  addExport(program, withEngine);
  addVerify(program, withEngine);
  addClassify(program);
  const isJson = (): boolean => program.opts<GlobalOptions>().json === true;
  addModels(program, {
    dataDir: () => findDataDir(program.opts<GlobalOptions>().dataDir).path,
    embeddings: () => readEmbeddings(program.opts<GlobalOptions>().embeddings),
    isJson,
    print: (data, lines) => {
      print(isJson(), data, lines);
    },
  });
  // Options may stand before or after the command's name.
  for (const command of program.commands.flatMap(it => [it, ...it.commands]))
    for (const option of program.options) command.addOption(option);
  program.hook('preAction', (root, action) => {
    for (const [name, value] of Object.entries(action.opts())) {
      if (root.options.some(it => it.attributeName() === name)) root.setOptionValue(name, value);
    }
  });
  return program;
}

type WithEngine = (work: (engine: MemoryEngine, json: boolean) => Promise<ExitCode>) => Promise<void>;

function addRemember(program: Command, withEngine: WithEngine): void {
  interface Options {
    readonly gate?: Gate;
    readonly kind?: Kind;
    readonly class?: DecayClass;
    readonly lane: Lane;
    readonly store?: StoreKind;
    readonly tag?: string[];
    readonly scopeId?: string;
    readonly session?: string;
    readonly whole?: true;
  }
  program
    .command('remember')
    .description('keep one or more facts')
    .argument('[text...]', 'the facts, as sentences; - or nothing reads them from stdin')
    .addOption(new Option('--gate <gate>', 'what it is about').choices(gates))
    .addOption(new Option('--kind <kind>', 'what sort of note it is').choices(kinds))
    .addOption(new Option('--class <class>', 'how it fades').choices(decayClasses))
    .addOption(new Option('--lane <lane>', 'who says so').choices(lanes).default('confirmed'))
    .addOption(new Option('--store <store>', 'where it goes').choices(storeKinds))
    .option('--tag <tag...>', 'words to find it by')
    .option('--scope-id <id>', 'keep it in an isolated set')
    .option('--session <id>', 'the conversation it comes from')
    .option('--whole', 'keep the text as one memory')
    .action((words: string[], { class: decayClass, tag, ...rest }: Options) =>
      withEngine(async (engine, json) => {
        const outcomes = await engine.remember({
          ...rest,
          content: await textOf(words),
          source: 'explicit',
          ...(decayClass === undefined ? {} : { decayClass }),
          ...(tag === undefined ? {} : { tags: tag }),
        });
        print(json, { outcomes }, () => outcomes.map(describeOutcome));
        return outcomes.some(it => it.outcome !== 'refused') ? exitCodes.ok : exitCodes.failed;
      }),
    );
}

function addRecall(program: Command, withEngine: WithEngine): void {
  interface Options extends FilterOptions {
    readonly limit?: number;
    readonly budget?: number;
    readonly context?: true;
    readonly fresh?: true;
  }
  filtered(program.command('recall'))
    .description('find memories by meaning and words')
    .argument('<query...>', 'what to recall')
    .option('--limit <n>', 'memories at most', wholeNumber)
    .option('--budget <tokens>', 'tokens of packed context at most', wholeNumber)
    .option('--context', 'print the packed context that an assistant gets')
    .option('--fresh', 'search, whatever was answered before')
    .action((words: string[], options: Options) =>
      withEngine(async (engine, json) => {
        const { limit, budget, context, fresh } = options;
        const found = await engine.recall({
          ...filterOf(options),
          query: words.join(' '),
          ...(limit === undefined ? {} : { limit }),
          ...(budget === undefined ? {} : { tokenBudget: budget }),
          mode: fresh === true ? 'fresh' : 'fast',
        });
        print(json, found, () => (context === true ? [found.context] : found.hits.map(describeHit)));
        if (found.hits.length > 0) return exitCodes.ok;
        console.error('Nothing about this is remembered.');
        return exitCodes.notFound;
      }),
    );
}

function addList(program: Command, withEngine: WithEngine): void {
  interface Options extends FilterOptions {
    readonly limit: number;
    readonly offset: number;
  }
  filtered(program.command('list'))
    .description('list memories, newest first')
    .option('--limit <n>', 'memories at most', wholeNumber, 100)
    .option('--offset <n>', 'how many to pass over', wholeNumber, 0)
    .action((options: Options) =>
      withEngine(async (engine, json) => {
        const { limit, offset } = options;
        const memories = await engine.list({ ...filterOf(options), limit, offset });
        print(json, memories, () => memories.map(it => listLine(it, engine.effectiveConfidence(it))));
        return exitCodes.ok;
      }),
    );
  program
    .command('show')
    .description('show one memory whole')
    .argument('<id>', 'its id or the last eight digits of it')
    .action((id: string) =>
      withEngine(async (engine, json) => {
        const memory = await engine.get(id);
        const effectiveConfidence = engine.effectiveConfidence(memory);
        print(json, { ...memory, effectiveConfidence }, () => describeMemory(memory, effectiveConfidence));
        return exitCodes.ok;
      }),
    );
}

function addChanges(program: Command, withEngine: WithEngine): void {
  const changes = {
    pin: 'lock a memory: it neither fades nor weakens',
    unpin: 'unlock it again',
    forget: 'archive a memory; restore undoes it',
    restore: 'make an archived memory active again',
    promote: 'confirm a note, so that it does not expire',
  } as const;
  for (const [name, description] of Object.entries(changes) as [keyof typeof changes, string][]) {
    program
      .command(name)
      .description(description)
      .argument('<id...>', 'ids, or the last eight digits of them')
      .action((ids: string[]) =>
        withEngine(async (engine, json) => {
          // All are looked up first: an id that is wrong stops the call before it has changed anything.
          const found: Memory[] = [];
          for (const id of ids) found.push(await engine.get(id));
          const memories: Memory[] = [];
          for (const { id } of found) memories.push(await engine[name](id));
          print(json, memories, () => memories.map(it => listLine(it, engine.effectiveConfidence(it))));
          return exitCodes.ok;
        }),
      );
  }
  program
    .command('feedback')
    .description('say whether a memory helped')
    .argument('<id>', 'its id or the last eight digits of it')
    .addArgument(program.createArgument('<verdict>', 'whether it helped').choices(['useful', 'not-useful']))
    .action((id: string, verdict: string) =>
      withEngine(async (engine, json) => {
        const memory = await engine.feedback(id, verdict === 'useful');
        print(json, memory, () => [listLine(memory, engine.effectiveConfidence(memory))]);
        return exitCodes.ok;
      }),
    );
}

function addExport(program: Command, withEngine: WithEngine): void {
  interface Options {
    readonly format: ExportFormat;
    readonly scope: Scope;
    readonly out?: string;
  }
  program
    .command('export')
    .description('write out everything, archived memories too')
    .addOption(
      new Option('--format <format>', 'lossless lines, or Markdown to read').choices(exportFormats).default('jsonl'),
    )
    .addOption(new Option('--scope <scope>', 'which stores').choices(scopes).default('project-then-global'))
    .option('--out <file>', 'a file instead of stdout')
    .action(({ format, scope, out }: Options) =>
      withEngine(async engine => {
        const text = engine.export(format, scope);
        if (out === undefined) for await (const chunk of text) process.stdout.write(chunk);
        else await pipeline(text, createWriteStream(out)).catch(unwritable(out));
        return exitCodes.ok;
      }),
    );
}

/** Turns what the file system says about a file into a sentence. */
function unwritable(file: string): (error: unknown) => never {
  return error => {
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new EngineError('storeUnavailable', `The file ${file} cannot be written (${code}). Choose another one.`);
  };
}

function addVerify(program: Command, withEngine: WithEngine): void {
  program
    .command('verify')
    .description('check the files, the search index and the audit log')
    .action(() =>
      withEngine(async (engine, json) => {
        const stores = await engine.verify();
        const ok = stores.every(it => it.problems.length === 0);
        print(json, { ok, stores }, () => stores.flatMap(describeReport));
        return ok ? exitCodes.ok : exitCodes.damaged;
      }),
    );
}

function addClassify(program: Command): void {
  program
    .command('classify')
    .description('say what statements would be kept as; stores nothing')
    .argument('[text...]', 'one statement; without it, or with --stdin, one a line from stdin')
    .option('--stdin', 'read one statement a line from stdin')
    .action(async (words: string[], options: { readonly stdin?: true }) => {
      const json = program.opts<GlobalOptions>().json === true;
      const one = (statement: string): void => {
        const found = classifyStatement(statement, new Date());
        print(json, found, () => [
          `${found.gate} · ${found.kind} · ${found.decayClass} · ${found.confidence}%${found.dueAt === undefined ? '' : ` · due ${found.dueAt}`} · ${found.cues.join(', ') || 'no cue'}`,
        ]);
      };
      if (words.length > 0 && options.stdin !== true) {
        one(words.join(' '));
        return;
      }
      for await (const line of createInterface({ input: process.stdin })) one(line);
    });
}

async function open(options: GlobalOptions): Promise<MemoryEngine> {
  const dataDir = findDataDir(options.dataDir);
  const config = { ...defaultConfig, embeddings: readEmbeddings(options.embeddings) };
  const say = (message: string): void => {
    if (options.verbose === true) console.error(message);
  };
  if (options.json !== true) console.error(`Memory: ${dataDir.path} (${dataDir.because})`);
  const engine = await openEngine({
    dataDir: dataDir.path,
    workspaceFolders: projectFolder(options.project),
    // The bundle lies in dist/, the models beside that folder.
    bundleDir: __dirname,
    modelsDir: path.join(__dirname, '..', 'media', 'models'),
    client: 'cli',
    log: {
      info: say,
      warn: say,
      error: (message, error) => {
        say(error instanceof Error ? `${message} ${error.message}` : message);
      },
    },
    config: () => config,
    now: () => new Date(),
  });
  for (const notice of engine.notices) console.error(notice);
  return engine;
}

/** This folder, unless it is the home or the root of the disk: those are no project. */
function projectFolder(option: string | undefined): string[] {
  if (option !== undefined) return [path.resolve(option)];
  const here = process.cwd();
  return here === os.homedir() || here === path.parse(here).root ? [] : [here];
}

async function textOf(words: readonly string[]): Promise<string> {
  if (words.length > 0 && !(words.length === 1 && words[0] === '-')) return words.join(' ');
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function print(json: boolean, data: unknown, lines: () => readonly string[]): void {
  const text = json ? JSON.stringify(data) : lines().join('\n');
  if (text !== '') process.stdout.write(`${text}\n`);
}
