import { z } from 'zod';
import type { MemoryEngine } from '../engine/engine.js';
import { decayProfiles } from '../engine/model/config.js';
import type { MaintenanceRun } from '../engine/model/maintenance.js';
import { storeKinds, type Memory } from '../engine/model/memory.js';
import { formatMemoryCount } from '../engine/model/pluralize.js';
import { retentionPresets } from '../engine/model/retention.js';
import { describeRun, formatRunLine } from './describeMaintenance.js';
import { shortIdOf } from './memoryView.js';
import { definePersonCommand, flag, option, scopeOption, type CommandAnswer } from './personCommand.js';
import { defineTool } from './tool.js';
import { scopeFilter } from './inputFields.js';

export const maintainInput = z.strictObject({
  dryRun: z
    .boolean()
    .exactOptional()
    .describe('true (default) only says what would be done; false does it. Set false only when the user asked for it.'),
  preset: z.enum(retentionPresets).exactOptional().describe('What counts when a quota is full; default balanced.'),
  scope: scopeFilter,
});

const runViewSchema = z.strictObject({
  run: z.string().exactOptional().describe('The id that undoes it; not of a dry run.'),
  store: z.enum(storeKinds),
  status: z.enum(['running', 'finished', 'cancelled', 'interrupted']),
  processed: z.int().describe('Memories looked at.'),
  faded: z.int().describe('Archived, because little is left of their confidence.'),
  expired: z.int().describe('Archived, because they are notes that no person confirmed in time.'),
  quota: z.int().describe('Archived, because their tier was full.'),
  pruned: z.int().describe('Deleted, because they lay in the archive untouched.'),
  toRevisit: z.int().describe('Plans that are overdue or have faded; the user decides about them.'),
  warnings: z.array(z.string()),
});
type RunView = z.infer<typeof runViewSchema>;

export const maintainTool = defineTool({
  name: 'maintain',
  title: 'Maintain the memory',
  description:
    'Maintenance of the memory: archives what has faded or expired, keeps to the quotas, deletes what lay in the archive for a month. By default it only says what would be done and changes nothing. Call it when the user asks about maintenance; with dryRun false only when they ask for it to be done.',
  readOnly: false,
  destructive: true,
  idempotent: true,
  routes: [
    {
      ...{
        method: 'POST',
        path: '/memory/meditate',
        summary: 'A preview of maintenance; doing it is for a person alone',
      },
      aliases: { dry_run: 'As dryRun; also in the query of the address.' },
      rename: ({ dry_run: dryRun, ...input }) => (dryRun === undefined ? input : { dryRun, ...input }),
    },
  ],
  input: maintainInput,
  output: z.strictObject({ dryRun: z.boolean(), runs: z.array(runViewSchema).describe('One for each store.') }),
  progress: ({ dryRun = true }) => (dryRun ? 'Looking at what maintenance would do' : 'Maintaining the memory'),
  async confirm(engine, { dryRun = true, ...settings }) {
    if (dryRun) return undefined;
    const runs = (await engine.maintenance.preview(settings)).map(toRunView);
    return { title: 'Run maintenance?', message: runs.map(it => formatRun(it, true)).join('\n') };
  },
  async run(engine, { dryRun = true, ...settings }, { signal, onProgress }) {
    const options = {
      ...settings,
      ...(signal === undefined ? {} : { signal }),
      onProgress: ({ store, pass, done, total }) => onProgress?.(`${store} memory: ${pass}, ${done} of ${total}`),
    } satisfies Parameters<typeof engine.maintenance.run>[0];
    const runs = (await (dryRun ? engine.maintenance.preview(options) : engine.maintenance.run(options))).map(
      toRunView,
    );
    return {
      text: [
        ...runs.map(it => formatRun(it, dryRun)),
        ...(dryRun ? ['Nothing was changed. To do it, call again with dryRun false, once the user agrees.'] : []),
      ].join('\n'),
      structured: { dryRun, runs },
    };
  },
});

function toRunView(run: MaintenanceRun): RunView {
  const { faded, expired, quota, pruned } = run.counts;
  return {
    ...(run.dryRun ? {} : { run: shortIdOf(run.id) }),
    store: run.store,
    status: run.status,
    processed: run.processed,
    faded,
    expired,
    quota,
    pruned,
    toRevisit: run.promisesToRevisit,
    warnings: [...run.warnings],
  };
}

