import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Option, type Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import { requestLimits } from '../../engine/model/config.js';
import { pluralize, formatMemoryCount } from '../../engine/model/pluralize.js';
import { sumDeletions, type DeletionResult } from '../../engine/model/deletionResult.js';
import {
  memorySources,
  shortId,
  storeKinds,
  type Memory,
  type MemorySource,
  type StoreKind,
} from '../../engine/model/memory.js';
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
    .option('--session <id>', 'those of this session, and where its capture stands')
    .addOption(new Option('--origin <source...>', 'those that came this way').choices(memorySources))
    .option('--client <name...>', 'those that these clients stored, such as cli or mcp:claude-code')
    .option('--folder <folder>', 'those of files below this folder, or stored while it was open')
    .option('--all', 'every memory that the options leave, or every one')
    .option('--yes', 'do not ask')
    .action((ids: string[], options: PurgeOptions) =>
      withEngine(async (engine, json) => {
        const selectedIds = await selectMemories(engine, ids, options);
        if (options.yes !== true && !(await confirm(await buildPurgeQuestion(engine, selectedIds)))) {
          throw new EngineError('aborted', 'Nothing was deleted.');
        }
        const { session, scope } = options;
        const everySession = ids.length === 0 && options.all === true && isUnfiltered(options);
        const purged = await engine.deletion.purge(selectedIds, { session, everySession, scope });
        const exitCode = reportDeletion(json, purged, 'cleaned');
        const sensitive = options.all === true ? await engine.sensitive.count() : 0;
        if (sensitive > 0) console.error(keptSensitive(sensitive));
        return exitCode;
      }),
    );
  program
    .command('reset')
    .description('empty a store for good, with its checkpoints, backups and history, after asking')
    .addOption(new Option('--store <store>', 'which one').choices([...storeKinds, 'both']).makeOptionMandatory())
    .option('--yes', 'do not ask')
    .action(({ store, yes }: { readonly store: StoreKind | 'both'; readonly yes?: true }) =>
      withEngine(async (engine, json) => {
        const kinds = store === 'both' ? storeKinds : [store];
        const files = kinds.map(it => findStoreFile(engine, it));
        const questions = await Promise.all(files.map(it => buildResetQuestion(engine, it)));
        if (yes !== true && !(await confirm(questions.join('\n')))) {
          throw new EngineError('aborted', 'Nothing was deleted.');
        }
        const results = [];
        for (const file of files) results.push(await engine.deletion.reset(file));
        return reportDeletion(json, sumDeletions(results), 'deleted');
      }),
    );
}

/** @throws EngineError invalidInput | notFound */
function findStoreFile(engine: MemoryEngine, kind: StoreKind): string {
  const [file, ...others] = engine.stores.filter(it => it.kind === kind).map(it => it.file);
  if (others.length > 0)
    throw new EngineError('invalidInput', `There are ${others.length + 1} projects here. Name one of them: --project.`);
  if (file !== undefined) return file;
  throw new EngineError('notFound', 'There is no project here. Run this in its folder, or name it: --project.');
}

interface OriginOptions {
  readonly session?: string | undefined;
  readonly origin?: readonly MemorySource[] | undefined;
  readonly client?: readonly string[] | undefined;
  readonly folder?: string | undefined;
}

interface PurgeOptions extends FilterOptions, OriginOptions {
  readonly all?: true;
  readonly yes?: true;
}

/** Whether a memory came from what the options name; undefined without such an option. */
function originTest({ session, origin, client, folder }: OriginOptions): ((memory: Memory) => boolean) | undefined {
  if (session === undefined && origin === undefined && client === undefined && folder === undefined) return undefined;
  const root = folder === undefined ? undefined : path.resolve(folder);
  const isBelow = (place: string | undefined): boolean => {
    if (root === undefined || place === undefined) return false;
    const file = place.startsWith('file:') ? fileURLToPath(place) : place;
    return file === root || file.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
  };
  return ({ provenance }) =>
    (session === undefined || provenance.session === session) &&
    (origin === undefined || origin.includes(provenance.source)) &&
    (client === undefined || (provenance.client !== undefined && client.includes(provenance.client))) &&
    (root === undefined || isBelow(provenance.uri) || isBelow(provenance.workspace));
}

