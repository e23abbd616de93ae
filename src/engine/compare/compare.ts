import { sentence } from '../model/sentences.js';
import { splitSentences } from '../text/sentences.js';
import { normalise } from '../text/normalise.js';
import { readClaim, type Claim } from './claims.js';
import { keysOf } from './keys.js';
import { relate } from './relate.js';

/** A statement, read once so that it can be compared often. */
export interface Statement {
  /** As told. */
  readonly content: string;
  /** What it is about, normalised (`start|variable name`): two statements that share one are always compared. 0-8. */
  readonly keys: readonly string[];
  /** Two statements of the same form are the same. */
  readonly form: string;
  /** Its sentences, read; of a long text the first ones. */
  readonly claims: readonly Claim[];
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

/** A text of more sentences is a document; the first ones say what it is about. */
const maxClaims = 16;
/** Sentences are looked for in this much of a text, in UTF-16 units. */
const maxRead = 8_000;

/** A listing states nothing; its end may be missing. */
const codeBlock = /```[^`]*(?:```|$)/gu;

/** Reads a statement. Linear in its length, never throws. */
export function readStatement(content: string): Statement {
  const text = content.slice(0, maxRead).replace(codeBlock, ' ');
  const sentences = /[.!?。！？\n]\s*\S/u.test(text) ? text.split('\n').flatMap(splitSentences) : [text];
  const claims = sentences
    .filter(it => !it.endsWith('?'))
    .slice(0, maxClaims)
    .map(readClaim);
  return new ReadStatement(content, claims);
}

/** Its keys and its form are worked out when they are asked for: most of what is found needs neither. */
class ReadStatement implements Statement {
  private found: readonly string[] | undefined;
  private normalised: string | undefined;

  constructor(
    readonly content: string,
    readonly claims: readonly Claim[],
  ) {}

  get form(): string {
    return (this.normalised ??= normalise(this.content));
  }

  get keys(): readonly string[] {
    return (this.found ??= keysOf(this.claims));
  }
}

/** How the newer of two statements stands to the older. Never throws. */
export function compare(older: Statement, newer: Statement): Verdict {
  if (older.form === newer.form) return { relation: 'same', certainty: 1, reason: sentence('same'), uncertain: false };
  return compareClaims(older, newer);
}

/** The same for two statements that are known to be of different forms. */
export function compareClaims(older: Statement, newer: Statement): Verdict {
  if (older.claims.length === 1 && newer.claims.length === 1) return relate(older.claims[0]!, newer.claims[0]!);
  const verdicts = older.claims.flatMap(was => newer.claims.map(is => relate(was, is)));
  const conflict = best(verdicts.filter(it => it.relation === 'conflicting'));
  if (conflict !== undefined) return conflict;
  const kept = older.claims.every(was =>
    newer.claims.some(is => ['same', 'refining'].includes(relate(was, is).relation)),
  );
  const refining = best(verdicts.filter(it => it.relation === 'refining' || it.relation === 'same'));
  if (kept && refining !== undefined) return { ...refining, relation: 'refining' };
  return best(verdicts) ?? { relation: 'unrelated', certainty: 0.9, reason: 'They share nothing.', uncertain: false };
}

function best(verdicts: readonly Verdict[]): Verdict | undefined {
  return verdicts.reduce<Verdict | undefined>(
    (most, it) => (most === undefined || it.certainty > most.certainty ? it : most),
    undefined,
  );
}
