import { z } from 'zod';
import type { StoreMetrics } from '../engine/model/maintenance.js';
import { gates, lanes, statuses, storeKinds, type Tier } from '../engine/model/memory.js';
import { metricsInput } from './schemas.js';
import { defineTool } from './tool.js';
import { pluralize } from '../engine/model/pluralize.js';

const millisecondsSchema = z.number().min(0).exactOptional();
const byteCountSchema = z.int().min(0);
const tiers = ['short-term', 'long-term', 'permanent'] as const satisfies readonly Tier[];

const storeViewSchema = z.strictObject({
  store: z.enum(storeKinds),
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
      .strictObject({ calls: z.int(), failures: z.int(), averageMs: millisecondsSchema })
      .describe('Of this process since it opened the memory.'),
  }),
  progress: () => 'Counting what is remembered',
  async run(engine) {
    const { stores, recall, embedding } = await engine.maintenance.metrics();
    // Where the files lie concerns no model.
    const views = stores.map(({ file, ...it }) => it);
    const latencyText = recall.p50 === undefined ? '' : `, half of them in ${recall.p50.toFixed(1)} ms or less`;
    const precisionText =
      recall.precisionAt5 === undefined ? '' : `, ${Math.round(recall.precisionAt5 * 100)}% of the judged were useful`;
    return {
      text: [
        ...views.map(formatStoreMetrics),
        `${pluralize(recall.recalls, 'recall')}${latencyText}${precisionText}.`,
      ].join('\n'),
      structured: { stores: views, recall, embedding },
    };
  },
});

function formatStoreMetrics({
  store,
  status,
  lanes: { confirmed, note },
  fileBytes,
  lastRun,
  withoutAids,
}: Omit<StoreMetrics, 'file'>): string {
  const maintenanceText = lastRun === undefined ? 'never maintained' : `maintained ${lastRun.at}`;
  return `The ${store} memory: ${status.active} active (${confirmed} confirmed, ${pluralize(note, 'note')}), ${status.archived} archived, ${status.superseded} superseded; ${withoutAids} without search words; ${Math.round(fileBytes / 1024)} KB, ${maintenanceText}.`;
}
