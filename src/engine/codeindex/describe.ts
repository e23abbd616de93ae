import type { CodeSymbol } from '../model/codeIndex.js';
import type { Doc } from './comments.js';

/** So many names of what is in a file or class, and of what is called. */
const mostNames = 30;
const mostCalls = 8;
/** Characters of a signature, and of the code it is looked for in. */
const longestSignature = 240;
const signatureWithin = 1_000;

const keywords = new Set(
  'if for while switch catch return function typeof instanceof new await async super this sizeof elif except print with not and or in is func fn def match loop lambda yield assert defined unless until foreach require include isset echo die'.split(
    ' ',
  ),
);

/** `Function \`parsePort(text: string): number\` in src/net.ts: reads a port from a setting. Throws RangeError.` */
export function describeSymbol({
  file,
  symbol,
  count,
  memberNames,
  doc,
}: {
  readonly file: string;
  readonly symbol: CodeSymbol & { readonly code: string };
  /** More than 1 where others of its file have its name. */
  readonly count: number;
  readonly memberNames: readonly string[];
  readonly doc: Doc;
}): string {
  const kind = symbol.kind.charAt(0).toUpperCase() + symbol.kind.slice(1);
  const again = count === 1 ? '' : ` (number ${count} of this name)`;
  const subject = `${kind} \`${signatureOf(symbol)}\`${again} in ${file}`;
  const parts = [
    doc.main === '' ? `${subject}.` : `${subject}: ${sentence(doc.main, true)}`,
    ...doc.more.map(it => sentence(it)),
  ];
  if (memberNames.length > 0) parts.push(`It has ${namesOf(memberNames)}.`);
  else if (doc.main === '') {
    const calls = callsIn(symbol.code, symbol.name);
    if (calls.length > 0) parts.push(`It calls ${namesOf(calls)}.`);
  }
  return parts.join(' ');
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
  readonly doc: Doc;
  readonly names: readonly string[];
}): string {
  const subject = `File ${file} (${language})`;
  const parts = [doc.main === '' ? `${subject}.` : `${subject}: ${sentence(doc.main, true)}`];
  if (names.length > 0) parts.push(`It defines ${namesOf(names)}.`);
  return parts.join(' ');
}

/** The name with what it takes and gives: up to the body, without modifiers. */
function signatureOf({ name, code }: CodeSymbol & { readonly code: string }): string {
  const short = name.slice(name.lastIndexOf('.') + 1);
  const from = code.search(new RegExp(`(?<![\\w$])${short.replaceAll(/[^\w]/gu, '\\$&')}(?![\\w$])`, 'u'));
  if (from < 0) return name;
  const text = code.slice(from, from + signatureWithin);
  let depth = 0;
  let end = text.length;
  for (let i = 0; i < text.length; i++) {
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
    .replace(/^([\w$]+)\s*=\s*(?:async\s*)?(?=[(\w<])/u, '$1')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll('`', '')
    .replace(/[\s:={]+$/u, '');
  if (signature.length > longestSignature || signature === '') return name;
  return name.slice(0, name.length - short.length) + signature;
}

/** What a code without a comment calls says best what it is about. */
function callsIn(code: string, name: string): string[] {
  const own = name.slice(name.lastIndexOf('.') + 1);
  const found = new Set<string>();
  for (const [, called] of code.matchAll(/(?<![\w$])([A-Za-z_$][\w$]{2,60})\s*\(/gu)) {
    if (called !== own && !keywords.has(called!)) found.add(called!);
    if (found.size === mostCalls) break;
  }
  return [...found];
}

function namesOf(names: readonly string[]): string {
  const shown = [...new Set(names)].map(it => `\`${it}\``);
  const rest = shown.length - mostNames;
  if (rest > 0) return `${shown.slice(0, mostNames).join(', ')} and ${rest} more`;
  return shown.length === 1 ? shown[0]! : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)!}`;
}

/** With its full stop; in the middle of another one without its capital, unless that is a name. */
function sentence(text: string, inside = false): string {
  const begun = inside && /^[A-Z][a-z]*(?:[\s,.]|$)/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
  return /[.!?…:]$/u.test(begun) ? begun : `${begun}.`;
}
