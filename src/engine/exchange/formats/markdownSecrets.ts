import { formatMessage } from '../../model/engineMessages.js';
import type { ImportRefusal } from '../../model/importReport.js';
import { findSecret, locateSecret } from '../../secrets/secretScanner.js';
import { refersBack } from '../../text/backReference.js';
import { splitSentences } from '../../text/sentenceSplitter.js';

/** A text, and the lines of the file that it was read from: the first one from 1, the last one included. */
export interface SourceText {
  readonly text: string;
  readonly line: number;
  readonly lastLine: number;
}

/** A rule before it is one text: what stands in front of it, and what it can do without. */
export interface RuleDraft extends SourceText {
  /** Its heading, with the separator. */
  readonly prefix: string;
  /** What `text` is made of, in its order, besides a beginning of its own: steps, or a paragraph and its code. */
  readonly pieces?: readonly SourceText[];
  /** Whether it is a command of a shell block, with its purpose. */
  readonly isCommand?: boolean;
}

/**
 * A rule without what holds a secret: of steps that step, of a paragraph that sentence and those that point back to it, of
 * a paragraph with code that code. The refusals name the line that the secret stands in.
 */
export function leaveOutSecrets(draft: RuleDraft, lines: readonly string[]): (RuleDraft | ImportRefusal)[] {
  const { prefix, text, line, lastLine, pieces } = draft;
  const secret = findSecret(prefix + text);
  if (secret === undefined) return [draft];
  const located = locateSecret(lines.slice(line - 1, lastLine).join('\n')) ?? { ...secret, line: 1 };
  const refusal = { where: `line ${line + located.line - 1}`, reason: formatMessage('secret', located.label) };
  if (findSecret(prefix) !== undefined) return [refusal];
  const parts = pieces?.flatMap(it => leaveOutSecrets({ prefix: '', ...it }, lines));
  const refusals = parts?.filter(it => 'reason' in it) ?? [refusal];
  const kept = parts === undefined ? keptSentences(text) : parts.flatMap(it => ('text' in it ? [it.text] : []));
  const beginning = pieces === undefined ? '' : text.slice(0, text.indexOf(pieces[0]!.text));
  const rest = beginning + kept.join(pieces === undefined ? ' ' : '\n');
  // One that is cut into pieces shows only in the whole.
  if (kept.length === 0 || refusals.length === 0 || findSecret(prefix + rest) !== undefined) return [refusal];
  return [{ prefix, text: rest, line, lastLine }, ...refusals];
}

function keptSentences(text: string): readonly string[] {
  let isDropping = false;
  return (text.includes('```') ? [] : splitSentences(text)).filter(it => {
    isDropping = findSecret(it) !== undefined || (isDropping && refersBack(it));
    return !isDropping;
  });
}
