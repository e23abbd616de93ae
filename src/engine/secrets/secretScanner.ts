import { LRUCache } from 'lru-cache';
import { foldCase, mayMatch } from '../text/keywordPrefilter.js';
import { findDictatedEastAsian } from './dictatedEastAsian.js';
import { findDictatedSecrets } from './dictatedSecrets.js';
import { findLabelledSecrets } from './labelledSecrets.js';
import { findNamedSecrets } from './namedSecrets.js';
import { readableText } from './readableText.js';
import { nameKeywords } from './secretNouns.js';
import type { SecretRule } from './secretRule.js';
import { secretRules } from './secretRules.js';
import { findTableSecrets } from './secretTables.js';
import { findSpokenCodes } from './spokenCodes.js';
import { findCutTokens } from './tokenFormats.js';

/** The kind of a secret in a text, never the secret itself. */
export interface SecretMatch {
  /** Readable: "GitHub token", "password", "private key". */
  readonly label: string;
}

/**
 * The first secret in a text: private keys, tokens of known providers, passwords in addresses, assignments, commands and
 * sentences, card, account and social security numbers; also cut into pieces, encoded or with invisible characters in
 * between. Placeholders (`${VAR}`, `<password>`, `changeme`), commit hashes, digests and UUIDs do not count. Linear in the
 * length of the text, never throws.
 */
export function findSecret(text: string): SecretMatch | undefined {
  if (cleanTexts.has(text)) return undefined;
  for (const { label } of findSpans(text)) return { label };
  if (text.length <= maxCleanLength) cleanTexts.set(copyOf(text), true);
  return undefined;
}

/** Texts without a secret: a text is checked where it comes in, and once more where it is stored. */
const cleanTexts = new LRUCache<string, true>({ max: 5_000 });
/** A longer one is rare. */
const maxCleanLength = 500;

/** A text on its own: a part of another one keeps that in memory. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** The first secret of a text, and the line it begins on, from 1. Linear in the length of the text, never throws. */
export function locateSecret(text: string): (SecretMatch & { readonly line: number }) | undefined {
  const [first] = [...findSpans(text)].sort((a, b) => a.start - b.start);
  return first && { label: first.label, line: text.slice(0, first.start).split('\n').length };
}

/** Rounds after which nothing is left to find: a replacement can join two halves of another secret. */
const maxRounds = 4;

/**
 * The text with each secret replaced by `[secret: label]`, for the queries in traces.
 * `findSecret(redactSecrets(text))` is undefined. Linear, never throws.
 */
export function redactSecrets(text: string): string {
  if (findSecret(text) === undefined) return text;
  let redacted = text;
  for (let round = 0; round < maxRounds; round++) {
    const next = redactOnce(redacted);
    if (next === redacted) return redacted;
    redacted = next;
  }
  const rest = findSecret(redacted);
  return rest === undefined ? redacted : replacement(rest.label);
}

/** A value of plain data with the secrets in all of its strings replaced. */
export function redactStrings<T>(value: T): T {
  if (typeof value === 'string') return redactSecrets(value) as T;
  if (Array.isArray(value)) return value.map(it => redactStrings<unknown>(it)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, redactStrings<unknown>(it)])) as T;
}

/** The first secret that {@link redactSecrets} replaced in a text. */
export function firstRedaction(redacted: string): SecretMatch | undefined {
  const label = /\[secret: ([^\]]+)\]/u.exec(redacted)?.[1];
  return label === undefined ? undefined : { label };
}

function replacement(label: string): string {
  return `[secret: ${label}]`;
}

function redactOnce(text: string): string {
  const spans = [...findSpans(text)];
  if (spans.length === 0) return text;
  let redacted = '';
  let position = 0;
  for (const { label, start, end } of spans.sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= position) continue;
    if (start >= position) redacted += text.slice(position, start) + replacement(label);
    position = end;
  }
  return redacted + text.slice(position);
}

interface SecretSpan {
  readonly label: string;
  readonly start: number;
  readonly end: number;
}

/** Spans in the given text. */
function* findSpans(given: string): Generator<SecretSpan> {
  const readable = readableText(given);
  const { text } = readable;
  for (const { label, start, end } of findReadableSpans(text)) {
    const [givenStart, givenEnd] = readable.toGiven(start, end);
    yield { label, start: givenStart, end: givenEnd };
  }
  if (text === given) return;
  yield* findRuleSpans(given, foldCase(given));
  // A value can contain the characters of an escape: dR7x%2cQ
  for (const span of findLabelledSecrets(given)) if (!isRedacted(given, span)) yield span;
}

