import { blocksOf } from '../text/blocks.js';
import { splitClauses } from '../text/clauses.js';
import { hasFact } from '../text/facts.js';
import { splitReporting } from '../text/reporting.js';
import { splitSentences } from '../text/sentences.js';
import { anchors, countersigns, signs, type CaptureCue } from './cues.js';

/** A sentence is kept from this sum of weights on; with something to hold on to less is enough. Measured: bench capture. */
const enough = 3.5;
/** What says no concrete thing must be said the more plainly as a rule. */
const withoutAnchor = -2;
/** Longer sentences are pasted prose. In UTF-16 units. */
const longestSentence = 500;
const longestText = 200_000;

/** Says in so many words that it is to be kept. */
const asksToRemember =
  /\b(?:remember|note|keep in mind|bear in mind|be aware|don't forget|memori[sz]e) that\b|^(?:please )?(?:remember|note|memori[sz]e)(?: this)?:/iu;
const toldToRemember = 3;

/** Words that open a spoken sentence and say nothing. */
const opening =
  /^(?:(?:and|also|so|ok(?:ay)?|well|hey|hi|now|oh|but|great|good|perfect|alright|all right|right|sure|yes|yeah|exactly|absolutely|additionally|furthermore|moreover|similarly|likewise|finally|lastly|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|then|first of all|first and foremost|one more thing|another thing|by the way|btw|also|in addition|in particular|specifically|again|remember|importantly|as (?:always|mentioned|discussed|you know|a reminder)|on (?:another|a different) note|that said|however|on top of that|to (?:start|begin|clarify))(?:[,:;.!–—-]+\s*|\s+(?=(?:and|also|so|please|when|for|always|never|we|i|make|use)\b))){1,4}/iu;

/** What points at a sentence before: this one cannot be read alone. */
const pointsAtRule =
  /\b(?:this|that|these|those|such(?: an?)?|the (?:same|above|following)|said) (?:new |naming |coding |specific )?(?:rule|convention|decorator|module|prefix|suffix|string|library|approach|format|style|standard|practice|tool|pattern|statement|instruction|one|import|annotation|guideline|policy|change)s?\b|\b(?:apply|follow|do|use) (?:this|it|that|these|those|them)\b/iu;
const pronoun = /\b(?:it|them|they|this|these|those)\b/iu;
/** The pronoun has its noun in the very sentence: "when naming methods, start them with …". */
const noun =
  /\b(?:when|for|if|all|every|each|any|whenever|your|our|the)\b[^,;]{0,60}\b\p{L}{3,}s?\b[^,;]*[,;]?.*\b(?:it|them|they)\b/iu;

/**
 * The facts of a person's turn that are worth keeping: corrections, preferences, decisions, conventions, commitments,
 * by rule. Each is readable alone: where a sentence points back at the one before, that one comes along. What is said for
 * the moment only (requests, questions, thanks, what is being tried) is left out. In the order of the turn, each once.
 * Pure, deterministic, linear in the length of the turn; never throws.
 */
export function extractFacts(turn: string): string[] {
  const facts: string[] = [];
  for (const block of blocksOf(turn.slice(0, longestText).replaceAll('\r', ''))) {
    if (block.text.length > longestText || /```|~~~/u.test(block.text)) continue;
    const heading = block.heading === '' ? '' : `${block.heading}: `;
    const sentences = splitSentences(block.text.replaceAll(/\s+/gu, ' '));
    let before = '';
    for (const sentence of sentences) {
      const plain = plainSentence(sentence);
      const kept = facts.at(-1);
      if (isWorthKeeping(heading + plain, asksToRemember.test(sentence) ? toldToRemember : 0)) {
        if (standsAlone(plain)) facts.push(...clausesOf(heading + plain));
        else if (before !== '' && before.length + plain.length <= longestSentence) {
          if (kept?.endsWith(before) === true) facts[facts.length - 1] = `${kept} ${plain}`;
          else facts.push(`${before} ${plain}`);
        } else if (saysWhat(plain)) facts.push(capitalised(heading + plain));
      }
      if (standsAlone(plain) && hasFact(plain) && hasAnchor(plain)) before = capitalised(plain);
    }
  }
  return [...new Set(facts)];
}

/** How much speaks for keeping a sentence, and what; for tests and for whoever changes the tables. */
export function weigh(sentence: string): { readonly weight: number; readonly cues: readonly string[] } {
  const firing = (table: readonly CaptureCue[]): readonly CaptureCue[] => table.filter(it => it.pattern.test(sentence));
  const held = firing(anchors);
  const fired = [...firing(signs), ...held, ...firing(countersigns)];
  const base = held.length === 0 ? withoutAnchor : 0;
  return { weight: fired.reduce((sum, it) => sum + it.weight, base), cues: fired.map(it => it.name) };
}

/** Clauses of their own where each says something worth keeping; else the sentence stays whole. */
function clausesOf(sentence: string): string[] {
  const clauses = splitClauses(sentence);
  return (clauses.every(isWorthKeeping) ? clauses : [sentence]).map(capitalised);
}

function hasAnchor(sentence: string): boolean {
  return anchors.some(it => it.pattern.test(sentence));
}

function isWorthKeeping(sentence: string, more = 0): boolean {
  if (sentence.length > longestSentence || sentence.split(/\s+/u).length < 3) return false;
  const { weight, cues } = weigh(sentence);
  return weight + more >= enough && (more > 0 || cues.some(it => isSign.has(it)));
}
const isSign = new Set(signs.map(it => it.name));

/** Without what only opens it or reports that it is said. */
function plainSentence(sentence: string): string {
  const { rest } = splitReporting(sentence.replace(opening, ''));
  const plain = rest.replace(opening, '');
  return /[\p{L}\p{N}]/u.test(plain) ? plain : sentence;
}

function standsAlone(sentence: string): boolean {
  return !pointsAtRule.test(sentence) && (!pronoun.test(sentence) || noun.test(sentence));
}

/** Although it points back, it names something itself; "apply this everywhere" does not. */
function saysWhat(sentence: string): boolean {
  const { cues } = weigh(sentence);
  return cues.includes('literal') || (cues.includes('all of them') && !pointsAtRule.test(sentence));
}

function capitalised(text: string): string {
  return text.replace(/^\p{Ll}(?=\p{Ll}*(?:[\s,]|$))/u, it => it.toUpperCase());
}
