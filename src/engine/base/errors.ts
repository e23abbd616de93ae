import { LocalizableMessage } from './localizableMessage.js';

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
  | 'checksumMismatch'
  /** No language model can be reached now; another try may succeed. */
  | 'modelUnavailable'
  /** A language model is not ours to use: no key, no consent, no such model, a wrong setting. */
  | 'modelAccessDenied'
  /** A person's file that cannot be read, or written without losing something of it. */
  | 'unsupportedFile'
  /** A person has not allowed it yet. */
  | 'notAllowed'
  | 'aborted'
  | 'closed'
  | 'internal';

/** A failure with a code that tests and callers look at, and one sentence that a person or a model can act on. */
export class EngineError extends Error {
  /** The sentence taken apart; `message` has it in English. */
  readonly localizable: LocalizableMessage;

  constructor(
    readonly code: EngineErrorCode,
    said: string | LocalizableMessage,
    options?: ErrorOptions,
  ) {
    super(String(said), options);
    this.name = 'EngineError';
    this.localizable = typeof said === 'string' ? new LocalizableMessage(said) : said;
  }

  /** One error of several: the first one's code, and what each of them says, once. */
  static all(errors: readonly [unknown, ...unknown[]]): unknown {
    const [first] = errors;
    const byText = new Map(errors.map(it => [String(it instanceof EngineError ? it.localizable : it), it]));
    if (!EngineError.is(first) || byText.size === 1) return first;
    const parts = Array.from(byText.values(), it => (it instanceof EngineError ? it.localizable : String(it)));
    return new EngineError(first.code, new LocalizableMessage(parts.map((_, i) => `{${i}}`).join(' '), parts), {
      cause: errors,
    });
  }

  static is(error: unknown, code?: EngineErrorCode): error is EngineError {
    return error instanceof EngineError && (code === undefined || error.code === code);
  }
}
