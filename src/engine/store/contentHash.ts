import { hash } from 'node:crypto';

/** Version of the normalized form that the hashes of a store are made of; raise it when `normalizeText` changes. */
export const contentHashVersion = '2';

/**
 * SHA-256 of the normalized text, base64url. Equal hash = same fact.
 * @param content sanitized, as it is stored
 */
export function hashContent(content: string): string {
  return hash('sha256', normalizeText(content), 'base64url');
}

/**
 * The canonical form of a fact, equal for equal facts: only white space and the punctuation at the end do not matter. Every
 * other character does: signs, operators, currency symbols and case distinguish facts ("-5" and "5", `userId` and `userID`).
 * The comparison finds facts of the same meaning in other words. Linear, never throws.
 * @param text sanitized, as it is stored
 */
export function normalizeText(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  let end = flat.length;
  while (end > 0 && finalPunctuation.has(flat[end - 1]!)) end--;
  // After a sign, such as that of a path, a full stop is no punctuation.
  return /[\p{L}\p{N}\p{M}\p{Pe}\p{Pf}"'`%]$/u.test(flat.slice(Math.max(0, end - 2), end)) ? flat.slice(0, end) : flat;
}

/** A question mark is not among them: it turns a statement into a question. */
const finalPunctuation = new Set('.!…,;:。！，；：');