function formatRun(run: RunView, dryRun: boolean): string {
  const would = dryRun ? 'would be ' : '';
  const archived = `${run.faded + run.expired + run.quota} ${would}archived (${run.faded} faded, ${run.expired} expired, ${run.quota} over quota)`;
  const unfinished = run.status === 'finished' ? '' : ` It was ${run.status}; the next run goes on from there.`;
  const undo = run.run === undefined ? '' : ` The user can undo it: recollect maintain --undo ${run.run}.`;
  const revisit = run.toRevisit === 0 ? '' : ` Plans that wait for the user's decision: ${run.toRevisit}.`;
  const warnings = run.warnings.map(warning => ` ${warning}`).join('');
  return `In the ${run.store} memory, of ${run.processed}, ${archived} and ${run.pruned} deleted.${unfinished}${undo}${revisit}${warnings}`;
}

export const maintainCommand = definePersonCommand({
  name: 'maintain',
  description:
    'forget what has faded and what there is no room for, and delete for good what was forgotten a month ago; --undo brings back',
  input: z.strictObject({
    dryRun: option('--dry-run', flag, 'say what would be done, and change nothing'),
    preset: option(
      '--preset <preset>',
      z.enum(retentionPresets).exactOptional(),
      'what counts most when there is no room for all',
    ),
    profile: option(
      '--profile <profile>',
      z.enum(decayProfiles).exactOptional(),
      'how memories fade (default: classes)',
    ),
    scope: scopeOption,
    runs: option('--runs', flag, 'list the runs so far', ['dryRun', 'undo']),
    undo: option('--undo <run>', z.string().exactOptional(), 'undo a run: what it has forgotten comes back', [
      'dryRun',
    ]),
    confirmClock: option(
      '--confirm-clock',
      flag,
      'after a long time without use: say that the date is right, so that the time counts',
    ),
  }),
  async run(engine, { runs, undo, dryRun, confirmClock, ...settings }, caller) {
    if (confirmClock === true) await engine.maintenance.confirmClock();
    if (runs === true) return listRuns(engine);
    if (undo !== undefined) return undoRun(engine, undo);
    return caller.interruptible(async signal => {
      const options = { ...settings, signal };
      const done = await (dryRun === true ? engine.maintenance.preview(options) : engine.maintenance.run(options));
      const answer = { output: done, lines: await describeRuns(engine, done) };
      if (!signal.aborted) return answer;
      return { ...answer, remarks: ['Cancelled. Run it again to go on from there.'], ending: 'failed' };
    });
  },
});

async function describeRuns(engine: MemoryEngine, runs: readonly MaintenanceRun[]): Promise<readonly string[]> {
  const ids = runs.flatMap(it =>
    [...Object.values(it.decisions).flat(), ...(it.takenBack?.items ?? [])].map(({ id }) => id),
  );
  const memoriesById = new Map((await engine.getMany(ids)).map((it): [string, Memory] => [it.id, it]));
  return runs.flatMap(it => describeRun(it, memoriesById));
}

async function listRuns(engine: MemoryEngine): Promise<CommandAnswer> {
  const runs = await engine.maintenance.runs();
  const answer = { output: runs, lines: runs.map(formatRunLine) };
  if (runs.length > 0) return answer;
  return { ...answer, hints: ['No maintenance has run yet. Start it: recollect maintain'], ending: 'notFound' };
}

/** @param reference a run's id or the last eight digits of it */
async function undoRun(engine: MemoryEngine, reference: string): Promise<CommandAnswer> {
  const shortRunId = reference.replace(/^#/u, '').toLowerCase();
  const run = (await engine.maintenance.runs(Number.MAX_SAFE_INTEGER)).find(it => shortIdOf(it.id) === shortRunId);
  const restored = await engine.maintenance.undo(run?.id ?? shortRunId);
  const done = run?.takenBack === undefined ? 'Active again' : 'As before';
  return { output: restored, lines: [`${done}: ${formatMemoryCount(restored.length)}.`] };
}
