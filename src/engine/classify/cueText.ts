import { splitReportingPhrase } from '../text/reportedSpeech.js';
import { isGivenName } from './givenNames.js';

/** Only the head of a statement is read: what a fact is about is said early, and work stays bounded. In UTF-16 units. */
const maxCueTextLength = 2_000;

/** What is past, or comes back every week, is no date to be kept. */
const pastOrRecurringPattern =
  /\b(?:since|last|ago|was|were|joined|every|each|always|usually|per|weekly|daily|monthly|nightly|hourly|mondays|tuesdays|wednesdays|thursdays|fridays|weekdays|on leave|leave until)\b/iu;

/** A statement as the cues see it. */
export interface CueText {
  /** The statement on one line: straight quotes, inline code as CODE, people as PERSONNAME, DATE at its end if it names one. */
  readonly fullText: string;
  /** The same after a label ("Code style: …"); the cues for the start of a statement look here too. */
  readonly afterLabel: string;
}

/** Prepares a statement for its cues. `namesDate`: it names a date to come. Pure, linear, never throws. */
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

/** "Sarah Chen", "@sarah" and, where a name can be no other word, "sarah" → PERSONNAME. */
function maskPeople(text: string): string {
  return text
    .replace(/(?<![\w./])@[a-z][\w-]{1,38}(?![\w/.-]*\/)/gi, 'PERSONNAME')
    .replace(/(?<![\p{L}\p{N}_./-])\p{L}{2,15}(?![\p{L}\p{N}_/])(?!\.\p{L})/gu, word => {
      const isWrittenAsName = /^\p{Lu}/u.test(word) || word.length > 3;
      return isWrittenAsName && isGivenName(word) ? 'PERSONNAME' : word;
    })
    .replace(/PERSONNAME \p{Lu}\p{Ll}{1,20}(?![\p{L}\p{N}_/])/gu, 'PERSONNAME');
}
