import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve('test', 'contracts', 'golden');

/**
 * Compares a value with the golden file of this name; UPDATE_GOLDEN=1 writes the file instead. A name that ends with
 * `.json` holds any JSON, every other one plain text.
 */
export function matchesGolden(name: string, value: unknown): void {
  const file = path.join(folder, name);
  const isJson = name.endsWith('.json');
  const text = isJson ? `${JSON.stringify(value, undefined, 2)}\n` : `${String(value).trimEnd()}\n`;
  if (process.env.UPDATE_GOLDEN === '1') {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return;
  }
  assert.ok(existsSync(file), `There is no golden file ${name}. UPDATE_GOLDEN=1 writes it.`);
  const expected = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
  const same = isJson ? isEqual(JSON.parse(text), JSON.parse(expected)) : text === expected;
  if (!same) assert.fail(`${name} differs ("-" golden, "+" now):\n${difference(expected, text)}`);
}

/** Every field of a value as `path: type`, one a line; the items of a list share one path. */
export function shapeOf(value: unknown): string {
  const lines = new Set<string>();
  addShape(value, '$', lines);
  return [...lines].sort().join('\n');
}

function addShape(value: unknown, at: string, lines: Set<string>): void {
  if (Array.isArray(value)) {
    lines.add(`${at}: array`);
    for (const it of value) addShape(it, `${at}[]`, lines);
  } else if (typeof value === 'object' && value !== null) {
    lines.add(`${at}: object`);
    for (const [key, it] of Object.entries(value)) addShape(it, `${at}.${key}`, lines);
  } else lines.add(`${at}: ${value === null ? 'null' : typeof value}`);
}

function isEqual(one: unknown, other: unknown): boolean {
  try {
    assert.deepStrictEqual(one, other);
    return true;
  } catch {
    return false;
  }
}

/** The lines that differ, with two lines around each, found through the longest common sequence of lines. */
function difference(before: string, after: string): string {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const lines = [
    `@@ line ${start + 1} @@`,
    ...a.slice(Math.max(0, start - 2), start).map(it => `  ${it}`),
    ...changedLines(left, right),
    ...a.slice(a.length - end, a.length - end + 2).map(it => `  ${it}`),
  ];
  const most = 120;
  return [...lines.slice(0, most), ...(lines.length > most ? [`… ${lines.length - most} more lines`] : [])].join('\n');
}

function changedLines(left: readonly string[], right: readonly string[]): string[] {
  if (left.length * right.length > 4_000_000) return [...left.map(it => `- ${it}`), ...right.map(it => `+ ${it}`)];
  const longest = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      longest[i]![j] =
        left[i] === right[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
  const lines: string[] = [];
  let [i, j, equal] = [0, 0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      if (equal++ < 2) lines.push(`  ${left[i]!}`);
      i++;
      j++;
      continue;
    }
    if (equal > 2) lines.push('  …');
    equal = 0;
    if (j >= right.length || (i < left.length && longest[i + 1]![j]! >= longest[i]![j + 1]!)) {
      lines.push(`- ${left[i++]!}`);
    } else lines.push(`+ ${right[j++]!}`);
  }
  return lines;
}
