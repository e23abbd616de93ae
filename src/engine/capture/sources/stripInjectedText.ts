import { stripEnvelopes } from '../../model/contextEnvelope.js';

// A turn holds more than its speaker's words: programs put reminders, outputs, files and recalled memories into it.

/** What programs put into a turn, by the names of its tags. What is not closed goes to the end. */
const injectedTags =
  /^(?:system[-_]reminder|(?:relevant[-_]|recalled[-_])?(?:memory|memories)|local[-_]command[-_]\w+|command[-_]\w+|bash[-_]\w+|ide[-_]\w+|[\w-]+[-_](?:hook|output|result|results|diagnostics|notification|context|stdout|stderr))$/iu;
/** What a person typed to be remembered stands in tags too. */
const userTags = /^user[-_]memory[-_]input$/iu;
/** Tags of any other program: two words joined, as no HTML element is named. Left alone where they are not closed. */
const compoundTags = /^[a-z]+(?:[-_][a-z]+)+$/u;
const openingTagPattern = /<([a-z][\w-]{1,60})(?:\s[^<>]{0,500})?>/giu;

const codeBlockPattern = /^[ \t]*(```+|~~~+)[^\n]*\n[\s\S]*?(?:^[ \t]*\1[ \t]*$|(?![\s\S]))/gmu;
/** What a client writes into a turn, and lines that quote: somebody else said that. */
const clientNotices =
  /\[Request interrupted by user[^\]\n]{0,60}\]|\[(?:Image|Pasted text)[^\]\n]{0,60}\]|^[ \t]*>[^\n]*$/gmu;

/**
 * A turn without all that is not its speaker's: tagged insertions, our own recalled memories wherever they stand, code
 * blocks, quoted lines and notes of the client. Empty when nothing is left. Linear.
 */
export function stripInjectedText(turn: string): string {
  return stripTagged(stripEnvelopes(turn.replaceAll('\r\n', '\n')))
    .replaceAll(codeBlockPattern, '\n')
    .replaceAll(clientNotices, '')
    .replaceAll(/\n{3,}/gu, '\n\n')
    .trim();
}

function stripTagged(text: string): string {
  let kept = '';
  let position = 0;
  const unclosedNames = new Set<string>();
  for (const tag of text.matchAll(openingTagPattern)) {
    if (tag.index < position) continue;
    const name = tag[1]!;
    if (userTags.test(name) || unclosedNames.has(name) || !(injectedTags.test(name) || compoundTags.test(name)))
      continue;
    const end = findClosingTagEnd(text, tag.index + tag[0].length, name);
    if (end === undefined && !injectedTags.test(name)) {
      // Looked for once: many that are not closed would else take a search of the rest each.
      unclosedNames.add(name);
      continue;
    }
    kept += text.slice(position, tag.index);
    position = end ?? text.length;
  }
  return (kept + text.slice(position)).replaceAll(/<\/?user[-_]memory[-_]input>/giu, '');
}

/** Behind the closing tag that belongs to the one before `from`; undefined where there is none. */
function findClosingTagEnd(text: string, from: number, name: string): number | undefined {
  let depth = 1;
  const tags = new RegExp(`<(/?)${name}(?:\\s[^<>]{0,500})?>`, 'giu');
  tags.lastIndex = from;
  for (let tag = tags.exec(text); tag !== null; tag = tags.exec(text)) {
    depth += tag[1] === '/' ? -1 : 1;
    if (depth === 0) return tags.lastIndex;
  }
  return undefined;
}
