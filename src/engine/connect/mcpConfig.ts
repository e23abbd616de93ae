import { findNodeAtLocation, getNodeValue, parseTree, type Node, type ParseError } from 'jsonc-parser';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { addTomlServer, readTomlServer, removeTomlServer } from './tomlConfig.js';

/** A file that lists the MCP servers of an assistant. */
export interface McpConfigFile {
  /** Relative to the project's folder, with `/`. */
  readonly path: string;
  /** The key of the object of servers. */
  readonly section: 'mcpServers' | 'servers' | 'mcp' | 'mcp_servers';
  /** Whether its reader accepts comments and trailing commas. */
  readonly allowsComments: boolean;
  readonly format?: 'json' | 'toml';
}

/** How a program wants a server to be described; in most, `command` and `args`. */
export type McpServerEntry = Readonly<Record<string, unknown>>;

export const serverName = 'recollect';
const byteOrderMark = '\uFEFF';

/**
 * Adds our server, or replaces its entry; every other byte stays.
 * @param text undefined where the file does not exist
 * @throws EngineError invalidInput where the text is not valid JSON, or has no object of servers
 */
export function addServer(text: string | undefined, file: McpConfigFile, entry: McpServerEntry): string {
  if (file.format === 'toml') return addTomlServer(text, file, entry);
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
 * Removes our server; every other byte stays.
 * @throws EngineError invalidInput as addServer does
 */
export function removeServer(text: string, file: McpConfigFile): string {
  if (file.format === 'toml') return removeTomlServer(text, file);
  const { bom, body } = splitByteOrderMark(text);
  if (readServerEntry(text, file) === undefined) return text;
  return bom + removeProperty(body, findNodeAtLocation(parseConfig(body, file), [file.section, serverName])!.parent!);
}

/**
 * The text before our server was added, byte for byte, where `isOriginal` recognizes it; else the text without our
 * server.
 * @param isOriginal whether a candidate is the original text
 * @throws EngineError invalidInput as addServer does
 */
export function restoreOriginal(text: string, file: McpConfigFile, isOriginal: (text: string) => boolean): string {
  const withoutEntry = removeServer(text, file);
  if (file.format === 'toml') {
    // What addServer puts before its table.
    const candidates = [withoutEntry, ...[/\r?\n$/u, /\r?\n\r?\n$/u].map(it => withoutEntry.replace(it, ''))];
    return candidates.find(isOriginal) ?? withoutEntry;
  }
  const { bom, body } = splitByteOrderMark(withoutEntry);
  const section = findNodeAtLocation(parseConfig(body, file), [file.section]);
  // addServer also expands an empty section or root, or adds the section: candidates without that.
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

/** The entry of our server, if there is one. @throws EngineError invalidInput as addServer does */
export function readServerEntry(text: string | undefined, file: McpConfigFile): unknown {
  if (file.format === 'toml') return readTomlServer(text, file);
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

// Not jsonc-parser's `modify`, which also reformats the neighbors of what it changes.

/** Appends a property to an object. */
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
  // A trailing comma, and a comment on the same line, stay with the last property.
  const [tail, comma] = /^([ \t]*,)?(?:[ \t]*\/\/[^\r\n]*)?/u.exec(body.slice(end))!;
  const insertAt = end + tail.length;
  const withProperty = splice(body, insertAt, insertAt, comma === undefined ? property : `${property},`);
  return comma === undefined ? splice(withProperty, end, end, ',') : withProperty;
}

/** Removes a property, the white space before it and one comma. */
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

/** The white space per level of indentation. */
const indentUnitOf = (body: string): string => /^([ \t]+)"/mu.exec(body)?.[1] ?? '  ';

/** The indentation of the line at an offset. */
function indentAt(body: string, offset: number): string {
  return /^[ \t]*/u.exec(body.slice(body.lastIndexOf('\n', offset - 1) + 1))![0];
}

/** The indentation of a node; undefined where other text precedes it on its line. */
function lineIndentOf(body: string, node: Node): string | undefined {
  const indent = indentAt(body, node.offset);
  return body.lastIndexOf('\n', node.offset - 1) + 1 + indent.length === node.offset ? indent : undefined;
}
