import { createHash } from 'node:crypto';
import { codeHash } from '../base/codeHash.js';
import type { CodeSymbol } from '../model/codeIndex.js';
import type { LineRange } from '../model/memory.js';
import { readFileDoc, readSymbolDoc } from './docComments.js';
import { describeFile, describeSymbol, unqualifiedName } from './describeCode.js';
import type { Language } from './languages.js';

/** In lines. A shorter method without a description has no chunk of its own: its class's outline shows it. */
const maxInlineMethodLines = 3;
/** In characters. */
const truncationNoticeLength = 80;

/** A file or one of its declarations, to be remembered as a description and its code. */
export interface CodeChunk {
  /** Unique in the file; '' for the file itself. */
  readonly key: string;
  readonly description: string;
  /** The description without text from comments, for comments with a secret. */
  readonly plainDescription: string;
  /** Headed by path and name. A nested declaration with its own chunk is reduced to its first line. */
  readonly code: string;
  readonly isTruncated: boolean;
  readonly range: LineRange;
  /** Qualified name; absent for the file. */
  readonly symbol?: string;
  readonly anchorHash: string;
  /** Of everything that the memories contain. */
  readonly hash: string;
}

/**
 * Splits a file into chunks, the file itself first.
 * @param file path relative to the project, with slashes
 * @param maxCharacters limit of one memory
 */
export function chunkFile(
  { file, text, language, symbols }: { file: string; text: string; language: Language; symbols: readonly CodeSymbol[] },
  maxCharacters: number,
): CodeChunk[] {
  const lines = text.split(/\r\n?|\n/u);
  const documentedSymbols = symbols
    .filter(it => isWithinFile(it, lines))
    .map(it => ({ ...it, doc: readSymbolDoc(lines, it), code: sliceSymbol(lines, it) }));
  const chunkSymbols = documentedSymbols.filter(
    it =>
      (it.kind !== 'method' && it.kind !== 'constructor') ||
      it.doc.description !== '' ||
      it.endLine - it.startLine + 1 > maxInlineMethodLines,
  );
  const fileRange = { startLine: 0, endLine: lines.length };
  const doc = readFileDoc(lines, documentedSymbols[0]);
  const names = documentedSymbols.filter(it => !it.name.includes('.') || it.kind !== 'method').map(it => it.name);
  const describeWith = (description: string): string =>
    describeFile({ file, language: language.name, doc: { ...doc, description }, names });
  const chunks = [
    buildChunk(
      {
        key: '',
        file,
        description: describeWith(doc.description),
        plainDescription: describeWith(''),
        code: outline(lines, { startLine: 0, endLine: lines.length - 1 }, chunkSymbols),
        anchoredText: text,
        range: fileRange,
      },
      maxCharacters,
    ),
  ];
  const countByName = new Map<string, number>();
  for (const it of chunkSymbols) {
    const count = (countByName.get(it.name) ?? 0) + 1;
    countByName.set(it.name, count);
    const members = chunkSymbols.filter(other => other !== it && contains(it, other));
    const memberNames = documentedSymbols
      .filter(other => other.name.startsWith(`${it.name}.`))
      .map(other => unqualifiedName(other.name));
    const descriptionInput = { file, symbol: it, count, memberNames };
    chunks.push(
      buildChunk(
        {
          key: count === 1 ? it.name : `${it.name} (${count})`,
          file,
          description: describeSymbol({ ...descriptionInput, doc: it.doc }),
          plainDescription: describeSymbol({ ...descriptionInput, doc: { description: '', details: [] } }),
          code: members.length === 0 ? it.code : outline(lines, it, members),
          anchoredText: lines.slice(it.startLine, it.endLine + (it.endCharacter === 0 ? 0 : 1)).join('\n'),
          range: { startLine: it.startLine, endLine: it.endLine + (it.endCharacter === 0 ? 0 : 1) },
          symbol: it.name,
        },
        maxCharacters,
      ),
    );
  }
  return chunks;
}

