import { z } from 'zod';
import { alertKinds, type Alert, type StoreMetrics } from '../engine/model/maintenance.js';
import { gates, lanes, statuses, storeKinds, type Tier } from '../engine/model/memory.js';
import { describeAlert, describeMetrics } from './describeMaintenance.js';
import { definePersonCommand } from './personCommand.js';
import { defineTool } from './tool.js';
import { pluralize } from '../engine/model/pluralize.js';

const metricsInput = z.strictObject({});

const millisecondsSchema = z.number().min(0).exactOptional();
const byteCountSchema = z.int().min(0);
const tiers = ['imported', 'shared', 'short-term', 'long-term', 'permanent'] as const satisfies readonly Tier[];

const countsSchema = z.strictObject({ created: z.int(), archived: z.int(), deleted: z.int() });
const periodsSchema = z.record(z.string(), countsSchema);

const storeViewSchema = z.strictObject({
  store: z.enum(storeKinds),
  items: z
    .strictObject({ total: countsSchema, months: periodsSchema, days: periodsSchema })
    .describe('What was created, archived and deleted: in all, and by months and days of UTC that had any.'),
  bytesPerMonth: byteCountSchema.describe('What a month adds at the pace of the last thirty days: an estimate.'),
  status: z.record(z.enum(statuses), z.int()).describe('How many memories of each status.'),
  tiers: z
    .record(z.enum(tiers), z.strictObject({ count: z.int(), bytes: byteCountSchema, quota: byteCountSchema }))
    .describe('Of the active ones: how many, what they take, and what they may take.'),
  gates: z.record(z.enum(gates), z.int()),
  lanes: z.record(z.enum(lanes), z.int()),
  lastRun: z
    .strictObject({ at: z.string(), processed: z.int(), archived: z.int(), pruned: z.int() })
    .exactOptional()
    .describe('The last maintenance that was finished.'),
  dueAt: z.string().exactOptional().describe('When maintenance is due again.'),
  withoutAids: z.int().describe('Active memories without questions and keywords to be found by.'),
  vectors: z.int(),
  vectorBytes: byteCountSchema.describe('What the vectors of the model in use take in memory.'),
  indexBytes: byteCountSchema,
  fileBytes: byteCountSchema,
});

export const metricsTool = defineTool({
  name: 'metrics',
  title: 'Metrics of the memory',
  description:
    'Says how much is remembered and of what sort, what it takes on disk, when maintenance ran, and how fast and how precise recalls were. Holds no text of a memory. Call it when the user asks about the state of their memory.',
  readOnly: true,
  destructive: false,
  idempotent: true,
  routes: [{ method: 'GET', path: '/memory/metrics', summary: 'Counts, quotas, maintenance and speed' }],
  input: metricsInput,
  output: z.strictObject({
    stores: z.array(storeViewSchema),
    recall: z
      .strictObject({
        recalls: z.int(),
        p50: millisecondsSchema,
        p95: millisecondsSchema,
        cacheHits: z.int(),
        degraded: z.int(),
        precisionAt5: z.number().min(0).max(1).exactOptional(),
        judged: z.int(),
      })
      .describe('Of the recalls whose record is kept; p50 and p95 in milliseconds.'),
    embedding: z
      .strictObject({
        enabled: z.boolean(),
        model: z.string().exactOptional(),
        calls: z.int(),
        failures: z.int(),
        averageMs: millisecondsSchema,
      })
      .describe('Whether memories are found by meaning too; calls are of this process since it opened the memory.'),
    alerts: z
      .array(z.strictObject({ kind: z.enum(alertKinds), store: z.enum(storeKinds).exactOptional(), text: z.string() }))
      .describe("What wants the user's eye."),
  }),
  progress: () => 'Counting what is remembered',
  async run(engine) {
    const { stores, recall, embedding, alerts: fullAlerts } = await engine.maintenance.metrics();
    // Where the files lie concerns no model; the full text of an alert may name them.
    const views = stores.map(({ file, ...it }) => it);
    const alerts = fullAlerts.map(it => ({ ...it, text: alertSentences[it.kind] }));
    const latencyText = recall.p50 === undefined ? '' : `, half of them in ${recall.p50.toFixed(1)} ms or less`;
    const precisionText =
      recall.precisionAt5 === undefined ? '' : `, ${Math.round(recall.precisionAt5 * 100)}% of the judged were useful`;
    return {
      text: [
        ...views.map(formatStoreMetrics),
        `${pluralize(recall.recalls, 'recall')}${latencyText}${precisionText}.`,
        embedding.enabled
          ? `Embeddings are on (${embedding.model}).`
          : 'Embeddings are off: memories are found by words.',
        ...alerts.map(it => `Attention${it.store === undefined ? '' : `, ${it.store} memory`}: ${describeAlert(it)}`),
      ].join('\n'),
      structured: { stores: views, recall, embedding, alerts },
    };
  },
});

const alertSentences: Readonly<Record<Alert['kind'], string>> = {
  overQuota: 'It is over a quota: maintenance archives the least useful memories, or the user raises the quota.',
  manyRemoved: 'Maintenance archived or deleted many memories: the user should look at what went.',
  storeDamaged: 'The store was damaged: recollect verify says what became of it.',
  writeFailed: 'The last change was not stored: the user should see whether the disk is full or read-only.',
  maintenanceFailed: 'The last maintenance failed: the log says why.',
  embeddingFailed:
    'No embeddings are made now, so memories are found by words alone: the user can look at the embedding model.',
  importChanged: 'A file that was imported has changed: the user takes the change over, or leaves it.',
  syncWaits: 'A synced folder of Markdown has changes that need the word of the user: recollect sync.',
};

function formatStoreMetrics({
  store,
  status,
  lanes: { confirmed, note },
  fileBytes,
  lastRun,
  withoutAids,
  items: { total },
}: Omit<StoreMetrics, 'file'>): string {
  const maintenanceText = lastRun === undefined ? 'never maintained' : `maintained ${lastRun.at}`;
  return `The ${store} memory: ${status.active} active (${confirmed} confirmed, ${pluralize(note, 'note')}), ${status.archived} archived, ${status.superseded} superseded; ${withoutAids} without search words; ${Math.round(fileBytes / 1024)} KB, ${maintenanceText}. In all ${total.created} created, ${total.archived} archived, ${total.deleted} deleted.`;
}

export const metricsCommand = definePersonCommand({
  name: 'metrics',
  description: 'show how much is remembered, the disk it takes, and how fast recalls are',
  input: metricsInput,
  async run(engine) {
    const metrics = await engine.maintenance.metrics();
    return { output: metrics, lines: describeMetrics(metrics) };
  },
});
