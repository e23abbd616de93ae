/**
 * Secrets that were spoken and written down by ear: digits, letters, signs and capitals as words ("capital H harbor nine nine two
 * exclamation mark"), after or before the noun that says what they open.
 */
import { mayMatch } from '../text/keywordPrefilter.js';
import {
  capitalWords,
  isNumberWord,
  joiners,
  letterWords,
  nouns,
  signWords,
  unitsAndCounts,
} from './dictationWords.js';
import type { NamedSecret } from './secretRule.js';
import { aboutSuffix } from './secretNouns.js';
import { isPassphrase, isSpokenPassword } from './secretValue.js';

/** A word of the text with its place. */
interface Word {
  readonly text: string;
  readonly folded: string;
  readonly start: number;
  readonly end: number;
}

/** How much after and before a noun is read, in UTF-16 units. */
const maxClause = 200;
/** Words at most between a noun and the spelled value. */
const maxLead = 10;
const maxValueWords = 12;
/** As long as what a name continues with: "password manager". */
const maxSuffix = 40;

const nounPattern = new RegExp(
  `(?<![\\p{L}\\p{N}_.$-])(?:(?<password>${nouns.passwords})|(?<code>${nouns.codes})|(?<key>${nouns.keys}))(?![\\p{L}\\p{N}_/-])`,
  'giu',
);

/** Dictated secrets with their places. Linear. */
export function* findDictatedSecrets(text: string, foldedText: string): Generator<NamedSecret> {
  if (foldedText.includes('word ') || foldedText.includes('name ')) yield* findWordsThen(text);
  if (!mayMatch({ keywords: nouns.keywords }, foldedText)) return;
  for (const match of text.matchAll(nounPattern)) {
    const { password, key } = match.groups!;
    const end = match.index + match[0].length;
    const after = readWords(clauseAfter(text, end), end);
    const isVerb = password !== undefined && /^pass$/iu.test(password) && !isOfAccount(text, match.index);
    if (isVerb || aboutSuffix.test(text.slice(end, end + maxSuffix))) continue;
    const found =
      spelledOut(after, key === undefined ? minSpelled : minSpelledKey) ??
      (password === undefined ? undefined : (dictatedAfter(text, after, match) ?? dictatedBefore(text, match)));
    if (found !== undefined && !isParameters(text, found)) yield { label: 'password', ...found };
  }
}

/** Of an algorithm: m=65536, t=3, p=4 */
function isParameters(text: string, { start, end }: Place): boolean {
  return /^[a-z]{1,3}=\d+(?:, ?[a-z]{1,3}=\d+)+$/u.test(text.slice(start, end));
}

/** Digits or letters in a row that are a code, and those that are a key. */
const minSpelled = 3;
const minSpelledKey = 6;

type Place = Pick<NamedSecret, 'start' | 'end'>;

function clauseAfter(text: string, start: number): string {
  return /^[^\n!?;]*?(?=$|[\n!?;]|\.(?:\s|$))/u.exec(text.slice(start, start + maxClause))![0];
}

