import { compareStatements, parseStatement } from '../contradiction/statement.js';
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
 * Whether one of the rules says what a memory says, in any order and with more around it. A rule that contradicts it, or
 * negates what it does not, does not.
 */
export function isAlreadySaid(content: string, rules: readonly SaidRule[]): boolean {
  const { terms, isNegative } = toSaidRule(content);
  if (terms.size < minTerms) return rules.some(it => it.text.trim() === content.trim());
  const maxMissing = terms.size >= minTermsToLoseOne ? 1 : 0;
  const statement = parseStatement(content);
  return rules.some(
    rule =>
      rule.isNegative === isNegative &&
      countMissing(terms, rule.terms, maxMissing) <= maxMissing &&
      compareStatements(parseStatement(rule.text), statement).relation !== 'conflicting',
  );
}

/** The number of terms that are not in `others`; a number or a version counts as too many. */
function countMissing(terms: ReadonlySet<string>, others: ReadonlySet<string>, maxMissing: number): number {
  let missing = 0;
  for (const it of terms) {
    if (others.has(it)) continue;
    missing += /\d/u.test(it) ? maxMissing + 1 : 1;
    if (missing > maxMissing) break;
  }
  return missing;
}

function toSaidRule(text: string): SaidRule {
  const terms = analyzeText(text).filter(it => !isStopWord(it) && !rulePhrasing.has(it));
  return { text, terms: new Set(terms), isNegative: negation.test(text) };
}
