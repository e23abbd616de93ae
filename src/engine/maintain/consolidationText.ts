import { LRUCache } from 'lru-cache';
import { splitClauses } from '../text/clauses.js';
import { splitSentences } from '../text/sentences.js';
import { isStopWord, terms } from '../text/terms.js';

/** Words that are too common to search for and still change what a sentence says. */
const tellingWords = new Set(
  'above below before after between off only under until all each few more most once same some up down'.split(' '),
);
const negations = new Set('no not never none neither nor without'.split(' '));
const contracted = /n't$|^(?:cannot|dont|doesnt|didnt|wont|cant|isnt|arent|wasnt|shouldnt)$/u;
const ends = /[.;:!?…]$/u;
/** Details that are compared in order; a longer text is a document. */
const maxAligned = 200;
/** Words that a reader of many texts keeps, a few megabytes. */
const keptWords = 20_000;

/** What a text says, piece by piece; two texts that say the same have the same pieces, in any order. */
export interface Details {
  /**
   * Stems of content words, and values (numbers, names of things in code, paths) as written, each once, in order. One
   * that is negated begins with ¬.
   */
  readonly pieces: readonly string[];
}

const negated = '¬';
const value = '=';

/** What a word says, which is the same wherever it stands. */
type WordReader = (word: string, plain: string) => readonly string[];

/** Reads texts that share most of their words, as those of one store do: a word is taken apart once. */
export function detailsReader(): (text: string) => Details {
  const known = new LRUCache<string, readonly string[]>({ max: keptWords });
  const read: WordReader = (word, plain) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const pieces = piecesOf(word, plain);
    known.set(word, pieces);
    return pieces;
  };
  return text => detailsOf(text, read);
}

