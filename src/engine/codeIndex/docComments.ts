import type { CodeSymbol } from '../model/codeIndex.js';

/** Documentation of a declaration or a file. */
export interface DocComment {
  /** One line; '' without a description. */
  readonly description: string;
  /** Sentences about results and errors. */
  readonly details: readonly string[];
}

/** In characters. Longer descriptions are truncated at a sentence. */
const maxDescriptionLength = 600;
/** Comments that do not document code: licenses and directives of tools. */
const nonDocPattern =
  /copyright|licen[sc]ed?\b|SPDX-|eslint|prettier-|@ts-|tslint|noqa|pylint|mypy:|type: ignore|coding[:=]|^!|#region|clang-format/iu;
/** A comment line in any of the languages. */
const commentLinePattern = /^\s*(?:\/\/|\/\*|\*|#(?!\[|include|define|if|endif|pragma|!\[)|--|;;|%|<!--|"""|''')/u;
const decoratorPattern = /^\s*(?:@[\w.]+(?:\(.*\))?|#\[.*\]|\[[\w., ()"=]+\])\s*$/u;

/** Reads the comment directly above a declaration, else its docstring. */
export function readSymbolDoc(lines: readonly string[], { startLine, endLine }: CodeSymbol): DocComment {
  let end = startLine - 1;
  while (end >= 0 && decoratorPattern.test(lines[end]!)) end--;
  const above = end < 0 ? [] : lines.slice(findCommentStart(lines, end), end + 1);
  const doc = parseComment(above);
  return doc.description !== '' ? doc : parseComment(findDocstring(lines, startLine, endLine));
}

/** The first line of the comment that ends at a line; `end + 1` without one. */
function findCommentStart(lines: readonly string[], end: number): number {
  let start = end;
  if (/\*\/\s*$/u.test(lines[end]!)) {
    while (start > 0 && !lines[start]!.includes('/*')) start--;
    return lines[start]!.trim().startsWith('/*') ? start : end + 1;
  }
  while (start >= 0 && commentLinePattern.test(lines[start]!)) start--;
  return start + 1;
}

/** Reads the comment about the file: not a license, and not the comment of the first declaration. */
export function readFileDoc(lines: readonly string[], first: CodeSymbol | undefined): DocComment {
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    if (line.trim() === '' || line.startsWith('#!') || /^\s*(?:<\?php|['"]use \w+['"];?)/u.test(line)) {
      at++;
      continue;
    }
    const block = readCommentBlock(lines, at);
    if (block.length === 0) break;
    at += block.length;
    const belongsToFirst = first !== undefined && at >= first.startLine;
    if (nonDocPattern.test(block.join('\n')) || belongsToFirst) continue;
    const doc = parseComment(block);
    if (doc.description !== '') return doc;
  }
  return { description: '', details: [] };
}

/** The lines of the comment that starts at a line; empty without one. */
function readCommentBlock(lines: readonly string[], at: number): string[] {
  const line = lines[at]!.trim();
  const close = line.startsWith('/*') ? '*/' : line.startsWith('<!--') ? '-->' : undefined;
  const quotes = /^[ru]?("""|''')/iu.exec(line)?.[1];
  if (close === undefined && quotes === undefined) {
    let end = at;
    while (end < lines.length && commentLinePattern.test(lines[end]!) && !lines[end]!.trim().startsWith('/*')) end++;
    return lines.slice(at, end);
  }
  let end = at;
  const isClosed = (it: string, from: number): boolean => it.includes(close ?? quotes!, from);
  if (!isClosed(line, 3)) {
    end++;
    while (end < lines.length && !isClosed(lines[end]!, 0)) end++;
  }
  return lines.slice(at, end + 1);
}

/** Python: the string after the line that ends with a colon. */
function findDocstring(lines: readonly string[], startLine: number, endLine: number): string[] {
  for (let at = startLine; at < Math.min(endLine, startLine + 20); at++) {
    if (!/:\s*(?:#.*)?$/u.test(lines[at]!)) continue;
    const next = lines[at + 1]?.trim() ?? '';
    return /^[ru]?(?:"""|''')/iu.test(next) ? readCommentBlock(lines, at + 1) : [];
  }
  return [];
}

function parseComment(block: readonly string[]): DocComment {
  if (block.length === 0 || nonDocPattern.test(block[0]!)) return { description: '', details: [] };
  const strippedLines = block.map(it =>
    it
      .replace(/^\s*[ru]?(?:"""|''')|(?:"""|''')\s*$/gu, '')
      .replace(/^\s*(?:\/\*+!?|\*+\/|\*(?!\*)|\/\/[/!]?|#+|--+|;;+|%+|<!--)/u, '')
      .replace(/(?:(?<!\*)\*+\/|-->)\s*$/u, '')
      .replace(/<\/?(?:summary|remarks|para|p|code|see|c)\b[^>]*>/gu, ' ')
      .trim(),
  );
  const splitAtTags = strippedLines.flatMap(it => it.split(/\s(?=@(?:param|returns?|throws)\b)/u));
  const main: string[] = [];
  const more: string[] = [];
  let tag: string | undefined;
  for (const line of splitAtTags) {
    const tagged =
      /^(?:[@\\](\w+)(?!\w)|(Args|Arguments|Parameters|Params|Returns?|Raises|Throws|Examples?|Notes?):)\s*(?!\s)(.*)$/u.exec(
        line,
      );
    if (tagged !== null) tag = (tagged[1] ?? tagged[2]!).toLowerCase();
    if (tag === undefined) {
      main.push(line);
      continue;
    }
    const rest = (tagged?.[3] ?? '').replace(/^\{[^}]*\}\s*/u, '');
    if (tagged === null || rest === '') continue;
    if (/^returns?$/u.test(tag)) more.push(`Returns ${rest}`);
    else if (/^(?:throws|raises|exception)$/u.test(tag)) more.push(`Throws ${rest}`);
    else if (tag === 'brief') main.push(rest);
  }
  const sentence = main
    .join(' ')
    .replaceAll(/\{@\w+ ([^}]*)\}/gu, '$1')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  return {
    description: truncateAtSentence(sentence),
    details: more.map(it => truncateAtSentence(it.replaceAll(/\s+/gu, ' '))),
  };
}

function truncateAtSentence(text: string): string {
  if (text.length <= maxDescriptionLength) return text;
  const room = text.slice(0, maxDescriptionLength);
  const end = Math.max(room.lastIndexOf('. '), room.lastIndexOf('; '));
  return end > maxDescriptionLength / 3 ? room.slice(0, end + 1) : `${room.slice(0, room.lastIndexOf(' '))}…`;
}
