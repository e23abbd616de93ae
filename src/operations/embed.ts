import { z } from 'zod';
import { pluralize } from '../engine/model/pluralize.js';
import { shortIdOf } from './memoryView.js';
import { defineTool } from './tool.js';
import { memoryId } from './inputFields.js';

/** More do not fit into one request. */
const maxVectors = 1_000;
/** As many dimensions as any model in use has. */
const maxDimensions = 4_096;
const vectorSchema = z.array(z.number()).min(1).max(maxDimensions);

const embedInput = z
  .strictObject({
    model: z.string().min(1).describe('The model that made the vectors: the name that metrics gives.'),
    id: z.string().min(1).exactOptional().describe('The id of the memory, as recalled; with vector.'),
    vector: vectorSchema.exactOptional().describe('As many numbers as the model has dimensions.'),
    vectors: z
      .array(z.strictObject({ id: memoryId, vector: vectorSchema }))
      .min(1)
      .max(maxVectors)
      .exactOptional()
      .describe('Instead of id and vector: those of many memories.'),
  })
  .refine(
    it => (it.vectors === undefined) === (it.id !== undefined) && (it.id === undefined) === (it.vector === undefined),
    'give either id and vector, or vectors',
  );

/** For programs alone: no model writes a vector. */
export const embedTool = defineTool({
  name: 'embed',
  title: 'Take vectors',
  description:
    'Keeps vectors of memories that another program made with the model in use (metrics names it), where a memory has none. A vector of another model or another number of dimensions is refused.',
  readOnly: false,
  destructive: false,
  idempotent: true,
  routes: [{ method: 'POST', path: '/memory/embed', summary: 'Take vectors that were made elsewhere' }],
  input: embedInput,
  output: z.strictObject({
    outcomes: z
      .array(
        z.discriminatedUnion('outcome', [
          z.strictObject({ outcome: z.literal('stored'), id: z.string() }),
          z.strictObject({ outcome: z.literal('refused'), id: z.string(), reason: z.string() }),
        ]),
      )
      .describe('One for each vector, in the order given.'),
  }),
  progress: ({ vectors = [{}] }) => `Taking ${pluralize(vectors.length, 'vector')}`,
  async run(engine, { model, id, vector, vectors }) {
    const given = vectors ?? [{ id: id!, vector: vector! }];
    const taken = await engine.saveVectors({ model, vectors: given });
    const stored = taken.filter(it => it.outcome === 'stored').map(it => it.id);
    const outcomes = taken.map(it => (it.outcome === 'stored' ? { ...it, id: shortIdOf(it.id) } : it));
    const refused = outcomes.filter(it => it.outcome === 'refused');
    return {
      text: [
        `Kept ${pluralize(outcomes.length - refused.length, 'vector')}.`,
        ...refused.map(it => `Refused, for ${it.id}: ${it.reason}`),
      ].join('\n'),
      structured: { outcomes },
      given: stored,
      failed: refused.length === outcomes.length,
    };
  },
});
