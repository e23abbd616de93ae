import { findProtectedSpans } from './sentenceSplitter.js';
import {
  anaphors,
  isBaseVerb,
  isThirdPerson,
  modals,
  personalAdverbs,
  startsWithThirdPerson,
  subordinators,
} from './verbs.js';

/** Longer sentences, in UTF-16 units, are not split: the rules do not cover such prose. */
const maxSentenceLength = 600;
/** A longer sequence of words is probably no subject. */
const maxSubjectWords = 6;

/** Joins of two clauses: ", and", "and", "but", a semicolon, or a comma alone before a new subject. */
const conjunctionPattern = /\s*;\s+(?:and\s+|but\s+)?|,?\s+(?:and|but)\s+(?:also\s+)?|,\s+/g;

/**
 * Splits a sentence into coordinated clauses that can each be read alone: "Sarah leads auth and Marcus owns CI" gives
 * two, "works at X and prefers Y" gives two, "uses tabs and spaces" stays one. A shared subject is
 * repeated in the second clause. When unsure, the sentence stays whole. Never throws.
 */
export function splitClauses(sentence: string): string[] {
  if (sentence.length > maxSentenceLength || sentence.endsWith('?')) return [sentence];
  const spans = findProtectedSpans(sentence);
  const clauses: string[] = [];
  let start = 0;
  let subject = '';
  for (const conjunction of sentence.matchAll(conjunctionPattern)) {
    if (spans.some(span => span.start <= conjunction.index && conjunction.index < span.end)) continue;
    const left = sentence.slice(start, conjunction.index).trim();
    const right = sentence.slice(conjunction.index + conjunction[0].length);
    const continuation = findContinuation(withSubject(left, subject), right, conjunction[0]);
    if (continuation === undefined) continue;
    clauses.push(withSubject(left, subject));
    subject = continuation.subject;
    start = conjunction.index + conjunction[0].length;
  }
  clauses.push(withSubject(sentence.slice(start).trim(), subject));
  return clauses;
}

function withSubject(clause: string, subject: string): string {
  return subject === '' ? clause : `${subject} ${clause}`;
}

/** The subject to repeat in the right side, empty if it has its own; undefined if the sentence must not be split. */
function findContinuation(left: string, right: string, conjunction: string): { readonly subject: string } | undefined {
  const leftWords = left.split(/\s+/);
  // The words before a colon apply to everything after it.
  if (/:\s/.test(right)) return undefined;
  if (subordinators.test(left) || !/[\p{L}\p{N}]/u.test(right)) return undefined;
  const comma = /^,\s+$/.test(conjunction);
  const ownClause = firstClause(right);
  if (hasPredicate(leftWords) && hasOwnSubject(ownClause, comma)) return { subject: '' };
  if (comma || anaphors.test(ownClause)) return undefined;

  const words = ownClause.split(/\s+/);
  const adverbs = words.findIndex(word => !personalAdverbs.test(word));
  const verbs = words.slice(Math.max(0, adverbs));
  if (/^(?:never|always|don't|do not|dont|avoid|prefer)\b/i.test(ownClause) && isImperative(leftWords)) {
    return verbs.length > 1 ? { subject: '' } : undefined;
  }

  const subject = findSubject(leftWords);
  if (subject === undefined || verbs.length < 2) return undefined;
  // "We build and deploy with make" shares its object; "we use pnpm and …" has one of its own.
  if (leftWords.length - subject.length < 2) return undefined;
  const verb = leftWords.slice(subject.length).find(word => !personalAdverbs.test(word)) ?? '';
  if (startsWithThirdPerson(verbs) && isThirdPerson(verb)) return { subject: subject.join(' ') };
  const personal = /^(?:i|we|they|you)$/i.test(subject.join(' '));
  const [first = '', second = ''] = verbs;
  const sharesInfinitive = leftWords.slice(subject.length).some(word => modals.test(word));
  if (personal && isBaseVerb(verb) && isBaseVerb(first) && !sharesInfinitive && !/^(?:of|and|or)$/.test(second)) {
    return { subject: subject.join(' ') };
  }
  return undefined;
}

/** The text up to the next conjunction: the second clause, if it is one. */
function firstClause(right: string): string {
  return right.split(/\s+(?:and|but)\s+|[;,]\s/, 1)[0]!.replace(/[.!]+$/, '');
}

/** "I use", "my team uses", "Marcus handles", "the API returns": a subject, then a finite verb. */
function hasOwnSubject(clause: string, comma: boolean): boolean {
  const words = clause.split(/\s+/).slice(0, maxSubjectWords + 2);
  const [first = ''] = words;
  if (/^(?:i|i'm|i've|we|we're|we've)$/i.test(first)) return words.length >= 3 && !anaphors.test(clause);
  const nounPhrase = /^(?:the|a|an|my|our|your|each|every|all|no)$/i.test(first) || /^[\p{Lu}`@#]/u.test(first);
  if (!nounPhrase || anaphors.test(clause)) return false;
  const verb = words.findIndex(
    (word, index) => index > 0 && (isThirdPerson(word) || /^(?:are|have|were)$/i.test(word)),
  );
  if (verb < 1 || verb > (comma ? 2 : 4) || verb === words.length - 1) return false;
  // "the tests and builds": a noun phrase whose verb may be a plural noun needs an article or a name before it.
  return words.slice(1, verb).every(word => !/^(?:of|in|on|for|with|to|from|by|at)$/i.test(word));
}

function hasPredicate(words: readonly string[]): boolean {
  if (isImperative(words)) return true;
  return words.some(
    (word, index) =>
      isThirdPerson(word) ||
      /^(?:am|are|were|have|had|will|would|can|could|should|must|don't|won't|can't|i'm|we're|i've|we've)$/i.test(
        word,
      ) ||
      (index > 0 && isBaseVerb(word) && /^(?:i|we|you|they|always|never|usually|to)$/i.test(words[index - 1]!)),
  );
}

function isImperative([first = '', second = '']: readonly string[]): boolean {
  if (/^(?:always|never|please)$/i.test(first)) return second !== '';
  if (/^(?:don't|dont|do)$/i.test(first)) return true;
  return (
    isBaseVerb(first) ||
    /^(?:add|ask|check|create|ensure|remember|stick|treat|wrap|name|pin|skip|remove|update)$/i.test(first)
  );
}

/** The words before the first finite verb and its adverbs: empty if the verb comes first, undefined without a verb. */
function findSubject(words: readonly string[]): readonly string[] | undefined {
  const verb = words.findIndex((word, index) =>
    index === 0
      ? isThirdPerson(word) && word === word.toLowerCase()
      : isThirdPerson(word) ||
        (isBaseVerb(word) && /^(?:i|we|they|you)$/i.test(lastWithoutAdverb(words.slice(0, index)))),
  );
  if (verb < 0 || verb > maxSubjectWords) return undefined;
  const subject = words.slice(0, verb);
  while (subject.length > 0 && personalAdverbs.test(subject.at(-1)!)) subject.pop();
  return subject.some(word => word.endsWith(',') || word.endsWith(':')) ? undefined : subject;
}

function lastWithoutAdverb(words: readonly string[]): string {
  return words.findLast(word => !personalAdverbs.test(word)) ?? '';
}
