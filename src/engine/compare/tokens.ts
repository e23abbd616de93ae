import { LRUCache } from 'lru-cache';
import { stem } from '../text/terms.js';
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
/** A word that nothing is joined to: most are, and the others' expression takes longer to tell which of its kinds it met. */
const plainWord = / *[A-Za-z]+(?=$|[ ,;:!?)]|\.(?:$| ))/y;

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

/** A word as it is written, or what else stands between words. */
class Piece {
  /** What it is read as where a sentence or a stretch of it begins, and elsewhere, once somebody has asked. */
  first: Token | undefined = undefined;
  later: Token | undefined = undefined;
  /** Entries of several words that begin with it, the longest first. */
  readonly phrases: readonly (readonly string[])[] | undefined;
  /** A word after it may begin with a capital letter without being a name. */
  readonly isBreak: boolean;
  readonly isSwitch: boolean;

  constructor(
    /** Bare, lower case; empty where it is no word. */
    readonly word: string,
    readonly written: string,
    /** What it is wherever it stands, where it is no word. */
    readonly token?: Token,
  ) {
    this.phrases = phrases.get(word);
    this.isBreak = /^[.:!?(–—]$/u.test(written);
    this.isSwitch = word === 'on' || word === 'off';
  }
}

/** Words met, for most are met again. */
const met = new LRUCache<string, Piece>({ max: 10_000 });
/** In UTF-16 units. */
const longestKept = 40;

function pieceOf(match: string): Piece {
  const known = met.get(match);
  if (known !== undefined) return known;
  const bare = /['’]/u.test(match) ? match.replaceAll('’', "'").replace(/'(?:s|re|ve|ll|m|d)$/u, '') : match;
  if (match.length > longestKept) return new Piece(bare.toLowerCase(), bare);
  // A copy: what is cut out of a text holds on to all of it (V8).
  const copy = ` ${bare}`.slice(1);
  const made = new Piece(copy.toLowerCase(), copy);
  met.set(bare === match ? copy : ` ${match}`.slice(1), made);
  return made;
}

/** Reads the tokens of one sentence. Linear. */
export function tokensOf(sentence: string): Token[] {
  const raw: Piece[] = [];
  for (let at = 0; raw.length < maxTokens;) {
    plainWord.lastIndex = at;
    if (plainWord.test(sentence)) {
      const end = plainWord.lastIndex;
      while (sentence.charAt(at) === ' ') at++;
      raw.push(pieceOf(sentence.slice(at, end)));
      at = end;
      continue;
    }
    pieces.lastIndex = at;
    const match = pieces.exec(sentence);
    if (match === null) break;
    at = pieces.lastIndex;
    const { 1: quoted, 2: amount, 3: unit, 4: word, 5: sign } = match as readonly (string | undefined)[];
    if (quoted !== undefined) raw.push(new Piece('', quoted, quotedToken(quoted)));
    else if (amount !== undefined) raw.push(new Piece('', match[0], numberToken(amount, unit)));
    else if (sign !== undefined) raw.push(signs.get(sign)!);
    else if (word !== undefined) {
      const counted = word.includes('-') ? /^(?<count>\p{Ll}+)-(?<unit>\p{Ll}+)$/u.exec(word)?.groups : undefined;
      if (counted !== undefined && Object.hasOwn(numbers, counted.count!) && counted.count !== 'one') {
        raw.push(new Piece('', counted.count!, numberToken(String(numbers[counted.count!]), undefined)));
        raw.push(pieceOf(counted.unit!));
      } else raw.push(pieceOf(word));
    }
  }
  const tokens: Token[] = [];
  for (let i = 0; i < raw.length; i++) {
    const it = raw[i]!;
    if (it.token !== undefined) {
      tokens.push(it.token);
      continue;
    }
    if (it.isSwitch && isSwitch(raw, i)) {
      tokens.push(new Token(it.written, it.word, it.word === 'on' ? 'enabled' : 'disabled', 'on or off'));
      continue;
    }
    const joined = it.phrases && joinedAt(raw, i, it.phrases);
    if (joined !== undefined) {
      tokens.push(joined.token);
      i += joined.words - 1;
    } else tokens.push(wordToken(raw, i));
  }
  return joinMeasures(tokens);
}

/** "The flag is on": nothing follows. */
function isSwitch(raw: readonly Piece[], at: number): boolean {
  return (
    (raw[at + 1]?.word ?? '') === '' && /^(?:is|are|stays?|was|were|turned|switched|be)$/u.test(raw[at - 1]?.word ?? '')
  );
}

const beforeOne = new Set('for in have has with to at only of than is and just'.split(' '));

function joinedAt(
  raw: readonly Piece[],
  from: number,
  phrases: readonly (readonly string[])[],
): { readonly token: Token; readonly words: number } | undefined {
  for (const words of phrases) {
    if (!words.every((it, i) => raw[from + i]?.word === it)) continue;
    const word = words.join('_');
    const { term, kind } = entries.get(word)!;
    const written = raw.slice(from, from + words.length).map(it => it.written);
    return { token: new Token(written.join(' '), word, term, kind), words: words.length };
  }
  return undefined;
}

function wordToken(raw: readonly Piece[], at: number): Token {
  const piece = raw[at]!;
  const isFirst = at === 0 || raw[at - 1]!.isBreak;
  const known = isFirst ? piece.first : piece.later;
  if (known !== undefined) return known;
  const { word, written } = piece;
  // "The PHP one" counts nothing.
  if (word === 'one') {
    const before = at === 0 ? '.' : raw[at - 1]!.written.toLowerCase();
    return beforeOne.has(before) || before === '.' ? new Token(written, word, '1', 'number') : readWord(piece, isFirst);
  }
  const entry = entryOf(word);
  const made = readWord(piece, isFirst, entry !== undefined && isNamedBy(entry, raw));
  // What names the class stands somewhere else.
  if (entry?.asName === true) return made;
  if (isFirst) piece.first = made;
  else piece.later = made;
  return made;
}

/** Reads a word by itself. @param isNamed whether another word names the class that it is a value of */
function readWord({ word, written }: Piece, isFirst: boolean, isNamed = false): Token {
  if (word.endsWith('()')) return new Token(written, word, written.slice(0, -2), 'literal');
  if (Object.hasOwn(numbers, word) && word !== 'one') return new Token(written, word, String(numbers[word]), 'number');
  const entry = entryOf(word);
  const isName = written !== word && !isFirst;
  // "My shell is fish": what names the class tells that the word is one of it.
  if (entry !== undefined && (!entry.asName || isName || isNamed))
    return new Token(written, word, entry.term, entry.kind);
  if (/^[a-z]{2,3}-[a-z]+-\d$/u.test(word)) return new Token(written, word, word, 'region');
  if (/^[a-z]{2}[-_][A-Z]{2}$/u.test(written)) return new Token(written, word, word, 'locale');
  // "Clinic A".
  if (/^[A-HJ-Z]$/u.test(written) && !isFirst) return new Token(written, word, `letter ${word}`, 'name');
  if (/[._/@]|\p{Ll}\p{Lu}/u.test(written.replace(/\.$/u, '')))
    return new Token(written, written, bareOf(written), 'literal');
  if (isName && /^\p{Lu}\p{Ll}/u.test(written)) return new Token(written, word, word, 'name');
  return new Token(written, word, stem(word));
}

/** `./vendor/` is the folder vendor. */
function bareOf(path: string): string {
  return path.length > 2 ? path.replace(/^\.\/|(?<=\p{L})\/$/gu, '') : path;
}

function isNamedBy({ kind = '' }: Entry, raw: readonly Piece[]): boolean {
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

const signs = new Map(Array.from('.,;:!?()=—–', it => [it, new Piece('', it, new Token(it, it, it, undefined, true))]));
