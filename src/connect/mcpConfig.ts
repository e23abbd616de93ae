import { isDeepStrictEqual } from 'node:util';
import { findNodeAtLocation, getNodeValue, parseTree, type Node, type ParseError } from 'jsonc-parser';
import { EngineError } from '../engine/base/errors.js';
import { formatJson, indentAt, insertProperty, removeProperty, replaceNode } from '../engine/base/jsonEdit.js';
import { message } from '../engine/base/localizableMessage.js';
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
 * Adds our server, or replaces its entry; every other byte stays, and each where it has this entry already.
 * @param text undefined where the file does not exist
 * @throws EngineError invalidInput where the text is not valid JSON, or has no object of servers
 */
export function addServer(text: string | undefined, file: McpConfigFile, entry: McpServerEntry): string {
  if (text !== undefined && isDeepStrictEqual(readServerEntry(text, file), entry)) return text;
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
    // Separators that addServer puts before its table.
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
