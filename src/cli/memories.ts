import { Option, type Command } from 'commander';
import {
  decayClasses,
  gates,
  kinds,
  lanes,
  storeKinds,
  type DecayClass,
  type Gate,
  type Kind,
  type Lane,
  type Memory,
  type StoreKind,
} from '../engine/model/memory.js';
import { exitCodes, print, type WithEngine } from './command.js';
import { describeHit, describeMemory, describeOutcome, listLine } from './describe.js';
import { filtered, filterOf, wholeNumber, type FilterOptions } from './options.js';

/** What one keeps, finds, lists and changes. */
export function addMemories(program: Command, withEngine: WithEngine): void {
  addRemember(program, withEngine);
  addRecall(program, withEngine);
  addList(program, withEngine);
  addChanges(program, withEngine);
}

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
        // Their code may only have moved: the next recall knows.
        if (found.hits.some(it => it.code !== undefined)) await engine.codeAnchors.update();
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

async function textOf(words: readonly string[]): Promise<string> {
  if (words.length > 0 && !(words.length === 1 && words[0] === '-')) return words.join(' ');
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
