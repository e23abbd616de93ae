import { splitBlocks } from './blockSplitter.js';
import { splitClauses } from './clauseSplitter.js';
import { splitReportingPhrase } from './reportedSpeech.js';
import { splitSentences } from './sentenceSplitter.js';
import { isBaseVerb, modals, personalAdverbs, subordinators, toThirdPerson } from './verbs.js';

/**
 * The standalone facts of a text, in order: sentences, list items and lines, then coordinated clauses that each have
 * a predicate of their own, with reporting phrases ("The user says that they…", "Please remember that…", "FYI:")
 * removed and a shared subject repeated. A heading or lead-in ("Our rules:") goes before each of its items.
 *
 * Code blocks, numbered steps under a lead-in, quotations and bracketed text stay whole; when unsure, the text stays
 * whole. No word is lost but the reporting phrases, and splitting a fact again gives that fact. At least one fact for
 * a text with any letter or digit, none for one without. Linear, never throws.
 *
 * After memcone ("How memory is stored"), by rules rather than by a model.
 */
export function splitFacts(text: string): string[] {
  let facts = splitOnce(text);
  // A split clause can contain a conjunction that its context hid; every round cuts, so the loop ends.
  for (let round = 0; round < maxSplitRounds; round++) {
    const nextFacts = facts.flatMap(splitOnce);
    if (nextFacts.length === facts.length) return nextFacts;
    facts = nextFacts;
  }
  return facts;
}

/** Real texts need one round; a bound for adversarial texts. */
const maxSplitRounds = 8;

function splitOnce(text: string): string[] {
  const facts: string[] = [];
  for (const { text: block, heading, isIndivisible } of splitBlocks(text.replace(/\r\n?/g, '\n'))) {
    const statement = heading === '' ? block : `${heading}: ${splitReportingPhrase(block).rest}`;
    facts.push(...(isIndivisible ? [splitReportingPhrase(statement).rest] : splitParagraph(statement)));
  }
  return facts.map(fact => fact.trim()).filter(fact => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(fact));
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
  const words = plain
    .toLowerCase()
    .replace(/[^\p{L}\p{N}'+]+/gu, ' ')
    .trim();
  return !smallTalk.test(words);
}

/** Matches sentences of words that only greet, thank or agree. One flat repetition: linear. */
const smallTalk =
  /^(?:(?:ok|okay|okey|k|kk|yes|yep|yeah|yup|no|nope|nah|sure|right|fine|great|good|nice|cool|awesome|perfect|excellent|amazing|lovely|brilliant|thanks|thank|thx|ty|cheers|you|u|so|much|a|lot|very|many|hi|hey|hello|yo|morning|afternoon|evening|night|there|all|everyone|team|claude|copilot|please|pls|go|ahead|do|it|that|this|is|was|sounds|looks|seems|works|for|me|lgtm|got|agreed|agree|i|exactly|correct|understood|makes|sense|hmm|hm|ah|oh|aha|wow|lol|haha|well|done|job|bye|see|later|welcome|np|no|problem|worries|sorry|my|bad|let's|lets|continue|proceed|next|again|try|now|and|the|just|really|to|will|danke|merci|gracias|super|top|klar|ja|nein|oui|non|si|sí|vale|bitte|genau|alles|gut|\+1)(?: |$)){1,12}$/u;

function splitParagraph(paragraph: string): string[] {
  return splitSentences(paragraph.replace(/\s+/g, ' ')).flatMap(sentence => {
    const { phrase, rest } = splitReportingPhrase(sentence);
    const statement = /\b(?:user|developer|person|human|dev|customer)\b/i.test(phrase) ? withImpliedUser(rest) : rest;
    return splitClauses(statement);
  });
}

/** "they work at a startup and prefer Go" → "works at a startup and prefers Go": the user is the implied subject, as in memcone. */
function withImpliedUser(statement: string): string {
  const pronoun = /^(?:they|he|she|i)(?:['’](re|ve|m))?\s+/i.exec(statement);
  if (!pronoun) return statement;
  const rest = statement.slice(pronoun[0].length);
  if (/^s?he/i.test(statement)) return rest;
  const contracted: Readonly<Record<string, string>> = { re: 'is ', ve: 'has ', m: 'is ' };
  const words = ((contracted[pronoun[1]?.toLowerCase() ?? ''] ?? '') + rest).split(' ');
  // The first verb and those joined to it by "and", until a dependent clause begins.
  let expectsVerb = true;
  for (const [index, word] of words.entries()) {
    if (expectsVerb && !personalAdverbs.test(word)) {
      if (index > 0 && !isBaseVerb(word)) expectsVerb = false;
      else words[index] = toThirdPerson(word);
      if (index === 0 && modals.test(word)) break;
      expectsVerb = false;
    }
    if (/^(?:and|but)$/i.test(word)) expectsVerb = true;
    else if (subordinators.test(word)) break;
  }
  return words.join(' ');
}
