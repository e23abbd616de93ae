import type { CodeSymbol } from '../model/codeIndex.js';

/** What people wrote about a piece of code. */
export interface Doc {
  /** Its description, on one line; '' when there is none. */
  readonly main: string;
  /** What it says of results and errors, as sentences. */
  readonly more: readonly string[];
}

/** Longer descriptions are cut at a sentence. Characters. */
const longestMain = 600;
/** Comments that are about something else than the code. */
const aboutOther =
  /copyright|licen[sc]ed?\b|SPDX-|eslint|prettier-|@ts-|tslint|noqa|pylint|mypy:|type: ignore|coding[:=]|^!|#region|clang-format/iu;
/** A line of a comment in any of the languages. */
const commentLine = /^\s*(?:\/\/|\/\*|\*|#(?!\[|include|define|if|endif|pragma|!\[)|--|;;|%|<!--|"""|''')/u;
const decoration = /^\s*(?:@[\w.]+(?:\(.*\))?|#\[.*\]|\[[\w., ()"=]+\])\s*$/u;

/** The comment that stands right above a declaration, or a docstring below its first line. */
export function docOfSymbol(lines: readonly string[], { startLine, endLine }: CodeSymbol): Doc {
  let end = startLine - 1;
  while (end >= 0 && decoration.test(lines[end]!)) end--;
  const above = end < 0 ? [] : lines.slice(commentStart(lines, end), end + 1);
  const doc = docOf(above);
  return doc.main !== '' ? doc : docOf(docstring(lines, startLine, endLine));
}

/** The first line of the comment that ends with a line; the line after it when none does. */
function commentStart(lines: readonly string[], end: number): number {
  let start = end;
  if (/\*\/\s*$/u.test(lines[end]!)) {
    while (start > 0 && !lines[start]!.includes('/*')) start--;
    return lines[start]!.trim().startsWith('/*') ? start : end + 1;
  }
  while (start >= 0 && commentLine.test(lines[start]!)) start--;
  return start + 1;
}

/** The first comment of a file that is about the file: no license, and not that of its first declaration. */
export function docOfFile(lines: readonly string[], first: CodeSymbol | undefined): Doc {
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    if (line.trim() === '' || line.startsWith('#!') || /^\s*(?:<\?php|['"]use \w+['"];?)/u.test(line)) {
      at++;
      continue;
    }
    const block = blockAt(lines, at);
    if (block.length === 0) break;
    at += block.length;
    const belongsToFirst = first !== undefined && at >= first.startLine;
    if (aboutOther.test(block.join('\n')) || belongsToFirst) continue;
    const doc = docOf(block);
    if (doc.main !== '') return doc;
  }
  return { main: '', more: [] };
}

/** The comment that begins at a line; empty when none does. */
function blockAt(lines: readonly string[], at: number): string[] {
  const line = lines[at]!.trim();
  const close = line.startsWith('/*') ? '*/' : line.startsWith('<!--') ? '-->' : undefined;
  const quotes = /^[ru]?("""|''')/iu.exec(line)?.[1];
  if (close === undefined && quotes === undefined) {
    let end = at;
    while (end < lines.length && commentLine.test(lines[end]!) && !lines[end]!.trim().startsWith('/*')) end++;
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

/** Python's: the first string below the line that ends with a colon. */
function docstring(lines: readonly string[], startLine: number, endLine: number): string[] {
  for (let at = startLine; at < Math.min(endLine, startLine + 20); at++) {
    if (!/:\s*(?:#.*)?$/u.test(lines[at]!)) continue;
    const next = lines[at + 1]?.trim() ?? '';
    return /^[ru]?(?:"""|''')/iu.test(next) ? blockAt(lines, at + 1) : [];
  }
  return [];
}

function docOf(block: readonly string[]): Doc {
  if (block.length === 0 || aboutOther.test(block[0]!)) return { main: '', more: [] };
  const bare = block.map(it =>
    it
      .replace(/^\s*[ru]?(?:"""|''')|(?:"""|''')\s*$/gu, '')
      .replace(/^\s*(?:\/\*+!?|\*+\/|\*(?!\*)|\/\/[/!]?|#+|--+|;;+|%+|<!--)/u, '')
      .replace(/(?:\*+\/|-->)\s*$/u, '')
      .replace(/<\/?(?:summary|remarks|para|p|code|see|c)\b[^>]*>/gu, ' ')
      .trim(),
  );
  const parted = bare.flatMap(it => it.split(/\s(?=@(?:param|returns?|throws)\b)/u));
  const main: string[] = [];
  const more: string[] = [];
  let tag: string | undefined;
  for (const line of parted) {
    const tagged =
      /^(?:[@\\](\w+)|(Args|Arguments|Parameters|Params|Returns?|Raises|Throws|Examples?|Notes?):)\s*(.*)$/u.exec(line);
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
  return { main: shortened(sentence), more: more.map(it => shortened(it.replaceAll(/\s+/gu, ' '))) };
}

function shortened(text: string): string {
  if (text.length <= longestMain) return text;
  const room = text.slice(0, longestMain);
  const end = Math.max(room.lastIndexOf('. '), room.lastIndexOf('; '));
  return end > longestMain / 3 ? room.slice(0, end + 1) : `${room.slice(0, room.lastIndexOf(' '))}…`;
}
