import { findNodeAtLocation, getNodeValue, parseTree, type Node, type ParseError } from 'jsonc-parser';
import { EngineError } from '../../engine/base/errors.js';
import { message } from '../../engine/base/localizableMessage.js';

/** A file in which an assistant looks for MCP servers. */
export interface McpConfigFile {
  /** Below the project's folder, with `/`. */
  readonly path: string;
  /** The key that its servers stand under. */
  readonly section: 'mcpServers' | 'servers';
  /** Whether its reader accepts comments and commas at the end. */
  readonly allowsComments: boolean;
}

/** One server as such a file says it. */
export interface McpServerEntry {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
}

export const serverName = 'recollect';
const byteOrderMark = '\uFEFF';

/**
 * A file's text with our server in it; every other byte is as it was.
 * @param text undefined where there is no file yet
 * @throws EngineError invalidInput where the text is not what the file must be
 */
export function addServer(text: string | undefined, file: McpConfigFile, entry: McpServerEntry): string {
  const { bom, body } = splitByteOrderMark(text);
  if (body.trim() === '') return `${bom}${JSON.stringify({ [file.section]: { [serverName]: entry } }, undefined, 2)}\n`;
  const root = parseConfig(body, file);
  const existing = findNodeAtLocation(root, [file.section, serverName]);
  if (existing !== undefined)
    return bom + replaceNode(body, existing, formatJson(entry, body, indentAt(body, existing.offset)));
  const section = findNodeAtLocation(root, [file.section]);
  return (
    bom +
    (section === undefined
      ? insertProperty(body, root, file.section, { [serverName]: entry })
      : insertProperty(body, section, serverName, entry))
  );
}

/**
 * The text without our server; every other byte is as it was.
 * @throws EngineError invalidInput as `withServer` does
 */
export function removeServer(text: string, file: McpConfigFile): string {
  const { bom, body } = splitByteOrderMark(text);
  if (readServerEntry(text, file) === undefined) return text;
  return bom + removeProperty(body, findNodeAtLocation(parseConfig(body, file), [file.section, serverName])!.parent!);
}

/**
 * The text as it was before our server went in, to the last byte, if it can be told which one that was; else the text
 * without our server.
 * @param isOriginal whether a text is the one from before
 * @throws EngineError invalidInput as `withServer` does
 */
export function restoreOriginal(text: string, file: McpConfigFile, isOriginal: (text: string) => boolean): string {
  const withoutEntry = removeServer(text, file);
  const { bom, body } = splitByteOrderMark(withoutEntry);
  const section = findNodeAtLocation(parseConfig(body, file), [file.section]);
  // What went in with it where there was no section, or an empty one on one line.
  const isSectionEmpty = section?.children?.length === 0;
  const withEmptySection = section === undefined || !isSectionEmpty ? body : replaceNode(body, section, '{}');
  const withoutSection = section === undefined || !isSectionEmpty ? body : removeProperty(body, section.parent!);
  const withEmptyRoot =
    parseConfig(withoutSection, file).children?.length === 0
      ? withoutSection.replace(/\{\s*\}/u, '{}')
      : withoutSection;
  return (
    [withoutEntry, ...[withEmptySection, withoutSection, withEmptyRoot].map(it => bom + it)].find(isOriginal) ??
    withoutEntry
  );
}

/** What the file says of our server; undefined where it says nothing. @throws EngineError as `withServer` does */
export function readServerEntry(text: string | undefined, file: McpConfigFile): unknown {
  const { body } = splitByteOrderMark(text);
  if (body.trim() === '') return undefined;
  const node = findNodeAtLocation(parseConfig(body, file), [file.section, serverName]);
  return node === undefined ? undefined : JSON.parse(JSON.stringify(getNodeValue(node)));
}

function splitByteOrderMark(text = ''): { readonly bom: string; readonly body: string } {
  const bom = text.startsWith(byteOrderMark) ? byteOrderMark : '';
  return { bom, body: text.slice(bom.length) };
}

