import { splitReportingPhrase } from './reportedSpeech.js';
import { contentPattern, splitSentences } from './sentenceSplitter.js';

/** A heading with more words is a sentence with a fact of its own. */
const maxHeadingWords = 8;
/** Lines at least this long without a full stop are hard-wrapped prose, not facts of their own. In UTF-16 units. */
const minWrappedLineLength = 60;
/** A longer table, in UTF-16 units, becomes several, each with the names of its columns. */
const maxTableLength = 1_500;

/** The mark of a list item. A checkbox is content: it says whether something is done. */
const bullet = /^\s*(?:[-*+•‣▪–]\s+|(?=\[[ xX]\]\s))/;
const emptyItem = /^\s*(?:[-*+•‣▪–]\s*)?$/;
const numbered = /^\s*(?:\d{1,3}[.)]|\(\d{1,3}\))\s+/;
const markdownHeading = /^\s{0,3}(#{1,6})\s+/;
const rule = /^\s*(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,}|={3,}\s*)$/;
const tableSeparator = /^\s*(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?$/;
/** `host = db1`, `port: 5432`, `[section]`, `export KEY=value`: the lines of one configuration belong together. */
const configLine = /^\s*(?:\[[\w. "-]+\]$|(?:export )?(?:[\w.-]+\s?=\s?\S|[a-z][\w.-]*: \S))/;

/** A paragraph, a list item, a table or a code block. */
export interface TextBlock {
  readonly text: string;
  /** Set for what only makes sense as a whole: code, tables, configuration, quotations, nested lists, steps under a lead-in. */
  readonly isIndivisible: boolean;
  /** The heading or lead-in above the block; empty if there is none. */
  readonly heading: string;
  /** Number of the heading or lead-in: another one may have the same words. */
  readonly section: number;
}

/**
 * The blocks of a text, in order. Each line is a block, as people type lists without bullets; the lines of hard-wrapped
 * prose are joined. What gets its meaning from the line above stays with it: code, indented lines and nested items belong
 * to their paragraph or item, numbered steps to their lead-in, all lines after one that ends in a colon to that line.
 * `text` must have LF line ends. Linear, never throws.
 */
export function splitBlocks(text: string): TextBlock[] {
  const reader = new BlockSplitter();
  const lines = text.split('\n').flatMap(splitInlineList);
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!;
    const end = endOfGroup(lines, index);
    if (end === undefined) reader.addLine(line, listFollows(lines, index), underlinedLevelOf(lines, index));
    else if (isTableStart(lines, index)) reader.addTable(lines.slice(index, end));
    else reader.addWhole(lines.slice(index, end).join('\n'));
    index = (end ?? index + 1) - 1;
  }
  return reader.finish();
}

/** The end of the lines that are one piece of code, one table or one quotation; undefined for a line of its own. */
function endOfGroup(lines: readonly string[], start: number): number | undefined {
  const fence = /^\s*(?:[-*+]\s+)?(```+|~~~+)/.exec(lines[start]!)?.[1];
  if (fence !== undefined) return closingFence(lines, start, fence);
  const isTable = isTableStart(lines, start);
  const isQuote = /^\s{0,3}>/.test(lines[start]!);
  if (isTable || isQuote) {
    const end = lines.findIndex((it, i) => i > start && !(isTable ? it.includes('|') : /^\s{0,3}>/.test(it)));
    return end < 0 ? lines.length : end;
  }
  return /^\s*[{[(<]$|[^\s][{[(]\s*$|^[^.!?]*\s[{[(]\s*$/.test(lines[start]!)
    ? closingBracket(lines, start)
    : undefined;
}

/** The level of a heading that is written over a line of `=` or `-`; undefined for any other line. */
function underlinedLevelOf(lines: readonly string[], index: number): number | undefined {
  if (!/^\S/.test(lines[index]!) || bullet.test(lines[index]!) || !isHeading(lines[index]!)) return undefined;
  const underline = /^(?:(={3,})|-{3,})\s*$/.exec(lines[index + 1] ?? '');
  return underline === null ? undefined : underline[1] === undefined ? 2 : 1;
}

/** Rows under the names of their columns, as Markdown writes them. */
function isTableStart(lines: readonly string[], index: number): boolean {
  const next = lines[index + 1] ?? '';
  return lines[index]!.includes('|') && next.includes('-') && next.includes('|') && tableSeparator.test(next);
}

type MutableBlock = { -readonly [Key in keyof TextBlock]: TextBlock[Key] };

class BlockSplitter {
  private readonly blocks: MutableBlock[] = [];
  /** The paragraph or item that the next line can continue. */
  private openBlock: MutableBlock | undefined;
  /** The indentation of the open block where that is a list item. */
  private itemIndent: number | undefined;
  /** The Markdown headings that the next block is under, by their level. */
  private readonly headings: string[] = [];
  /** A line that ends in a colon, for what follows it. */
  private leadIn = '';
  /** How many of the headings stand before a block already. */
  private usedHeadings = 0;
  /** Set while no block follows the heading or lead-in; an unused one becomes a block. */
  private isHeadingUnused = false;
  private section = 0;
  /** Set if the lead-in introduces a list, to all of whose items it applies. */
  private isListLeadIn = false;
  /** Set if all lines up to the next empty one belong to the open block. */
  private keepsLines = false;

  addLine(line: string, listFollows: boolean, underlinedLevel?: number): void {
    const item = bullet.exec(line) ?? numbered.exec(line);
    const content = line.slice(item?.[0].length ?? 0);
    const indent = indentOf(line);
    const level = markdownHeading.exec(line)?.[1]?.length ?? underlinedLevel;
    if (content.trim() === '' || emptyItem.test(line) || rule.test(line)) {
      this.closeBlock();
    } else if (!contentPattern.test(content)) {
      this.addSigns(line);
    } else if (level !== undefined) {
      const title = line.replace(markdownHeading, '').replace(/(?<!\s)\s+#+[\s:]*$|(?<![\s:])[\s:]+$/, '');
      if (isHeading(title)) this.startHeading(title, level);
      else this.startBlock(line.replace(markdownHeading, ''));
    } else if (this.keepsLines || (this.openBlock !== undefined && this.belongsInside(line, item !== null, indent))) {
      this.append(line, item !== null);
    } else if (item) {
      this.addItem(line, item[0].length, indent);
    } else if (/:\s*$/.test(content) && !(this.leadIn !== '' && this.isHeadingUnused && indent >= 2)) {
      this.startLeadIn(content, listFollows);
    } else if (this.openBlock && this.continuesOpenBlock(line)) {
      this.openBlock.text += ` ${line.trim()}`;
    } else {
      this.addParagraph(line);
    }
  }

  /** Adds a line without a letter or a digit, such as "->". */
  private addSigns(line: string): void {
    if (this.openBlock === undefined) this.startBlock(line, true);
    else this.openBlock.text += `\n${line.trimEnd()}`;
  }

  /** Adds lines that are not split: to the paragraph or item above, or under the heading. */
  addWhole(text: string): void {
    const isCode = /^\s*(?:```|~~~)/.test(text);
    if (this.openBlock === undefined && isCode && !this.isHeadingUnused) this.openBlock = this.blocks.at(-1);
    if (this.openBlock === undefined) this.startBlock(text, true);
    else this.append(text, false, true);
    if (isCode) this.closeBlock();
  }

  addTable(lines: readonly string[]): void {
    const [names, separator, ...rows] = lines.map(it => it.trim());
    this.openBlock = undefined;
    const heading = this.takeHeading();
    let part: string[] = [];
    const flush = (): void => {
      if (part.length > 0)
        this.blocks.push({
          text: [names, separator, ...part].join('\n'),
          isIndivisible: true,
          heading,
          section: this.section,
        });
      part = [];
    };
    for (const row of rows) {
      part.push(row);
      if (part.join('\n').length > maxTableLength) flush();
    }
    if (rows.length === 0)
      this.blocks.push({ text: lines.join('\n'), isIndivisible: true, heading, section: this.section });
    flush();
    this.closeBlock();
  }

  finish(): TextBlock[] {
    this.flushHeading();
    return this.blocks;
  }

  private closeBlock(): void {
    this.openBlock = undefined;
    this.itemIndent = undefined;
    this.keepsLines = false;
  }

  /** Whether a line is nested in the open block, or another line of the same configuration. */
  private belongsInside(line: string, isItem: boolean, indent: number): boolean {
    if (this.itemIndent !== undefined) return indent > this.itemIndent;
    if (indent >= 2) return true;
    const lastLine = this.openBlock!.text.slice(this.openBlock!.text.lastIndexOf('\n') + 1);
    return !isItem && configLine.test(line) && configLine.test(lastLine);
  }

  private append(line: string, isItem: boolean, isWhole = false): void {
    const block = this.openBlock!;
    const isProse =
      this.itemIndent !== undefined && !isItem && !isWhole && !block.text.endsWith(':') && !block.isIndivisible;
    block.text += isProse ? ` ${line.trim()}` : `\n${line.trimEnd()}`;
    if (!isProse) block.isIndivisible = true;
  }

  private addItem(line: string, markerLength: number, indent: number): void {
    const isStep = numbered.test(line) && (this.leadIn !== '' || this.headings.length > 0);
    const lastBlock = this.blocks.at(-1);
    if (
      isStep &&
      !this.isHeadingUnused &&
      lastBlock?.isIndivisible === true &&
      numbered.test(lastLineOf(lastBlock.text))
    ) {
      lastBlock.text += `\n${line.trim()}`;
      this.openBlock = lastBlock;
    } else {
      this.startBlock(isStep ? line.trim() : line.slice(markerLength), isStep);
    }
    this.itemIndent = indent;
  }

  private addParagraph(line: string): void {
    const isAfterLeadIn = this.leadIn !== '' && this.isHeadingUnused;
    if (!isAfterLeadIn) this.leadIn = '';
    this.startBlock(line, isAfterLeadIn);
    // "Ports:" and the lines below it, each of which says nothing without it.
    this.keepsLines = isAfterLeadIn;
    if (isAfterLeadIn) this.leadIn = '';
  }

  private startBlock(line: string, isIndivisible = false): void {
    this.closeBlock();
    // The indentation of code says what belongs to what.
    this.openBlock = {
      text: isIndivisible ? line.trimEnd() : line.trim(),
      isIndivisible,
      heading: this.takeHeading(),
      section: this.section,
    };
    this.blocks.push(this.openBlock);
  }

  private startLeadIn(line: string, listFollows: boolean): void {
    this.flushHeading();
    const sentences = splitSentences(line.trim());
    const leadIn = sentences.pop() ?? '';
    this.leadIn = '';
    if (sentences.length > 0) this.startBlock(sentences.join(' '));
    this.closeBlock();
    this.section++;
    this.leadIn = plainHeading(leadIn);
    this.isHeadingUnused = this.leadIn !== '';
    this.isListLeadIn = listFollows;
  }

  private startHeading(title: string, level: number): void {
    // A heading with others below it is part of theirs.
    if (this.leadIn !== '' || level <= this.headings.length) this.flushHeading();
    this.closeBlock();
    this.section++;
    this.leadIn = '';
    this.headings.length = Math.min(this.headings.length, level - 1);
    this.usedHeadings = Math.min(this.usedHeadings, this.headings.length);
    while (this.headings.length < level - 1) this.headings.push('');
    this.headings.push(plainHeading(title));
    this.isHeadingUnused = true;
  }

  /** The headings and the lead-in above the next block. */
  private takeHeading(): string {
    this.isHeadingUnused = false;
    this.usedHeadings = this.headings.length;
    const heading = [...this.headings, this.leadIn].filter(it => it !== '').join(': ');
    if (!this.isListLeadIn) this.leadIn = '';
    return heading;
  }

  private flushHeading(): void {
    if (!this.isHeadingUnused) return;
    this.isHeadingUnused = false;
    const leadIn = this.leadIn === '' ? '' : `${this.leadIn}:`;
    const isUnused = [...this.headings.slice(this.usedHeadings), leadIn].some(it => it !== '');
    this.usedHeadings = this.headings.length;
    if (!isUnused) return;
    const written = [...this.headings, leadIn].filter(it => it !== '');
    const text = written.pop();
    if (text !== undefined)
      this.blocks.push({ text, isIndivisible: false, heading: written.join(': '), section: this.section });
  }

  /** Whether the line continues a sentence that the previous line wrapped. */
  private continuesOpenBlock(line: string): boolean {
    const { text, isIndivisible } = this.openBlock!;
    if (isIndivisible || /[.!?:;。！？]["'”)\]]{0,3}$/.test(text)) return false;
    if (/[,(]$/.test(text) || /\b(?:and|or|but|the|a|an|of|to|in|for|with|from|by|on|und|et|y)$/i.test(text))
      return true;
    return text.length >= minWrappedLineLength && !/^[{[(<]/.test(line);
  }
}

/** "1) use tabs 2) no semicolons": the items of a list that was typed on one line, each on its own. */
function splitInlineList(line: string): string[] {
  if (!/^\s*\(?1\)\s/.test(line)) return [line];
  const starts: number[] = [];
  for (const mark of line.matchAll(/(?<=^|\s)\(?(\d{1,2})\)\s/g)) {
    if (Number(mark[1]) === starts.length + 1) starts.push(mark.index);
  }
  return starts.map((start, i) => line.slice(i === 0 ? 0 : start, starts[i + 1]));
}

function indentOf(line: string): number {
  return /^\s*/.exec(line)![0].replaceAll('\t', '    ').length;
}

function lastLineOf(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1);
}

/** The index after the closing fence. */
function closingFence(lines: readonly string[], opening: number, fence: string): number {
  for (let index = opening + 1; index < lines.length; index++) {
    const line = lines[index]!.trim();
    if (line.startsWith(fence) && /^[`~]+$/.test(line)) return index + 1;
  }
  return lines.length;
}

/** The index after the line that closes the bracket at the end of a line; undefined where an empty line comes first. */
function closingBracket(lines: readonly string[], opening: number): number | undefined {
  let depth = 0;
  for (let index = opening; index < lines.length && lines[index]!.trim() !== ''; index++) {
    for (const sign of lines[index]!.match(/[{}[\]()<>]/g) ?? []) depth += '{[(<'.includes(sign) ? 1 : -1;
    if (depth <= 0) return index > opening ? index + 1 : undefined;
  }
  return undefined;
}

function listFollows(lines: readonly string[], index: number): boolean {
  const next = lines[index + 1] ?? '';
  const item = next.trim() === '' ? (lines[index + 2] ?? '') : next;
  const marker = bullet.exec(item) ?? numbered.exec(item);
  return marker !== null && contentPattern.test(item.slice(marker[0].length));
}

/** A heading without its colon. "Please remember:" is a reporting phrase and no topic. */
function plainHeading(written: string): string {
  const title = written.trim().replace(/(?<![\s:])[\s:]+$/, '');
  if (splitReportingPhrase(`${title}: x`).rest === 'x') return '';
  return splitReportingPhrase(title).rest.replace(/^(?:please )?(?:remember|note) (?:this )?(?:about|for) /iu, '');
}

function isHeading(text: string): boolean {
  const title = text.trim();
  if (!/[\p{L}\p{N}]/u.test(title) || /[.!?]$/.test(title)) return false;
  return title.split(/\s+/).length <= maxHeadingWords && splitSentences(title).length === 1;
}
