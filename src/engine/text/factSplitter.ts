import { refersBack } from './backReference.js';
import { splitBlocks } from './blockSplitter.js';
import { splitClauses } from './clauseSplitter.js';
import { splitPersonPredicates, splitReportedPredicates, splitReportingPhrase } from './reportedSpeech.js';
import { contentPattern, joinSigns, splitSentences } from './sentenceSplitter.js';

/**
 * The standalone facts of a text, in order: sentences, list items and lines, and the clauses of a sentence that each have
 * a subject and a verb of their own. A heading or lead-in ("Our rules:") goes before each of its items.
 *
 * Together the facts are what was said: nothing is added but a repeated heading, and nothing is missing but white space,
 * list marks, the comma or semicolon between two facts with its "and", reporting phrases ("Please remember that…", "FYI:") and small
 * talk; where the user is said to work and what is done there, verbs are in the third person. What refers to the sentence before stays with it, as does an answer with its question; code, tables, steps under
 * a lead-in, quotations and bracketed text stay whole. In doubt the text stays whole. At least one fact for a text with
 * any letter or digit, none for one without. Linear, never throws.
 *
 * After memcone ("How memory is stored"), by rules rather than by a model.
 */
export function splitFacts(text: string): string[] {
  const facts: string[] = [];
  let lastPlace: string | undefined;
  for (const { text: block, heading, section, isIndivisible } of splitBlocks(text.replace(/\r\n?/g, '\n'))) {
    let joint = '\n';
    const place = `${section} ${heading}`;
    for (const sentence of isIndivisible ? [block] : splitSentences(block)) {
      const { phrase, rest } = splitReportingPhrase(sentence);
      const [first = rest, ...others] = isIndivisible ? [rest] : splitReported(phrase, rest);
      const previous = place === lastPlace ? facts.at(-1) : undefined;
      const isAnswer = previous?.endsWith('?') === true;
      if (!isAnswer && heading === '' && isSmallTalk(rest)) continue;
      if (
        previous !== undefined &&
        (isAnswer || refersBack(rest) || (joint === ' ' && /^[\p{L}'’]+[.!]*$/u.test(rest)))
      ) {
        const glue = joint === ' ' && /[\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]$/u.test(previous) ? '' : joint;
        facts[facts.length - 1] = `${previous}${glue}${phrase}${first}`;
      } else {
        facts.push(withHeading(heading, first));
        lastPlace = place;
      }
      facts.push(...others.map(it => withHeading(heading, it)));
      joint = ' ';
    }
  }
  const standalone = joinSigns(
    facts.map(it => it.trim()),
    '\n',
  );
  if (standalone.length > 0) return standalone;
  return contentPattern.test(text) ? [text.trim()] : [];
}

/** What was reported: "that A, and that B" is two facts. */
function splitReported(phrase: string, rest: string): string[] {
  const isReported = /\s(?:that|que|dass|daß)\s+$/iu.test(phrase);
  const predicates = splitPersonPredicates(phrase, rest);
  if (predicates !== undefined) return [...predicates];
  const parts = isReported ? rest.split(/(?:,|(?<![\s,]))\s+(?:and|et|y|und)\s+(?:that|que|dass|daß)\s+/iu) : [rest];
  return parts.flatMap(splitClauses).flatMap((it, i) => (i === 0 ? splitReportedPredicates(phrase, it) : [it]));
}

function withHeading(heading: string, fact: string): string {
  if (heading === '') return fact;
  return fact.includes('\n') ? `${heading}:\n${fact}` : `${heading}: ${fact.trim()}`;
}

/**
 * Whether a text states something to remember: more than questions, greetings, thanks or acknowledgements ("ok thanks!",
 * "sounds good"). For capture only; a text that a person asks to remember is always kept. Never throws.
 */
export function hasFact(text: string): boolean {
  return splitSentences(text.replace(/\s+/g, ' ').slice(0, 20_000)).some(statesSomething);
}

function statesSomething(sentence: string): boolean {
  const plain = sentence.replace(/[\p{Extended_Pictographic}\uFE0F]/gu, ' ').trim();
  if (plain.endsWith('?') || !/\p{L}{2}/u.test(plain)) return false;
  if (
    /^(?:(?:what|why|how|who|where|which|whose)\b(?! to\b)(?:'s|'re)? ?(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|about|come)\b|(?:can|could|would|will|should|do|does|did|is|are|shall|may) (?:you|we|i|it|there|this|that|the)\b(?! not\b))/i.test(
      plain,
    )
  ) {
    return false;
  }
  return !isSmallTalk(plain);
}

function isSmallTalk(sentence: string): boolean {
  // Any other sign may be what was meant, as in "no -> off", and so may one between letters.
  if (/\p{L}[^\s\p{L}'’\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]+\p{L}/u.test(sentence)) return false;
  const words = sentence
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[\s.,!?…:;()–—\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]+/gu, ' ')
    .trim();
  return smallTalk.test(words) || interjection.test(words);
}

/** Matches an exclamation of a few words. */
const interjection = /^(?:h+m+|a+h+|o+h+|ugh|wow|argh|oops|whoa|yikes)(?: [\p{L}']+){0,3}$/u;

/** Matches sentences of words that only greet, thank or agree. One flat repetition: linear. */
const smallTalk =
  /^(?:(?:ok|okay|okey|k|kk|yes|yep|yeah|yup|no|nope|nah|sure|right|fine|great|good|nice|cool|awesome|perfect|excellent|amazing|lovely|brilliant|thanks|thank|thx|ty|cheers|you|u|so|much|a|lot|very|many|hi|hey|hello|yo|morning|afternoon|evening|night|there|all|everyone|team|claude|copilot|please|pls|go|ahead|do|it|that|this|is|was|sounds|looks|seems|works|for|me|lgtm|got|agreed|agree|i|exactly|correct|understood|makes|sense|hmm|hm|ah|oh|aha|wow|lol|haha|well|done|job|bye|see|later|welcome|np|no|problem|worries|sorry|my|bad|let's|lets|continue|proceed|next|again|try|now|and|the|just|really|to|will|danke|merci|gracias|super|top|klar|ja|nein|oui|non|si|sí|vale|bitte|genau|alles|gut|\+1)(?: |$)){1,12}$/u;
