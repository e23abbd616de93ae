import { LRUCache } from 'lru-cache';
import { splitClauses } from '../text/clauseSplitter.js';
import { splitSentences } from '../text/sentenceSplitter.js';
import { isStopWord, analyzeText } from '../text/analyzer.js';

/** Stop words that change the meaning of a sentence. */
const meaningfulStopWords = new Set(
  'above below before after between off only under until all each few more most once same some up down'.split(' '),
);
const negations = new Set('no not never none neither nor without stop stopped ceased quit'.split(' '));
const contractedNegation = /n't$|^(?:cannot|dont|doesnt|didnt|wont|cant|isnt|arent|wasnt|shouldnt)$/u;
const clauseEndPattern = /[.;:!?…]$/u;
/** Maximum number of tokens to align; a longer text is a document. */
const maxAlignedTokens = 200;
/** Cached words, a few megabytes. */
const maxCachedWords = 20_000;

/** Details of a text. Texts with the same meaning have the same details, in any order. */
export interface TextDetails {
  /**
   * Distinct stems of content words, and values (numbers, identifiers, paths) verbatim, in order. A negated one begins
   * with ¬.
   */
  readonly tokens: readonly string[];
}

const negationPrefix = '¬';
const valuePrefix = '=';

/** Details of one word, independent of its context. */
type WordTokenizer = (word: string, plain: string) => readonly string[];

/** Creates a reader for many texts with a shared vocabulary, which tokenizes each word once. */
export function createDetailsReader(): (text: string) => TextDetails {
  const cache = new LRUCache<string, readonly string[]>({ max: maxCachedWords });
  const tokenizeWord: WordTokenizer = (word, plain) => {
    const cached = cache.get(word);
    if (cached !== undefined) return cached;
    const tokens = detailTokensOf(word, plain);
    cache.set(word, tokens);
    return tokens;
  };
  return text => extractDetails(text, tokenizeWord);
}

