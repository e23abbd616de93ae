import { splitBlocks } from '../text/blockSplitter.js';
import { splitClauses } from '../text/clauseSplitter.js';
import { hasFact } from '../text/factSplitter.js';
import { splitReportingPhrase } from '../text/reportedSpeech.js';
import { splitSentences } from '../text/sentenceSplitter.js';
import { concreteCues, transienceCues, durabilityCues, type CaptureCue } from './cues.js';

/** The least sum of weights of a sentence that is kept. Measured: bench capture. */
const minScore = 3.5;
/** A sentence without a concrete cue needs stronger durability cues. */
const noConcreteCuePenalty = -2;
/** Longer sentences are pasted prose. In UTF-16 units. */
const maxSentenceLength = 500;
const maxTextLength = 200_000;

/** An explicit request to remember. */
const rememberRequestPattern =
  /\b(?:remember|note|keep in mind|bear in mind|be aware|don't forget|memori[sz]e) that\b|^(?:please )?(?:remember|note|memori[sz]e)(?: this)?:/iu;
const rememberRequestBonus = 3;

/** Discourse markers at the start of a sentence. */
const discourseOpenerPattern =
  /^(?:(?:and|also|so|ok(?:ay)?|well|hey|hi|now|oh|but|great|good|perfect|alright|all right|right|sure|yes|yeah|exactly|absolutely|additionally|furthermore|moreover|similarly|likewise|finally|lastly|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|then|first of all|first and foremost|one more thing|another thing|by the way|btw|also|in addition|in particular|specifically|again|remember|importantly|as (?:always|mentioned|discussed|you know|a reminder)|on (?:another|a different) note|that said|however|on top of that|to (?:start|begin|clarify))(?:[,:;.!–—-]+\s*|\s+(?=(?:and|also|so|please|when|for|always|never|we|i|make|use)\b))){1,4}/iu;

/** References to a previous sentence: this one cannot be read alone. */
const anaphoricRulePattern =
  /\b(?:this|that|these|those|such(?: an?)?|the (?:same|above|following)|said) (?:new |naming |coding |specific )?(?:rule|convention|decorator|module|prefix|suffix|string|library|approach|format|style|standard|practice|tool|pattern|statement|instruction|one|import|annotation|guideline|policy|change)s?\b|\b(?:apply|follow|do|use) (?:this|it|that|these|those|them)\b/iu;
const pronounPattern = /\b(?:it|them|they|this|these|those)\b/iu;
/** The pronoun's antecedent is in the same sentence: "when naming methods, start them with …". */
const antecedentPattern =
  /\b(?:when|for|if|all|every|each|any|whenever|your|our|the)\b[^,;]{0,60}\b\p{L}{3,}s?\b[^,;]*[,;]?.*\b(?:it|them|they)\b/iu;

/**
 * Extracts the lasting facts of a person's turn by rules: corrections, preferences, decisions, conventions, commitments.
 * Requests, questions, thanks and attempts are left out. Each fact is readable alone: a sentence that refers to the
 * previous one includes it. In the order of the turn, without duplicates. Linear in the length of the turn; never throws.
 */
export function extractFacts(turn: string): string[] {
  const facts: string[] = [];
  for (const block of splitBlocks(turn.slice(0, maxTextLength).replaceAll('\r', ''))) {
    if (block.text.length > maxTextLength || /```|~~~/u.test(block.text)) continue;
    const heading = block.heading === '' ? '' : `${block.heading}: `;
    const sentences = splitSentences(block.text.replaceAll(/\s+/gu, ' '));
    let previousSentence = '';
    for (const sentence of sentences) {
      const plain = stripOpener(sentence);
      const lastFact = facts.at(-1);
      if (isWorthKeeping(heading + plain, rememberRequestPattern.test(sentence) ? rememberRequestBonus : 0)) {
        if (isSelfContained(plain)) facts.push(...splitIntoFacts(heading + plain));
        else if (previousSentence !== '' && previousSentence.length + plain.length <= maxSentenceLength) {
          if (lastFact?.endsWith(previousSentence) === true) facts[facts.length - 1] = `${lastFact} ${plain}`;
          else facts.push(`${previousSentence} ${plain}`);
        } else if (hasContent(plain)) facts.push(capitalize(heading + plain));
      }
      if (isSelfContained(plain) && hasFact(plain) && hasConcreteCue(plain)) previousSentence = capitalize(plain);
    }
  }
  return [...new Set(facts)];
}

/** The sum of the weights of a sentence's cues, and their names. */
export function scoreSentence(sentence: string): { readonly weight: number; readonly cues: readonly string[] } {
  const matchingCues = (table: readonly CaptureCue[]): readonly CaptureCue[] =>
    table.filter(it => it.pattern.test(sentence));
  const concreteMatches = matchingCues(concreteCues);
  const matches = [...matchingCues(durabilityCues), ...concreteMatches, ...matchingCues(transienceCues)];
  const base = concreteMatches.length === 0 ? noConcreteCuePenalty : 0;
  return { weight: matches.reduce((sum, it) => sum + it.weight, base), cues: matches.map(it => it.name) };
}

/** The clauses of a sentence where each is worth keeping alone; else the whole sentence. */
function splitIntoFacts(sentence: string): string[] {
  const clauses = splitClauses(sentence);
  return (clauses.every(isWorthKeeping) ? clauses : [sentence]).map(capitalize);
}

function hasConcreteCue(sentence: string): boolean {
  return concreteCues.some(it => it.pattern.test(sentence));
}

function isWorthKeeping(sentence: string, bonus = 0): boolean {
  if (sentence.length > maxSentenceLength || sentence.split(/\s+/u).length < 3) return false;
  const { weight, cues } = scoreSentence(sentence);
  return weight + bonus >= minScore && (bonus > 0 || cues.some(it => durabilityCueNames.has(it)));
}
const durabilityCueNames = new Set(durabilityCues.map(it => it.name));

/** The sentence without discourse markers and reporting phrases at its start. */
function stripOpener(sentence: string): string {
  const { rest } = splitReportingPhrase(sentence.replace(discourseOpenerPattern, ''));
  const plain = rest.replace(discourseOpenerPattern, '');
  return /[\p{L}\p{N}]/u.test(plain) ? plain : sentence;
}

function isSelfContained(sentence: string): boolean {
  return !anaphoricRulePattern.test(sentence) && (!pronounPattern.test(sentence) || antecedentPattern.test(sentence));
}

/** Whether a sentence with a back reference names something itself; "apply this everywhere" does not. */
function hasContent(sentence: string): boolean {
  const { cues } = scoreSentence(sentence);
  return cues.includes('literal') || (cues.includes('all of them') && !anaphoricRulePattern.test(sentence));
}

function capitalize(text: string): string {
  return text.replace(/^\p{Ll}(?=\p{Ll}*(?:[\s,]|$))/u, it => it.toUpperCase());
}