function* findReadableSpans(text: string): Generator<SecretSpan> {
  const foldedText = foldCase(text);
  yield* findRuleSpans(text, foldedText);
  yield* findCutTokens(text, foldedText);
  if (mayMatch({ keywords: nameKeywords }, foldedText)) {
    for (const span of findNamedSecrets(text)) if (!isRedacted(text, span)) yield span;
    for (const span of findTableSecrets(text)) if (!isRedacted(text, span)) yield span;
  }
  for (const span of findSpokenCodes(text, foldedText)) if (!isRedacted(text, span)) yield span;
  for (const span of findDictatedSecrets(text, foldedText)) if (!isRedacted(text, span)) yield span;
  for (const span of findDictatedEastAsian(text)) if (!isRedacted(text, span)) yield span;
  for (const span of findLabelledSecrets(text)) if (!isRedacted(text, span)) yield span;
  yield* findEncodedSecrets(text);
  yield* findSpacedSecrets(text);
}

function* findRuleSpans(text: string, foldedText: string): Generator<SecretSpan> {
  for (const rule of secretRules) {
    // The rules that one of their keywords admits: a few for most texts.
    if (mayMatch(rule, foldedText)) yield* findRuleMatches(rule, text);
  }
}

function* findRuleMatches({ label, pattern, validate }: SecretRule, text: string): Generator<SecretSpan> {
  for (const match of text.matchAll(pattern)) {
    const matched = match.groups?.secret ?? match[0];
    if (validate !== undefined && !validate(matched)) continue;
    // A full stop ends the sentence and is no part of the secret.
    const secret = matched.replace(/(?<!\.)\.+$/u, '');
    // The secret is at the end of its match, so search from the right: the name before it can contain the same text.
    const start = match.index + match[0].lastIndexOf(secret);
    const span = { label, start, end: start + secret.length };
    if (!isRedacted(text, span)) yield span;
  }
}

/** Whether a span begins in what {@link redactSecrets} wrote. */
function isRedacted(text: string, { start, end }: SecretSpan): boolean {
  return (
    /\[secret: [^\]]*$/u.test(text.slice(Math.max(0, start - 60), start)) ||
    text.slice(start, end).startsWith('[secret:')
  );
}

const base64Pattern = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,8000}={0,2}(?![A-Za-z0-9+/_-])/gu;

/** Base64 of a text with a secret, or of the name and password of an account. */
function* findEncodedSecrets(text: string): Generator<SecretSpan> {
  for (const match of text.matchAll(base64Pattern)) {
    const decoded = decodeBase64(match[0]);
    if (decoded === undefined) continue;
    const label = isAccount(decoded) ? 'password' : (findDecodedSecret(decoded) ?? findTwiceEncoded(decoded));
    if (label !== undefined) yield { label, start: match.index, end: match.index + match[0].length };
  }
}

function findDecodedSecret(decoded: string): string | undefined {
  const foldedText = foldCase(decoded);
  for (const { label } of findRuleSpans(decoded, foldedText)) return label;
  for (const { label } of findNamedSecrets(decoded)) return label;
  return undefined;
}

function findTwiceEncoded(decoded: string): string | undefined {
  const inner = /^[A-Za-z0-9+/_-]{20,8000}={0,2}$/u.test(decoded.trim()) ? decodeBase64(decoded.trim()) : undefined;
  return inner === undefined ? undefined : findDecodedSecret(inner);
}

const spacedPattern = /(?<!\S)(?:[!-~] ){15,400}[!-~](?!\S)/gu;

/** A secret with a space between its characters. */
function* findSpacedSecrets(text: string): Generator<SecretSpan> {
  for (const match of text.matchAll(spacedPattern)) {
    const label = findDecodedSecret(match[0].replaceAll(' ', ''));
    if (label !== undefined) yield { label, start: match.index, end: match.index + match[0].length };
  }
}

/** Only plain ASCII text counts: anything else is an image, a hash or a name that happens to be Base64. */
function decodeBase64(encoded: string): string | undefined {
  const decoded = Buffer.from(encoded, 'base64').toString('latin1');
  return decoded.length >= 12 && /^[\t\n\r\x20-\x7e]+$/u.test(decoded) ? decoded : undefined;
}

function isAccount(decoded: string): boolean {
  return /^[\w.@+-]{1,60}:(?=[^\s:/]*\d)(?=[^\s:/]*[A-Za-z])[^\s:/]{8,100}$/u.test(decoded);
}
