import { Option, type Command } from 'commander';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import { requestLimits } from '../engine/model/config.js';
import { pluralize, formatMemoryCount } from '../engine/model/pluralize.js';
import type { DeletionResult } from '../engine/model/deletionResult.js';
import { storeKinds, type StoreKind } from '../engine/model/memory.js';
import { agreesTo, exitCodes, print, type ExitCode, type WithEngine } from './command.js';
import { listLine } from './describe.js';
import { filtered, filterOf, type FilterOptions } from './options.js';

/** Of what is about to go, so much is shown. */
const shown = 10;

/** `recollect purge` and `recollect reset`: what deletes for good. */
export function addErasure(program: Command, withEngine: WithEngine): void {
  filtered(program.command('purge'))
    .description('delete memories for good, also from checkpoints and backups, after asking; see forget for less')
    .argument('[ids...]', 'which ones; none: all that the options say')
    .option('--all', 'every memory that the options leave, or every one')
    .option('--yes', 'do not ask')
    .action((ids: string[], options: FilterOptions & { readonly all?: true; readonly yes?: true }) =>
      withEngine(async (engine, json) => {
        const wanted = await chosen(engine, ids, options);
        if (options.yes !== true && !(await agreesTo(await purgeQuestion(engine, wanted)))) {
          throw new EngineError('aborted', 'Nothing was deleted.');
        }
        return done(json, await engine.deletion.purge(wanted), 'cleaned');
      }),
    );
  program
    .command('reset')
    .description('empty a store for good, with its checkpoints, backups and history, after asking')
    .addOption(new Option('--store <store>', 'which one').choices(storeKinds).makeOptionMandatory())
    .option('--yes', 'do not ask')
    .action(({ store, yes }: { readonly store: StoreKind; readonly yes?: true }) =>
      withEngine(async (engine, json) => {
        const files = engine.stores.filter(it => it.kind === store).map(it => it.file);
        const [file, another] = files;
        if (another !== undefined) {
          throw new EngineError(
            'invalidInput',
            `There are ${files.length} projects here. Name one of them: --project.`,
          );
        }
        if (file === undefined) {
          throw new EngineError('notFound', 'There is no project here. Run this in its folder, or name it: --project.');
        }
        if (yes !== true && !(await agreesTo(await resetQuestion(engine, file)))) {
          throw new EngineError('aborted', 'Nothing was deleted.');
        }
        return done(json, await engine.deletion.reset(file), 'deleted');
      }),
    );
}

/** @throws EngineError invalidInput (neither ids nor a filter), notFound (nothing is like that) */
async function chosen(
  engine: MemoryEngine,
  ids: readonly string[],
  { all, yes: _yes, ...options }: FilterOptions & { readonly all?: true; readonly yes?: true },
): Promise<readonly string[]> {
  const filter = filterOf(options);
  if (ids.length > 0) return ids;
  if (Object.keys(filter).length === 0 && all !== true) {
    throw new EngineError(
      'invalidInput',
      'Say which memories: their ids, options such as --tag or --until, or --all for every one.',
    );
  }
  const statuses = all === true ? (['active', 'archived', 'superseded'] as const) : undefined;
  const found: string[] = [];
  for (;;) {
    const page = await engine.list({
      ...(statuses === undefined ? {} : { statuses }),
      ...filter,
      limit: requestLimits.maxPageSize,
      offset: found.length,
    });
    found.push(...page.map(it => it.id));
    if (page.length < requestLimits.maxPageSize) break;
  }
  if (found.length === 0)
    throw new EngineError('notFound', 'No memory is like that. `recollect list` takes the same options.');
  return found;
}

async function purgeQuestion(engine: MemoryEngine, ids: readonly string[]): Promise<string> {
  const some = [];
  for (const it of ids.slice(0, shown)) some.push(await engine.get(it));
  const lines = some.map(it => `  ${listLine(it, engine.effectiveConfidence(it))}`);
  const more = ids.length > shown ? [`  and ${ids.length - shown} more`] : [];
  return [
    ...lines,
    ...more,
    `Delete ${formatMemoryCount(ids.length)} for good, also from checkpoints and backups? Nothing undoes this.`,
  ].join('\n');
}

async function resetQuestion(engine: MemoryEngine, file: string): Promise<string> {
  const copies = (await engine.checkpoints.list()).filter(it => it.of === file).length;
  return `Delete everything in ${file}: memories, history, goals, traces, and its ${countedCopies(copies)}? Nothing undoes this; recollect export keeps a copy.`;
}

const countedCopies = (count: number): string => pluralize(count, 'checkpoint or backup', 'checkpoints and backups');

function done(json: boolean, erased: DeletionResult, copiesAre: 'cleaned' | 'deleted'): ExitCode {
  const { memories, copies, left } = erased;
  print(json, erased, () => [
    `Deleted for good: ${formatMemoryCount(memories)}; ${countedCopies(copies)} ${copiesAre}.`,
    'CLAUDE.md, synced Markdown and exports are yours and were not touched.',
    ...left.map(it => `${it} may still hold them: delete it yourself.`),
  ]);
  return left.length === 0 ? exitCodes.ok : exitCodes.failed;
}
