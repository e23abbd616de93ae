import { z } from 'zod';

const cosine = z.number().min(-1).max(1);
const descriptionSchema = z.object({
  name: z.string().min(1),
  dimensions: z.int().min(8).max(4096),
  maxTokens: z.int().min(8),
  queryPrefix: z.string(),
  passagePrefix: z.string(),
  /** How token vectors become one: by the model itself, as their mean, or as the first token's. */
  pooling: z.enum(['none', 'mean', 'cls']),
  thresholds: z.object({ answer: cosine.optional(), related: cosine, duplicate: cosine }),
});

/** `model.json`: how to run the model and how to interpret its similarities. */
export type ModelDescription = z.infer<typeof descriptionSchema>;

/** @throws Error where the text does not describe a model */
export function parseModelDescription(text: string): ModelDescription {
  return descriptionSchema.parse(JSON.parse(text));
}
