import { Option, type Command } from 'commander';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import { storeScopes, type Memory, type StoreScope } from '../engine/model/memory.js';
import type { Conflict, PlanToReview, ConflictResolution } from '../engine/model/conflict.js';
import { exitCodes, print, type WithEngine } from './command.js';
import { listLine } from './describe.js';
import { wholeNumber } from './options.js';

const keeps = { a: 'keepA', b: 'keepB', both: 'keepBoth' } as const satisfies Record<string, ConflictResolution>;

/** What waits for a person's decision: memories that contradict each other, and plans that are overdue or have faded. */
export function addTruth(program: Command, withEngine: WithEngine): void {
  addConflicts(program, withEngine);
  addRevisit(program, withEngine);
}

function addConflicts(program: Command, withEngine: WithEngine): void {
  interface Options {
    readonly scope: StoreScope;
    readonly scopeId?: string;
    readonly limit: number;
  }
  program
    .command('conflicts')
    .description('list memories that contradict each other; settle says which one holds')
    .addOption(new Option('--scope <scope>', 'which stores').choices(storeScopes).default('project-then-global'))
    .option('--scope-id <id>', 'an isolated set')
    .option('--limit <n>', 'pairs at most', wholeNumber, 100)
    .action((options: Options) =>
      withEngine(async (engine, json) => {
        const found = await engine.conflicts.list(options);
        print(json, found, () => found.flatMap(describeConflict));
        if (found.length === 0) console.error('No memories contradict each other.');
        return exitCodes.ok;
      }),
    );
  program
    .command('settle')
    .description('say which of two contradicting memories holds; the other one is superseded, and restore undoes it')
    .argument('<a>', 'an id, or the last eight digits of it')
    .argument('<b>', 'the id of the other one')
    .addOption(new Option('--keep <which>', 'which one holds').choices(Object.keys(keeps)).makeOptionMandatory())
    .action((a: string, b: string, { keep }: { readonly keep: keyof typeof keeps }) =>
      withEngine(async (engine, json) => {
        const { memories } = await engine.conflicts.resolve(a, b, keeps[keep]);
        const settled = await engine.getMany(memories.map(it => it.id));
        print(json, settled, () => settled.map(it => listLine(it, engine.effectiveConfidence(it))));
        return exitCodes.ok;
      }),
    );
}

function addRevisit(program: Command, withEngine: WithEngine): void {
  interface Options {
    readonly scope: StoreScope;
    readonly scopeId?: string;
    readonly done?: string[];
    readonly drop?: string[];
    readonly extend?: string[];
    readonly until?: string;
  }
  program
    .command('revisit')
    .description('list plans that are overdue or have faded, or say what becomes of them')
    .addOption(new Option('--done <id...>', 'carried out').conflicts(['drop', 'extend']))
    .addOption(new Option('--drop <id...>', 'not to be done any more').conflicts(['done', 'extend']))
    .addOption(new Option('--extend <id...>', 'to be done by another day, with --until').conflicts(['done', 'drop']))
    .option('--until <date>', 'the other day')
    .addOption(new Option('--scope <scope>', 'which stores').choices(storeScopes).default('project-then-global'))
    .option('--scope-id <id>', 'an isolated set')
    .action(({ done, drop, extend, until, scope, scopeId }: Options) =>
      withEngine(async (engine, json) => {
        if ((extend === undefined) !== (until === undefined)) {
          throw new EngineError('invalidInput', 'Give --extend and --until together: which plan, and its other day.');
        }
        const decided = done ?? drop ?? extend;
        if (decided === undefined) {
          const found = await engine.planReview.list({ scope, ...(scopeId === undefined ? {} : { scopeId }) });
          print(json, found, () => found.map(describeRevisit));
          if (found.length === 0) console.error('No plan is overdue or has faded.');
          return exitCodes.ok;
        }
        const memories = await decideAll(engine, decided, id => {
          if (until !== undefined) return engine.planReview.extend(id, until);
          return done === undefined ? engine.planReview.drop(id) : engine.planReview.complete(id);
        });
        print(json, memories, () => memories.map(it => listLine(it, engine.effectiveConfidence(it))));
        return exitCodes.ok;
      }),
    );
}

/** All are looked up first: an id that is wrong stops the call before it has changed anything. */
async function decideAll(
  engine: MemoryEngine,
  references: readonly string[],
  decide: (id: string) => Promise<Memory>,
): Promise<readonly Memory[]> {
  const ids: string[] = [];
  for (const it of references) ids.push((await engine.get(it)).id);
  const decided: Memory[] = [];
  for (const id of ids) decided.push(await decide(id));
  return decided;
}

function describeConflict({ newer, older, certainty, reason }: Conflict): readonly string[] {
  return [
    listLine(newer.memory, newer.effectiveConfidence),
    `  contradicts ${listLine(older.memory, older.effectiveConfidence)}`,
    `  ${reason} (${Math.round(certainty * 100)}% certain)`,
  ];
}

function describeRevisit({ memory, effectiveConfidence, why, since }: PlanToReview): string {
  const day = since.slice(0, 10);
  return `${why === 'overdue' ? `due ${day}` : `told ${day}`}  ${listLine(memory, effectiveConfidence)}`;
}
