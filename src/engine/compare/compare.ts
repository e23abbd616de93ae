import { normalise } from '../text/normalise.js';
import { isStopWord, terms } from '../text/terms.js';

/** A statement, read once so that it can be compared often. */
export interface Statement {
  /** As told. */
  readonly content: string;
  /** What it is about, normalised (`start|variable name`): two statements that share one are always compared. 0-6. */
  readonly keys: readonly string[];
  /** Two statements of the same form are the same. */
  readonly form: string;
  /** Terms that carry meaning, in order. */
  readonly terms: readonly string[];
  /** What is quoted, and numbers. */
  readonly values: readonly string[];
}

export type Relation = 'same' | 'conflicting' | 'refining' | 'unrelated';

export interface Verdict {
  readonly relation: Relation;
  /** 0-1 */
  readonly certainty: number;
  /** One sentence for a person; it names what differs. */
  readonly reason: string;
  /** The rules are not sure, and a model could settle it. */
  readonly uncertain: boolean;
}

const values = /'[^']{1,80}'|"[^"]{1,80}"|`[^`]{1,80}`|\d[\d.:]*/gu;

/** Reads a statement of at most 8,000 characters. Never throws. */
export function readStatement(content: string): Statement {
  const its = terms(content.replace(values, ' ')).filter(it => !isStopWord(it));
  return {
    content,
    keys: its.length < 2 ? [] : [`${its[0]}|${its.slice(1, 3).join(' ')}`],
    form: normalise(content),
    terms: its,
    values: content.match(values) ?? [],
  };
}

/** How the newer of two statements stands to the older. Never throws. */
export function compare(older: Statement, newer: Statement): Verdict {
  if (older.form === newer.form) {
    return { relation: 'same', certainty: 1, reason: 'Both say the same.', uncertain: false };
  }
  const subject = newer.terms.join(' ');
  if (older.terms.join(' ') === subject && older.values.join(' ') !== newer.values.join(' ')) {
    const reason = `Both are about "${subject}": ${older.values.join(', ')} and now ${newer.values.join(', ')}.`;
    return { relation: 'conflicting', certainty: 0.9, reason, uncertain: false };
  }
  return { relation: 'unrelated', certainty: 0.6, reason: 'They do not speak of the same thing.', uncertain: false };
}
