import { EngineError } from './errors.js';
import { message, type LocalizableMessage } from './localizableMessage.js';

export const sectionStartMarker = '<!-- recollect:start -->';
export const sectionEndMarker = '<!-- recollect:end -->';

interface SectionLine {
  readonly number: number;
  /** Without the line end. */
  readonly text: string;
  readonly lineEnding: string;
  /** Start of this line and of the next one, in UTF-16 units. */
  readonly startOffset: number;
  readonly endOffset: number;
}

/**
 * A file's text with `lines` between the markers, in the file's line ends; the text outside the markers is unchanged. A
 * missing section is appended after an empty line, unless `lines` is empty; an existing one keeps its markers.
 * @param file for messages
 * @throws EngineError unsupportedFile where a marker is damaged, nested, duplicated or in a code block
 */
export function upsertSection(text: string, lines: readonly string[], file: string): string {
  const fileLines = splitLines(text);
  const section = findSection(fileLines, file);
  if (section !== undefined) {
    const { start, end } = section;
    const body = lines.map(it => it + start.lineEnding).join('');
    return text.slice(0, start.endOffset) + body + text.slice(end.startOffset);
  }
  if (lines.length === 0) return text;
  const openFence = findOpenFence(fileLines);
  if (openFence !== undefined)
    throw new EngineError(
      'unsupportedFile',
      message`${file}, line ${openFence.number}: the code block never ends. Nothing was written. Close it first.`,
    );
  const eol = fileLines.find(it => it.lineEnding !== '')?.lineEnding ?? '\n';
  const isEmpty = text === '' || text === '\uFEFF';
  const last = fileLines.at(-1)!;
  const gap = isEmpty ? '' : last.text !== '' ? eol + eol : fileLines.at(-2)?.text === '' ? '' : eol;
  return text + gap + [sectionStartMarker, ...lines, sectionEndMarker].map(it => it + eol).join('');
}

/** The text between the markers; undefined without markers. @throws EngineError unsupportedFile */
export function extractSection(text: string, file: string): string | undefined {
  const section = findSection(splitLines(text), file);
  return section === undefined ? undefined : text.slice(section.start.endOffset, section.end.startOffset);
}

/**
 * The text without the marked section, and without the line ends that separate it from the text above, where nothing
 * but white space follows.
 * @param gap the line ends that were inserted above the section; default: an empty line
 * @throws EngineError unsupportedFile
 */
export function removeSection(text: string, file: string, gap?: string): string {
  const section = findSection(splitLines(text), file);
  if (section === undefined) return text;
  const above = text.slice(0, section.start.startOffset);
  const below = text.slice(section.end.endOffset);
  if (below.trim() !== '') return above + below;
  const separator = gap ?? /(?<=[\r\n])(?:\r\n|\n|\r)$/u.exec(above)?.[0] ?? '';
  return (above.endsWith(separator) ? above.slice(0, above.length - separator.length) : above) + below;
}

function findSection(
  lines: readonly SectionLine[],
  file: string,
): { readonly start: SectionLine; readonly end: SectionLine } | undefined {
  let start: SectionLine | undefined;
  let end: SectionLine | undefined;
  let fence: { readonly mark: string; readonly marker: SectionLine | undefined } | undefined;
  const refuse = (line: SectionLine, problem: LocalizableMessage): never => {
    throw new EngineError(
      'unsupportedFile',
      message`${file}, line ${line.number}: ${problem} Nothing was written. Leave one line ${sectionStartMarker} and, below it, one line ${sectionEndMarker}; or neither.`,
    );
  };
  for (const line of lines) {
    const marker = parseMarker(line.text);
    if (start !== undefined && end === undefined) {
      // The text between the markers is replaced, whatever it is.
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
    if (marker === 'damaged') refuse(line, message`the marker is damaged.`);
    if (marker === 'end') refuse(line, message`the section ends here and never began.`);
    if (marker !== 'start') continue;
    if (start !== undefined) refuse(line, message`there is a second section.`);
    start = line;
  }
  if (start !== undefined && end === undefined) refuse(start, message`the section begins here and never ends.`);
  return start === undefined || end === undefined ? undefined : { start, end };
}

/** The opening line of a code block that the text does not close. */
function findOpenFence(lines: readonly SectionLine[]): SectionLine | undefined {
  let open: { readonly mark: string; readonly line: SectionLine } | undefined;
  for (const line of lines) {
    const mark = /^ {0,3}(`{3,}|~{3,})/u.exec(line.text)?.[1];
    if (mark === undefined) continue;
    if (open === undefined) open = { mark, line };
    else if (mark.startsWith(open.mark) && line.text.trim() === mark) open = undefined;
  }
  return open?.line;
}

/** A marker is a whole line; a mention within a line is text. */
function parseMarker(line: string): 'start' | 'end' | 'damaged' | undefined {
  const content = /^\uFEFF?\s*<!--+\s*recollect:(.*)$/iu.exec(line)?.[1];
  if (content === undefined) return undefined;
  const word = /^(start|end)\s*-->\s*$/u.exec(content)?.[1];
  return word === 'start' || word === 'end' ? word : 'damaged';
}

/** Splits a text into lines; the last one has no line end and may be empty. */
function splitLines(text: string): SectionLine[] {
  const lines: SectionLine[] = [];
  for (let startOffset = 0; ;) {
    const newlinePattern = /\r\n|\n|\r/gu;
    newlinePattern.lastIndex = startOffset;
    const match = newlinePattern.exec(text);
    const endOffset = match === null ? text.length : match.index + match[0].length;
    const lineEnding = match?.[0] ?? '';
    lines.push({
      number: lines.length + 1,
      text: text.slice(startOffset, endOffset - lineEnding.length),
      lineEnding,
      startOffset,
      endOffset,
    });
    if (match === null) return lines;
    startOffset = endOffset;
  }
}
