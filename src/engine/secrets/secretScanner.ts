import { foldCase, mayMatch } from '../text/keywordPrefilter.js';
import { secretRules, type SecretRule } from './secretRules.js';

/** The kind of a secret in a text, never the secret itself. */
export interface SecretMatch {
  /** Readable: "GitHub token", "password", "private key". */
  readonly label: string;
}

/**
 * The first secret in a text: private keys, tokens of known providers, passwords in connection strings, assignments
 * and sentences, payment card numbers, US social security numbers. Placeholders (`${VAR}`, `<password>`, `changeme`),
 * commit hashes, digests and UUIDs do not count. Linear in the length of the text, never throws.
 */
export function findSecret(text: string): SecretMatch | undefined {
  for (const rule of candidateRules(text)) for (const { label } of findSpans(rule, text)) return { label };
  return undefined;
}

/**
 * The text with each secret replaced by `[secret: label]`, for the queries in traces.
 * `findSecret(redactSecrets(text))` is undefined. Linear, never throws.
 */
export function redactSecrets(text: string): string {
  const once = redactOnce(text);
  // A replacement can join two halves of another secret; the second round finds it.
  return once === text ? text : redactOnce(once);
}

/** The first secret that {@link redactSecrets} replaced in a text. */
export function firstRedaction(redacted: string): SecretMatch | undefined {
  const label = /\[secret: ([^\]]+)\]/u.exec(redacted)?.[1];
  return label === undefined ? undefined : { label };
}

function redactOnce(text: string): string {
  const spans = candidateRules(text).flatMap(it => [...findSpans(it, text)]);
  if (spans.length === 0) return text;
  let redacted = '';
  let position = 0;
  for (const { label, start, end } of spans.sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= position) continue;
    if (start >= position) redacted += `${text.slice(position, start)}[secret: ${label}]`;
    position = end;
  }
  return redacted + text.slice(position);
}

interface SecretSpan {
  readonly label: string;
  readonly start: number;
  readonly end: number;
}

/** The rules that one of their keywords admits: a few for most texts. */
function candidateRules(text: string): readonly SecretRule[] {
  const foldedText = foldCase(text);
  return secretRules.filter(it => mayMatch(it, foldedText));
}

function* findSpans({ label, pattern, validate }: SecretRule, text: string): Generator<SecretSpan> {
  for (const match of text.matchAll(pattern)) {
    const matched = match.groups?.quoted ?? match.groups?.secret ?? match[0];
    if (validate !== undefined && !validate(matched)) continue;
    // A full stop ends the sentence and is no part of the secret.
    const secret = matched.replace(/\.+$/u, '');
    // The secret is at the end of its match, so search from the right: the name before it can contain the same text.
    const start = match.index + match[0].lastIndexOf(secret);
    yield { label, start, end: start + secret.length };
  }
}
