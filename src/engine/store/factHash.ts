import { createHash } from 'node:crypto';
import { normalise } from '../text/normalise.js';

/** Equal hash = same fact: SHA-256 of the normalised text, base64url. */
export function factHash(content: string): string {
  return createHash('sha256').update(normalise(content)).digest('base64url');
}
