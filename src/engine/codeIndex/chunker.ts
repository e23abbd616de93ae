import { createHash } from 'node:crypto';
import { codeHash } from '../base/codeHash.js';
import type { CodeSymbol } from '../model/codeIndex.js';
import type { LineRange } from '../model/memory.js';
import { isSupportingCode } from '../scoring/codeWeight.js';
import { findTitledTests, findUses, type CodeUsage, type FileUses } from './codeUsage.js';
import { readFileDoc, readSymbolDoc, type DocComment } from './docComments.js';
import { describeFile, describeSymbol, type CodeContainer } from './describeCode.js';
import { unqualifiedName } from './symbolNames.js';
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

/** A file with its declarations. */
export interface ParsedFile {
  /** Relative to the project, with slashes. */
  readonly file: string;
  readonly text: string;
  readonly language: Language;
  readonly symbols: readonly CodeSymbol[];
}

/** Facts about a declaration from elsewhere, by its key. */
export interface ChunkContext {
  /** Limit of one memory. */
  readonly maxCharacters: number;
  readonly usageOf: (key: string) => CodeUsage;
  /** The description of code without a comment, by a model or an assistant. */
  readonly summaryOf: (key: string) => string | undefined;
  /** Receives a declaration that cannot be described; the others are. */
  readonly onFailed: (symbol: string, problem: unknown) => void;
}

/** A declaration that gets a chunk. */
interface Declaration extends CodeSymbol {
  readonly key: string;
  /** Ordinal among the declarations of the file with the same name, from 1. */
  readonly count: number;
  readonly doc: DocComment;
  readonly code: string;
}

interface FileLayout {
  readonly lines: readonly string[];
  readonly doc: DocComment;
  /** Declarations with a chunk, in the order of the file. */
  readonly declarations: readonly Declaration[];
  /** Names of all declarations, also of those that only an outline shows. */
  readonly names: readonly string[];
  readonly listedNames: readonly string[];
}

/** Facts about a file that descriptions of other files need. */
export interface FileScan extends FileUses {
  /**
   * Declarations that no comment describes, and the file ('') where none does and it declares not just one thing, which says
   * what the file is for; without those of tests and examples.
   */
  readonly bareKeys: readonly string[];
}

export function scanFile(parsed: ParsedFile): FileScan {
  const { lines, doc, declarations } = readLayout(parsed);
  const wholeFile = { startLine: 0, endLine: lines.length - 1 };
  const pieces = [
    { key: '', uses: findUses(outline(lines, wholeFile, declarations), '') },
    ...declarations.map(it => ({
      key: it.key,
      uses: findUses(outlineOf(lines, it, declarations), unqualifiedName(it.name)),
    })),
  ];
  const tests = isSupportingCode({ path: parsed.file }) ? findTitledTests(parsed.text) : [];
  const isBareFile = doc.description === '' && declarations.length !== 1 && !isSupportingCode({ path: parsed.file });
  const bareKeys = [
    ...(isBareFile ? [''] : []),
    ...declarations
      .filter(it => it.doc.description === '' && !isSupportingCode({ path: parsed.file, symbol: it.name }))
      .map(it => it.key),
  ];
  return { pieces, ...(tests.length === 0 ? {} : { tests }), bareKeys };
}

/** The code of declarations, by key; of the file (''), what its declarations leave. */
export function codeByKey(parsed: ParsedFile): ReadonlyMap<string, string> {
  const { lines, declarations } = readLayout(parsed);
  const wholeFile = { startLine: 0, endLine: lines.length - 1 };
  return new Map([
    ['', outline(lines, wholeFile, declarations)],
    ...declarations.map(it => [it.key, it.code] as const),
  ]);
}

