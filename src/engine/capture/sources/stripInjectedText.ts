import { stripEnvelopes } from '../../model/contextEnvelope.js';

/** Tags of text that programs inject: reminders, outputs, files, memories. An unclosed one extends to the end. */
const injectedTags =
  /^(?:system[-_]reminder|(?:relevant[-_]|recalled[-_])?(?:memory|memories)|local[-_]command[-_]\w+|command[-_]\w+|bash[-_]\w+|ide[-_]\w+|[\w-]+[-_](?:hook|output|result|results|diagnostics|notification|context|stdout|stderr))$/iu;
/** Tags around text that the person typed. */
const userTags = /^user[-_]memory[-_]input$/iu;
/** Tags of other programs: joined words, unlike any HTML element. Kept where they are not closed. */
const compoundTags = /^[a-z]+(?:[-_][a-z]+)+$/u;
const openingTagPattern = /<([a-z][\w-]{1,60})(?:\s[^<>]{0,500})?>/giu;

const codeBlockPattern = /^[ \t]*(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n[\s\S]*?(?:^[ \t]*\1[ \t]*$|(?![\s\S]))/gmu;
/** Notices of the client, quoted lines, and recalled memories in list form. */
const clientNotices =
  /\[Request interrupted by user[^\]\n]{0,60}\]|\[(?:Image|Pasted text)[^\]\n]{0,60}\]|^[ \t]*>[^\n]*$/gmu;

/**
 * A turn reduced to the speaker's text: without injected tags, recalled memories, code blocks, quoted lines and notices
 * of the client. May be empty. Linear time.
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
      // Each name is searched once, which keeps many unclosed tags linear.
      unclosedNames.add(name);
      continue;
    }
    kept += text.slice(position, tag.index);
    position = end ?? text.length;
  }
  return (kept + text.slice(position)).replaceAll(/<\/?user[-_]memory[-_]input>/giu, '');
}

/** End of the closing tag that matches the opening tag before `from`; undefined where it is unclosed. */
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
