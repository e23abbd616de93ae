import type { NamedSecret } from './secretRule.js';
import { passwordNouns } from './secretNouns.js';
import { isRealPassword, looksLikeKey } from './secretValue.js';

const passwordHeader = new RegExp(`^(?:[\\p{L}\\d]+[ _-])?(?:${passwordNouns.join('|')})$`, 'iu');
const keyHeader = /^(?:(?:api|access|secret|auth|bearer|refresh)[ _-]?(?:key|token|secret)|secret|token)$/iu;
const separators = ['|', '\t', ';', ','] as const;
const maxRows = 100;

/** Values in a column whose heading names a secret, in a table of Markdown or of separated values. Linear. */
export function* findTableSecrets(text: string): Generator<NamedSecret> {
  const lines = text.split('\n');
  let start = 0;
  for (let row = 0; row < lines.length; row++) {
    const header = lines[row]!;
    const separator = row + 1 < lines.length ? separators.find(it => header.includes(it)) : undefined;
    if (separator !== undefined && header.length <= 400) {
      const columns = header.split(separator).map(readColumn);
      if (columns.some(it => it !== undefined)) yield* findInRows(lines, row, start, separator, columns);
    }
    start += header.length + 1;
  }
}

type Column = 'password' | 'API key' | undefined;

function readColumn(heading: string): Column {
  const name = heading.trim().replace(/^["'`*_]+|(?<!["'`*_])["'`*_]+$/gu, '');
  if (passwordHeader.test(name)) return 'password';
  return keyHeader.test(name) ? 'API key' : undefined;
}

function* findInRows(
  lines: readonly string[],
  header: number,
  headerStart: number,
  separator: string,
  columns: readonly Column[],
): Generator<NamedSecret> {
  let start = headerStart + lines[header]!.length + 1;
  for (let row = header + 1; row < Math.min(lines.length, header + maxRows); row++) {
    const cells = lines[row]!.split(separator);
    if (cells.length !== columns.length) return;
    let cellStart = start;
    for (const [index, cell] of cells.entries()) {
      const label = columns[index];
      const value = cell.trim().replace(/^["'`*]+|(?<!["'`*])["'`*]+$/gu, '');
      const isSecret = label === 'password' ? isRealPassword(value) : label !== undefined && looksLikeKey(value);
      if (label !== undefined && isSecret) {
        const at = cellStart + cell.indexOf(value);
        yield { label, start: at, end: at + value.length };
      }
      cellStart += cell.length + 1;
    }
    start += lines[row]!.length + 1;
  }
}
