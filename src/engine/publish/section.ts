import { EngineError } from '../base/errors.js';
import { message, type Message } from '../base/message.js';

export const sectionStart = '<!-- recollect:start -->';
export const sectionEnd = '<!-- recollect:end -->';

interface Line {
  readonly number: number;
  /** Without its end. */
  readonly text: string;
  readonly end: string;
  /** Where it begins and where the next one does, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
}

/**
 * A file's text with `lines` between the markers. Every byte outside them stays, whatever the line ends; the section has
 * those of the file. Without markers the section is appended once, after an empty line; without lines nothing is
 * appended, and a section that is there keeps its markers and its place.
 * @param file for messages
 * @throws EngineError unsupportedFile where the markers are broken, nested, doubled or in a code block
 */
export function placeSection(text: string, lines: readonly string[], file: string): string {
  const all = linesOf(text);
  const section = findSection(all, file);
  if (section !== undefined) {
    const { start, end } = section;
    const body = lines.map(it => it + start.end).join('');
    return text.slice(0, start.to) + body + text.slice(end.from);
  }
  if (lines.length === 0) return text;
  const eol = all.find(it => it.end !== '')?.end ?? '\n';
  const isEmpty = text === '' || text === '\uFEFF';
  const last = all.at(-1)!;
  const gap = isEmpty ? '' : last.text !== '' ? eol + eol : all.at(-2)?.text === '' ? '' : eol;
  return text + gap + [sectionStart, ...lines, sectionEnd].map(it => it + eol).join('');
}

/** What stands between the markers; undefined where there are none. @throws EngineError unsupportedFile */
export function sectionIn(text: string, file: string): string | undefined {
  const section = findSection(linesOf(text), file);
  return section === undefined ? undefined : text.slice(section.start.to, section.end.from);
}

/** The text without the marked section, if it has one: what people wrote themselves. @throws EngineError unsupportedFile */
export function withoutSection(text: string, file: string): string {
  const section = findSection(linesOf(text), file);
  return section === undefined ? text : text.slice(0, section.start.from) + text.slice(section.end.to);
}

function findSection(lines: readonly Line[], file: string): { readonly start: Line; readonly end: Line } | undefined {
  let start: Line | undefined;
  let end: Line | undefined;
  let fence: { readonly mark: string; readonly marker: Line | undefined } | undefined;
  const refuse = (line: Line, what: Message): never => {
    throw new EngineError(
      'unsupportedFile',
      message`${file}, line ${line.number}: ${what} Nothing was written. Leave one line ${sectionStart} and, below it, one line ${sectionEnd}; or neither.`,
    );
  };
  for (const line of lines) {
    const marker = markerOf(line.text);
    if (start !== undefined && end === undefined) {
      // What lies in between is ours and is replaced.
      if (marker === 'start') refuse(line, message`the section begins a second time before it has ended.`);
      if (marker === 'end') end = line;
      continue;
    }
    const mark = /^ {0,3}(`{3,}|~{3,})/u.exec(line.text)?.[1];
    if (fence !== undefined) {
      const closes = mark !== undefined && mark.startsWith(fence.mark) && line.text.trim() === mark;
      if (closes && fence.marker !== undefined) refuse(fence.marker, message`a marker stands in a code block.`);
      if (closes) fence = undefined;
      else if (marker !== undefined) fence = { mark: fence.mark, marker: fence.marker ?? line };
    } else if (mark !== undefined) fence = { mark, marker: undefined };
    if (marker === 'broken') refuse(line, message`the marker is damaged.`);
    if (marker === 'end') refuse(line, message`the section ends here and never began.`);
    if (marker !== 'start') continue;
    if (start !== undefined) refuse(line, message`there is a second section.`);
    start = line;
  }
  if (start !== undefined && end === undefined) refuse(start, message`the section begins here and never ends.`);
  return start === undefined || end === undefined ? undefined : { start, end };
}

/** A marker has a line of its own; a text may speak of it in the middle of a line. */
function markerOf(line: string): 'start' | 'end' | 'broken' | undefined {
  const found = /^\uFEFF?\s*<!--+\s*recollect:(.*)$/iu.exec(line)?.[1];
  if (found === undefined) return undefined;
  const word = /^(start|end)\s*-->\s*$/u.exec(found)?.[1];
  return word === 'start' || word === 'end' ? word : 'broken';
}

/** There is always a last line without an end, if only an empty one. */
function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let from = 0; ;) {
    const found = /\r\n|\n|\r/gu;
    found.lastIndex = from;
    const match = found.exec(text);
    const to = match === null ? text.length : match.index + match[0].length;
    const end = match?.[0] ?? '';
    lines.push({ number: lines.length + 1, text: text.slice(from, to - end.length), end, from, to });
    if (match === null) return lines;
    from = to;
  }
}
