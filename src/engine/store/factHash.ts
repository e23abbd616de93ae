import { hash } from 'node:crypto';
import { normalise } from '../text/normalise.js';

/** Equal hash = same fact: SHA-256 of the normalised text, base64url. */
export function factHash(content: string): string {
  return hash('sha256', normalise(content), 'base64url');
}
