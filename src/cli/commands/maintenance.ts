import { Option, type Command } from 'commander';
import type { MemoryEngine } from '../../engine/engine.js';
import { decayProfiles, type DecayProfile } from '../../engine/model/config.js';
import { formatMemoryCount } from '../../engine/model/pluralize.js';
import type { Goal } from '../../engine/model/maintenance.js';
import {
  shortId,
  storeScopes,
  storeKinds,
  type Memory,
  type StoreScope,
  type StoreKind,
} from '../../engine/model/memory.js';
import { retentionPresets, type RetentionPreset } from '../../engine/model/retention.js';
import { exitCodes, withSigint, print, type ExitCode, type WithEngine } from '../command.js';
import { describeMetrics, describeRun, formatRunLine } from '../output/describeMaintenance.js';

/** Upkeep of the memory: `maintain`, `metrics`, `goals`. */
export function registerMaintenanceCommands(program: Command, withEngine: WithEngine): void {
  registerMaintain(program, withEngine);
  program
    .command('metrics')
    .description('say what is kept, what it takes, and how recalls go')
    .action(() =>
      withEngine(async (engine, json) => {
        const metrics = await engine.maintenance.metrics();
        print(json, metrics, () => describeMetrics(metrics));
        return exitCodes.ok;
      }),
    );
  registerGoals(program, withEngine);
}

function registerMaintain(program: Command, withEngine: WithEngine): void {
  interface Options {
    readonly dryRun?: true;
    readonly preset?: RetentionPreset;
    readonly profile?: DecayProfile;
    readonly scope: StoreScope;
    readonly runs?: true;
    readonly undo?: string;
    readonly confirmClock?: true;
  }
  program
    .command('maintain')
    .description('archive what has faded, keep to the quotas, delete what lay in the archive for a month')
    .option('--dry-run', 'say what would be done, and change nothing')
    .addOption(new Option('--preset <preset>', 'what counts when a quota is full').choices(retentionPresets))
    .addOption(new Option('--profile <profile>', 'how memories fade (default: classes)').choices(decayProfiles))
    .addOption(new Option('--scope <scope>', 'which stores').choices(storeScopes).default('project-then-global'))
    .addOption(new Option('--runs', 'list the runs so far').conflicts(['dryRun', 'undo']))
    .addOption(new Option('--undo <run>', 'undo a run: what it archived is active again').conflicts('dryRun'))
    .option('--confirm-clock', 'say that the date is right after a long time without use, so that this time counts')
    .action(({ runs, undo, dryRun, confirmClock, ...options }: Options) =>
      withEngine(async (engine, json) => {
        if (confirmClock === true) await engine.maintenance.confirmClock();
        if (runs === true) return listRuns(engine, json);
        if (undo !== undefined) return undoRun(engine, json, undo);
        return runMaintenance(engine, json, dryRun === true, options);
      }),
    );
}

async function runMaintenance(
  engine: MemoryEngine,
  json: boolean,
  dryRun: boolean,
  options: { readonly preset?: RetentionPreset; readonly profile?: DecayProfile; readonly scope: StoreScope },
): Promise<ExitCode> {
  return withSigint(async signal => {
    const input = { ...options, signal };
    const runs = await (dryRun ? engine.maintenance.preview(input) : engine.maintenance.run(input));
    const ids = runs.flatMap(it =>
      [...Object.values(it.decisions).flat(), ...(it.takenBack?.items ?? [])].map(({ id }) => id),
    );
    const memoriesById = new Map((await engine.getMany(ids)).map((it): [string, Memory] => [it.id, it]));
    print(json, runs, () => runs.flatMap(it => describeRun(it, memoriesById)));
    if (!signal.aborted) return exitCodes.ok;
    console.error('Called off. Run it again to go on from there.');
    return exitCodes.failed;
  });
}

async function listRuns(engine: MemoryEngine, json: boolean): Promise<ExitCode> {
  const runs = await engine.maintenance.runs();
  print(json, runs, () => runs.map(formatRunLine));
  if (runs.length === 0 && !json) console.error('No upkeep has run yet. Start it: recollect maintain');
  return runs.length > 0 ? exitCodes.ok : exitCodes.notFound;
}

/** @param reference a run's id or the last eight digits of it */
async function undoRun(engine: MemoryEngine, json: boolean, reference: string): Promise<ExitCode> {
  const shortRunId = reference.replace(/^#/u, '').toLowerCase();
  const run = (await engine.maintenance.runs(Number.MAX_SAFE_INTEGER)).find(it => shortId(it) === shortRunId);
  const restored = await engine.maintenance.undo(run?.id ?? shortRunId);
  const done = run?.takenBack === undefined ? 'Active again' : 'As before';
  print(json, restored, () => [`${done}: ${formatMemoryCount(restored.length)}.`]);
  return exitCodes.ok;
}

function registerGoals(program: Command, withEngine: WithEngine): void {
  const listGoals = (): Promise<void> =>
    withEngine(async (engine, json) => {
      const goals = await engine.goals.list();
      print(json, goals, () => goals.map(describeGoal));
      if (goals.length === 0 && !json) console.error('There is no goal. Set one: recollect goals add TEXT');
      return exitCodes.ok;
    });
  const goals = program
    .command('goals')
    .description('list what you are working towards; memories that fit are kept longer')
    .action(listGoals);
  goals.command('list').description('list them, open ones first').action(listGoals);
  goals
    .command('add')
    .description('set a goal')
    .argument('<text...>', 'what you are working towards')
    .addOption(new Option('--store <store>', 'for this project, or for all').choices(storeKinds).default('project'))
    .action((words: string[], { store }: { readonly store: StoreKind }) =>
      withEngine(async (engine, json) => {
        const goal = await engine.goals.add(words.join(' '), store);
        print(json, goal, () => [describeGoal(goal)]);
        return exitCodes.ok;
      }),
    );
  for (const [name, description] of [
    ['done', 'a goal is reached and no longer counts'],
    ['remove', 'take a goal off the list'],
  ] as const) {
    goals
      .command(name)
      .description(description)
      .argument('<id>', 'one that `recollect goals` lists')
      .action((id: string) =>
        withEngine(async (engine, json) => {
          const goal = await engine.goals[name](id);
          print(json, goal, () => [name === 'done' ? describeGoal(goal) : `Removed: ${goal.text}`]);
          return exitCodes.ok;
        }),
      );
  }
}

function describeGoal(goal: Goal): string {
  const state = goal.doneAt === undefined ? goal.store : `${goal.store} · done ${goal.doneAt.slice(0, 10)}`;
  return `#${shortId(goal)}  ${goal.text}  (${state})`;
}