/** Linear in the length of the text. Never throws. */
export function extractDetails(text: string, tokenizeWord: WordTokenizer = detailTokensOf): TextDetails {
  const tokens = new Set<string>();
  for (const line of text.normalize('NFKC').split('\n')) {
    let isNegated = false;
    for (const written of line.replaceAll('’', "'").split(/\s+/u)) {
      const word = written.replace(/^["'`“„«([{*]+/u, '').replace(/(?<!["'`”»)\]}*,;:!?….])["'`”»)\]}*,;:!?….]+$/u, '');
      const plain = word.toLowerCase();
      const isNegation = negations.has(plain) || contractedNegation.test(plain);
      const wordTokens = isNegation ? [] : tokenizeWord(word, plain);
      for (const [i, it] of wordTokens.entries()) tokens.add(isNegated && i === 0 ? negationPrefix + it : it);
      // A negation applies to the next word of its clause.
      if (wordTokens.length > 0) isNegated = false;
      if (isNegated && (isNegation || clauseEndPattern.test(written))) tokens.add(negationPrefix);
      isNegated = (isNegated && !clauseEndPattern.test(written)) || isNegation;
    }
    if (isNegated) tokens.add(negationPrefix);
  }
  return { tokens: [...tokens] };
}

function detailTokensOf(word: string, plain: string): string[] {
  if (word === '' || word === '-' || word === '–' || word === '—' || word === '&') return [];
  if (/^[^\p{L}\p{N}]+$/u.test(word) && !/\p{Extended_Pictographic}/u.test(word)) return [valuePrefix + word];
  const stems = analyzeText(word).filter(it => !isStopWord(it) || meaningfulStopWords.has(plain));
  return isValue(word) ? [valuePrefix + (word.includes('_') ? word : plain), ...stems] : stems;
}

/** Numbers, versions, paths, addresses, identifiers: a difference of one character changes the meaning. */
function isValue(word: string): boolean {
  return /\p{N}|[_/\\@#$%<>=+~]|\p{L}[.:]\p{L}|\p{Ll}\p{Lu}|^\./u.test(word);
}

/** Whether `merged` contains every detail of the texts. */
export function preservesAllDetails(merged: string, texts: readonly string[]): boolean {
  const keptTokens = new Set(extractDetails(merged).tokens);
  return texts.every(it => extractDetails(it).tokens.every(token => keptTokens.has(token)));
}

/**
 * Merges similar texts by rule: the most detailed one, followed by the clauses of the others that add a detail. Loses
 * no word, number, name or negation ({@link preservesAllDetails}).
 * @param texts at least one
 */
export function mergeByRule(texts: readonly string[]): string {
  const distinct = new Set(texts.map(it => it.trim()));
  if (distinct.size === 1) return [...distinct][0]!;
  const [fullest = '', ...otherTexts] = [...texts].sort(
    (a, b) => extractDetails(b).tokens.length - extractDetails(a).tokens.length || a.length - b.length,
  );
  let merged = fullest.trim();
  for (const text of otherTexts) {
    for (const sentence of text.split('\n').flatMap(splitSentences)) {
      if (!preservesAllDetails(merged, [sentence])) merged = joinSentences(merged, missingClauses(merged, sentence));
    }
    // The clauses were too short; the whole text is always correct.
    if (!preservesAllDetails(merged, [text])) merged = joinSentences(merged, text.trim());
  }
  return preservesAllDetails(merged, texts) ? merged : texts.map(it => it.trim()).join('\n');
}

/** Clauses of a sentence that add a detail; the whole sentence if they do not preserve its details. */
function missingClauses(merged: string, sentence: string): string {
  const clauses = splitClauses(sentence).filter(it => !preservesAllDetails(merged, [it]));
  const part = clauses.map(capitalizeClause).reduce((all, it) => (all === '' ? it : joinSentences(all, it)), '');
  return part !== '' && preservesAllDetails(`${merged}.\n${part}`, [sentence]) ? part : sentence;
}

function joinSentences(first: string, second: string): string {
  if (first === '') return second;
  if (first.includes('\n') || second.includes('\n')) return `${first}\n${second}`;
  return `${first}${/[.!?…。！？]["'”’»)\]]*$/u.test(first) ? '' : '.'} ${second}`;
}

/** Turns a clause into a sentence; an identifier keeps its case. */
function capitalizeClause(clause: string): string {
  return /^\p{Ll}+(?=[\s,])/u.test(clause) ? clause[0]!.toUpperCase() + clause.slice(1) : clause;
}

/** `differ`: other topics or values. `conflict`: one text negates the other. */
export type Agreement = 'agree' | 'differ' | 'conflict';

/**
 * Whether two similar texts can be merged. Not if each has something else at the same position ("use npm here", "use
 * pnpm here"), if two words have changed places, if each has a value that the other lacks, or if one negates the other.
 */
export function compareDetails(first: TextDetails, second: TextDetails): Agreement {
  const [firstTokens, secondTokens] = [new Set(first.tokens), new Set(second.tokens)];
  const denies = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
    [...a].some(it => it.startsWith(negationPrefix) && !b.has(it) && b.has(it.slice(1)) && !a.has(it.slice(1)));
  if (denies(firstTokens, secondTokens) || denies(secondTokens, firstTokens)) return 'conflict';
  const isOnlyIn = (set: ReadonlySet<string>) => (it: string) => !set.has(it);
  const hasUniqueValue = (a: readonly string[], b: ReadonlySet<string>): boolean =>
    a.filter(isOnlyIn(b)).some(it => it.startsWith(valuePrefix));
  if (hasUniqueValue(first.tokens, secondTokens) && hasUniqueValue(second.tokens, firstTokens)) return 'differ';
  const aligned = [first.tokens.slice(0, maxAlignedTokens), second.tokens.slice(0, maxAlignedTokens)] as const;
  return hasSubstitution(...aligned) || hasSwap(...aligned) ? 'differ' : 'agree';
}

/** Whether two tokens have changed places and nothing else has: "from staging to production", "from production to staging". */
function hasSwap(first: readonly string[], second: readonly string[]): boolean {
  if (first.length !== second.length) return false;
  const moved = first.flatMap((it, i) => (it === second[i] ? [] : [i]));
  const [left, right] = moved;
  return moved.length === 2 && first[left!] === second[right!] && first[right!] === second[left!];
}

/** Whether, between two shared tokens, each text has a token that the other lacks everywhere. */
function hasSubstitution(first: readonly string[], second: readonly string[]): boolean {
  const [firstTokens, secondTokens] = [new Set(first), new Set(second)];
  const common = longestCommonSubsequence(
    first.filter(it => secondTokens.has(it)),
    second.filter(it => firstTokens.has(it)),
  );
  const gaps = (all: readonly string[], otherTokens: ReadonlySet<string>): boolean[] => {
    const hasGap = common.map(() => false).concat(false);
    let gap = 0;
    for (const it of all) {
      if (it === common[gap]) gap++;
      else if (!otherTokens.has(it)) hasGap[gap] = true;
    }
    return hasGap;
  };
  const [firstGaps, secondGaps] = [gaps(first, secondTokens), gaps(second, firstTokens)];
  return firstGaps.some((it, i) => it && secondGaps[i] === true);
}

function longestCommonSubsequence(first: readonly string[], second: readonly string[]): string[] {
  const width = second.length + 1;
  const lengths = new Uint16Array((first.length + 1) * width);
  for (let i = first.length - 1; i >= 0; i--) {
    for (let j = second.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        first[i] === second[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const common: string[] = [];
  for (let i = 0, j = 0; i < first.length && j < second.length;) {
    if (first[i] === second[j]) {
      common.push(first[i]!);
      i++;
      j++;
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++;
    else j++;
  }
  return common;
}
