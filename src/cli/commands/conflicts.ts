import { Option, type Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import { shortId, storeScopes, type Memory, type StoreScope } from '../../engine/model/memory.js';
import type { ActionRequest } from '../../engine/model/actionRequest.js';
import { formatMemoryCount } from '../../engine/model/pluralize.js';
import type { Conflict, PlanToReview, ConflictResolution } from '../../engine/model/conflict.js';
import { exitCodes, print, type WithEngine } from '../command.js';
import { formatMemoryLine } from '../output/describeMemory.js';
import { parseWholeNumber } from './filterOptions.js';

const resolutionByFlag = { a: 'keepA', b: 'keepB', both: 'keepBoth' } as const satisfies Record<
  string,
  ConflictResolution
>;

/** Registers commands about a person's decisions: memories that contradict each other, plans that are overdue or have faded, requests. */
export function registerDecisionCommands(program: Command, withEngine: WithEngine): void {
  registerConflicts(program, withEngine);
  registerPlanReview(program, withEngine);
  registerActionRequests(program, withEngine);
}

function registerConflicts(program: Command, withEngine: WithEngine): void {
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
    .option('--limit <n>', 'pairs at most', parseWholeNumber, 100)
    .action((options: Options) =>
      withEngine(async (engine, json) => {
        const conflicts = await engine.conflicts.list(options);
        print(json, conflicts, () => conflicts.flatMap(describeConflict));
        if (conflicts.length === 0) console.error('No memories contradict each other.');
        const ofTeam = (await engine.actionRequests.list()).filter(it => it.author !== undefined).length;
        if (!json && ofTeam > 0)
          console.error(
            `Your team withdrew or replaced ${formatMemoryCount(ofTeam)} that you confirmed. You decide: recollect requests`,
          );
        return exitCodes.ok;
      }),
    );
  program
    .command('settle')
    .description('say which of two contradicting memories holds; the other one is superseded, and restore undoes it')
    .argument('<a>', 'an id, or the last eight digits of it')
    .argument('<b>', 'the id of the other one')
    .addOption(
      new Option('--keep <which>', 'which one holds').choices(Object.keys(resolutionByFlag)).makeOptionMandatory(),
    )
    .action((a: string, b: string, { keep }: { readonly keep: keyof typeof resolutionByFlag }) =>
      withEngine(async (engine, json) => {
        const { memories } = await engine.conflicts.resolve(a, b, resolutionByFlag[keep]);
        const resolved = await engine.getMany(memories.map(it => it.id));
        print(json, resolved, () => resolved.map(it => formatMemoryLine(it, engine.effectiveConfidence(it))));
        return exitCodes.ok;
      }),
    );
}

function registerPlanReview(program: Command, withEngine: WithEngine): void {
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
        const references = done ?? drop ?? extend;
        if (references === undefined) {
          const plans = await engine.planReview.list({ scope, ...(scopeId === undefined ? {} : { scopeId }) });
          print(json, plans, () => plans.map(describePlan));
          if (plans.length === 0) console.error('No plan is overdue or has faded.');
          return exitCodes.ok;
        }
        const memories = await decideAll(engine, references, id => {
          if (until !== undefined) return engine.planReview.extend(id, until);
          return done === undefined ? engine.planReview.drop(id) : engine.planReview.complete(id);
        });
        print(json, memories, () => memories.map(it => formatMemoryLine(it, engine.effectiveConfidence(it))));
        return exitCodes.ok;
      }),
    );
}

function registerActionRequests(program: Command, withEngine: WithEngine): void {
  interface Options {
    readonly accept?: string[];
    readonly dismiss?: string[];
  }
  program
    .command('requests')
    .description(
      'list what assistants want forgotten, pinned, unpinned, replaced or merged and could not ask you about, and what your team withdrew or replaced of what you confirmed; or decide it',
    )
    .addOption(new Option('--accept <id...>', 'do it for these memories').conflicts('dismiss'))
    .addOption(new Option('--dismiss <id...>', 'leave these memories as they are').conflicts('accept'))
    .action(({ accept, dismiss }: Options) =>
      withEngine(async (engine, json) => {
        const references = accept ?? dismiss;
        if (references === undefined) {
          const requests = await engine.actionRequests.list();
          print(json, requests, () => requests.map(it => describeRequest(it, engine.effectiveConfidence(it.memory))));
          if (requests.length === 0) console.error('No assistant and no member of a team wants anything decided.');
          else if (!json)
            console.error('Do it: recollect requests --accept ID; leave it as it is: recollect requests --dismiss ID');
          return exitCodes.ok;
        }
        const memories = await decideAll(engine, references, id =>
          accept === undefined ? engine.actionRequests.dismiss(id) : engine.actionRequests.accept(id),
        );
        print(json, memories, () => memories.map(it => formatMemoryLine(it, engine.effectiveConfidence(it))));
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

/** By whom: an assistant that asks, or a member of the team who did it for their part. */
function describeRequest(
  { action, memory, replacedBy, client, author, at }: ActionRequest,
  confidence: number,
): string {
  const other =
    replacedBy === undefined ? '' : ` ${action === 'merge' ? 'into' : 'by'} #${shortId({ id: replacedBy })}`;
  const what = author === undefined ? action : action === 'replace' ? 'replaced' : 'withdrawn';
  return `${what}${other}  ${formatMemoryLine(memory, confidence)}  (${author ?? client}, ${at.slice(0, 10)})`;
}

function describeConflict({ newer, older, mark, decided, reason }: Conflict): readonly string[] {
  return [
    formatMemoryLine(newer.memory, newer.effectiveConfidence),
    `  ${mark === undefined ? 'may replace' : 'contradicts'} ${formatMemoryLine(older.memory, older.effectiveConfidence)}`,
    `  ${reason}${decided && mark !== undefined ? ` Until you settle it, the ${mark.outdated} one gives way.` : ''}`,
    `  To settle it: recollect settle ${shortId(newer.memory)} ${shortId(older.memory)} --keep a (the first), b or both`,
  ];
}

function describePlan({ memory, effectiveConfidence, why, since }: PlanToReview): string {
  const day = since.slice(0, 10);
  return `${why === 'overdue' ? `due ${day}` : `said ${day}`}  ${formatMemoryLine(memory, effectiveConfidence)}`;
}
