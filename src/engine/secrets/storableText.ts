import stripAnsi from 'strip-ansi';
import { EngineError } from '../base/errors.js';
import { LocalizableMessage, message } from '../base/localizableMessage.js';
import type { Config } from '../model/config.js';
import { formatMessage, messageTemplates } from '../model/engineMessages.js';
import { aidLimits, type SearchAids } from '../model/memory.js';
import { splitFacts } from '../text/factSplitter.js';
import { findSecret, firstRedaction, redactSecrets } from './secretScanner.js';

/** Why a fact is not stored, as a sentence. */
export interface RefusedFact {
  readonly refused: string;
}

/** Share of control and replacement characters above which a text counts as binary data. */
const maxControlCharacterShare = 0.1;

/** Longest value of a field that is stored with a text, in UTF-16 units: as long as a URI may be; nothing else is longer. */
const maxFieldLength = 2_000;

/** Longest name of a set, in UTF-16 units. */
const maxSetNameLength = 200;

/** How much more of a search aid than is kept is looked through for secrets. */
const lookedFactor = 50;

export type TextValidation =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

/**
 * The facts of a text, in its order: sanitized, redacted, split. One that holds a secret is refused and does not stop the
 * others.
 * @param options.whole keeps the text as one fact
 */
export function readFacts(
  content: string,
  { maxCharacters, maxFacts }: Pick<Config['remember'], 'maxCharacters' | 'maxFacts'>,
  { whole }: { readonly whole: boolean },
): readonly ({ readonly content: string } | RefusedFact)[] {
  const validation = validateText(content, maxCharacters);
  if (!validation.ok) return [{ refused: validation.reason }];
  // Redact before splitting: a secret cut into pieces, such as the lines of a key, would look harmless.
  const hasSecret = findSecret(validation.text) !== undefined;
  const text = hasSecret ? redactSecrets(validation.text) : validation.text;
  const facts = whole ? [text] : splitFacts(text);
  if (facts.length > maxFacts) return [{ refused: formatMessage('tooManyFacts', facts.length, maxFacts) }];
  return facts.map(fact => {
    if (!hasSecret && fact === text) return { content: fact };
    const secret = (hasSecret ? firstRedaction(fact) : undefined) ?? findSecret(fact);
    return secret === undefined ? { content: fact } : { refused: formatMessage('secret', secret.label) };
  });
}

/** Whether a value may be stored with a memory's text: plain, not empty, without a secret. */
export function isStorableField(value: string, maxCharacters: number = maxFieldLength): boolean {
  return value.length <= maxCharacters && validateText(value, maxCharacters).ok && findSecret(value) === undefined;
}

/** @throws EngineError invalidInput for a value that is no storable field, with its name */
export function requireStorableField(
  name: string | LocalizableMessage,
  value: string,
  maxCharacters: number = maxFieldLength,
): void {
  if (value.length > maxCharacters || !validateText(value, maxCharacters).ok) {
    throw new EngineError('invalidInput', message`${name} must be plain text of at most ${maxCharacters} characters.`);
  }
  const secret = findSecret(value);
  if (secret !== undefined)
    throw new EngineError(
      'invalidInput',
      message`${name}: ${new LocalizableMessage(messageTemplates.secret, [secret.label])}`,
    );
}

/** Checks the name of a set, which stands in lists, queries and commands; empty for none. @throws EngineError invalidInput */
export function validateSetName(name: string): void {
  if (name === '') return;
  if (name.length <= maxSetNameLength && name === name.trim() && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name)) return;
  throw new EngineError(
    'invalidInput',
    message`The name of a set must be one line of at most ${maxSetNameLength} characters, without spaces around it.`,
  );
}

/**
 * Aids as they are stored: on one line, distinct, within the limits of their number and length. What is no plain text or
 * holds a secret is left out.
 */
export function normalizeAids({ questions = [], keywords = [] }: Partial<SearchAids>): SearchAids {
  return {
    questions: normalizeList(questions, aidLimits.maxQuestions, aidLimits.maxQuestionLength),
    keywords: normalizeList(keywords, aidLimits.maxKeywords, aidLimits.maxKeywordLength),
  };
}

/** The aids of a memory with further ones, as far as there is room: those that it has stay. */
export function addAids(known: SearchAids, added: SearchAids): SearchAids {
  return normalizeAids({
    questions: [...known.questions, ...added.questions],
    keywords: [...known.keywords, ...added.keywords],
  });
}

export function hasAids({ questions, keywords }: SearchAids): boolean {
  return questions.length + keywords.length > 0;
}

function normalizeList(texts: readonly string[], maxCount: number, maxLength: number): string[] {
  const lines = texts
    // Cut before the work: what is kept of a longer one is looked at whole, with what follows it.
    .slice(0, 8 * maxCount)
    .map(it =>
      it
        .slice(0, lookedFactor * maxLength)
        .replaceAll(/\s+/gu, ' ')
        .trim(),
    )
    .filter(it => it !== '' && findSecret(it) === undefined)
    .map(it => it.slice(0, maxLength))
    .filter(it => validateText(it, maxLength).ok);
  return [...new Set(lines)].slice(0, maxCount);
}

/**
 * Validates a text before it is stored. Returns the text with CRLF as LF, lone surrogates as U+FFFD, invisible and direction-overriding characters removed
 * (they can hide text from the person who confirms it; right-to-left text itself stays), NFC, and trimmed. If it
 * is empty, binary or too long, returns a message with the reason and the next step. `maxLength` is in UTF-16 units. Linear, never throws.
 */
export function validateText(text: string, maxLength: number): TextValidation {
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
