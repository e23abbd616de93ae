import { EngineError, type EngineErrorCode } from '../engine/base/errors.js';

/** A request that is not done, and how it is answered: the status, and JSON with a sentence and a code. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    /** For programs; the message is for people. */
    readonly code: string,
    message: string,
    readonly extra: {
      readonly headers?: Readonly<Record<string, string>>;
      /** Data besides the sentence. */
      readonly data?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(message);
    this.name = 'HttpError';
  }

  get body(): Readonly<Record<string, unknown>> {
    return { error: this.message, code: this.code, ...this.extra.data };
  }
}

/** Of a failure that is none of these: 500. */
const statuses: Readonly<Partial<Record<EngineErrorCode, number>>> = {
  invalidInput: 400,
  unsupportedFile: 400,
  notAllowed: 403,
  notFound: 404,
  ambiguousId: 409,
  embedderUnavailable: 409,
  embedderLate: 503,
  storeReadOnly: 409,
  storeBusy: 503,
  storeUnavailable: 503,
  storeTooNew: 503,
  storeDamaged: 503,
  closed: 503,
  aborted: 503,
  storeFull: 507,
};

/** @param sentence of a failure that is no EngineError and says nothing that may leave the process */
export function toHttpError(error: unknown, sentence: string): HttpError {
  if (error instanceof HttpError) return error;
  if (EngineError.is(error)) return new HttpError(statuses[error.code] ?? 500, error.code, error.message);
  return new HttpError(500, 'internal', sentence);
}
