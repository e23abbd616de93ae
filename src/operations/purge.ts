import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import { requestLimits } from '../engine/model/config.js';
import { sumDeletions, type DeletionResult } from '../engine/model/deletionResult.js';
import {
  memorySources,
  shortId,
  storeKinds,
  type Memory,
  type MemorySource,
  type StoreKind,
} from '../engine/model/memory.js';
import { pluralize, formatMemoryCount } from '../engine/model/pluralize.js';
import type { ListInput } from '../engine/model/query.js';
import {
  argument,
  definePersonCommand,
  filterOptions,
  flag,
  memoryLine,
  option,
  requireYes,
  type CommandAnswer,
  type PersonCommand,
} from './personCommand.js';
import { countSensitive } from './sensitive.js';

/** Of what is about to go, so much is shown. */
const maxListed = 10;
const yesOption = option('--yes', flag, 'do not ask');
const refusal = 'Nothing was deleted.';

const deleteCommand = definePersonCommand({
  name: 'delete',
  description:
    'delete memories for good, also from checkpoints and backups, after asking; `recollect forget` can be undone',
  input: z.strictObject({
    ids: argument('[ids...]', z.array(z.string()).default([]), 'which ones; without ids, all that the options choose'),
    ...filterOptions,
    session: option(
      '--session <id>',
      z.string().exactOptional(),
      'those of this session, and the note how far it was captured',
    ),
    origin: option(
      '--origin <source...>',
      z.array(z.enum(memorySources)).exactOptional(),
      'those that came in this way',
    ),
    client: option(
      '--client <name...>',
      z.array(z.string()).exactOptional(),
      'those that these clients stored, such as cli or mcp:claude-code',
    ),
    folder: option(
      '--folder <folder>',
      z.string().exactOptional(),
      'those of files below this folder, or stored while it was open',
    ),
    all: option('--all', flag, 'all that the other options choose; without any, every memory'),
    yes: yesOption,
  }),
  async run(engine, { ids, all, yes, session, origin, client, folder, ...filter }, caller) {
    const from = { session, origin, client, folder };
    const selectedIds = await selectMemories(engine, ids, { all: all === true, origin: from, filter });
    await requireYes(caller, { yes, question: await buildPurgeQuestion(engine, selectedIds), refusal });
    const isUnfiltered = Object.keys(filter).length === 0 && originTest(from) === undefined;
    const everySession = ids.length === 0 && all === true && isUnfiltered;
    const purged = await engine.deletion.purge(selectedIds, { session, everySession, scope: filter.scope });
    const sensitive = all === true ? await engine.sensitive.count() : 0;
    return { ...deletionAnswer(purged, 'cleaned'), remarks: sensitive > 0 ? [keptSensitive(sensitive)] : [] };
  },
});

export const deleteCommands: readonly PersonCommand[] = [
  deleteCommand,
  { ...deleteCommand, name: 'purge', now: 'recollect delete' },
];

export const resetCommand = definePersonCommand({
  name: 'reset',
  description: 'empty a store for good, with its checkpoints, backups and history, after asking',
  input: z.strictObject({
    store: option('--store <store>', z.enum([...storeKinds, 'both']), 'which one'),
    yes: yesOption,
  }),
  async run(engine, { store, yes }, caller) {
    const files = (store === 'both' ? storeKinds : [store]).map(it => findStoreFile(engine, it));
    const questions = await Promise.all(files.map(it => buildResetQuestion(engine, it)));
    await requireYes(caller, { yes, question: questions.join('\n'), refusal });
    const results = [];
    for (const file of files) results.push(await engine.deletion.reset(file));
    return deletionAnswer(sumDeletions(results), 'deleted');
  },
});

/** @throws EngineError invalidInput | notFound */
function findStoreFile(engine: MemoryEngine, kind: StoreKind): string {
  const [file, ...others] = engine.stores.filter(it => it.kind === kind).map(it => it.file);
  if (others.length > 0)
    throw new EngineError('invalidInput', `There are ${others.length + 1} projects here. Name one of them: --project.`);
  if (file !== undefined) return file;
  throw new EngineError('notFound', 'There is no project here. Run this in its folder, or name it: --project.');
}

/** Where memories came from; undefined means anywhere. */
interface Origin {
  readonly session: string | undefined;
  readonly origin: readonly MemorySource[] | undefined;
  readonly client: readonly string[] | undefined;
  readonly folder: string | undefined;
}

/** Whether a memory came from what the options name; undefined without such an option. */
function originTest({ session, origin, client, folder }: Origin): ((memory: Memory) => boolean) | undefined {
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

function keptSensitive(count: number): string {
  return `Kept: ${countSensitive(count)}. List them with recollect sensitive; delete them with recollect sensitive withdraw ID, or --all.`;
}

/** @throws EngineError invalidInput (neither ids nor a filter), notFound (nothing is like that) */
async function selectMemories(
  engine: MemoryEngine,
  ids: readonly string[],
  { all, origin, filter }: { readonly all: boolean; readonly origin: Origin; readonly filter: ListInput },
): Promise<readonly string[]> {
  if (ids.length > 0) return ids;
  const isFrom = originTest(origin);
  if (Object.keys(filter).length === 0 && !all && isFrom === undefined) {
    throw new EngineError(
      'invalidInput',
      'Say which memories: their ids, options such as --tag, --session, --folder or --until, or --all for every one.',
    );
  }
  // A provenance filter matches memories of any status.
  const statuses = all || isFrom !== undefined ? (['active', 'archived', 'superseded'] as const) : undefined;
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
  if (matchingIds.length === 0 && origin.session === undefined) {
    const sensitive = all ? await engine.sensitive.count() : 0;
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
  const lines = listedMemories.map(it => `  ${memoryLine(engine, it)}`);
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

/** Result of a permanent deletion. */
export function deletionAnswer(result: DeletionResult, copiesVerb: 'cleaned' | 'deleted'): CommandAnswer {
  const { memories, repeated = 0, copies, left, shared = [] } = result;
  return {
    output: result,
    lines: [
      `Deleted for good: ${formatMemoryCount(memories)}; ${formatCopyCount(copies)} ${copiesVerb}.`,
      ...(repeated === 0 ? [] : [`In two stores, and deleted from both: ${formatMemoryCount(repeated)}.`]),
      'CLAUDE.md, synced Markdown and exports are yours and were not touched.',
      ...(shared.length === 0 ? [] : [describeShared(shared)]),
      ...left.map(it => `${it} may still hold them: delete it yourself.`),
    ],
    ending: left.length === 0 ? 'done' : 'failed',
  };
}
