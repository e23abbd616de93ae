import { refersBack } from './backReference.js';
import { contentPattern, findProtectedSpans } from './sentenceSplitter.js';
import { isBaseVerb, isThirdPerson, subordinators } from './verbs.js';

/** Longer sentences, in UTF-16 units, are not split: the rules do not cover such prose. */
const maxSentenceLength = 600;

/**
 * Splits a sentence into clauses that can each be read alone: "Sarah leads auth, and Marcus owns CI" gives two, "uses
 * tabs and spaces" stays one. Each clause is what was written; the comma between two is dropped, with an
 * "and" behind it. What a semicolon joins was said in one breath, and stays together. A condition, a place or a time at the start holds for all of the sentence, so such a sentence stays
 * whole, as does one whose second clause has no subject of its own. A label before a colon goes before each of its
 * clauses. In doubt the sentence stays whole. Linear, never throws.
 */
export function splitClauses(sentence: string): string[] {
  if (sentence.length > maxSentenceLength || /[?](?:\s|$)/u.test(sentence)) return [sentence];
  const label = /^[^:;,.!?`"“(]{1,60}:\s+/u.exec(sentence)?.[0] ?? '';
  if (label === '') return /:\s/u.test(sentence) ? [sentence] : splitAt(sentence, jointPattern);
  const clauses = splitAt(sentence.slice(label.length), labeledJointPattern);
  // Where one item of the list is no clause, the others may be none either.
  return clauses.length > 1 && clauses.every(it => isOwnClause(it) && !listPattern.test(it))
    ? clauses.map(it => label + it)
    : [sentence];
}

/** Commas within a clause that do not go on with it: further items of a list. */
const listPattern = /,\s+(?!(?:not|never|except|unless|because|so|which|where|who|if|when|but)\b)/iu;

/** Joins of two clauses. "but" stays with the second: it says something of the two. */
const jointPattern = /,\s+(?=(?:and|but)\s)/giu;
/** A conjunction that only joins. "Sarah owns the API" is the same fact with it and without. */
const bareConjunction = /^and\s+/iu;
/** After a label a comma alone joins two, as between the items of a list. */
const labeledJointPattern = /[;,]\s+/gu;

function splitAt(sentence: string, joints: RegExp): string[] {
  const spans = findProtectedSpans(sentence);
  const clauses: string[] = [];
  let start = 0;
  for (const joint of sentence.matchAll(joints)) {
    if (spans.some(span => span.start <= joint.index && joint.index < span.end)) continue;
    const end = joint.index + joint[0].length;
    const [left, right] = [sentence.slice(start, joint.index), sentence.slice(end)];
    if (!standsAlone(left) || !isOwnClause(right)) continue;
    clauses.push(left.trim());
    start = end + (bareConjunction.exec(right)?.[0].length ?? 0);
  }
  clauses.push(sentence.slice(start).trim());
  return clauses;
}

/** Words that hold for the whole sentence where they open it: a condition, a place, a time. */
const openingScope =
  /^(?:(?:and|but|also|so|oh|oye|hey),? )?(?:if|when|whenever|unless|while|once|because|although|in|on|at|for|with|without|under|during|after|before|since|until|from|by|as|given|except|outside|inside|within|per|instead|wenn|falls|sobald|solange|weil|bei|im|für|si|quand|lorsque|dans|pour|cuando|en|para|если|когда|при)\b/iu;

function standsAlone(clause: string): boolean {
  const withoutDates = clause.replace(/\b(?:until|before|after|since|till)\s(?=\p{Lu}|\d|the \d)/gu, '');
  return !subordinators.test(withoutDates) && !openingScope.test(clause) && hasVerb(clause);
}

/** Up to the next joint, without its conjunction. */
function firstClauseOf(text: string): string {
  return text.split(/[;,]\s/u, 1)[0]!.replace(/^(?:and|but)\s+/iu, '');
}

/** Whether a clause has several words and refers to nothing before it. */
function isReadableAlone(text: string): boolean {
  const clause = firstClauseOf(text);
  return (
    /\S\s+\S+\s+\S/u.test(clause) &&
    contentPattern.test(clause) &&
    !refersBack(clause) &&
    !/\b(?:it|its|they|them|their|theirs|these|those|the (?:other|others|rest|same|former|latter))\b/iu.test(clause)
  );
}

/** Whether a clause can be read alone and has a subject and a verb of its own. */
function isOwnClause(text: string): boolean {
  if (!isReadableAlone(text)) return false;
  const words = firstClauseOf(text).split(/\s+/u);
  if (/^(?:never|always|don't|don’t|do|i|i'm|i’m|i've|we|we're|we’re|we've|you)$/iu.test(words[0]!)) return true;
  // A noun phrase, then its verb: not at once, and with something behind it.
  const verb = words.findIndex((word, index) => index > 0 && isFiniteVerb(word, words[index - 1]!));
  return verb > 0 && verb <= maxSubjectWords && verb < words.length - 1;
}

/** A longer sequence of words is probably no subject. */
const maxSubjectWords = 5;

function isFiniteVerb(word: string, previous: string): boolean {
  return (
    isThirdPerson(word) ||
    /^(?:are|have|were|will|must|can|can't|cannot|should|go|goes|comes?|decides?)$/iu.test(word) ||
    (isBaseVerb(word) && /[^s]s$/iu.test(previous))
  );
}

function hasVerb(clause: string): boolean {
  const words = clause.split(/\s+/u);
  return words.some(
    (word, index) =>
      isFiniteVerb(word, words[index - 1] ?? '') ||
      (index < 3 && isBaseVerb(word)) ||
      /^(?:i|we|you|am|i'm|we're|i've|we've|don't)$/iu.test(word),
  );
}