function readWords(clause: string, offset: number): Word[] {
  return [...clause.matchAll(/[\p{L}\p{N}]+(?:['’_-][\p{L}\p{N}]+)*/gu)].map(it => ({
    text: it[0],
    folded: it[0].toLowerCase().replace('’', "'"),
    start: offset + it.index,
    end: offset + it.index + it[0].length,
  }));
}

const isDigit = ({ folded }: Word): boolean => isNumberWord(folded) || /^\d{1,6}$/u.test(folded);
const isLetter = ({ folded }: Word): boolean => /^\p{L}$/u.test(folded) || letterWords.has(folded);
/** A letter alone that is a word of a sentence. */
const isShortWord = ({ text }: Word): boolean => /^[aeioyuąàéèоауиявскз]$/u.test(text);
const isMark = ({ folded }: Word): boolean => signWords.has(folded) || capitalWords.has(folded);

/** Digits and letters one by one: "four seven one nine", "star 4 4 8 2 hash", "k as in kilo seven x ray". */
function spelledOut(words: readonly Word[], least: number): Place | undefined {
  for (let first = 0; first < Math.min(words.length, maxLead); first++) {
    const run = runFrom(words, first);
    const counted = run.filter(it => isDigit(it) || isLetter(it));
    // An article and a pronoun are letters, too; a number in one piece is read by others.
    const hasDigits = counted.filter(isDigit).length >= Math.min(least, 3);
    const marks = run.filter(isMark).length;
    const sure = counted.filter(it => !isShortWord(it)).length;
    const isMarked = marks >= 1 && sure >= 2 && marks + sure >= Math.max(least, 4);
    const isSpelled = isMarked || (counted.length >= least && (hasDigits || counted.length >= minSpelledKey));
    if (!isSpelled) continue;
    const lead = words[first - 1]?.folded ?? '';
    const next = words[first + run.length]?.folded ?? '';
    const isWritten = counted.every(it => /^\d+$/u.test(it.folded));
    const isCount = unitsAndCounts.before.has(lead) && (marks === 0 || counted.every(isDigit));
    if (isWritten || isCount || unitsAndCounts.after.has(next)) return undefined;
    return { start: run[0]!.start, end: run.at(-1)!.end };
  }
  return undefined;
}

/** The longest run from a place that is spelled, with what joins its pieces in between. */
function runFrom(words: readonly Word[], first: number): readonly Word[] {
  let end = first;
  for (let index = first; index < words.length; index++) {
    const word = words[index]!;
    const isPiece = isDigit(word) || isLetter(word) || isMark(word);
    if (isPiece) end = index + 1;
    else if (index === first || !joiners.has(word.folded)) break;
  }
  return words.slice(first, end);
}

/** Words right before a dictated value: "is", "it's", "say"; "put in". */
const leadPattern = /^(?:is|was|it's|that's|say|says|type|enter|ist|lautet|est|c'est|es|è|é)$/u;
const leadPairPattern = /^(?:put in|(?:changed|set|reset) to)$/u;
const afterLeadPattern = /^(?:now|just|in|to|still|jetzt)$/u;
const possessive = /^['’]s(?![\p{L}\p{N}])/u;

function dictatedAfter(text: string, words: readonly Word[], noun: RegExpExecArray): Place | undefined {
  const nounEnd = noun.index + noun[0].length;
  if (possessive.test(text.slice(nounEnd, nounEnd + 3)))
    return readDictation(words[0]?.folded === 's' ? words.slice(1) : words);
  const lead = words
    .slice(0, maxLead)
    .findIndex(
      (it, index) => leadPattern.test(it.folded) || leadPairPattern.test(`${it.folded} ${words[index + 1]?.folded}`),
    );
  if (lead < 0) return isOfAccount(text, noun.index) ? readDictation(words) : undefined;
  let first = lead + 1;
  while (
    first < words.length &&
    (leadPattern.test(words[first]!.folded) || afterLeadPattern.test(words[first]!.folded))
  )
    first++;
  return readDictation(words.slice(first)) ?? readDescription(words.slice(first));
}

/** "User demo pass …": elsewhere "pass" is a verb. */
function isOfAccount(text: string, index: number): boolean {
  return /\b(?:user(?:name)?|login|log(?:ged)? in|account)\b[^\n.!?]*$/iu.test(
    text.slice(Math.max(0, index - 60), index),
  );
}

/** Words without those of a sentence, among them a sign, a capital or a number at the end. */
function readDictation(heard: readonly Word[]): Place | undefined {
  const { words: given, isSpelledApart } = withoutFrames(heard);
  const words: Word[] = [];
  let hasManner = false;
  for (const [index, word] of given.entries()) {
    hasManner = mannerPattern.test(
      given
        .slice(index, index + 8)
        .map(it => it.folded)
        .join(' '),
    );
    if (hasManner || (words.length > 0 && isFiller(word))) break;
    words.push(word);
    if (words.length > maxValueWords) return undefined;
  }
  if (words.length < 2) return undefined;
  const all = words.map(it => it.folded);
  const rest = all.map((it, index) => (isCue(all, index) ? 'cue' : joiners.has(it) ? 'joiner' : 'word'));
  const plain = all.filter((_, index) => rest[index] === 'word');
  if (plain.some(it => unitsAndCounts.grammar.has(it) || unitsAndCounts.after.has(it))) return undefined;
  const hasNumberAtEnd = isDigit(words.at(-1)!) && !/^\d/u.test(all.at(-1)!) && !unitsAndCounts.before.has(all.at(-2)!);
  const hasCase = capitalPhrase.test(all.join(' '));
  const hasSign = rest.includes('cue') && all.some((it, index) => signWords.has(it) && isCue(all, index));
  const values = plain.filter(it => !unitsAndCounts.enumerated.has(it));
  if (values.length === 0 || !(hasNumberAtEnd || hasCase || hasSign || hasManner || isSpelledApart)) return undefined;
  if (hasCase && !hasSign && !hasNumberAtEnd && values.length < 2 && !capitalLetter.test(all.join(' ')))
    return undefined;
  return { start: words[0]!.start, end: words.at(-1)!.end };
}

/** Words that a dictation is read up to, before those that frame its pieces are left out. */
const maxHeardWords = 30;
/** "the word", "the number" before a piece. */
const pieceName = /^(?:word|words|name|number|letter|digit|digits|sign|symbol|year)$/u;

/** Without "the word", "an" before a sign, and "with a zero for the o", which says how a word is written. */
function withoutFrames(heard: readonly Word[]): { words: readonly Word[]; isSpelledApart: boolean } {
  const words: Word[] = [];
  let isSpelledApart = false;
  const folded = heard.slice(0, maxHeardWords).map(it => it.folded);
  for (let index = 0; index < folded.length; index++) {
    const replaced = replacement(folded, index);
    const [word, next = ''] = [folded[index]!, folded[index + 1]];
    if (replaced > 0) {
      isSpelledApart = true;
      index += replaced - 1;
    } else if (word === 'the' && pieceName.test(next) && folded[index + 2] !== 'of') {
      index++;
    } else if (!(/^an?$/u.test(word) && signWords.has(next) && joiners.has(folded[index - 1] ?? ''))) {
      words.push(heard[index]!);
    }
  }
  return { words, isSpelledApart };
}

/** How many words "with a zero for the o", "a three instead of the e" has, from its first one; 0 where it is none. */
function replacement(words: readonly string[], first: number): number {
  let index = first;
  if (words[index] === 'with') index++;
  if (!/^an?$/u.test(words[index] ?? '')) return 0;
  const by = words[index + 1] ?? '';
  if (!isNumberWord(by) && !/^\d$/u.test(by) && !signWords.has(by)) return 0;
  index += 2;
  const links = ['in place of', 'instead of', 'for'].map(it => it.split(' '));
  const length = links.find(link => link.every((it, i) => words[index + i] === it))?.length ?? 0;
  index += length;
  if (/^(?:the|an?|each|every)$/u.test(words[index] ?? '') && /^\p{L}$/u.test(words[index + 1] ?? '')) index++;
  return length > 0 && /^\p{L}$/u.test(words[index] ?? '') ? index + 1 - first : 0;
}

/** How what was dictated is written: "with no spaces", "with an exclamation mark at the end". */
const mannerPattern =
  /^(?:(?:with )?no spaces|without spaces|all one word|all (?:in )?(?:lower ?case|upper ?case|caps|small letters)|with an? \p{L}+ between|with an? \p{L}+(?: \p{L}+)? (?:at the (?:end|start)|in front)\b)/u;

const capitalLetter = /\b(?:capital|uppercase|upper case|große[srn]?|majuscule|mayúscula|maiuscola|maiúscula) [a-z]\b/u;
const capitalPhrase = new RegExp(
  `${capitalLetter.source}|\\b(?:all |in )(?:lower ?case|upper ?case|small letters|caps|one word)\\b`,
  'u',
);

/** Words of a spoken sentence after which nothing was dictated. */
function isFiller({ folded }: Word): boolean {
  return /^(?:okay|ok|by|so|but|please|thanks|right|alright|because|i|you|he|she|we|they|that's|it's)$/u.test(folded);
}

/** Whether a word is a name of a sign, a number or a capital, and no thing that the sentence is about. */
function isCue(words: readonly string[], index: number): boolean {
  const word = words[index]!;
  if (capitalWords.has(word) || isNumberWord(word)) return true;
  // "seven one percent", but no "one dash".
  const isAfterDigits = isNumberWord(words[index - 1] ?? '') && isNumberWord(words[index - 2] ?? '');
  return signWords.has(word) && (isAfterDigits || !unitsAndCounts.articles.has(words[index - 1] ?? ''));
}

/** A word that what is read out goes on from: "the word marmalade followed by the at sign and twenty twenty four" */
const wordThenPattern =
  /\b(?:log(?:s|ged|ging)?[ -]?in|sign(?:s|ed|ing)?[ -]?in|pass ?(?:word|phrase|code)|code|unlock(?:s|ed|ing)?)\b[^\n.!?]{0,60}?\b(?:word|name) ["'`]?(?<value>\p{L}{3,20}["'`]?,? (?:followed by|then|plus|and then) [^\n.!?]{3,60})/giu;

function* findWordsThen(text: string): Generator<NamedSecret> {
  for (const match of text.matchAll(wordThenPattern)) {
    const value = match.groups!.value!;
    const start = match.index + match[0].length - value.length;
    const words = readWords(value, start).slice(1);
    const folded = words.map(it => it.folded);
    if (words.some(isDigit) || folded.some((_, index) => isCue(folded, index)))
      yield { label: 'password', start, end: start + value.length };
  }
}

/** "the name of the boat, Esmeralda, followed by 1987", "her dog's name plus birthday so Biscuit0412" */
function readDescription(words: readonly Word[]): Place | undefined {
  for (const [index, word] of words.entries()) {
    const next = words[index + 1];
    if (next === undefined) return undefined;
    const isFollowed = (word.folded === 'by' && words[index - 1]?.folded === 'followed') || word.folded === 'plus';
    if (isFollowed && /^\d{2,8}$/u.test(next.text)) return { start: words[0]!.start, end: next.end };
    const isResult = /^(?:so|namely|ie|hence|thus|also|nämlich)$/u.test(word.folded);
    if (isResult && /\d/u.test(next.text) && /[A-Z]/u.test(next.text) && isSpokenPassword(next.text))
      return { start: next.start, end: next.end };
  }
  return undefined;
}

/** "put in otter slash forty two, that's the password" */
function dictatedBefore(text: string, noun: RegExpExecArray): Place | undefined {
  const before = text.slice(Math.max(0, noun.index - maxClause), noun.index);
  const link =
    /[\s,]{1,6}(?:that(?:['’]s| is| was)|which is|this is|as)\s(?:(?:the|my|our|his|her|their|its)\s)?(?:\p{L}{1,20}\s){0,2}$/iu.exec(
      before,
    );
  if (link === null) return undefined;
  const start = noun.index - before.length;
  const clause = before
    .slice(0, link.index)
    .split(/[\n.!?;]/u)
    .at(-1)!;
  const words = readWords(clause, start + link.index - clause.length);
  const last = words.at(-1);
  if (last === undefined) return undefined;
  if (isSpokenPassword(text.slice(last.start, last.end)) || isPassphrase(last.text)) return last;
  const spelled = spelledOut(words, minSpelled);
  if (spelled !== undefined) return spelled;
  const lead = words.findLastIndex(it => /^(?:in|type|enter|say|use|put)$/u.test(it.folded));
  return readDictation(words.slice(lead + 1));
}