function parseConfig(body: string, file: McpConfigFile): Node {
  const errors: ParseError[] = [];
  const options = {
    disallowComments: !file.allowsComments,
    allowTrailingComma: file.allowsComments,
    allowEmptyContent: false,
  };
  const root = parseTree(body, errors, options);
  const [first] = errors;
  if (first !== undefined || root === undefined) {
    const line = body.slice(0, first?.offset ?? 0).split('\n').length;
    throw new EngineError(
      'invalidInput',
      message`${file.path} is not valid JSON (line ${line}). Correct it and try again; nothing was changed.`,
    );
  }
  const section = root.type === 'object' ? findNodeAtLocation(root, [file.section]) : undefined;
  if (root.type !== 'object' || (section !== undefined && section.type !== 'object')) {
    const subject = root.type === 'object' ? message`"${file.section}" in ${file.path}` : file.path;
    throw new EngineError(
      'invalidInput',
      message`${subject} is no JSON object. Correct it and try again; nothing was changed.`,
    );
  }
  return root;
}

// jsonc-parser's own `modify` lays out the neighbours of what it changes anew; here nothing else may move.

/** Puts a property behind the last one of an object. */
function insertProperty(body: string, object: Node, key: string, value: unknown): string {
  const last = object.children?.at(-1);
  const indentUnit = indentUnitOf(body);
  const objectIndent = indentAt(body, object.offset);
  const indent =
    last === undefined ? objectIndent + indentUnit : (lineIndentOf(body, last) ?? objectIndent + indentUnit);
  const eol = lineEndingOf(body);
  const property = `${eol}${indent}${JSON.stringify(key)}: ${formatJson(value, body, indent)}`;
  if (last === undefined) {
    const start = object.offset + 1;
    const interior = body.slice(start, object.offset + object.length - 1);
    return splice(body, start, start, interior.includes('\n') ? property : `${property}${eol}${objectIndent}`);
  }
  const end = last.offset + last.length;
  // A comma that is there, and a comment on the same line, stay with what they belong to.
  const [tail, comma] = /^([ \t]*,)?(?:[ \t]*\/\/[^\r\n]*)?/u.exec(body.slice(end))!;
  const insertAt = end + tail.length;
  const withProperty = splice(body, insertAt, insertAt, comma === undefined ? property : `${property},`);
  return comma === undefined ? splice(withProperty, end, end, ',') : withProperty;
}

/** Takes a property out, with the blanks before it and one comma. */
function removeProperty(body: string, property: Node): string {
  const siblings = property.parent!.children!;
  const previous = siblings[siblings.indexOf(property) - 1];
  const end = property.offset + property.length;
  const start = body.slice(0, property.offset).trimEnd().length;
  const [comma] = /^\s*,/u.exec(body.slice(end)) ?? [];
  if (comma !== undefined) return splice(body, start, end + comma.length, '');
  const without = splice(body, start, end, '');
  if (previous === undefined) return without;
  const previousEnd = previous.offset + previous.length;
  const [before = ''] = /^\s*,/u.exec(without.slice(previousEnd)) ?? [];
  return splice(without, previousEnd, previousEnd + before.length, '');
}

function replaceNode(body: string, node: Node, text: string): string {
  return splice(body, node.offset, node.offset + node.length, text);
}

function splice(body: string, start: number, end: number, text: string): string {
  return body.slice(0, start) + text + body.slice(end);
}

function formatJson(value: unknown, body: string, indent: string): string {
  return JSON.stringify(value, undefined, indentUnitOf(body)).replaceAll('\n', `${lineEndingOf(body)}${indent}`);
}

const lineEndingOf = (body: string): string => (body.includes('\r\n') ? '\r\n' : '\n');

/** What the file indents by. */
const indentUnitOf = (body: string): string => /^([ \t]+)"/mu.exec(body)?.[1] ?? '  ';

/** The blanks that the line of a position begins with. */
function indentAt(body: string, offset: number): string {
  return /^[ \t]*/u.exec(body.slice(body.lastIndexOf('\n', offset - 1) + 1))![0];
}

/** The indent of a node that begins its line. */
function lineIndentOf(body: string, node: Node): string | undefined {
  const indent = indentAt(body, node.offset);
  return body.lastIndexOf('\n', node.offset - 1) + 1 + indent.length === node.offset ? indent : undefined;
}
