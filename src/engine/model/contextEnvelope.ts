import { isMemoryLine, maskMemoryLine } from './memoryLine.js';

/** Element around memories in a prompt. Hyphens, too: some clients rewrite underscores. */
const tagName = 'recollect_memories';
const tagNames = [tagName, tagName.replace('_', '-')];
const closeTag = `</${tagName}>`;

/** The tag that opens an envelope; `note` says what the lines are. */
export function envelopeOpenTag(note: string): string {
  return `<${tagName} note="${note}">`;
}

/**
 * The one frame around memories in every prompt: data, delimited and labelled.
 * @param lines whose memory text went through {@link escapeMemoryText}
 */
export function wrapInEnvelope(note: string, lines: readonly string[]): string {
  return [envelopeOpenTag(note), ...lines, closeTag].join('\n');
}

/** Tags that clients and models take for a message, a role or a tool call of their own, and ours. */
const roleTagPattern =
  /[<＜](?=\s{0,8}[/|!]?\s{0,8}(?:recollect[_-]|(?:system(?:[-_]reminder)?|reminder|assistant|human|user[-_](?:query|prompt[-\w]{0,40}|message|input)|developer|instructions?|tool[-_](?:use|call|result|response)s?|function[-_](?:call|result|response)s?|function=|antml|im_(?:start|end)|start_header_id|end_header_id|eot_id|eom_id|channel|(?:start|end)_of_turn|begin_of_text|endoftext|thinking|task[-_]notification|command[-_](?:name|message|args|contents)|local[-_]command[-\w]{0,40}|environment[-_](?:context|details)|\w{1,20}:(?:system|assistant|user|human))(?![a-z])))/giu;

/** Instruction tags of chat templates, in brackets. */
const bracketTagPattern = /\[(?=\s{0,8}\/?\s{0,8}(?:INST|SYS|(?:AVAILABLE_)?TOOLS|TOOL_CALLS|TOOL_RESULTS)\s{0,8}\])/gu;

/**
 * Invisible characters: formatting, variation selectors, tag characters, blanks that are no space. Joiners only outside the
 * scripts that need them, and a variation selector only where its base has none.
 */
const invisiblePattern =
  /(?![\u200C\u200D])[\p{Cf}\u034F\u115F\u1160\u3164\uFFA0\u17B4\u17B5]|[\uFE00-\uFE0D\u{E0100}-\u{E01EF}]|(?<!\p{Emoji})[\uFE0E\uFE0F]|(?<!\p{Script=Mongolian})[\u180B-\u180D\u180F]|(?<![\u2801-\u28FF])\u2800|(?<![\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Mn}\p{Mc}\p{Extended_Pictographic}\uFE0F\u{1F3FB}-\u{1F3FF}])[\u200C\u200D]/gu;

/** Invisible characters that no reader of ordinary text needs: they go. Others carry something, which the reader should see. */
const droppedInvisible =
  /^[\u00AD\u034F\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\u{E0020}-\u{E007F}]$/u;

/**
 * The text in a form that cannot close the envelope around it, pass for a message of another role, load an image, be read as
 * HTML or carry what a person does not see. For every answer to a model; the stored text stays as it is. Code in backticks
 * keeps its angle brackets, except those of roles. Linear.
 */
