import { createHash } from 'node:crypto';

/**
 * Tells whether code is still what it was: SHA-256, base64url. Line ends, indentation of the whole and blanks at the
 * ends of lines do not count, so that moving or saving code changes nothing.
 */
export function codeHash(code: string): string {
  const lines = code.split(/\r\n?|\n/u).map(it => it.trimEnd());
  const first = lines.findIndex(it => it !== '');
  const last = lines.findLastIndex(it => it !== '');
  const kept = first === -1 ? [] : lines.slice(first, last + 1);
  const indents = kept
    .slice(1)
    .filter(it => it !== '')
    .map(indentOf);
  const shift = Math.min(...indents, Number.MAX_SAFE_INTEGER);
  // The first line often begins in the middle of a line: what stands before a symbol is no part of it.
  const text = kept
    .map((it, index) => (index === 0 ? it.trimStart() : it.slice(Math.min(shift, it.length))))
    .join('\n');
  return createHash('sha256').update(text).digest('base64url');
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