/** Linear in the length of the text, never throws. */
export function detailsOf(text: string, read: WordReader = piecesOf): Details {
  const pieces = new Set<string>();
  for (const line of text.normalize('NFKC').split('\n')) {
    let isNegated = false;
    for (const written of line.replaceAll('’', "'").split(/\s+/u)) {
      const word = written.replace(/^["'`“„«([{*]+|["'`”»)\]}*,;:!?….]+$/gu, '');
      const plain = word.toLowerCase();
      const isNegation = negations.has(plain) || contracted.test(plain);
      const found = isNegation ? [] : read(word, plain);
      for (const [i, it] of found.entries()) pieces.add(isNegated && i === 0 ? negated + it : it);
      // What is negated stands next to its negation, in the same clause.
      if (found.length > 0) isNegated = false;
      if (isNegated && (isNegation || ends.test(written))) pieces.add(negated);
      isNegated = (isNegated && !ends.test(written)) || isNegation;
    }
    if (isNegated) pieces.add(negated);
  }
  return { pieces: [...pieces] };
}

function piecesOf(word: string, plain: string): string[] {
  if (word === '' || word === '-' || word === '–' || word === '—' || word === '&') return [];
  if (/^[^\p{L}\p{N}]+$/u.test(word) && !/\p{Extended_Pictographic}/u.test(word)) return [value + word];
  const found = terms(word).filter(it => !isStopWord(it) || tellingWords.has(plain));
  return isValue(word) ? [value + (word.includes('_') ? word : plain), ...found] : found;
}

/** Numbers, versions, paths, addresses, names in code: what differs in one sign is another thing. */
function isValue(word: string): boolean {
  return /\p{N}|[_/\\@#$%<>=+~]|\p{L}[.:]\p{L}|\p{Ll}\p{Lu}|^\./u.test(word);
}

/** Whether every detail of the texts is in `merged`. */
export function keepsEverything(merged: string, texts: readonly string[]): boolean {
  const kept = new Set(detailsOf(merged).pieces);
  return texts.every(it => detailsOf(it).pieces.every(piece => kept.has(piece)));
}

/**
 * One text that says what several similar ones say: the one that says most, and of the others each clause with a detail
 * that is still missing. No word, number, name or negation is lost ({@link keepsEverything}).
 * @param texts at least one
 */
export function mergeByRule(texts: readonly string[]): string {
  const [fullest = '', ...others] = [...texts].sort(
    (a, b) => detailsOf(b).pieces.length - detailsOf(a).pieces.length || a.length - b.length,
  );
  let merged = fullest.trim();
  for (const other of others) {
    for (const sentence of other.split('\n').flatMap(splitSentences)) {
      if (!keepsEverything(merged, [sentence])) merged = joined(merged, missingPart(merged, sentence));
    }
    // The clauses were cut too finely; the whole text is never wrong.
    if (!keepsEverything(merged, [other])) merged = joined(merged, other.trim());
  }
  return keepsEverything(merged, texts) ? merged : texts.map(it => it.trim()).join('\n');
}

/** The clauses of a sentence that add something; the whole of it where they do not stand for it. */
function missingPart(merged: string, sentence: string): string {
  const clauses = splitClauses(sentence).filter(it => !keepsEverything(merged, [it]));
  const part = clauses.map(capitalised).reduce((all, it) => (all === '' ? it : joined(all, it)), '');
  return part !== '' && keepsEverything(`${merged}.\n${part}`, [sentence]) ? part : sentence;
}

function joined(first: string, second: string): string {
  if (first === '') return second;
  if (first.includes('\n') || second.includes('\n')) return `${first}\n${second}`;
  return `${first}${/[.!?…。！？]["'”’»)\]]*$/u.test(first) ? '' : '.'} ${second}`;
}

/** A clause becomes a sentence; a name in code stays as it is. */
function capitalised(clause: string): string {
  return /^\p{Ll}+(?=[\s,])/u.test(clause) ? clause[0]!.toUpperCase() + clause.slice(1) : clause;
}

/** `differ`: about different things, or with different values. `conflict`: one says what the other denies. */
export type Agreement = 'agree' | 'differ' | 'conflict';

/**
 * Whether two similar texts can be one. They cannot where each has something in the place of something else of the
 * other ("use npm here", "use pnpm here"), where each has a value that the other lacks, and where one denies the other.
 */
export function agreementOf(one: Details, other: Details): Agreement {
  const [ones, others] = [new Set(one.pieces), new Set(other.pieces)];
  const denies = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
    [...a].some(it => it.startsWith(negated) && !b.has(it) && b.has(it.slice(1)) && !a.has(it.slice(1)));
  if (denies(ones, others) || denies(others, ones)) return 'conflict';
  const isOnlyIn = (set: ReadonlySet<string>) => (it: string) => !set.has(it);
  const hasOwnValue = (a: readonly string[], b: ReadonlySet<string>): boolean =>
    a.filter(isOnlyIn(b)).some(it => it.startsWith(value));
  if (hasOwnValue(one.pieces, others) && hasOwnValue(other.pieces, ones)) return 'differ';
  return isSubstituted(one.pieces.slice(0, maxAligned), other.pieces.slice(0, maxAligned)) ? 'differ' : 'agree';
}

/** Whether between two pieces that both have, each has something that the other has nowhere. */
function isSubstituted(one: readonly string[], other: readonly string[]): boolean {
  const [ones, others] = [new Set(one), new Set(other)];
  const common = longestCommon(
    one.filter(it => others.has(it)),
    other.filter(it => ones.has(it)),
  );
  const gaps = (all: readonly string[], theirs: ReadonlySet<string>): boolean[] => {
    const found = common.map(() => false).concat(false);
    let gap = 0;
    for (const it of all) {
      if (it === common[gap]) gap++;
      else if (!theirs.has(it)) found[gap] = true;
    }
    return found;
  };
  const [mine, yours] = [gaps(one, others), gaps(other, ones)];
  return mine.some((it, i) => it && yours[i] === true);
}

function longestCommon(one: readonly string[], other: readonly string[]): string[] {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        one[i] === other[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const common: string[] = [];
  for (let i = 0, j = 0; i < one.length && j < other.length;) {
    if (one[i] === other[j]) {
      common.push(one[i]!);
      i++;
      j++;
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++;
    else j++;
  }
  return common;
}
