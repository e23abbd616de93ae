import { LRUCache } from 'lru-cache';
import { foldCase, mayMatch } from '../text/keywordPrefilter.js';
import { findDictatedEastAsian } from './dictatedEastAsian.js';
import { findDictatedSecrets } from './dictatedSecrets.js';
import { findLabelledSecrets } from './labelledSecrets.js';
import { findNamedSecrets } from './namedSecrets.js';
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
  for (const { label, start, end } of findWith(finders, text)) {
    const [givenStart, givenEnd] = readable.toGiven(start, end);
    yield { label, start: givenStart, end: givenEnd };
  }
  // A value can contain the characters of an escape: dR7x%2cQ
  if (text !== given) yield* findWith([findRuleSpans, findLabelledSecrets], given);
}

type SecretFinder = (text: string, foldedText: string) => Iterable<SecretSpan>;

const finders: readonly SecretFinder[] = [
  findRuleSpans,
  findCutTokens,
  ofNames(findNamedSecrets),
  ofNames(findTableSecrets),
  findSpokenCodes,
  findDictatedSecrets,
  findDictatedEastAsian,
  findLabelledSecrets,
  findEncodedSecrets,
  findSpacedSecrets,
];
/** They find what is cut, encoded or spaced out also in a text that looks like what {@link redactSecrets} writes. */
const seeingThrough: ReadonlySet<SecretFinder> = new Set([findCutTokens, findEncodedSecrets, findSpacedSecrets]);

/** A finder that a text without any name of a secret is spared. */
function ofNames(find: (text: string) => Iterable<SecretSpan>): SecretFinder {
  return (text, foldedText) => (mayMatch({ keywords: nameKeywords }, foldedText) ? find(text) : []);
}

function* findWith(used: readonly SecretFinder[], text: string): Generator<SecretSpan> {
  const foldedText = foldCase(text);
  for (const find of used)
    for (const span of find(text, foldedText)) if (seeingThrough.has(find) || !isRedacted(text, span)) yield span;
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
    yield { label, start, end: start + secret.length };
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
  for (const { label } of findWith([findRuleSpans], decoded)) return label;
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

/** A text as a person or a program reads it, and where each part of it stands in the text as it was given. */
interface ReadableText {
  readonly text: string;
  /** The place of a span of `text` in the given text, in UTF-16 units. */
  toGiven(start: number, end: number): readonly [start: number, end: number];
}

/** Quick test for anything that {@link readableText} changes. */
const encodedPattern = /[^\t\n\x20-\x7e]|[&%\\]|\*\*|["'`]\s{0,8}[+.]/u;

/** Cyrillic and Greek letters that look like Latin ones, and those. */
const lookalikes = new Map(
  Array.from('аАеЕоОрРсСхХуУіІѕЅјЈԁһНкКмМтТВοΟαΑκΚρΡ').map((it, index) => [
    it,
    'aAeEoOpPcCxXyYiIsSjJdhHkKmMtTBoOaAkKpP'[index]!,
  ]),
);
const lookalike = `[${[...lookalikes.keys()].join('')}]{1,20}`;

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  equals: '=',
  colon: ':',
  lowbar: '_',
  nbsp: ' ',
};

/**
 * Everything that hides a character or a joint: invisible characters, entities, percent and backslash escapes, wide and
 * mathematical letters, look-alikes between Latin letters, typographic quotes, emphasis, a line that goes on after a
 * backslash, literals added up.
 */
const hidingPattern = new RegExp(
  `${/[\p{Cf}\u034F\u115F\u1160\u3164\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}]|&(?:#(?<decimal>\d{2,6})|#x(?<hexadecimal>[0-9a-f]{2,5})|(?<entity>[a-z]{2,6}));|%(?<percent>[2-7][0-9a-f])|\\u(?<unicode>[0-9a-f]{4})|\\\r?\n[ \t]{0,80}|\\(?<escaped>["'`/=:])|\\[nrt](?![a-z]{2})|\*\*|["'`]\s{0,8}(?:\+|\.{1,2})\s{0,8}["'`]|(?<wide>[\uFF01-\uFF5E]|[\u{1D400}-\u{1D7FF}])|(?<space>[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000])|(?<double>[“”„«»])|(?<single>[‘’‚])/u.source}|(?<lookalike>(?<=[A-Za-z])${lookalike}|${lookalike}(?=[A-Za-z]))`,
  'giu',
);

/** The text with hidden characters and joints resolved. Linear. */
function readableText(given: string): ReadableText {
  if (!encodedPattern.test(given)) return { text: given, toGiven: (start, end) => [start, end] };
  let text = '';
  let position = 0;
  /** Where a character of the readable text begins in the given text; ends are the begins of what follows. */
  const starts: number[] = [];
  const ends: number[] = [];
  const copy = (end: number): void => {
    for (; position < end; position++) {
      text += given[position]!;
      starts.push(position);
      ends.push(position + 1);
    }
  };
  for (const match of given.matchAll(hidingPattern)) {
    copy(match.index);
    position = match.index + match[0].length;
    const replacement = resolve(match);
    text += replacement;
    starts.push(...Array<number>(replacement.length).fill(match.index));
    ends.push(...Array<number>(replacement.length).fill(position));
  }
  copy(given.length);
  return {
    text,
    toGiven: (start, end) => [starts[start] ?? given.length, ends[end - 1] ?? given.length],
  };
}

function resolve({ 0: hidden, groups = {} }: RegExpMatchArray): string {
  const {
    decimal,
    hexadecimal,
    entity,
    percent,
    unicode,
    escaped,
    wide,
    space,
    double,
    single,
    lookalike: letters,
  } = groups;
  if (decimal !== undefined) return codePoint(Number(decimal));
  const code = hexadecimal ?? percent ?? unicode;
  if (code !== undefined) return codePoint(parseInt(code, 16));
  if (entity !== undefined) return entities[entity.toLowerCase()] ?? hidden;
  if (escaped !== undefined) return escaped;
  if (letters !== undefined) return Array.from(letters, it => lookalikes.get(it) ?? it).join('');
  if (wide !== undefined) return wide.normalize('NFKC');
  if (space !== undefined) return ' ';
  if (double !== undefined) return '"';
  if (single !== undefined) return "'";
  return /^\\[nrt]/u.test(hidden) ? '\n' : '';
}

function codePoint(code: number): string {
  return code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff) ? String.fromCodePoint(code) : '';
}
