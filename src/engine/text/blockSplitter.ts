import { splitReportingPhrase } from './reportedSpeech.js';
import { splitSentences } from './sentenceSplitter.js';

/** A heading with more words is a sentence with a fact of its own. */
const maxHeadingWords = 8;
/** Lines at least this long without a full stop are hard-wrapped prose, not facts of their own. In UTF-16 units. */
const minWrappedLineLength = 60;

const bullet = /^\s*(?:[-*+•‣▪–]\s+(?:\[[ xX]\]\s+)?|\[[ xX]\]\s+)/;
const numbered = /^\s*(?:\d{1,3}[.)]|\(\d{1,3}\))\s+/;
/** Matches a line with content. */
const contentPattern = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;
const markdownHeading = /^\s{0,3}#{1,6}\s+/;

/** A paragraph, a list item or a code block. */
export interface TextBlock {
  readonly text: string;
  /** Set for code and for steps under a lead-in, which are not split. */
  readonly isIndivisible: boolean;
  /** The heading or lead-in above the block; empty if there is none. */
  readonly heading: string;
}

/**
 * The blocks of a text, in order. Each line is a block, as people type lists without bullets; the lines of hard-wrapped
 * prose are joined. A code block belongs to the paragraph before it, numbered steps to their lead-in.
 * `text` must have LF line ends. Linear, never throws.
 */
export function splitBlocks(text: string): TextBlock[] {
  const reader = new BlockSplitter();
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!;
    const fence = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (fence !== undefined) {
      const end = closingFence(lines, index, fence);
      reader.addCode(lines.slice(index, end + 1).join('\n'));
      index = end;
    } else {
      reader.addLine(line, listFollows(lines, index));
    }
  }
  return reader.finish();
}

type MutableBlock = { -readonly [Key in keyof TextBlock]: TextBlock[Key] };

class BlockSplitter {
  private readonly blocks: MutableBlock[] = [];
  /** The paragraph or item that the next line can continue. */
  private openBlock: MutableBlock | undefined;
  private isOpenBlockItem = false;
  private heading = '';
  /** Set while no block follows the heading; an unused heading becomes a block. */
  private isHeadingUnused = false;
  /** Set if the heading ends in a colon: it then applies to the list that follows only. */
  private isHeadingLeadIn = false;

  addLine(line: string, listFollows: boolean): void {
    const item = bullet.exec(line) ?? numbered.exec(line);
    const content = line.slice(item?.[0].length ?? 0);
    const isLeadInLine = listFollows && isLeadIn(content);
    if (!contentPattern.test(content)) {
      // White space, a rule, an empty item.
      this.openBlock = undefined;
    } else if (markdownHeading.test(line)) {
      const title = line.replace(markdownHeading, '').replace(/[\s#:]+$/, '');
      if (isHeading(title)) this.startHeading(title, false);
      else this.startBlock(title, false);
    } else if (item && !isLeadInLine) {
      this.addItem(line, item[0].length);
    } else if (isLeadInLine) {
      this.startHeading(content, true);
    } else if (this.openBlock && this.continuesOpenBlock(line)) {
      this.openBlock.text += ` ${line.trim()}`;
    } else {
      if (this.isHeadingLeadIn) {
        this.flushHeading();
        this.heading = '';
      }
      this.isHeadingLeadIn = false;
      this.startBlock(line, false);
    }
  }

  addCode(code: string): void {
    const precedingBlock = this.isHeadingUnused ? undefined : (this.openBlock ?? this.blocks.at(-1));
    if (precedingBlock) {
      precedingBlock.text += `\n${code}`;
      precedingBlock.isIndivisible = true;
    } else if (this.isHeadingUnused) {
      this.blocks.push({ text: `${this.heading}:\n${code}`, isIndivisible: true, heading: '' });
      this.isHeadingUnused = false;
    } else {
      this.blocks.push({ text: code, isIndivisible: true, heading: '' });
    }
    this.openBlock = undefined;
  }

  finish(): TextBlock[] {
    this.flushHeading();
    return this.blocks;
  }

  private addItem(line: string, markerLength: number): void {
    const isStep = this.isHeadingLeadIn && numbered.test(line);
    const lastBlock = this.blocks.at(-1);
    if (isStep && !this.isHeadingUnused && lastBlock?.isIndivisible === true) {
      lastBlock.text += `\n${line.trim()}`;
    } else if (isStep && this.isHeadingUnused) {
      this.isHeadingUnused = false;
      this.blocks.push({ text: `${this.heading}:\n${line.trim()}`, isIndivisible: true, heading: '' });
      this.openBlock = undefined;
    } else {
      this.startBlock(line.slice(markerLength), true);
    }
  }

  private startBlock(line: string, isItem: boolean): void {
    this.openBlock = { text: line.trim(), isIndivisible: false, heading: this.heading };
    this.isOpenBlockItem = isItem;
    this.isHeadingUnused = false;
    this.blocks.push(this.openBlock);
  }

  private startHeading(written: string, startsList: boolean): void {
    this.flushHeading();
    const title = written.trim().replace(/[\s:]+$/, '');
    // "Please remember:" above a list is a reporting phrase and no topic.
    this.heading = splitReportingPhrase(`${title}: x`).rest === 'x' ? '' : splitReportingPhrase(title).rest;
    this.isHeadingUnused = this.heading !== '';
    this.isHeadingLeadIn = startsList;
    this.openBlock = undefined;
  }

  private flushHeading(): void {
    if (this.isHeadingUnused) this.blocks.push({ text: this.heading, isIndivisible: false, heading: '' });
    this.isHeadingUnused = false;
  }

  /** Whether the line continues a sentence that the previous line wrapped. */
  private continuesOpenBlock(line: string): boolean {
    const textBefore = this.openBlock!.text;
    if (this.isOpenBlockItem && /^\s{2,}\S/.test(line)) return true;
    if (/[.!?:;。！？]["'”)\]]{0,3}$/.test(textBefore)) return false;
    if (
      /[,(]$/.test(textBefore) ||
      /\b(?:and|or|but|the|a|an|of|to|in|for|with|from|by|on|und|et|y)$/i.test(textBefore)
    )
      return true;
    return textBefore.length >= minWrappedLineLength;
  }
}

function closingFence(lines: readonly string[], opening: number, fence: string): number {
  for (let index = opening + 1; index < lines.length; index++) {
    const line = lines[index]!.trim();
    if (line.startsWith(fence) && /^[`~]+$/.test(line)) return index;
  }
  return lines.length - 1;
}

function listFollows(lines: readonly string[], index: number): boolean {
  const next = lines[index + 1] ?? '';
  const item = next.trim() === '' ? (lines[index + 2] ?? '') : next;
  const marker = bullet.exec(item) ?? numbered.exec(item);
  return marker !== null && contentPattern.test(item.slice(marker[0].length));
}

function isLeadIn(line: string): boolean {
  return /:\s*$/.test(line) && isHeading(line.replace(/[\s:]+$/, ''));
}

function isHeading(text: string): boolean {
  const title = text.trim();
  if (!/[\p{L}\p{N}]/u.test(title) || /[.!?]$/.test(title)) return false;
  return title.split(/\s+/).length <= maxHeadingWords && splitSentences(title).length === 1;
}
