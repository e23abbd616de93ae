import { Option, type Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import { requestLimits } from '../../engine/model/config.js';
import { pluralize, formatMemoryCount } from '../../engine/model/pluralize.js';
import type { DeletionResult } from '../../engine/model/deletionResult.js';
import { storeKinds, type StoreKind } from '../../engine/model/memory.js';
import { confirm, exitCodes, print, type ExitCode, type WithEngine } from '../command.js';
import { formatMemoryLine } from '../output/describeMemory.js';
import { addFilterOptions, toFilter, type FilterOptions } from './filterOptions.js';

/** Of what is about to go, so much is shown. */
const maxListed = 10;

/** `recollect purge` and `recollect reset`: what deletes for good. */
export function registerDeletionCommands(program: Command, withEngine: WithEngine): void {
  addFilterOptions(program.command('purge'))
    .description('delete memories for good, also from checkpoints and backups, after asking; see forget for less')
    .argument('[ids...]', 'which ones; none: all that the options say')
    .option('--all', 'every memory that the options leave, or every one')
    .option('--yes', 'do not ask')
    .action((ids: string[], options: FilterOptions & { readonly all?: true; readonly yes?: true }) =>
      withEngine(async (engine, json) => {
        const selectedIds = await selectMemories(engine, ids, options);
        if (options.yes !== true && !(await confirm(await buildPurgeQuestion(engine, selectedIds)))) {
          throw new EngineError('aborted', 'Nothing was deleted.');
        }
        return reportDeletion(json, await engine.deletion.purge(selectedIds), 'cleaned');
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
        const [file, secondFile] = files;
        if (secondFile !== undefined) {
          throw new EngineError(
            'invalidInput',
            `There are ${files.length} projects here. Name one of them: --project.`,
          );
        }
        if (file === undefined) {
          throw new EngineError('notFound', 'There is no project here. Run this in its folder, or name it: --project.');
        }
        if (yes !== true && !(await confirm(await buildResetQuestion(engine, file)))) {
          throw new EngineError('aborted', 'Nothing was deleted.');
        }
        return reportDeletion(json, await engine.deletion.reset(file), 'deleted');
      }),
    );
}

/** @throws EngineError invalidInput (neither ids nor a filter), notFound (nothing is like that) */
async function selectMemories(
  engine: MemoryEngine,
  ids: readonly string[],
  { all, yes: _yes, ...options }: FilterOptions & { readonly all?: true; readonly yes?: true },
): Promise<readonly string[]> {
  const filter = toFilter(options);
  if (ids.length > 0) return ids;
  if (Object.keys(filter).length === 0 && all !== true) {
    throw new EngineError(
      'invalidInput',
      'Say which memories: their ids, options such as --tag or --until, or --all for every one.',
    );
  }
  const statuses = all === true ? (['active', 'archived', 'superseded'] as const) : undefined;
  const matchingIds: string[] = [];
  for (;;) {
    const page = await engine.list({
      ...(statuses === undefined ? {} : { statuses }),
      ...filter,
      limit: requestLimits.maxPageSize,
      offset: matchingIds.length,
    });
    matchingIds.push(...page.map(it => it.id));
    if (page.length < requestLimits.maxPageSize) break;
  }
  if (matchingIds.length === 0)
    throw new EngineError('notFound', 'No memory is like that. `recollect list` takes the same options.');
  return matchingIds;
}

async function buildPurgeQuestion(engine: MemoryEngine, ids: readonly string[]): Promise<string> {
  const listedMemories = [];
  for (const it of ids.slice(0, maxListed)) listedMemories.push(await engine.get(it));
  const lines = listedMemories.map(it => `  ${formatMemoryLine(it, engine.effectiveConfidence(it))}`);
  const more = ids.length > maxListed ? [`  and ${ids.length - maxListed} more`] : [];
  return [
    ...lines,
    ...more,
    `Delete ${formatMemoryCount(ids.length)} for good, also from checkpoints and backups? Nothing undoes this.`,
  ].join('\n');
}

async function buildResetQuestion(engine: MemoryEngine, file: string): Promise<string> {
  const copyCount = (await engine.checkpoints.list()).filter(it => it.of === file).length;
  return `Delete everything in ${file}: memories, history, goals, traces, and its ${formatCopyCount(copyCount)}? Nothing undoes this; recollect export keeps a copy.`;
}

const formatCopyCount = (count: number): string => pluralize(count, 'checkpoint or backup', 'checkpoints and backups');

function reportDeletion(json: boolean, result: DeletionResult, copiesVerb: 'cleaned' | 'deleted'): ExitCode {
  const { memories, copies, left } = result;
  print(json, result, () => [
    `Deleted for good: ${formatMemoryCount(memories)}; ${formatCopyCount(copies)} ${copiesVerb}.`,
    'CLAUDE.md, synced Markdown and exports are yours and were not touched.',
    ...left.map(it => `${it} may still hold them: delete it yourself.`),
  ]);
  return left.length === 0 ? exitCodes.ok : exitCodes.failed;
}
