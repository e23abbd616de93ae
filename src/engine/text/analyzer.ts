import { LRUCache } from 'lru-cache';
import { stemmer } from 'stemmer';
import { foldLetterForms, spellOutUmlauts, isAscii } from './letterForms.js';

/**
 * Maximum length of a term, in UTF-16 units. Longer runs (base64, minified code) are cut: their tail is not worth
 * searching and would bloat the index.
 */
const maxTermLength = 64;

/** English stop words. Their Porter stems are stop words too. */
const stopWords = new Set(
  (
    'a about above after again all also am an and any are as at be because been before being below between both but ' +
    'by can could did do does doing down during each few for from further had has have having he her here hers him ' +
    'his how i if in into is it its itself just me more most my myself no nor not now of off on once only or other ' +
    'our ours out over own please same she should so some such than that the their theirs them then there these they ' +
    'this those through to too under until up very was we were what when where which while who whom why will with ' +
    'would you your yours dont doesnt didnt isnt arent wasnt werent wont cant couldnt shouldnt im ive id ill thats ' +
    'whats lets youre theyre weve were'
  ).split(' '),
);
const stemmedStopWords = new Set([...stopWords].map(word => stemmer(word)));

/** Scripts written without spaces between words; a run of them is indexed as overlapping pairs. */
const unspacedScripts = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30FC`;

/**
 * Matches one token: a run of an unspaced script, an emoji, a language name that ends in a sign (c++, c#), or a word with
 * the connectors inside identifiers, paths and versions. Does not backtrack. Its groups, in this order: run, emoji,
 * language name, word; named groups are measurably slower.
 */
const tokenPattern = new RegExp(
  `([${unspacedScripts}]+)` +
    String.raw`|(\p{Regional_Indicator}{2}|\p{Extended_Pictographic}(?:[\u{1F3FB}-\u{1F3FF}\uFE0F]|\u200D\p{Extended_Pictographic})*)` +
    String.raw`|((?<![\p{L}\p{N}])(?:[cC]\+\+|[cCfFjJ]#)(?![\p{L}\p{N}]))` +
    `|([.@_]?(?:(?![${unspacedScripts}])[\\p{L}\\p{N}\\p{M}])+(?:[._\\-/:@+'’\\\\]+(?:(?![${unspacedScripts}])[\\p{L}\\p{N}\\p{M}])+)*)`,
  'gu',
);

/**
 * The normalized search terms of a text, in order, repeats included (a ranker counts them).
 *
 * Unicode NFKC, letters and digits in one form, lower case, accents folded, English words reduced to their Porter stem. A
 * word with an umlaut yields its spelled-out form too: Größe → gross groess. An identifier, path, file name or version
 * yields the whole and then its parts: `getUserById` → getuserbyid get user by id. Runs of
 * Chinese, Japanese, Korean, Thai yield overlapping bigrams, and their Chinese characters one by one. Emoji are terms. Lone surrogates are dropped. Stop words
 * are kept; callers filter them with {@link isStopWord}.
 *
 * Deterministic and linear in the length of the text. Never throws.
 */
export function analyzeText(text: string): string[] {
  const result: string[] = [];
  const add = (term: string): void => {
    if (term.length > 0) result.push(truncateTerm(term));
  };
  const normalized = isAscii(text) ? text : foldLetterForms(text.replace(/\p{Surrogate}/gu, ' ').normalize('NFKC'));
  tokenPattern.lastIndex = 0;
  for (let match = tokenPattern.exec(normalized); match !== null; match = tokenPattern.exec(normalized)) {
    const { 1: run, 2: emoji, 3: languageName, 4: word } = match as readonly (string | undefined)[];
    if (run !== undefined) toBigrams(run).forEach(add);
    else if (emoji !== undefined) add(emoji.replaceAll('\uFE0F', ''));
    else if (languageName !== undefined) add(languageName.toLowerCase());
    else if (word !== undefined) addWord(word, add);
  }
  return result;
}

/** Whether a term of {@link analyzeText} or a lower-case word is a stop word. */
export function isStopWord(term: string): boolean {
  return stopWords.has(term) || stemmedStopWords.has(term);
}

function addWord(rawWord: string, add: (term: string) => void): void {
  // The fast path for plain words.
  if (rawWord.length <= maxTermLength && /^[a-z]+$/.test(rawWord)) {
    add(stem(rawWord));
    return;
  }
  // An apostrophe is part of its word (don't → dont), and a possessive is not (Sarah's → sarah).
  const word = rawWord.replace(/['’]s$/iu, '').replace(/['’]/g, '');
  const parts: string[] = [];
  for (const run of word.split(/[^\p{L}\p{N}\p{M}]+/u)) {
    for (const part of splitCamelCase(run)) if (part.length > 0) parts.push(part);
  }
  if (parts.length === 1 && (parts[0] === word || word.length > maxTermLength)) {
    addPart(word, add);
    return;
  }
  add(foldDiacritics(word));
  for (const part of parts) addPart(part, add);
}

function addPart(part: string, add: (term: string) => void): void {
  add(stem(foldDiacritics(part)));
  if (isAscii(part)) return;
  const lower = truncateTerm(part).toLowerCase();
  const spelled = spellOutUmlauts(lower);
  if (spelled !== lower) add(stem(foldDiacritics(spelled)));
}

/** parseHTTPRequest → parse HTTP Request; utf8 stays whole. */
function splitCamelCase(word: string): string[] {
  return word.slice(0, maxTermLength * 4).split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
}

function foldDiacritics(word: string): string {
  const lower = truncateTerm(word).toLowerCase();
  if (isAscii(lower)) return lower;
  return lower.replace(/[\p{Script=Latin}\p{Script=Greek}]\p{M}*/gu, letter => {
    const base = letter.normalize('NFD').replace(/\p{M}+/gu, '');
    return letterFolding[base] ?? base;
  });
}

/** Of texts that were analyzed last: one call compares the words of the same memories several times. About 1 KB each. */
const contentTerms = new LRUCache<string, readonly string[]>({ max: 2_000 });
/** Longer ones are rare. */
const maxCachedTextLength = 1_000;

/** Terms of a text without stop words, in their order, with repetitions. */
export function analyzeContent(text: string): readonly string[] {
  const cached = contentTerms.get(text);
  if (cached !== undefined) return cached;
  const terms = analyzeText(text).filter(it => !isStopWord(it));
  if (text.length <= maxCachedTextLength) contentTerms.set(text, terms);
  return terms;
}

/** The terms of {@link analyzeContent}, each once. */
export function contentTermSet(text: string): ReadonlySet<string> {
  return new Set(analyzeContent(text));
}

/** Letters that Unicode does not decompose, as they are typed without them, and the final sigma. */
const letterFolding: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};

/** Stems by word: stemming takes most of the time of an analysis. */
const stemCache = new LRUCache<string, string>({ max: 10_000 });
/** Longer words, which are rare, are not cached: a longer substring retains the whole text that it was cut from. */
export const maxCachedWordLength = 12;

/** The Porter stem of a lower-case word of ASCII letters; any other word (`5.1.14`, `v1`, `café`) unchanged. */
export function stem(word: string): string {
  if (!/^[a-z]{3,}$/.test(word)) return word;
  const cached = stemCache.get(word);
  if (cached !== undefined) return cached;
  const stemmed = stemmer(word);
  if (word.length <= maxCachedWordLength) stemCache.set(word, stemmed);
  return stemmed;
}

/** A Chinese character, which often is a word by itself. */
const hanPattern = /\p{Script=Han}/u;

function toBigrams(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  const pairs = characters.slice(1).map((letter, index) => characters[index]! + letter);
  return [...pairs, ...characters.filter(it => hanPattern.test(it))];
}

function truncateTerm(term: string): string {
  return term.length <= maxTermLength ? term : term.slice(0, maxTermLength).replace(/\p{Surrogate}/gu, '');
}
