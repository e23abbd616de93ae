import { splitReportingPhrase } from '../text/reportedSpeech.js';
import { isGivenName } from './givenNames.js';

/** Only the head of a statement is classified, in UTF-16 units: it names the topic, and the work stays bounded. */
const maxCueTextLength = 2_000;

/** Words that make a date past or recurring, and so no due date. */
const pastOrRecurringPattern =
  /\b(?:since|last|ago|was|were|joined|every|each|always|usually|per|weekly|daily|monthly|nightly|hourly|mondays|tuesdays|wednesdays|thursdays|fridays|weekdays|on leave|leave until)\b/iu;

/** A statement prepared for its cues. */
export interface CueText {
  /** The statement on one line: straight quotes, inline code as CODE, people as PERSONNAME, DATE at its end if it has a due date. */
  readonly fullText: string;
  /** `fullText` after a label ("Code style: …"), for the cues that match at the start of a statement. */
  readonly afterLabel: string;
}

/** Prepares a statement for its cues. `namesDate`: the statement names a future date. Pure, linear, never throws. */
export function prepareCueText(statement: string, namesDate = false): CueText {
  const singleLine = statement
    .slice(0, maxCueTextLength)
    .replace(/```[\s\S]*?(?:```|$)/g, ' CODE ')
    .replace(/`[^`\n]{1,200}`/g, 'CODE')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[*_]{2}/g, '')
    .replace(/^\s*(?:[-*+•]|\d{1,3}[.)])\s+/, '')
    .replace(/\b(that|it|what|there|he|she)s\b(?= (?:the|a|an|not|wrong|called|our|my)\b)/gi, "$1's")
    .replace(/\b(do|does|did|is|are|was|were|should|would|could|has|have|must)nt\b/gi, "$1n't")
    .replace(/\bim\b/gi, "i'm")
    .replace(/\s+/g, ' ')
    .trim();
  const fullText = maskPeople(splitReportingPhrase(singleLine).rest);
  const label = /^[\p{L}\p{N}][\p{L}\p{N} /&+-]{1,40}: (?=\S)/u.exec(fullText)?.[0] ?? '';
  const date = namesDate && !pastOrRecurringPattern.test(fullText) ? ' DATE' : '';
  return { fullText: fullText + date, afterLabel: fullText.slice(label.length) + date };
}

/** "Sarah Chen", "@sarah" and, if a name is no other word, "sarah" → PERSONNAME. */
function maskPeople(text: string): string {
  return text
    .replace(/(?<![\w./])@[a-z][\w-]{1,38}(?![\w/.-]*\/)/gi, 'PERSONNAME')
    .replace(
      /(?<![\p{L}\p{N}_./-])\p{L}{2,15}(?![\p{L}\p{N}_/])(?!\.\p{L})/gu,
      (word, index: number, whole: string) => {
        const isWrittenAsName = /^\p{Lu}/u.test(word) || word.length > 3;
        if (!isWrittenAsName || !isGivenName(word)) return word;
        return isMonth(
          word,
          whole.slice(Math.max(0, index - 10), index),
          whole.slice(index + word.length, index + word.length + 3),
        )
          ? word
          : 'PERSONNAME';
      },
    )
    .replace(/PERSONNAME \p{Lu}\p{Ll}{1,20}(?![\p{L}\p{N}_/])/gu, 'PERSONNAME');
}

/** Whether a word is the month of a date, also of one that no calendar has: "31 April", "April 2027". */
function isMonth(word: string, before: string, after: string): boolean {
  if (!/^(?:april|may|june|july|august|jan)$/iu.test(word)) return false;
  return /\d(?:st|nd|rd|th|\.)?(?: of)? $/u.test(before) || /^,? \d/u.test(after);
}
