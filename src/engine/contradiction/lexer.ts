import { LRUCache } from 'lru-cache';
import { maxCachedWordLength, stem } from '../text/analyzer.js';
import { mergeQuantities, parseNumberToken } from './quantities.js';
import { Token } from './token.js';
import { antonyms, timeValues, toolCategories } from './lexicon/exclusiveValues.js';
import { negators, nonNegatingIdioms, terminationVerbs } from './lexicon/negation.js';
import { numberWords } from './lexicon/quantities.js';
import { genericTerms, weakTerms } from './lexicon/stopTerms.js';
import { scopeTerms, synonymGroups } from './lexicon/synonyms.js';
import { clockPhrases, updateMarkers } from './lexicon/temporal.js';

/** Far more tokens than a sentence has; the rest is ignored. */
const maxTokens = 400;
/** Maximum number of words of a lexicon entry. */
const maxPhraseWords = 4;

/** The groups, in order: quoted, amount, unit, word, sign; named groups are measurably slower. */
const tokenPattern = new RegExp(
  String.raw`(${'`'}[^${'`'}\n]{1,80}${'`'}|"[^"\n]{1,80}"|(?<![\p{L}\p{N}])'[^'\n]{1,60}'(?![\p{L}\p{N}]))` +
    String.raw`|((?<![\p{L}\p{N}])[vV]?\d+(?:[.:,]\d+)*(?:e[+-]?\d+)?)((?: %|%|(?:ms|s|m|h|d|min|kb|mb|gb|tb|am|pm|k|x|Uhr|KB|MB|GB|TB)(?![\p{L}\p{N}])))?` +
    String.raw`|(={2,3}|\.?[\p{L}_@#][\p{L}\p{N}_]*(?:[.\-/+&'’][\p{L}\p{N}_]+)*(?:\+\+|#|\(\))?)` +
    String.raw`|([.,;:!?()=—–])`,
  'gu',
);
/** The fast path: a word of ASCII letters without connectors. */
const plainWordPattern = / *[A-Za-z]+(?=$|[ ,;:!?)]|\.(?:$| ))/y;

interface LexiconEntry {
  readonly term: string;
  readonly valueClass: string | undefined;
  /** Set if the entry applies only to a word written as a name. */
  readonly requiresNameForm: boolean;
}

const lexicon = new Map<string, LexiconEntry>();
for (const row of synonymGroups) {
  const words = row.split(' ');
  for (const word of words) lexicon.set(word, { term: words[0]!, valueClass: undefined, requiresNameForm: false });
}
for (const [scope, row] of Object.entries(scopeTerms)) addExclusiveValues(`scope:${scope}`, row);
for (const [kind, row] of Object.entries({ ...toolCategories, ...antonyms, ...timeValues }))
  addExclusiveValues(kind, row);
for (const word of [
  ...Object.keys(clockPhrases),
  ...negators,
  ...terminationVerbs,
  ...updateMarkers,
  ...nonNegatingIdioms,
]) {
  if (word.includes('_')) lexicon.set(word, { term: word, valueClass: undefined, requiresNameForm: false });
}

// A synonym of a value or scope is of its class.
for (const [word, entry] of lexicon) {
  const valueClass = lexicon.get(entry.term)?.valueClass;
  if (entry.valueClass === undefined && valueClass !== undefined) lexicon.set(word, { ...entry, valueClass });
}

/** Entries of several words by their first word, the longest first. */
const phrasesByFirstWord = new Map<string, (readonly string[])[]>();
for (const key of lexicon.keys()) {
  const words = key.split('_');
  if (words.length < 2 || words.length > maxPhraseWords || words.includes('')) continue;
  const known = phrasesByFirstWord.get(words[0]!);
  if (known === undefined) phrasesByFirstWord.set(words[0]!, [words]);
  else known.push(words);
}
for (const phrases of phrasesByFirstWord.values()) phrases.sort((left, right) => right.length - left.length);

function addExclusiveValues(valueClass: string, values: string): void {
  for (const value of values.split(' ')) {
    const names = value.split('=');
    const term = names[0]!.replace('^', '');
    for (const name of names) {
      const word = name.replace('^', '');
      const existing = lexicon.get(word);
      if (existing?.valueClass === undefined)
        lexicon.set(word, { term, valueClass, requiresNameForm: name.endsWith('^') });
    }
  }
}

/** A word, number, quotation or punctuation mark before the lookup of expressions of several words. */
class RawToken {
  /** Caches of the word's token at the start of a sentence or clause, and elsewhere. */
  sentenceStartToken: Token | undefined = undefined;
  midSentenceToken: Token | undefined = undefined;
  /** Entries of several words that start with the word, the longest first. */
  readonly phrases: readonly (readonly string[])[] | undefined;
  /** Set if the next word can start with a capital letter without being a name. */
  readonly isSentenceBreak: boolean;
  readonly isOnOffWord: boolean;

  constructor(
    /** Lower case, without suffixes such as 's; empty if this is no word. */
    readonly word: string,
    readonly surfaceForm: string,
    /** The token, if it does not depend on the context. */
    readonly token?: Token,
  ) {
    this.phrases = phrasesByFirstWord.get(word);
    this.isSentenceBreak = /^[.:!?(–—]$/u.test(surfaceForm);
    this.isOnOffWord = word === 'on' || word === 'off';
  }
}

/** Raw tokens by word. */
const rawTokenCache = new LRUCache<string, RawToken>({ max: 10_000 });

function toRawToken(match: string): RawToken {
  const cached = rawTokenCache.get(match);
  if (cached !== undefined) return cached;
  const withoutSuffix = /['’]/u.test(match) ? match.replaceAll('’', "'").replace(/'(?:s|re|ve|ll|m|d)$/u, '') : match;
  if (match.length > maxCachedWordLength) return new RawToken(withoutSuffix.toLowerCase(), withoutSuffix);
  const rawToken = new RawToken(withoutSuffix.toLowerCase(), withoutSuffix);
  rawTokenCache.set(match, rawToken);
  return rawToken;
}

/** The tokens of one sentence. Linear. */
export function tokenizeSentence(sentence: string): Token[] {
  const rawTokens: RawToken[] = [];
  for (let offset = 0; rawTokens.length < maxTokens;) {
    plainWordPattern.lastIndex = offset;
    if (plainWordPattern.test(sentence)) {
      const end = plainWordPattern.lastIndex;
      while (sentence.charAt(offset) === ' ') offset++;
      rawTokens.push(toRawToken(sentence.slice(offset, end)));
      offset = end;
      continue;
    }
    tokenPattern.lastIndex = offset;
    const match = tokenPattern.exec(sentence);
    if (match === null) break;
    offset = tokenPattern.lastIndex;
    const { 1: quoted, 2: amount, 3: unit, 4: word, 5: sign } = match as readonly (string | undefined)[];
    if (quoted !== undefined) rawTokens.push(new RawToken('', quoted, quotedToken(quoted)));
    else if (amount !== undefined) rawTokens.push(new RawToken('', match[0], parseNumberToken(amount, unit)));
    else if (sign !== undefined) rawTokens.push(punctuationTokens.get(sign)!);
    else if (word !== undefined) {
      const countAndUnit = word.includes('-') ? /^(?<count>\p{Ll}+)-(?<unit>\p{Ll}+)$/u.exec(word)?.groups : undefined;
      if (
        countAndUnit !== undefined &&
        Object.hasOwn(numberWords, countAndUnit.count!) &&
        countAndUnit.count !== 'one'
      ) {
        rawTokens.push(
          new RawToken('', countAndUnit.count!, parseNumberToken(String(numberWords[countAndUnit.count!]), undefined)),
        );
        rawTokens.push(toRawToken(countAndUnit.unit!));
      } else rawTokens.push(toRawToken(word));
    }
  }
  const tokens: Token[] = [];
  for (let i = 0; i < rawTokens.length; i++) {
    const rawToken = rawTokens[i]!;
    if (rawToken.token !== undefined) {
      tokens.push(rawToken.token);
      continue;
    }
    if (rawToken.isOnOffWord && isOnOffState(rawTokens, i)) {
      tokens.push(
        new Token(rawToken.surfaceForm, rawToken.word, rawToken.word === 'on' ? 'enabled' : 'disabled', 'on or off'),
      );
      continue;
    }
    const phrase = rawToken.phrases && phraseAt(rawTokens, i, rawToken.phrases);
    if (phrase !== undefined) {
      tokens.push(phrase.token);
      i += phrase.words - 1;
    } else tokens.push(wordToken(rawTokens, i));
  }
  return mergeQuantities(tokens);
}

/** Whether "on" or "off" is a state, as in "the flag is on". */
function isOnOffState(rawTokens: readonly RawToken[], position: number): boolean {
  return (
    (rawTokens[position + 1]?.word ?? '') === '' &&
    /^(?:is|are|stays?|was|were|turned|switched|be)$/u.test(rawTokens[position - 1]?.word ?? '')
  );
}

const wordsBeforeCountedOne = new Set('for in have has with to at only of than is and just'.split(' '));

function phraseAt(
  rawTokens: readonly RawToken[],
  from: number,
  phrases: readonly (readonly string[])[],
): { readonly token: Token; readonly words: number } | undefined {
  for (const words of phrases) {
    if (!words.every((it, i) => rawTokens[from + i]?.word === it)) continue;
    const word = words.join('_');
    const { term, valueClass } = lexicon.get(word)!;
    const surfaceForms = rawTokens.slice(from, from + words.length).map(it => it.surfaceForm);
    return { token: new Token(surfaceForms.join(' '), word, term, valueClass), words: words.length };
  }
  return undefined;
}

function wordToken(rawTokens: readonly RawToken[], position: number): Token {
  const rawToken = rawTokens[position]!;
  const isFirst = position === 0 || rawTokens[position - 1]!.isSentenceBreak;
  const cached = isFirst ? rawToken.sentenceStartToken : rawToken.midSentenceToken;
  if (cached !== undefined) return cached;
  const { word, surfaceForm } = rawToken;
  // "The PHP one" is no number.
  if (word === 'one') {
    const previousWord = position === 0 ? '.' : rawTokens[position - 1]!.surfaceForm.toLowerCase();
    return wordsBeforeCountedOne.has(previousWord) || previousWord === '.'
      ? new Token(surfaceForm, word, '1', 'number')
      : lexWord(rawToken, isFirst);
  }
  const entry = findEntry(word);
  const token = lexWord(rawToken, isFirst, entry !== undefined && mentionsClass(entry, rawTokens));
  // Not cached: the token depends on other words of the sentence.
  if (entry?.requiresNameForm === true) return token;
  if (isFirst) rawToken.sentenceStartToken = token;
  else rawToken.midSentenceToken = token;
  return token;
}

/** The token of a word. @param isClassMentioned whether another word of the sentence names the value's class */
function lexWord({ word, surfaceForm }: RawToken, isFirst: boolean, isClassMentioned = false): Token {
  if (word.endsWith('()')) return new Token(surfaceForm, word, surfaceForm.slice(0, -2), 'literal');
  if (Object.hasOwn(numberWords, word) && word !== 'one')
    return new Token(surfaceForm, word, String(numberWords[word]), 'number');
  const entry = findEntry(word);
  const isName = surfaceForm !== word && !isFirst;
  // "My shell is fish": the name of the class shows that "fish" is one of its values.
  if (entry !== undefined && (!entry.requiresNameForm || isName || isClassMentioned))
    return new Token(surfaceForm, word, entry.term, entry.valueClass);
  if (/^[a-z]{2,3}-[a-z]+-\d$/u.test(word)) return new Token(surfaceForm, word, word, 'region');
  if (/^[a-z]{2}[-_][A-Z]{2}$/u.test(surfaceForm)) return new Token(surfaceForm, word, word, 'locale');
  // "Clinic A".
  if (/^[A-HJ-Z]$/u.test(surfaceForm) && !isFirst) return new Token(surfaceForm, word, `letter ${word}`, 'name');
  if (/[._/@]|\p{Ll}\p{Lu}/u.test(surfaceForm.replace(/\.$/u, '')))
    return new Token(surfaceForm, surfaceForm, stripPathAffixes(surfaceForm), 'literal');
  if (isName && /^\p{Lu}\p{Ll}/u.test(surfaceForm)) return new Token(surfaceForm, word, word, 'name');
  return new Token(surfaceForm, word, stem(word));
}

/** `./vendor/` is the folder vendor. */
function stripPathAffixes(path: string): string {
  return path.length > 2 ? path.replace(/^\.\/|(?<=\p{L})\/$/gu, '') : path;
}

function mentionsClass({ valueClass = '' }: LexiconEntry, rawTokens: readonly RawToken[]): boolean {
  const label = valueClass.split(' ').at(-1)!;
  return !weakTerms.has(label) && !genericTerms.has(label) && rawTokens.some(it => it.word === label);
}

/** The lexicon entry of a word, also in the plural or with a version or size: RSA-2048. */
function findEntry(word: string): LexiconEntry | undefined {
  return lexicon.get(word) ?? (/s$|-\d+$/u.test(word) ? lexicon.get(word.replace(/s$|-\d+$/u, '')) : undefined);
}

function quotedToken(surfaceForm: string): Token {
  const text = surfaceForm.slice(1, -1).replace(/\(\)$/u, '');
  const entry = lexicon.get(text.toLowerCase().replaceAll(' ', '_'));
  const [term, valueClass] =
    entry?.valueClass === undefined ? [stripPathAffixes(text), 'literal'] : [entry.term, entry.valueClass];
  return new Token(surfaceForm, text.toLowerCase(), term, valueClass, false, true);
}

const punctuationTokens = new Map(
  Array.from('.,;:!?()=—–', it => [it, new RawToken('', it, new Token(it, it, it, undefined, true))]),
);
