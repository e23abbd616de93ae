import { PatternFilter } from './patternFilter.js';
import { secretLiterals } from './secretLiterals.js';
import { secretRules, type SecretRule } from './secretRules.js';

const rulesFilter = new PatternFilter(
  secretRules.map(it => it.pattern),
  secretLiterals,
);

/** A secret found in a text: what it is, never the secret itself. */
export interface FoundSecret {
  /** Readable: "GitHub token", "password", "private key". */
  readonly kind: string;
}

/**
 * The first secret in a text: private keys, tokens of known providers, passwords in connection strings, assignments
 * and sentences, payment card numbers, US social security numbers. Placeholders (`${VAR}`, `<password>`, `changeme`),
 * commit hashes, digests and UUIDs are none. Linear in the length of the text, never throws.
 */
export function findSecret(text: string): FoundSecret | undefined {
  for (const rule of rulesFor(text)) for (const { kind } of spansOf(rule, text)) return { kind };
  return undefined;
}

/**
 * The text with each secret replaced by `[secret: kind]`, for what must be kept of a query (traces).
 * `findSecret(redactSecrets(text))` is undefined. Linear, never throws.
 */
export function redactSecrets(text: string): string {
  const once = redactOnce(text);
  // A replacement can bring two halves together; the second round finds what that makes, and there is no third.
  return once === text ? text : redactOnce(once);
}

/** The first secret that {@link redactSecrets} took out of a text. */
export function redactedSecret(redacted: string): FoundSecret | undefined {
  const kind = /\[secret: ([^\]]+)\]/u.exec(redacted)?.[1];
  return kind === undefined ? undefined : { kind };
}

function redactOnce(text: string): string {
  const spans = rulesFor(text).flatMap(it => [...spansOf(it, text)]);
  if (spans.length === 0) return text;
  let redacted = '';
  let position = 0;
  for (const { kind, start, end } of spans.sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= position) continue;
    if (start >= position) redacted += `${text.slice(position, start)}[secret: ${kind}]`;
    position = end;
  }
  return redacted + text.slice(position);
}

interface Span {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** Those that may find something; none for most texts. */
function rulesFor(text: string): readonly SecretRule[] {
  const may = rulesFilter.mayMatch(text);
  return secretRules.filter((_, i) => may[i] === 1);
}

function* spansOf({ kind, pattern, accept }: SecretRule, text: string): Generator<Span> {
  for (const match of text.matchAll(pattern)) {
    const found = match.groups?.quoted ?? match.groups?.secret ?? match[0];
    if (accept !== undefined && !accept(found)) continue;
    // The full stop ends the sentence, and what comes after it is another fact.
    const secret = found.replace(/\.+$/u, '');
    // The secret ends its match or stands before a closing quote: look from the right, so that a value that
    // repeats its own name is cut in the right place.
    const start = match.index + match[0].lastIndexOf(secret);
    yield { kind, start, end: start + secret.length };
  }
}
