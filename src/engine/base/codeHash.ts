import { createHash } from 'node:crypto';

/** How far code that has moved within its text is looked for; one search may be for the code of many memories. */
export interface ScanBudget {
  /** Characters that may still be hashed. */
  remainingChars: number;
}

/** They take about 25 ms, and somebody waits for a recall. */
export const newScanBudget = (): ScanBudget => ({ remainingChars: 4_000_000 });

/**
 * Tells whether code is still what it was: SHA-256, base64url. Line ends, indentation of the whole and blanks at the
 * ends of lines do not count, so that moving or saving code changes nothing.
 */
export function codeHash(code: string): string {
  const lines = code.split(/\r\n?|\n/u).map(it => it.trimEnd());
  const first = lines.findIndex(it => it !== '');
  const last = lines.findLastIndex(it => it !== '');
  const codeLines = first === -1 ? [] : lines.slice(first, last + 1);
  const indents = codeLines
    .slice(1)
    .filter(it => it !== '')
    .map(indentOf);
  const commonIndent = Math.min(...indents, Number.MAX_SAFE_INTEGER);
  // The first line often begins in the middle of a line: what stands before a symbol is no part of it.
  const text = codeLines
    .map((it, index) => (index === 0 ? it.trimStart() : it.slice(Math.min(commonIndent, it.length))))
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
  budget = newScanBudget(),
): number | undefined {
  const lines = text.split(/\r\n?|\n/u);
  const lastStart = lines.length - lineCount;
  if (lineCount < 1 || lastStart < 0) return undefined;
  const expectedStart = Math.min(Math.max(0, startLine), lastStart);
  for (
    let distance = 0;
    distance === 0 ||
    (budget.remainingChars > 0 && (expectedStart - distance >= 0 || expectedStart + distance <= lastStart));
    distance++
  ) {
    for (const lineIndex of distance === 0 ? [expectedStart] : [expectedStart - distance, expectedStart + distance]) {
      if (lineIndex < 0 || lineIndex > lastStart) continue;
      const code = lines.slice(lineIndex, lineIndex + lineCount).join('\n');
      budget.remainingChars -= code.length;
      if (codeHash(code) === hash) return lineIndex;
    }
  }
  return undefined;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