/** Splits a file into chunks, the file itself first. */
export function chunkFile(parsed: ParsedFile, context: ChunkContext): CodeChunk[] {
  const { file, text, language } = parsed;
  const { lines, doc, declarations, names, listedNames } = readLayout(parsed);
  const describeWith = (description: string): string =>
    describeFile({ file, language: language.name, doc: { ...doc, description }, names: listedNames });
  const chunks = [
    buildChunk(
      {
        key: '',
        file,
        description: describeWith(doc.description === '' ? (context.summaryOf('') ?? '') : doc.description),
        plainDescription: describeWith(''),
        code: outline(lines, { startLine: 0, endLine: lines.length - 1 }, declarations),
        anchoredText: text,
        range: { startLine: 0, endLine: lines.length },
      },
      context.maxCharacters,
    ),
  ];
  for (const it of declarations) {
    try {
      const memberNames = names.filter(name => name.startsWith(`${it.name}.`)).map(unqualifiedName);
      const container = findContainer(it, declarations, { file, doc });
      const summary = context.summaryOf(it.key);
      const input = { file, symbol: it, count: it.count, memberNames, usage: context.usageOf(it.key) };
      const described =
        it.doc.description === '' && summary !== undefined ? { ...it.doc, description: summary } : it.doc;
      const endLine = it.endLine + (it.endCharacter === 0 ? 0 : 1);
      chunks.push(
        buildChunk(
          {
            key: it.key,
            file,
            description: describeSymbol({
              ...input,
              doc: described,
              ...(container === undefined ? {} : { container }),
            }),
            plainDescription: describeSymbol({ ...input, doc: { description: '', details: [] } }),
            code: outlineOf(lines, it, declarations),
            anchoredText: lines.slice(it.startLine, endLine).join('\n'),
            range: { startLine: it.startLine, endLine },
            symbol: it.name,
          },
          context.maxCharacters,
        ),
      );
    } catch (error) {
      context.onFailed(it.name, error);
    }
  }
  return chunks;
}

function readLayout({ text, symbols }: ParsedFile): FileLayout {
  const lines = text.split(/\r\n?|\n/u);
  const documented = symbols
    .filter(it => isWithinFile(it, lines))
    .map(it => ({ ...it, doc: readSymbolDoc(lines, it), code: sliceSymbol(lines, it) }));
  const countByName = new Map<string, number>();
  const declarations = documented
    .filter(
      it =>
        (it.kind !== 'method' && it.kind !== 'constructor') ||
        it.doc.description !== '' ||
        it.endLine - it.startLine + 1 > maxInlineMethodLines,
    )
    .map(it => {
      const count = (countByName.get(it.name) ?? 0) + 1;
      countByName.set(it.name, count);
      return { ...it, count, key: count === 1 ? it.name : `${it.name} (${count})` };
    });
  return {
    lines,
    doc: readFileDoc(lines, documented[0]),
    declarations,
    names: documented.map(it => it.name),
    listedNames: documented.filter(it => !it.name.includes('.') || it.kind !== 'method').map(it => it.name),
  };
}

/** The comment of the innermost declaration around another one, else of the file. */
function findContainer(
  inner: Declaration,
  declarations: readonly Declaration[],
  { file, doc }: { readonly file: string; readonly doc: DocComment },
): CodeContainer | undefined {
  const around = declarations.filter(it => it !== inner && contains(it, inner) && it.doc.description !== '').at(-1);
  if (around !== undefined) return { name: around.name, description: around.doc.description };
  return doc.description === '' ? undefined : { name: file, description: doc.description };
}

function outlineOf(lines: readonly string[], declaration: Declaration, all: readonly Declaration[]): string {
  const members = all.filter(it => it !== declaration && contains(declaration, it));
  return members.length === 0 ? declaration.code : outline(lines, declaration, members);
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
  const firstLine = lines[it.startLine]!;
  const indent = /^\s*/u.exec(firstLine)![0];
  return [indent + firstLine.slice(it.startCharacter), ...inner, ...end].join('\n');
}

/** Removes the common indentation, and blank lines at both ends. */
function dedent(code: string): string {
  const lines = code
    .replace(/^(?:[ \t]*\n)+/u, '')
    .trimEnd()
    .split('\n');
  const indents = lines.filter(it => it.trim() !== '').map(it => it.length - it.trimStart().length);
  const shift = Math.min(...indents, Number.MAX_SAFE_INTEGER);
  return lines.map(it => it.slice(Math.min(shift, it.length))).join('\n');
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