/** Whether no option leaves some memories out. */
function isUnfiltered({ all: _all, yes: _yes, session, origin, client, folder, ...filter }: PurgeOptions): boolean {
  return Object.keys(toFilter(filter)).length === 0 && originTest({ session, origin, client, folder }) === undefined;
}

function keptSensitive(count: number): string {
  return `Kept: ${pluralize(count, 'sensitive memory', 'sensitive memories')}. List them with recollect sensitive; delete them with recollect sensitive withdraw ID, or --all.`;
}

/** @throws EngineError invalidInput (neither ids nor a filter), notFound (nothing is like that) */
async function selectMemories(
  engine: MemoryEngine,
  ids: readonly string[],
  { all, yes: _yes, session, origin, client, folder, ...options }: PurgeOptions,
): Promise<readonly string[]> {
  const filter = toFilter(options);
  if (ids.length > 0) return ids;
  const isFrom = originTest({ session, origin, client, folder });
  if (Object.keys(filter).length === 0 && all !== true && isFrom === undefined) {
    throw new EngineError(
      'invalidInput',
      'Say which memories: their ids, options such as --tag, --session, --folder or --until, or --all for every one.',
    );
  }
  // A provenance filter matches memories of any status.
  const statuses = all === true || isFrom !== undefined ? (['active', 'archived', 'superseded'] as const) : undefined;
  const matchingIds: string[] = [];
  for (let offset = 0; ; offset += requestLimits.maxPageSize) {
    const page = await engine.list({
      ...(statuses === undefined ? {} : { statuses }),
      ...filter,
      limit: requestLimits.maxPageSize,
      offset,
    });
    matchingIds.push(...page.filter(it => isFrom?.(it) ?? true).map(it => it.id));
    if (page.length < requestLimits.maxPageSize) break;
  }
  if (matchingIds.length === 0 && session === undefined) {
    const sensitive = all === true ? await engine.sensitive.count() : 0;
    throw new EngineError(
      'notFound',
      sensitive > 0 ? keptSensitive(sensitive) : 'No memory is like that. `recollect list` takes the same options.',
    );
  }
  return matchingIds;
}

async function buildPurgeQuestion(engine: MemoryEngine, ids: readonly string[]): Promise<string> {
  // Only a session gets as far without a memory: what was noted of its capture is left to delete.
  if (ids.length === 0)
    return 'No memory is of this session. Delete what else is recorded of it, such as how far it was read? Nothing undoes this.';
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
  const shared = await engine.deletion.countShared(file);
  const team =
    shared === 0
      ? ''
      : ` Of ${formatMemoryCount(shared)} that you shared, the lines stay in git: you can withdraw them only before, with recollect team withdraw, and team sync takes them in as those of others.`;
  return `Delete everything in ${file}: memories, history, goals, traces, and its ${formatCopyCount(copyCount)}? Nothing undoes this; recollect export keeps a copy.${team}`;
}

const formatCopyCount = (count: number): string => pluralize(count, 'checkpoint or backup', 'checkpoints and backups');

function describeShared(ids: readonly string[]): string {
  const some = ids.slice(0, maxListed).map(it => shortId({ id: it }));
  const list = ids.length > maxListed ? 'ID…, as recollect team lists them' : some.join(' ');
  return `Shared with your team: ${formatMemoryCount(ids.length)}. The lines stay in its folder, and in git for ever. Withdraw them: recollect team withdraw ${list}`;
}

/** Prints what was deleted for good. */
export function reportDeletion(json: boolean, result: DeletionResult, copiesVerb: 'cleaned' | 'deleted'): ExitCode {
  const { memories, repeated = 0, copies, left, shared = [] } = result;
  print(json, result, () => [
    `Deleted for good: ${formatMemoryCount(memories)}; ${formatCopyCount(copies)} ${copiesVerb}.`,
    ...(repeated === 0 ? [] : [`In two stores, and deleted from both: ${formatMemoryCount(repeated)}.`]),
    'CLAUDE.md, synced Markdown and exports are yours and were not touched.',
    ...(shared.length === 0 ? [] : [describeShared(shared)]),
    ...left.map(it => `${it} may still hold them: delete it yourself.`),
  ]);
  return left.length === 0 ? exitCodes.ok : exitCodes.failed;
}
