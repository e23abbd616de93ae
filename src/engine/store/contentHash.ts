import { hash } from 'node:crypto';
import { normalizeText } from '../text/normalizeText.js';

/** Version of the normalized form that the hashes of a store are made of; raise it when `normalizeText` changes. */
export const contentHashVersion = '2';

/**
 * SHA-256 of the normalized text, base64url. Equal hash = same fact.
 * @param content sanitized, as it is stored
 */
export function hashContent(content: string): string {
  return hash('sha256', normalizeText(content), 'base64url');
}
