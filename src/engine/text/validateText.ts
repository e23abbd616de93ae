import stripAnsi from 'strip-ansi';
import { formatMessage } from '../model/engineMessages.js';

/** Maximum length of a memory, in UTF-16 units: about two pages. Longer texts are documents with many facts. */
export const maxMemoryLength = 8_000;

/** Share of control and replacement characters above which a text counts as binary data. */
const maxControlCharacterShare = 0.1;

export type TextValidation =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

/**
 * Validates a text before it is stored. Returns the text with CRLF as LF, lone surrogates as U+FFFD, invisible and direction-overriding characters removed
 * (they can hide text from the person who confirms it; right-to-left text itself stays), NFC, and trimmed. If it
 * is empty, binary or too long, returns a message with the reason and the next step. `maxLength` is in UTF-16 units. Linear, never throws.
 */
export function validateText(text: string, maxLength: number = maxMemoryLength): TextValidation {
  const sanitized = sanitizeText(text);
  if (sanitized.length === 0) {
    return { ok: false, reason: formatMessage('nothingToRemember') };
  }
  // The sanitized text is checked too: without invisible characters the share of garbage is larger.
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

/** The text without invisible characters, as {@link validateText} returns it. */
export function sanitizeText(text: string): string {
  if (/^[\t\n\x20-\x7e]*$/.test(text)) return text.trim();
  return stripAnsi(text)
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
