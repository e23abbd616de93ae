import { createHash, randomBytes } from 'node:crypto';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';

/** A key of AES-256. */
export interface SensitiveKey {
  /** The first 8 hexadecimal digits of the SHA-256 of the key. */
  readonly name: string;
  readonly bytes: Buffer;
}

const keyBytes = 32;
const keyPrefix = 'recollect_key_';
const keyPattern = /^recollect_key_[\w-]{43}$/u;

/** A new random key as text, `recollect_key_…`. */
export function createSensitiveKey(): string {
  return keyPrefix + randomBytes(keyBytes).toString('base64url');
}

/**
 * The keys of a text, one a line; the first one encrypts, and each decrypts what it encrypted. Empty lines and lines after a
 * `#` are skipped.
 * @throws EngineError invalidInput for a line that is no key; the message has no part of it
 */
export function parseSensitiveKeys(text: string): SensitiveKey[] {
  const byName = new Map<string, SensitiveKey>();
  for (const [index, line] of text.split(/\r?\n/u).entries()) {
    const key = line.trim();
    if (key === '' || key.startsWith('#')) continue;
    if (!keyPattern.test(key)) {
      throw new EngineError(
        'invalidInput',
        message`Line ${index + 1} is no key for sensitive memories. A key starts with ${keyPrefix} and has ${keyPrefix.length + 43} characters; copy it whole.`,
      );
    }
    const bytes = Buffer.from(key.slice(keyPrefix.length), 'base64url');
    const name = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
    if (!byName.has(name)) byName.set(name, { name, bytes });
  }
  return [...byName.values()];
}
