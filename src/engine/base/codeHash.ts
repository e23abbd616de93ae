import { createHash } from 'node:crypto';

/** Limits the search for moved code; one budget may cover the code of many memories. */
export interface ScanBudget {
  /** Characters that may still be hashed. */
  remainingChars: number;
}

/** About 25 ms of hashing, as a recall waits for it. */
export const newScanBudget = (): ScanBudget => ({ remainingChars: 4_000_000 });

/**
 * SHA-256 of code, base64url. Line endings, common indentation, trailing blanks and outer blank lines are ignored, so that
 * moving or formatting code does not change it.
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
  // The first line is not part of the common indentation: a symbol may start in the middle of its line.
  const text = codeLines
    .map((it, index) => (index === 0 ? it.trimStart() : it.slice(Math.min(commonIndent, it.length))))
    .join('\n');
  return createHash('sha256').update(text).digest('base64url');
}

/**
 * Finds code by its hash and returns the zero-based line where it begins: the expected line, else the nearest match within
 * the budget, else undefined.
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
