import { EngineError } from '../engine/base/errors.js';
import { message } from '../engine/base/localizableMessage.js';

/*
 * The smallest edit of a TOML file: a table of our own at its end, found again by its header. Tables that are written in
 * another way (inline, or as dotted keys) are not touched.
 */

const serverKey = 'recollect';
type Entry = Readonly<Record<string, unknown>>;
interface TomlFile {
  readonly path: string;
  readonly section: string;
}

/** @throws EngineError invalidInput where the server, or all of them, are written in a form that is not edited */
export function addTomlServer(text = '', file: TomlFile, entry: Entry): string {
  const body = removeTomlServer(text, file);
  const bare = body.replaceAll(/^[ \t]*#.*$/gmu, '');
  const header = new RegExp(`^[ \\t]*(?:${file.section}[ \\t]*[=.]|\\[[ \\t]*${file.section}[ \\t]*\\])`, 'mu');
  if (/("""|''')/u.test(bare) || header.test(bare)) {
    throw new EngineError(
      'invalidInput',
      message`${file.path} has a form that is not edited here. Add the server by hand; nothing was changed.`,
    );
  }
  const eol = body.includes('\r\n') ? '\r\n' : '\n';
  const table = [`[${file.section}.${serverKey}]`, ...Object.entries(entry).map(toLine), ''].join(eol);
  if (body.trim() === '') return `${body}${table}`;
  return `${body}${body.endsWith('\n') ? '' : eol}${eol}${table}`;
}

/** The text without our table and its sub-tables; every other byte stays. */
export function removeTomlServer(text: string, file: TomlFile): string {
  const range = findTable(text, file);
  return range === undefined ? text : text.slice(0, range.start) + text.slice(range.end);
}

/** Our table as an object; undefined where there is none. */
export function readTomlServer(text = '', file: TomlFile): unknown {
  const range = findTable(text, file);
  if (range === undefined) return undefined;
  const lines = text.slice(range.start, range.end).split(/\r?\n/u).slice(1);
  return Object.fromEntries(
    lines.flatMap(line => {
      const [, key, value] = /^[ \t]*(\w+)[ \t]*=[ \t]*(?![ \t])(.*[^ \t])[ \t]*$/u.exec(line) ?? [];
      return key === undefined ? [] : [[key, parseValue(value!)] as const];
    }),
  );
}

function findTable(text: string, { section }: TomlFile): { readonly start: number; readonly end: number } | undefined {
  const own = new RegExp(`^[ \\t]*\\[[ \\t]*${section}\\.(?:${serverKey}|"${serverKey}")(?:\\.[^\\]]*)?\\]`, 'u');
  let [start, offset] = [-1, 0];
  for (const line of text.split(/(?<=\n)/u)) {
    const isHeader = /^[ \t]*\[/u.test(line);
    if (isHeader && start === -1 && own.test(line)) start = offset;
    else if (isHeader && start !== -1 && !own.test(line)) return { start, end: offset };
    offset += line.length;
  }
  return start === -1 ? undefined : { start, end: text.length };
}

/** A basic string, and a list of them, are written as in JSON. */
const toLine = ([key, value]: readonly [string, unknown]): string => `${key} = ${JSON.stringify(value)}`;

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
