import type { CodeSymbol } from '../model/codeIndex.js';
import type { CodeUsage } from './codeUsage.js';
import type { DocComment } from './docComments.js';
import { toWords, unqualifiedName } from './symbolNames.js';

/** Listed members of a file or class. */
const maxNames = 30;
const maxCalls = 8;
/** In characters. */
const maxSignatureLength = 240;
const signatureSearchLength = 1_000;

const nonCallKeywords = new Set(
  'pub if for while switch catch return function typeof instanceof new await async super this sizeof elif except print with not and or in is func fn def match loop lambda yield assert defined unless until foreach require include isset echo die'.split(
    ' ',
  ),
);

/** Parent of a declaration, with the first sentence of its comment. */
export interface CodeContainer {
  readonly name: string;
  readonly description: string;
}

/**
 * `Function \`parsePort(text: string): number\` in src/net.ts: reads a port from a setting. Throws RangeError. Called by
 * \`listen\` (src/server.ts). Tested in test/net.test.ts: "refuses text".`
 */
export function describeSymbol({
  file,
  symbol,
  count,
  memberNames,
  doc,
  container,
  usage,
}: {
  readonly file: string;
  readonly symbol: CodeSymbol & { readonly code: string };
  /** Ordinal among the symbols of the file with the same name, from 1. */
  readonly count: number;
  readonly memberNames: readonly string[];
  readonly doc: DocComment;
  readonly container?: CodeContainer;
  readonly usage: CodeUsage;
}): string {
  const kind = symbol.kind.charAt(0).toUpperCase() + symbol.kind.slice(1);
  const ordinalNote = count === 1 ? '' : ` (number ${count} of this name)`;
  const subject = `${kind} \`${extractSignature(symbol)}\`${ordinalNote} in ${file}`;
  const words = toWords(unqualifiedName(symbol.name));
  const text = doc.description === '' && words.includes(' ') ? words : doc.description;
  const parts = [
    text === '' ? `${subject}.` : `${subject}: ${toSentence(text, true)}`,
    ...doc.details.map(it => toSentence(it)),
  ];
  if (memberNames.length > 0) parts.push(`It has ${formatNames(memberNames)}.`);
  else if (doc.description === '') {
    const calls = findCalls(symbol.code, symbol.name);
    if (calls.length > 0) parts.push(`It calls ${formatNames(calls)}.`);
  }
  if (doc.description === '' && container !== undefined) {
    parts.push(`Part of ${container.name}: ${toSentence(firstSentence(container.description), true)}`);
  }
  parts.push(...describeUsage(file, usage));
  return parts.join(' ');
}

function describeUsage(file: string, { callers, tests }: CodeUsage): string[] {
  const sentences: string[] = [];
  if (callers.length > 0) {
    const users = callers.map(it => {
      const isHere = it.file === file;
      if (it.name === '') return it.file;
      return `\`${it.name}\`${isHere ? '' : ` (${it.file})`}`;
    });
    sentences.push(`Used by ${joinWithAnd([...new Set(users)])}.`);
  }
  for (const testFile of new Set(tests.map(it => it.file))) {
    const titles = tests.filter(it => it.file === testFile).map(it => `“${it.title}”`);
    sentences.push(`Tested in ${testFile}: ${joinWithAnd([...new Set(titles)])}.`);
  }
  return sentences;
}

/** In characters. */
const maxFirstSentenceLength = 160;

function firstSentence(text: string): string {
  const end = /[.!?](?=\s|$)/u.exec(text)?.index ?? text.length;
  const sentence = text.slice(0, end);
  return sentence.length <= maxFirstSentenceLength
    ? sentence
    : `${sentence.slice(0, sentence.lastIndexOf(' ', maxFirstSentenceLength))}…`;
}

