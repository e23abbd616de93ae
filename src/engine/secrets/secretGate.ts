import { findSecret, redactSecrets } from './secretScanner.js';

/** Ids and times as we write them, which are most of the strings of a row. */
const plainPattern =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)$/u;
/** No name and value of a secret are shorter. */
const minSecretLength = 6;

/**
 * A value of plain data as a store may hold it: the secrets in all of its strings and names replaced. What people and
 * assistants write is refused where it comes in, with the reason; this is the last gate, through which every string of a
 * write goes, also one of a field that is added later.
 */
export function withoutSecrets<T>(value: T): T {
  if (typeof value === 'string') return stringWithoutSecrets(value) as T;
  if (Array.isArray(value))
    return keepIfSame(
      value,
      value.map(it => withoutSecrets<unknown>(it)),
    ) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const cleaned = entries.map(([name, it]) => [stringWithoutSecrets(name), withoutSecrets<unknown>(it)] as const);
  const isSame = cleaned.every(([name, it], i) => name === entries[i]![0] && it === entries[i]![1]);
  return isSame ? value : (Object.fromEntries(cleaned) as T);
}

/** Like {@link withoutSecrets}, for all fields of an object but the exempt ones. */
export function withoutSecretsExcept<T extends object>(value: T, exempt: ReadonlySet<string>): T {
  const entries = Object.entries(value) as [string, unknown][];
  const checked = Object.fromEntries(entries.filter(([name]) => !exempt.has(name)));
  const cleaned = withoutSecrets(checked);
  if (cleaned === checked) return value;
  return { ...cleaned, ...Object.fromEntries(entries.filter(([name]) => exempt.has(name))) } as T;
}

/** The kind of secret that a string of ours holds, such as an id. */
export function secretLabelOf(text: string): string | undefined {
  return isPlain(text) ? undefined : findSecret(text)?.label;
}

function stringWithoutSecrets(text: string): string {
  return isPlain(text) ? text : redactSecrets(text);
}

function isPlain(text: string): boolean {
  return text.length < minSecretLength || plainPattern.test(text);
}

function keepIfSame<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  return after.every((it, i) => it === before[i]) ? before : after;
}
