import { hash } from 'node:crypto';
import { normalizeText } from '../text/normalizeText.js';

/** Equal hash = same fact: SHA-256 of the normalised text, base64url. */
export function hashContent(content: string): string {
  return hash('sha256', normalizeText(content), 'base64url');
}
