import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { EngineError } from '../base/errors.js';
import type { SensitiveKey } from './keyRing.js';

/** A text in AES-256-GCM. Bytes are in base64. */
export interface EncryptedText {
  /** Name of the key. */
  readonly key: string;
  /** Random, of this text alone. */
  readonly nonce: string;
  /** The authentication tag, then the encrypted UTF-8. */
  readonly data: string;
}

const algorithm = 'aes-256-gcm';
/** As NIST SP 800-38D recommends for random nonces. */
const nonceBytes = 12;
const tagBytes = 16;

/** @param id of the row that holds the text: it opens in no other row */
export function encryptText(text: string, id: string, key: SensitiveKey): EncryptedText {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key.bytes, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(id));
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const data = Buffer.concat([cipher.getAuthTag(), encrypted]);
  return { key: key.name, nonce: nonce.toString('base64'), data: data.toString('base64') };
}

/** @throws EngineError storeDamaged if a byte of the row is not what was stored, or the row has another id */
export function decryptText({ nonce, data }: EncryptedText, id: string, key: SensitiveKey): string {
  const bytes = Buffer.from(data, 'base64');
  try {
    const decipher = createDecipheriv(algorithm, key.bytes, Buffer.from(nonce, 'base64'), { authTagLength: tagBytes })
      .setAAD(Buffer.from(id))
      .setAuthTag(bytes.subarray(0, tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    throw new EngineError(
      'storeDamaged',
      'This sensitive memory is not what was stored: the disk or another program changed it. Restore it from a backup, or delete it for good and keep it again.',
    );
  }
}
