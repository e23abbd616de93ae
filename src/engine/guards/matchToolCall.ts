import path from 'node:path';
import type { GuardedCall } from '../model/guards.js';
import type { GuardEntry } from '../store/guardFile.js';
import { filesRunBy, isNamedBy, isReadingOnly, splitCommandLine } from '../text/commandLine.js';

/** Of entries, those that a tool call is about, the nearest first: a person's guard, a declaration or error, a warning, a file. */
export function matchToolCall(
  entries: readonly GuardEntry[],
  call: GuardedCall,
  roots: readonly string[],
): readonly GuardEntry[] {
  const isByOutput = call.mayHavePassed === true;
  if (isByOutput && isReadingOnly(call.command)) return [];
  const [root = ''] = roots;
  const run = call.command === '' || isByOutput ? [] : filesRunBy(call.command);
  const files = [...call.files, ...run].map(it => path.resolve(root, it));
  const relative = files.flatMap(file => roots.map(it => path.relative(it, file).replaceAll('\\', '/')));
  const commands = call.command === '' || isByOutput ? [] : splitCommandLine(call.command);
  const nearness = (entry: GuardEntry): number => {
    const isNamed = entry.commands?.some(key => commands.some(it => isNamedBy(it, key))) === true;
    const isError = call.moment === 'failure' && entry.errors?.some(it => call.error.includes(it)) === true;
    const isAnchored = entry.file !== undefined && files.includes(path.normalize(entry.file));
    const isFile = entry.paths?.some(it => relative.some(file => file === it || file.endsWith(`/${it}`))) === true;
    if (!isNamed && !isError && !isAnchored && !isFile) return 0;
    if (entry.asks === true) return 5;
    const isDeclaration = isAnchored && entry.symbol !== undefined && mentions(call.text, entry.symbol);
    if (isError || isDeclaration) return 4;
    if (isNamed || isFile) return 3;
    return entry.symbol === undefined ? 2 : 1;
  };
  return entries
    .map(entry => ({ entry, near: nearness(entry) }))
    .filter(it => it.near > 0)
    .sort((a, b) => b.near - a.near)
    .map(it => it.entry);
}

/** A symbol's last part, `open` of `Store.open`, as a word of the text. */
function mentions(text: string, symbol: string): boolean {
  const name = symbol.match(/[\p{L}\p{N}_$]+/gu)?.at(-1);
  return name !== undefined && text.split(/[^\p{L}\p{N}_$]+/u).includes(name);
}
