import { hash } from 'node:crypto';
import { normalizeText } from '../text/normalizeText.js';

/** SHA-256 of the normalized text, base64url. Equal hash = same fact. */
export function hashContent(content: string): string {
  return hash('sha256', normalizeText(content), 'base64url');
}
