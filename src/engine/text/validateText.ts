import { formatMessage } from '../model/engineMessages.js';

/** Longest memory kept, in UTF-16 units: about two pages. Longer texts are documents, and a document is many facts. */
export const maxMemoryLength = 8_000;

/** Share of control and replacement characters above which a text is taken for binary data; prose has none. */
const maxControlCharacterShare = 0.1;

export type TextValidation =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

/**
 * The first guard of the write path: is this text of a size and shape that can be stored and shown?
 *
 * Returns the text with CRLF as LF, lone surrogates as U+FFFD, invisible and direction-overriding characters removed
 * (they can hide text from the person who confirms it; right-to-left text itself stays), NFC, and trimmed. Or returns
 * one sentence that says what is wrong and what to do next. `maxLength` is in UTF-16 units. Linear, never throws.
 */
export function validateText(text: string, maxLength: number = maxMemoryLength): TextValidation {
  const sanitized = sanitizeText(text);
  if (sanitized.length === 0) {
    return { ok: false, reason: formatMessage('nothingToRemember') };
  }
  // What is kept is judged too: without what cannot be seen, the same garbage is a larger share.
  if (isBinary(text) || isBinary(sanitized)) {
    return { ok: false, reason: formatMessage('binary') };
  }
  if (sanitized.length > maxLength) {
    return {
      ok: false,
      reason: formatMessage('tooLong', sanitized.length, maxLength),
    };
  }
  return { ok: true, text: sanitized };
}

/** The text without what cannot be seen: see {@link validateText}. */
export function sanitizeText(text: string): string {
  // Most texts have nothing to clean.
  if (/^[\t\n\x20-\x7e]*$/.test(text)) return text.trim();
  return text
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/[\u202A-\u202E\u2066-\u2069\u200B\u2060\u00AD\uFEFF]|[\u{E0000}-\u{E007F}]/gu, '')
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g, '')
    .normalize('NFC')
    .trim();
}

function isBinary(text: string): boolean {
  if (text.includes('\0')) return true;
  const controlCharacters =
    text.match(/[\u0001-\u0008\u000E-\u001A\u001C-\u001F\u007F-\u0084\u0086-\u009F\uFFFD]|\p{Surrogate}/gu)?.length ??
    0;
  return controlCharacters > text.length * maxControlCharacterShare;
}
