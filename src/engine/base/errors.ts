import { LocalizableMessage } from './localizableMessage.js';

/** The cause of a failure, for programs; the message is for people and names the next step. */
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
  /** The embedding model runs, and its answer was not there in the time of the call. */
  | 'embedderLate'
  | 'downloadFailed'
  | 'checksumMismatch'
  /** No language model can be reached now; a retry may succeed. */
  | 'modelUnavailable'
  /** A language model may not be used: no key, no consent, no such model, a wrong setting. */
  | 'modelAccessDenied'
  /** A user's file cannot be read, or not be written without loss. */
  | 'unsupportedFile'
  /** The user has not allowed it yet. */
  | 'notAllowed'
  | 'aborted'
  | 'closed'
  | 'internal';

const engineErrorName = 'EngineError';

/** A failure with a code for callers and tests, and a message that a person or a model can act on. */
export class EngineError extends Error {
  /** The message as pattern and arguments, for translation; `message` is the English text. */
  readonly localizable: LocalizableMessage;

  constructor(
    readonly code: EngineErrorCode,
    text: string | LocalizableMessage,
    options?: ErrorOptions,
  ) {
    super(String(text), options);
    this.name = engineErrorName;
    this.localizable = typeof text === 'string' ? new LocalizableMessage(text) : text;
  }

  /** Combines errors: the code of the first and the distinct messages of all. */
  static all(errors: readonly [unknown, ...unknown[]]): unknown {
    const [first] = errors;
    const byText = new Map(errors.map(it => [String(EngineError.is(it) ? it.localizable : it), it]));
    if (!EngineError.is(first) || byText.size === 1) return first;
    const parts = Array.from(byText.values(), it => (EngineError.is(it) ? it.localizable : String(it)));
    return new EngineError(first.code, new LocalizableMessage(parts.map((_, i) => `{${i}}`).join(' '), parts), {
      cause: errors,
    });
  }

  /** By its name: each bundle has a class of its own, and commands start what is in others. */
  static is(error: unknown, code?: EngineErrorCode): error is EngineError {
    if (!(error instanceof Error) || error.name !== engineErrorName) return false;
    return code === undefined || (error as { readonly code?: unknown }).code === code;
  }
}
