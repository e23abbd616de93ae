/** What went wrong, for programs; the message says it to people, with the next step. */
export type EngineErrorCode =
  | 'invalidInput'
  | 'notFound'
  | 'ambiguousId'
  | 'storeUnavailable'
  | 'storeReadOnly'
  | 'storeFull'
  | 'storeBusy'
  | 'storeTooNew'
  | 'storeDamaged'
  | 'embedderUnavailable'
  | 'downloadFailed'
  | 'downloadWrong'
  | 'aborted'
  | 'closed'
  | 'internal';

/** A failure with a code that tests and callers look at, and one sentence that a person or a model can act on. */
export class EngineError extends Error {
  constructor(
    readonly code: EngineErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'EngineError';
  }

  static is(error: unknown, code?: EngineErrorCode): error is EngineError {
    return error instanceof EngineError && (code === undefined || error.code === code);
  }
}
