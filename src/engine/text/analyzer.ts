import { LRUCache } from 'lru-cache';
import { stemmer } from 'stemmer';

/**
 * Longest term kept, in UTF-16 units. Longer runs (base64, minified code) are cut: nobody searches for their tail,
 * and they would bloat the index.
 */
const maxTermLength = 64;

/** Words so common that they say nothing about what a memory is about. Porter-stemmed forms are looked up too. */
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
 * One piece of text at a time, left to right, without backtracking: a run of an unspaced script, an emoji, a language
 * name that ends in a sign (c++, c#), or a word with the connectors that hold identifiers, paths and versions together.
 * Its groups, in this order: names for them would cost more than the rest of the match.
 */
const tokenPattern = new RegExp(
  `([${unspacedScripts}]+)` +
    String.raw`|(\p{Regional_Indicator}{2}|\p{Extended_Pictographic}(?:[\u{1F3FB}-\u{1F3FF}\uFE0F]|\u200D\p{Extended_Pictographic})*)` +
    String.raw`|((?<![\p{L}\p{N}])(?:[cC]\+\+|[cCfFjJ]#)(?![\p{L}\p{N}]))` +
    `|([.@_]?(?:(?![${unspacedScripts}])[\\p{L}\\p{N}\\p{M}])+(?:[._\\-/:@+'’\\\\]+(?:(?![${unspacedScripts}])[\\p{L}\\p{N}\\p{M}])+)*)`,
  'gu',
);

/**
 * The normalised search terms of a text, in the order in which they occur, repeats included (a ranker counts them).
 *
 * Unicode NFKC, lower case, Latin accents folded, English words reduced to their Porter stem. An identifier, path,
 * file name or version gives the whole and then its parts: `getUserById` → getuserbyid get user by id. Runs of
 * Chinese, Japanese, Korean, Thai give overlapping pairs. Emoji are terms. Lone surrogates are dropped. Stop words are
 * kept: callers that do not want them ask {@link isStopWord}.
 *
 * Deterministic and linear in the length of the text. Never throws.
 */
export function analyzeText(text: string): string[] {
  const result: string[] = [];
  const add = (term: string): void => {
    if (term.length > 0) result.push(truncateTerm(term));
  };
  const normalized = isAscii(text) ? text : text.replace(/\p{Surrogate}/gu, ' ').normalize('NFKC');
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

/** Whether a term, as {@link analyzeText} gives it or as a plain lower-case word, is too common to search for by itself. */
export function isStopWord(term: string): boolean {
  return stopWords.has(term) || stemmedStopWords.has(term);
}

function addWord(rawWord: string, add: (term: string) => void): void {
  // Most words are plain.
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
    add(stem(foldDiacritics(word)));
    return;
  }
  add(foldDiacritics(word));
  for (const part of parts) add(stem(foldDiacritics(part)));
}

/** parseHTTPRequest → parse HTTP Request; utf8 stays whole. */
function splitCamelCase(word: string): string[] {
  return word.slice(0, maxTermLength * 4).split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
}

function foldDiacritics(word: string): string {
  const lower = truncateTerm(word).toLowerCase();
  if (isAscii(lower)) return lower;
  return lower.replace(/\p{Script=Latin}\p{M}*/gu, letter => letter.normalize('NFD').replace(/\p{M}+/gu, ''));
}

/** Whether a text has only ASCII characters, as most have. */
export function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}

/** The stems of words met, for stemming takes longer than all the rest. */
const stemCache = new LRUCache<string, string>({ max: 10_000 });
/** What is cut out of a text holds all of it from 13 letters on (V8), so longer words are not kept; few are longer. */
export const maxCachedWordLength = 12;

/** The Porter stem of a lower-case word. Only plain English-looking words are stemmed: `5.1.14`, `v1` and `café` must stay what they are. */
export function stem(word: string): string {
  if (!/^[a-z]{3,}$/.test(word)) return word;
  const cached = stemCache.get(word);
  if (cached !== undefined) return cached;
  const stemmed = stemmer(word);
  if (word.length <= maxCachedWordLength) stemCache.set(word, stemmed);
  return stemmed;
}

function toBigrams(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((letter, index) => characters[index]! + letter);
}

function truncateTerm(term: string): string {
  return term.length <= maxTermLength ? term : term.slice(0, maxTermLength).replace(/\p{Surrogate}/gu, '');
}
