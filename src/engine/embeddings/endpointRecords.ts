import { z } from 'zod';
import type { EmbeddingUse } from '../model/embeddingStatus.js';
import { cosineSchema, dimensionsSchema } from './modelDescription.js';

/** Records about endpoints, shared by all processes on a data folder. */
export interface EndpointRecords {
  readState(): Promise<unknown>;
  /** Replaces the state atomically across processes; `consent` goes into the audit log. */
  updateState(change: (before: unknown) => EndpointState, consent?: EndpointConsent): Promise<void>;
  readUse(day: string): Promise<unknown>;
  updateUse(day: string, change: (before: unknown) => EmbeddingUse): Promise<void>;
}

/** A person's word on whether texts may be sent to an address. */
export interface EndpointConsent {
  readonly url: string;
  readonly isAllowed: boolean;
}

const measuredModelSchema = z.object({
  url: z.string(),
  model: z.string(),
  /** Of the setting; 0 = as many as the endpoint gives. */
  requestedDimensions: z.number(),
  dimensions: dimensionsSchema,
  thresholds: z.object({ answer: cosineSchema, related: cosineSchema, duplicate: cosineSchema }),
});
/** Facts that the first use of a model has shown. */
export type MeasuredModel = z.infer<typeof measuredModelSchema>;

const stateSchema = z.object({
  /** The addresses that texts may be sent to. */
  allowed: z.array(z.string()),
  /** Most recently measured first. */
  models: z.array(measuredModelSchema),
});
export type EndpointState = z.infer<typeof stateSchema>;

const maxMeasuredModels = 8;

/** A record in an unknown format counts as none: a person is asked again. */
export function parseEndpointState(record: unknown): EndpointState {
  const result = stateSchema.safeParse(record);
  return result.success ? result.data : { allowed: [], models: [] };
}

export function withConsent({ allowed, models }: EndpointState, { url, isAllowed }: EndpointConsent): EndpointState {
  const others = allowed.filter(it => it !== url);
  return { allowed: isAllowed ? [url, ...others] : others, models };
}

export function withMeasuredModel({ allowed, models }: EndpointState, measured: MeasuredModel): EndpointState {
  const others = models.filter(it => !isMeasurementOf(it, measured));
  return { allowed, models: [measured, ...others].slice(0, maxMeasuredModels) };
}

export function isMeasurementOf(
  { url, model, requestedDimensions }: MeasuredModel,
  wanted: Pick<MeasuredModel, 'url' | 'model' | 'requestedDimensions'>,
): boolean {
  return url === wanted.url && model === wanted.model && requestedDimensions === wanted.requestedDimensions;
}

const amount = z.number().nonnegative();
const useSchema = z.object({
  day: z.string(),
  calls: amount,
  tokens: amount,
  failure: z.object({ url: z.string(), at: z.string(), problem: z.string() }).optional(),
});

/** A record in an unknown format counts as no use. */
export function parseEmbeddingUse(record: unknown, day: string): EmbeddingUse {
  const result = useSchema.safeParse(record);
  return result.success ? result.data : { day, calls: 0, tokens: 0 };
}
