import { z } from 'zod';
import { vectorDimensions } from '../model/config.js';

export const cosineSchema = z.number().min(-1).max(1);
export const dimensionsSchema = z.int().min(vectorDimensions.min).max(vectorDimensions.max);

const descriptionSchema = z.object({
  name: z.string().min(1),
  dimensions: dimensionsSchema,
  maxTokens: z.int().min(8),
  queryPrefix: z.string(),
  passagePrefix: z.string(),
  /** How token vectors become one: by the model itself, as their mean, or as the first token's. */
  pooling: z.enum(['none', 'mean', 'cls']),
  /**
   * Whether a single character outside ASCII, such as a Chinese one, means something to it; true by default. Where not, a text of
   * mostly such characters gets no vector.
   */
  readsSingleCharacters: z.boolean().optional(),
  /** Of model.onnx and tokenizer.json together, where it is known. */
  bytes: z.int().optional(),
  thresholds: z.object({ answer: cosineSchema.optional(), related: cosineSchema, duplicate: cosineSchema }),
});

/** `model.json`: how to run the model and how to interpret its similarities. */
export type ModelDescription = z.infer<typeof descriptionSchema>;

/** @throws Error where the text does not describe a model */
export function parseModelDescription(text: string): ModelDescription {
  return descriptionSchema.parse(JSON.parse(text));
}