interface ChunkDraft {
  readonly key: string;
  readonly file: string;
  readonly description: string;
  readonly plainDescription: string;
  readonly code: string;
  /** The text that the anchor's hash covers. */
  readonly anchoredText: string;
  readonly range: LineRange;
  readonly symbol?: string;
}

function buildChunk({ file, anchoredText, ...draft }: ChunkDraft, maxCharacters: number): CodeChunk {
  const title = draft.key === '' ? file : `${file}: ${draft.key}`;
  const { text, isTruncated } = truncateAtLine(dedent(draft.code), maxCharacters - title.length - 2);
  const [anchorHash, code] = [codeHash(anchoredText), `${title}\n\n${text}`];
  const hash = createHash('sha256')
    .update(JSON.stringify([draft.description, code, anchorHash]))
    .digest('base64url');
  return { ...draft, code, isTruncated, anchorHash, hash };
}

/** Truncates long code at the end of a line, with a notice. */
function truncateAtLine(code: string, maxCharacters: number): { text: string; isTruncated: boolean } {
  if (code.length <= maxCharacters) return { text: code, isTruncated: false };
  const room = code.slice(0, maxCharacters - truncationNoticeLength);
  const end = room.lastIndexOf('\n');
  const text = end > 0 ? room.slice(0, end) : room;
  const count = (it: string): number => it.split('\n').length;
  return { text: `${text}\n… (the first ${count(text)} of ${count(code)} lines)`, isTruncated: true };
}

/** Lines of code with each nested symbol reduced to its first line. */
function outline(
  lines: readonly string[],
  { startLine, endLine }: Pick<CodeSymbol, 'startLine' | 'endLine'>,
  nestedSymbols: readonly CodeSymbol[],
): string {
  const hidden = new Set<number>();
  const first = new Set<number>();
  for (const it of nestedSymbols) {
    for (let line = it.startLine + 1; line <= it.endLine; line++) hidden.add(line);
    if (it.endLine > it.startLine) first.add(it.startLine);
  }
  const shown: string[] = [];
  for (let line = startLine; line <= endLine; line++) {
    if (!hidden.has(line)) shown.push(first.has(line) ? `${lines[line]!} …` : lines[line]!);
  }
  return shown.join('\n');
}

function sliceSymbol(lines: readonly string[], it: CodeSymbol): string {
  if (it.startLine === it.endLine) return lines[it.startLine]!.slice(it.startCharacter, it.endCharacter);
  const inner = lines.slice(it.startLine + 1, it.endLine);
  const end = it.endLine < lines.length ? [lines[it.endLine]!.slice(0, it.endCharacter)] : [];
  return [lines[it.startLine]!.slice(it.startCharacter), ...inner, ...end].join('\n');
}

/** Removes the common indentation of the lines after the first, and blank lines at both ends. */
function dedent(code: string): string {
  const [first = '', ...rest] = code
    .replace(/^(?:[ \t]*\n)+/u, '')
    .trimEnd()
    .split('\n');
  const indents = rest.filter(it => it.trim() !== '').map(it => it.length - it.trimStart().length);
  const shift = Math.min(...indents, Number.MAX_SAFE_INTEGER);
  const firstIndent = first.length - first.trimStart().length;
  return [first.slice(Math.min(firstIndent, shift)), ...rest.map(it => it.slice(Math.min(shift, it.length)))].join(
    '\n',
  );
}

function contains(outer: CodeSymbol, inner: CodeSymbol): boolean {
  return (
    inner.name.startsWith(`${outer.name}.`) && inner.startLine >= outer.startLine && inner.endLine <= outer.endLine
  );
}

/** A surface's symbols may be those of an older text. */
function isWithinFile({ startLine, endLine }: CodeSymbol, lines: readonly string[]): boolean {
  return startLine >= 0 && startLine <= endLine && startLine < lines.length && endLine <= lines.length;
}
