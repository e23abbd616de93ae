import { RecentlyUsed } from '../base/recentlyUsed.js';
import { longestKept, stem } from '../text/terms.js';
import { joinMeasures, numberToken } from './measures.js';
import { Token } from './token.js';
import { contraries, times, tools } from './valueClasses.js';
import { clockPhrases, denying, ending, generic, idioms, numbers, scopes, synonyms, updating, weak } from './words.js';

/** Far more than a sentence has; what is longer is cut. */
const maxTokens = 400;
/** Words of one entry at most. */
const maxWords = 4;

/** Its groups: quoted, amount, unit, word, sign. Names for them would cost more than the rest of the match. */
const pieces = new RegExp(
  String.raw`(${'`'}[^${'`'}\n]{1,80}${'`'}|"[^"\n]{1,80}"|(?<![\p{L}\p{N}])'[^'\n]{1,60}'(?![\p{L}\p{N}]))` +
    String.raw`|((?<![\p{L}\p{N}])[vV]?\d+(?:[.:,]\d+)*(?:e[+-]?\d+)?)((?: %|%|(?:ms|s|m|h|d|min|kb|mb|gb|tb|am|pm|k|x|Uhr|KB|MB|GB|TB)(?![\p{L}\p{N}])))?` +
    String.raw`|(={2,3}|\.?[\p{L}_@#][\p{L}\p{N}_]*(?:[.\-/+&'’][\p{L}\p{N}_]+)*(?:\+\+|#|\(\))?)` +
    String.raw`|([.,;:!?()=—–])`,
  'gu',
);

interface Entry {
  readonly term: string;
  readonly kind: string | undefined;
  /** It counts only where it is written as a name. */
  readonly asName: boolean;
}

const entries = new Map<string, Entry>();
for (const row of synonyms) {
  const words = row.split(' ');
  for (const word of words) entries.set(word, { term: words[0]!, kind: undefined, asName: false });
}
for (const [scope, row] of Object.entries(scopes)) addRow(`scope:${scope}`, row);
for (const [kind, row] of Object.entries({ ...tools, ...contraries, ...times })) addRow(kind, row);
for (const word of [...Object.keys(clockPhrases), ...denying, ...ending, ...updating, ...idioms]) {
  if (word.includes('_')) entries.set(word, { term: word, kind: undefined, asName: false });
}

// A word of one meaning with a value or a scope is of its class.
for (const [word, entry] of entries) {
  const kind = entries.get(entry.term)?.kind;
  if (entry.kind === undefined && kind !== undefined) entries.set(word, { ...entry, kind });
}

/** By their first word: entries of several words, the longest first. */
const phrases = new Map<string, (readonly string[])[]>();
for (const key of entries.keys()) {
  const words = key.split('_');
  if (words.length < 2 || words.length > maxWords || words.includes('')) continue;
  const known = phrases.get(words[0]!);
  if (known === undefined) phrases.set(words[0]!, [words]);
  else known.push(words);
}
for (const its of phrases.values()) its.sort((one, other) => other.length - one.length);

function addRow(kind: string, row: string): void {
  for (const value of row.split(' ')) {
    const names = value.split('=');
    const term = names[0]!.replace('^', '');
    for (const name of names) {
      const word = name.replace('^', '');
      const before = entries.get(word);
      if (before?.kind === undefined) entries.set(word, { term, kind, asName: name.endsWith('^') });
    }
  }
}

/** Reads the tokens of one sentence. Linear. */
export function tokensOf(sentence: string): Token[] {
  const raw: { word: string; written: string; token: Token | undefined }[] = [];
  pieces.lastIndex = 0;
  for (let match = pieces.exec(sentence); match !== null; match = pieces.exec(sentence)) {
    if (raw.length >= maxTokens) break;
    const [, quoted, amount, unit, word, sign] = match as readonly (string | undefined)[];
    if (quoted !== undefined) raw.push({ word: '', written: quoted, token: quotedToken(quoted) });
    else if (amount !== undefined) raw.push({ word: '', written: match[0], token: numberToken(amount, unit) });
    else if (sign !== undefined) raw.push({ word: '', written: sign, token: signToken(sign) });
    else if (word !== undefined) {
      const counted = word.includes('-') ? /^(?<count>\p{Ll}+)-(?<unit>\p{Ll}+)$/u.exec(word)?.groups : undefined;
      if (counted !== undefined && Object.hasOwn(numbers, counted.count!) && counted.count !== 'one') {
        raw.push({ word: '', written: counted.count!, token: numberToken(String(numbers[counted.count!]), undefined) });
        raw.push({ word: counted.unit!, written: counted.unit!, token: undefined });
        continue;
      }
      const bare = /['’]/u.test(word) ? word.replaceAll('’', "'").replace(/'(?:s|re|ve|ll|m|d)$/u, '') : word;
      raw.push({ word: bare.toLowerCase(), written: bare, token: undefined });
    }
  }
  const tokens: Token[] = [];
  for (let i = 0; i < raw.length; i++) {
    const it = raw[i]!;
    const known = it.token ?? (it.written === it.word ? plainTokens.get(it.word) : undefined);
    if (known !== undefined) {
      tokens.push(known);
      continue;
    }
    if (isSwitch(raw, i)) {
      tokens.push(new Token(it.written, it.word, it.word === 'on' ? 'enabled' : 'disabled', 'on or off'));
      continue;
    }
    const joined = joinedAt(raw, i);
    if (joined !== undefined) {
      tokens.push(joined.token);
      i += joined.words - 1;
    } else tokens.push(wordToken(raw, i));
  }
  return joinMeasures(tokens);
}

const switches = new Set(['on', 'off']);

/** "The flag is on": nothing follows. */
function isSwitch(raw: Raw, at: number): boolean {
  if (!switches.has(raw[at]!.word)) return false;
  return (
    (raw[at + 1]?.word ?? '') === '' && /^(?:is|are|stays?|was|were|turned|switched|be)$/u.test(raw[at - 1]?.word ?? '')
  );
}

const beforeOne = new Set('for in have has with to at only of than is and just'.split(' '));

type Raw = readonly { readonly word: string; readonly written: string }[];

function joinedAt(raw: Raw, from: number): { readonly token: Token; readonly words: number } | undefined {
  for (const words of phrases.get(raw[from]!.word) ?? none) {
    if (!words.every((it, i) => raw[from + i]?.word === it)) continue;
    const word = words.join('_');
    const { term, kind } = entries.get(word)!;
    const written = raw.slice(from, from + words.length).map(it => it.written);
    return { token: new Token(written.join(' '), word, term, kind), words: words.length };
  }
  return undefined;
}
const none: readonly (readonly string[])[] = [];

/** Tokens of words that are read the same wherever they stand, and begin no entry of several words. */
const plainTokens = new RecentlyUsed<string, Token>(10_000);

function wordToken(raw: Raw, at: number): Token {
  const { word, written } = raw[at]!;
  if (word.endsWith('()')) return new Token(written, word, written.slice(0, -2), 'literal');
  const before = at === 0 ? '.' : raw[at - 1]!.written.toLowerCase();
  const isFirst = /^[.:!?(–—]$/u.test(before);
  const number = numbers[word];
  // "The PHP one" counts nothing.
  if (
    number !== undefined &&
    Object.hasOwn(numbers, word) &&
    (word !== 'one' || beforeOne.has(before) || before === '.')
  )
    return new Token(written, word, String(number), 'number');
  const entry = entryOf(word);
  const isName = written !== word && !isFirst;
  // "My shell is fish": what names the class tells that the word is one of it.
  if (entry !== undefined && (!entry.asName || isName || isNamedBy(entry, raw)))
    return new Token(written, word, entry.term, entry.kind);
  if (/^[a-z]{2,3}-[a-z]+-\d$/u.test(word)) return new Token(written, word, word, 'region');
  if (/^[a-z]{2}[-_][A-Z]{2}$/u.test(written)) return new Token(written, word, word, 'locale');
  // "Clinic A".
  if (/^[A-HJ-Z]$/u.test(written) && !isFirst) return new Token(written, word, `letter ${word}`, 'name');
  if (/[._/@]|\p{Ll}\p{Lu}/u.test(written.replace(/\.$/u, '')))
    return new Token(written, written, bareOf(written), 'literal');
  if (isName && /^\p{Lu}\p{Ll}/u.test(written)) return new Token(written, word, word, 'name');
  const token = new Token(written, word, stem(word));
  const isPlain = entry === undefined && number === undefined && written === word && word.length <= longestKept;
  if (isPlain && !phrases.has(word) && !switches.has(word)) plainTokens.set(word, token);
  return token;
}

/** `./vendor/` is the folder vendor. */
function bareOf(path: string): string {
  return path.length > 2 ? path.replace(/^\.\/|(?<=\p{L})\/$/gu, '') : path;
}

function isNamedBy({ kind = '' }: Entry, raw: Raw): boolean {
  const label = kind.split(' ').at(-1)!;
  return !weak.has(label) && !generic.has(label) && raw.some(it => it.word === label);
}

/** Also of a plural, and of a name with its version or size: RSA-2048. */
function entryOf(word: string): Entry | undefined {
  return entries.get(word) ?? (/s$|-\d+$/u.test(word) ? entries.get(word.replace(/s$|-\d+$/u, '')) : undefined);
}

function quotedToken(written: string): Token {
  const text = written.slice(1, -1).replace(/\(\)$/u, '');
  const entry = entries.get(text.toLowerCase().replaceAll(' ', '_'));
  const [term, kind] = entry?.kind === undefined ? [bareOf(text), 'literal'] : [entry.term, entry.kind];
  return new Token(written, text.toLowerCase(), term, kind, false, true);
}

function signToken(sign: string): Token {
  return new Token(sign, sign, sign, undefined, true);
}