export function neutralizeText(text: string): string {
  const visible = text
    .replaceAll(invisiblePattern, it => (droppedInvisible.test(it) ? '' : describeCharacter(it)))
    .replaceAll(roleTagPattern, '‹')
    .replaceAll(bracketTagPattern, '⟦');
  return /[<`]|!\[|~~~/u.test(visible) ? neutralizeMarkup(visible) : visible;
}

/** Such as `U+FE01`. */
function describeCharacter(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A fence of code at the start of a line, where no list or quotation is around it. */
const fencePattern = /^(`{3,}(?=[^`]*$)|~{3,})/u;
/** The line that ends a fence, indented by three spaces at most. */
const fenceEndPattern = /^ {0,3}(`{3,}|~{3,})[ \t]*$/u;

/** Takes HTML and images from what is no code. */
function neutralizeMarkup(text: string): string {
  const lines = text.split('\n');
  const closers = findFenceEnds(lines);
  let fenceEnd = -1;
  return lines
    .map((line, i) => {
      if (i <= fenceEnd) return line;
      fenceEnd = closers.get(i) ?? -1;
      return fenceEnd < 0 ? neutralizeLine(line) : line;
    })
    .join('\n');
}

/** The line at which each fence ends, by the line at which it begins. A fence that is not closed is none. */
function findFenceEnds(lines: readonly string[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  let opened: { readonly line: number; readonly marks: string } | undefined;
  lines.forEach((line, i) => {
    const marks = (opened === undefined ? fencePattern : fenceEndPattern).exec(line)?.[1];
    if (marks === undefined) return;
    if (opened === undefined) opened = { line: i, marks };
    else if (marks.startsWith(opened.marks)) {
      ends.set(opened.line, i);
      opened = undefined;
    }
  });
  return ends;
}

/**
 * A backtick without a partner on its line is escaped, as it would make code of what follows it in an answer.
 * https://spec.commonmark.org/0.31.2/#code-spans
 */
function neutralizeLine(line: string): string {
  const closers = new CodeSpanClosers(line);
  let kept = '';
  let proseStart = 0;
  for (const { 0: token, index } of line.matchAll(/\\.|`+/gu)) {
    // Inside of code that has ended since, or a backslash, which escapes one character.
    if (index < proseStart || token.startsWith('\\')) continue;
    kept += neutralizeProse(line.slice(proseStart, index));
    const codeEnd = closers.find(index + token.length, token.length);
    proseStart = codeEnd ?? index + token.length;
    kept += codeEnd === undefined ? token.replaceAll('`', '\\`') : line.slice(index, codeEnd);
  }
  return kept + neutralizeProse(line.slice(proseStart));
}

/** The runs of backticks of a line, by length: in code a backslash escapes nothing. */
class CodeSpanClosers {
  private readonly byLength = new Map<number, number[]>();

  constructor(line: string) {
    for (const { 0: run, index } of line.matchAll(/`+/gu)) {
      const starts = this.byLength.get(run.length);
      if (starts === undefined) this.byLength.set(run.length, [index]);
      else starts.push(index);
    }
    // The first one is taken from the end.
    for (const it of this.byLength.values()) it.reverse();
  }

  /** The end of the first run of this length at or after a position, which only rises. */
  find(from: number, length: number): number | undefined {
    const starts = this.byLength.get(length);
    while (starts !== undefined && starts.length > 0 && starts.at(-1)! < from) starts.pop();
    const start = starts?.at(-1);
    return start === undefined ? undefined : start + length;
  }
}

/** Text outside of code: HTML, autolinks, images, however their address is written, and a fence that would open code. */
function neutralizeProse(text: string): string {
  return text
    .replaceAll(/<(?=[a-z/!|?])/giu, '‹')
    .replaceAll('![', '! [')
    .replaceAll(/(?<!\\)~{3,}/gu, it => `\\${it}`);
}

/** Whether a text has a tag that a client or a model takes for a message, a role or a tool call. */
export function imitatesMessage(text: string): boolean {
  return [roleTagPattern, bracketTagPattern].some(it => text.search(it) >= 0);
}

/** Invisible characters that ordinary text has: marks of direction, soft hyphens, joiners, the tags of a flag, a byte order mark. */
const ordinaryInvisible = /[\u200E\u200F\u061C\u00AD\u034F]|^\uFEFF|\u{1F3F4}[\u{E0020}-\u{E007F}]+/gu;

/** Whether a text has characters that a person does not see, where no script or emoji needs them. */
export function hidesCharacters(text: string): boolean {
  return text.replaceAll(ordinaryInvisible, '').search(invisiblePattern) >= 0;
}

/** The neutralized text on one line, for a line of an envelope. */
export function escapeMemoryText(text: string): string {
  return neutralizeText(text.replaceAll(/\s+/gu, ' '));
}

/**
 * The neutralized text for a list item of an envelope: prose on one line, and each fence of code with its lines, indented as
 * what follows in the item. None of its lines looks like another item. Linear.
 */
export function formatMemoryText(text: string): string {
  const lines = text.replaceAll(/\r\n?/gu, '\n').split('\n');
  const ends = text.includes('```') || text.includes('~~~') ? findFenceEnds(lines) : new Map<number, number>();
  if (ends.size === 0) return escapeMemoryText(text);
  const proseOf = (from: number, to?: number): string => escapeMemoryText(lines.slice(from, to).join('\n')).trim();
  const indentProse = (prose: string): string[] => (prose === '' ? [] : [`  ${prose}`]);
  const parts: string[] = [];
  let next = 0;
  for (const [start, end] of ends) {
    const prose = proseOf(next, start);
    parts.push(...(next === 0 ? [prose] : indentProse(prose)));
    const code = neutralizeText(lines.slice(start, end + 1).join('\n')).split('\n');
    parts.push(...code.map(it => `  ${maskMemoryLine(it)}`.trimEnd()));
    next = end + 1;
  }
  return [...parts, ...indentProse(proseOf(next))].join('\n');
}

/** The text without envelopes and without single lines of one, such as a client may have quoted. Linear. */
export function stripEnvelopes(text: string): string {
  const lower = text.toLowerCase();
  let kept = '';
  let position = 0;
  for (;;) {
    const starts = tagNames.map(it => lower.indexOf(`<${it}`, position)).filter(it => it >= 0);
    if (starts.length === 0) break;
    const start = Math.min(...starts);
    const name = tagNames.find(it => lower.startsWith(`<${it}`, start))!;
    const end = lower.indexOf(`</${name}>`, start);
    kept += text.slice(position, start);
    // An envelope that is not closed goes to the end of the text.
    position = end < 0 ? text.length : end + name.length + 3;
  }
  return (kept + text.slice(position))
    .split('\n')
    .map(line => (isMemoryLine(line) ? '' : line))
    .join('\n');
}
