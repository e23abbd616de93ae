import { EngineError } from '../base/errors.js';
import { formatMessage } from '../model/engineMessages.js';
import { secretLabelOf, withoutSecrets, withoutSecretsExcept } from '../secrets/secretGate.js';
import { hashContent } from './contentHash.js';
import type { NewMemory, RecordKind } from './store.js';

/** A hash is made here. */
const madeHere: ReadonlySet<string> = new Set(['contentHash']);
/** Bytes in base64, which may look like anything. */
const encrypted: ReadonlySet<string> = new Set(['nonce', 'data']);

/**
 * A memory as it may be stored. A text that is stored already stays as it is, whatever the rules of today say of it.
 * @throws EngineError invalidInput for an id that holds a secret
 */
export function guardMemory<T extends NewMemory>(memory: T, before: NewMemory | undefined): T {
  requirePlainId(memory.id);
  const isStored = before?.content === memory.content;
  const kept = new Set([...madeHere, ...(isStored ? ['content', 'summary'] : [])]);
  const guarded = withoutSecretsExcept(memory, kept);
  return guarded.content === memory.content ? guarded : { ...guarded, contentHash: hashContent(guarded.content) };
}

/** The body of a record as it may be stored. */
export function guardRecord(kind: RecordKind, body: unknown): unknown {
  const isEncrypted = kind === 'sensitive' && typeof body === 'object' && body !== null;
  return isEncrypted ? withoutSecretsExcept(body, encrypted) : withoutSecrets(body);
}

/** @throws EngineError invalidInput: an id cannot be changed, because other rows name it */
export function requirePlainId(id: string): void {
  const label = secretLabelOf(id);
  if (label !== undefined) throw new EngineError('invalidInput', formatMessage('secret', label));
}
