import { readMarkdownRules } from '../exchange/formats/markdownRules.js';
import { analyzeText, isStopWord } from '../text/analyzer.js';
import { splitSentences } from '../text/sentenceSplitter.js';

/** One thing that a file says: a rule with its heading, or a sentence of it. */
export interface SaidRule {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  readonly isNegative: boolean;
}

/** A text with fewer terms is too vague to be found in a longer one. */
const minTerms = 2;
/** Of a text with at least so many terms, one may be missing: a word that differs in form. */
const minTermsToLoseOne = 8;
/** Characters that two forms of one word have in common at their beginning. */
const sharedStemLength = 4;

/** Words that say that something is a rule, not which one. */
const rulePhrasing = new Set(
  'use run must always need ensur make pleas project repo repositori code want keep prefer alwai onli'.split(' '),
);
const negation =
  /(?<![\p{L}\p{N}])(?:not?|never|nor|without|avoid|instead of|rather than|\p{L}+n['’]t|cannot|nicht|kein\p{L}*|nie|statt|jamais|pas|sans|nunca|sin|не|никогда|без)(?![\p{L}\p{N}])|[不别勿]|ない/iu;

/** What the texts of instructions files say. Linear in their length. */
export function readSaidRules(texts: readonly string[]): readonly SaidRule[] {
  return texts
    .flatMap(readMarkdownRules)
    .flatMap(it => ('content' in it ? [it.content, ...splitSentences(it.content)] : []))
    .map(toSaidRule);
}

/**
 * Whether one of the rules says what a memory says, in any order and with more around it. A rule that negates what it does
 * not, or has another word in the place of one of its words, does not.
 */
export function isAlreadySaid(content: string, rules: readonly SaidRule[]): boolean {
  const { terms, isNegative } = toSaidRule(content);
  if (terms.size < minTerms) return rules.some(it => it.text.trim() === content.trim());
  const maxMissing = terms.size >= minTermsToLoseOne ? 1 : 0;
  return rules.some(
    rule => rule.isNegative === isNegative && countMissing(terms, rule.terms, maxMissing) <= maxMissing,
  );
}

/** The number of terms that are not in `others`; one of which no other form is there either counts as too many. */
function countMissing(terms: ReadonlySet<string>, others: ReadonlySet<string>, maxMissing: number): number {
  let missing = 0;
  for (const it of terms) {
    if (others.has(it)) continue;
    const stem = it.slice(0, sharedStemLength);
    const hasOtherForm = !/\d/u.test(it) && [...others].some(other => other.startsWith(stem));
    missing += hasOtherForm ? 1 : maxMissing + 1;
    if (missing > maxMissing) break;
  }
  return missing;
}

function toSaidRule(text: string): SaidRule {
  const terms = analyzeText(text).filter(it => !isStopWord(it) && !rulePhrasing.has(it));
  return { text, terms: new Set(terms), isNegative: negation.test(text) };
}