/** `File src/net.ts (TypeScript): reads settings of the network. It defines \`parsePort\` and \`parseHost\`.` */
export function describeFile({
  file,
  language,
  doc,
  names,
}: {
  readonly file: string;
  readonly language: string;
  readonly doc: DocComment;
  readonly names: readonly string[];
}): string {
  const subject = `File ${file} (${language})`;
  const parts = [doc.description === '' ? `${subject}.` : `${subject}: ${toSentence(doc.description, true)}`];
  if (names.length > 0) parts.push(`It defines ${formatNames(names)}.`);
  return parts.join(' ');
}

/** The name with parameters and result, up to the body, without modifiers. */
function extractSignature({ name, code }: CodeSymbol & { readonly code: string }): string {
  const short = unqualifiedName(name);
  const from = indexOfName(code, short);
  if (from < 0) return name;
  const text = code.slice(from, from + signatureSearchLength);
  let depth = 0;
  let end = text.length;
  for (let i = typeParametersEnd(text, short.length); i < text.length; i++) {
    const it = text[i]!;
    if (it === '(' || it === '[') depth++;
    else if (it === ')' || it === ']') depth--;
    else if (depth <= 0 && (it === '{' || it === '\n' || it === ';' || (it === '=' && text[i + 1] === '>'))) {
      end = i;
      break;
    }
  }
  const signature = text
    .slice(0, end)
    .replace(/^([\p{L}\p{N}_$]+)\s*=\s*(?:async\s*)?(?=[(\p{L}_<])/u, '$1')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll('`', '')
    .replace(/(?<![\s:={])[\s:={]+$/u, '');
  if (signature.length > maxSignatureLength || signature === '') return name;
  return name.slice(0, name.length - short.length) + signature;
}

/** Index of the first whole occurrence of a name, which may have any characters; -1 without one. */
function indexOfName(code: string, name: string): number {
  for (let at = code.indexOf(name); at >= 0; at = code.indexOf(name, at + 1)) {
    const isWhole = !/[\p{L}\p{N}_$]$/u.test(code.slice(0, at).slice(-2)) || !/^[\p{L}\p{N}_$]/u.test(name);
    if (isWhole && !/^[\p{L}\p{N}_$]/u.test(code.slice(at + name.length, at + name.length + 2))) return at;
  }
  return -1;
}

/** The end of the type parameters that start at an index, `<T extends { id: string }>`; the index itself without any. */
function typeParametersEnd(text: string, start: number): number {
  if (text[start] !== '<') return start;
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === '<') depth++;
    else if (text[i] === '>' && text[i - 1] !== '=' && text[i - 1] !== '-' && --depth === 0) return i + 1;
  }
  return start;
}

/** Names of the called functions, which describe code without a comment best; `@Name(…)` is no call. */
function findCalls(code: string, name: string): string[] {
  const symbolName = unqualifiedName(name);
  const found = new Set<string>();
  for (const [, called] of code.matchAll(/(?<![\p{L}\p{N}_$@])([\p{L}_$][\p{L}\p{N}_$]{2,60})\s*\(/gu)) {
    if (called !== symbolName && !nonCallKeywords.has(called!)) found.add(called!);
    if (found.size === maxCalls) break;
  }
  return [...found];
}

function formatNames(names: readonly string[]): string {
  const shown = [...new Set(names)].map(it => `\`${it}\``);
  const rest = shown.length - maxNames;
  return rest > 0 ? `${shown.slice(0, maxNames).join(', ')} and ${rest} more` : joinWithAnd(shown);
}

function joinWithAnd(items: readonly string[]): string {
  return items.length === 1 ? items[0]! : `${items.slice(0, -1).join(', ')} and ${items.at(-1)!}`;
}

/** Text with a final period; a continuation starts in lower case, unless with a name. */
function toSentence(text: string, isContinuation = false): string {
  const adjusted =
    isContinuation && /^[A-Z][a-z]*(?:[\s,.]|$)/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
  return /[.!?…:]$/u.test(adjusted) ? adjusted : `${adjusted}.`;
}
