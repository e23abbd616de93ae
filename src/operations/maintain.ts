import { z } from 'zod';
import type { MaintenanceRun } from '../engine/model/maintenance.js';
import { storeKinds } from '../engine/model/memory.js';
import { shortIdOf } from './memoryView.js';
import { maintainInput } from './schemas.js';
import { defineTool } from './tool.js';

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
    'Upkeep of the memory: archives what has faded or expired, keeps to the quotas, deletes what lay in the archive for a month. By default it only says what would be done and changes nothing. Call it when the user asks about upkeep; with dryRun false only when they ask for it to be done.',
  readOnly: false,
  destructive: true,
  idempotent: true,
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
