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
  const splitAtTags = strippedLines.map(readSphinx).flatMap(it => it.split(/\s(?=@(?:param|returns?|throws)\b)/u));
  const main: string[] = [];
  const more: string[] = [];
  let tag: string | undefined;
  let isInDetail = false;
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
    const rest = (tagged?.[3] ?? line).replace(/^\{[^}]*\}\s*/u, '');
    if (tagged === null) {
      // A result or an error goes on until a blank line.
      if (rest === '') isInDetail = false;
      else if (isInDetail) more.push(`${more.pop()!} ${rest}`);
      continue;
    }
    const opening = /^returns?$/u.test(tag)
      ? 'Returns'
      : /^(?:throws|raises|exception)$/u.test(tag)
        ? 'Throws'
        : undefined;
    isInDetail = opening !== undefined;
    if (opening !== undefined) more.push(`${opening} ${rest}`.trim());
    else if (tag === 'brief' && rest !== '') main.push(rest);
    else if (tag === attributeTag) {
      main.push(`${main.length === 0 || /[.!?:]$/u.test(main.at(-1)!) ? '' : '.'} ${rest}`);
      tag = undefined;
    }
  }
  const sentence = main
    .join(' ')
    .replaceAll(/\{@\w+ ([^}]*)\}/gu, '$1')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(' . ', '. ')
    .trim();
  return {
    description: truncateAtSentence(sentence),
    details: more.filter(it => it.includes(' ')).map(it => truncateAtSentence(it.replaceAll(/\s+/gu, ' '))),
  };
}

/** A field of Sphinx, such as `:raises ValueError: if it is closed`: its name, what it is about, and its text. */
const sphinxField =
  /^:(param|parameter|arg|argument|key|keyword|type|vartype|rtype|meta|var|ivar|cvar|returns?|raises?|except|exception)(?: ([^:\n]{0,120}))?:(?: (.*))?$/u;
/** A reference of Sphinx, such as ``:meth:`~Pier.open` ``. */
const sphinxRole = /:(?:[a-z]+:)?[a-z]+:`(~?)([^`<]{1,200}?)(?: ?<[^`>]{0,200}>)?`/gu;

/** Of no language: begins the text about an attribute. */
const attributeTag = 'sphinxattribute';

/** A line as it would be without Sphinx: fields as tags, attributes as text, references as names, directives left out. */
function readSphinx(line: string): string {
  const text = /^\.\. [\w-]+::/u.test(line)
    ? ''
    : line.replaceAll(sphinxRole, (_, short, name: string) => (short === '' ? name : name.replace(/^.*\./u, '')));
  const field = sphinxField.exec(text);
  if (field === null) return text;
  const [, name, about = '', rest = ''] = field;
  if (/^[ic]?var$/u.test(name!)) return `@${attributeTag} ${about.replace(/^.* /u, '')}: ${rest}`;
  if (/^(?:raises?|exc)/u.test(name!)) return `@throws ${about} ${rest}`;
  return name!.startsWith('return') ? `@returns ${rest}` : '@param';
}

function truncateAtSentence(text: string): string {
  if (text.length <= maxDescriptionLength) return text;
  const room = text.slice(0, maxDescriptionLength);
  const end = Math.max(room.lastIndexOf('. '), room.lastIndexOf('; '));
  return end > maxDescriptionLength / 3 ? room.slice(0, end + 1) : `${room.slice(0, room.lastIndexOf(' '))}…`;
}
