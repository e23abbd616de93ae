import { splitReporting } from '../text/reporting.js';
import { isGivenName } from './people.js';

/** Only the head of a statement is read: what a fact is about is said early, and work stays bounded. In UTF-16 units. */
const maxRead = 2_000;

/** A statement as the cues see it. */
export interface Reading {
  /** The statement on one line: straight quotes, inline code as CODE, people's names and handles as PERSON. */
  readonly whole: string;
  /** The same after a label ("Code style: …"); the cues for the start of a statement look here too. */
  readonly lead: string;
}

/** Prepares a statement for its cues; pure, linear, never throws. */
export function read(statement: string): Reading {
  const flat = statement
    .slice(0, maxRead)
    .replace(/```[\s\S]*?(?:```|$)/g, ' CODE ')
    .replace(/`[^`\n]{1,200}`/g, 'CODE')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[*_]{2}/g, '')
    .replace(/^\s*(?:[-*+•]|\d{1,3}[.)])\s+/, '')
    .replace(/\s+/g, ' ')
    .trim();
  const whole = withPeople(splitReporting(flat).rest);
  const label = /^[\p{L}\p{N}][\p{L}\p{N} /&+-]{1,40}: (?=\S)/u.exec(whole)?.[0] ?? '';
  return { whole, lead: whole.slice(label.length) };
}

/** "Sarah Chen", "@sarah" and, where a name can be no other word, "sarah" → PERSON. */
function withPeople(text: string): string {
  return text
    .replace(/(?<![\w./])@[a-z][\w-]{1,38}(?![\w/.-]*\/)/gi, 'PERSON')
    .replace(
      /(?<![\p{L}\p{N}_./-])(\p{L}[\p{L}]{1,14})(?: \p{Lu}\p{Ll}{1,20})?(?![\p{L}\p{N}_/])(?!\.\p{L})/gu,
      (words, first: string) => {
        if (!isGivenName(first)) return words;
        if (/^\p{Lu}/u.test(first)) return 'PERSON';
        return words === first && first.length > 3 ? 'PERSON' : words;
      },
    );
}
