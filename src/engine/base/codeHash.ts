import { createHash } from 'node:crypto';

/** How far code that has moved within its text is looked for; one search may be for the code of many memories. */
export interface CodeSearch {
  /** Characters that may still be hashed. */
  left: number;
}

/** They take about 25 ms, and somebody waits for a recall. */
export const newCodeSearch = (): CodeSearch => ({ left: 4_000_000 });

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

/**
 * The line, zero-based, where code with this hash of whole lines begins in a text: where it was, else the nearest to
 * that, looked for as far as the search allows. Undefined where it is not found.
 */
export function findCode(
  text: string,
  { hash, startLine, lineCount }: { readonly hash: string; readonly startLine: number; readonly lineCount: number },
  search = newCodeSearch(),
): number | undefined {
  const lines = text.split(/\r\n?|\n/u);
  const last = lines.length - lineCount;
  if (lineCount < 1 || last < 0) return undefined;
  const begin = Math.min(Math.max(0, startLine), last);
  for (let away = 0; away === 0 || (search.left > 0 && (begin - away >= 0 || begin + away <= last)); away++) {
    for (const at of away === 0 ? [begin] : [begin - away, begin + away]) {
      if (at < 0 || at > last) continue;
      const code = lines.slice(at, at + lineCount).join('\n');
      search.left -= code.length;
      if (codeHash(code) === hash) return at;
    }
  }
  return undefined;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
