import { splitReporting } from './reporting.js';
import { splitSentences } from './sentences.js';

/** A heading of more words is a sentence: it says more than what its list is about. */
const maxHeadingWords = 8;
/** Lines at least this long without a full stop are hard-wrapped prose, not facts of their own. In UTF-16 units. */
const wrapLength = 60;

const bullet = /^\s*(?:[-*+•‣▪–]\s+(?:\[[ xX]\]\s+)?|\[[ xX]\]\s+)/;
const numbered = /^\s*(?:\d{1,3}[.)]|\(\d{1,3}\))\s+/;
/** A line without any of these says nothing. */
const says = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;
const markdownHeading = /^\s{0,3}#{1,6}\s+/;

/** A paragraph, a list item or a code block, with the heading or lead-in that it stands under ('' for none). */
export interface Block {
  readonly text: string;
  /** Kept in one piece: code, or steps under a lead-in. */
  readonly whole: boolean;
  readonly heading: string;
}

/**
 * The blocks of a text, in order. Lines of their own are blocks of their own, as people type lists without bullets;
 * hard-wrapped prose is joined. A code block belongs to the paragraph before it, numbered steps to their lead-in.
 * `text` must have LF line ends. Linear, never throws.
 */
export function blocksOf(text: string): Block[] {
  const reader = new BlockReader();
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!;
    const fence = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (fence !== undefined) {
      const end = closingFence(lines, index, fence);
      reader.code(lines.slice(index, end + 1).join('\n'));
      index = end;
    } else {
      reader.line(line, listFollows(lines, index));
    }
  }
  return reader.finish();
}

class BlockReader {
  private readonly blocks: { text: string; whole: boolean; heading: string }[] = [];
  /** The paragraph or item that the next line may continue. */
  private open: { text: string; whole: boolean; heading: string } | undefined;
  private openIsItem = false;
  private heading = '';
  /** The heading has nothing under it yet, so it must not be lost. */
  private headingUnused = false;
  /** The heading ends in a colon: it leads in a list and ends with it. */
  private leadIn = false;

  line(line: string, listFollows: boolean): void {
    const item = bullet.exec(line) ?? numbered.exec(line);
    const content = line.slice(item?.[0].length ?? 0);
    const leadIn = listFollows && isLeadIn(content);
    if (!says.test(content)) {
      // White space, a rule, an empty item.
      this.open = undefined;
    } else if (markdownHeading.test(line)) {
      const title = line.replace(markdownHeading, '').replace(/[\s#:]+$/, '');
      if (isHeading(title)) this.startHeading(title, false);
      else this.begin(title, false);
    } else if (item && !leadIn) {
      this.item(line, item[0].length);
    } else if (leadIn) {
      this.startHeading(content, true);
    } else if (this.open && this.continues(line)) {
      this.open.text += ` ${line.trim()}`;
    } else {
      if (this.leadIn) {
        this.flushHeading();
        this.heading = '';
      }
      this.leadIn = false;
      this.begin(line, false);
    }
  }

  code(code: string): void {
    const lead = this.headingUnused ? undefined : (this.open ?? this.blocks.at(-1));
    if (lead) {
      lead.text += `\n${code}`;
      lead.whole = true;
    } else if (this.headingUnused) {
      this.blocks.push({ text: `${this.heading}:\n${code}`, whole: true, heading: '' });
      this.headingUnused = false;
    } else {
      this.blocks.push({ text: code, whole: true, heading: '' });
    }
    this.open = undefined;
  }

  finish(): Block[] {
    this.flushHeading();
    return this.blocks;
  }

  private item(line: string, markerLength: number): void {
    const step = this.leadIn && numbered.test(line);
    const last = this.blocks.at(-1);
    if (step && !this.headingUnused && last?.whole === true) {
      last.text += `\n${line.trim()}`;
    } else if (step && this.headingUnused) {
      this.headingUnused = false;
      this.blocks.push({ text: `${this.heading}:\n${line.trim()}`, whole: true, heading: '' });
      this.open = undefined;
    } else {
      this.begin(line.slice(markerLength), true);
    }
  }

  private begin(line: string, isItem: boolean): void {
    this.open = { text: line.trim(), whole: false, heading: this.heading };
    this.openIsItem = isItem;
    this.headingUnused = false;
    this.blocks.push(this.open);
  }

  private startHeading(written: string, leadIn: boolean): void {
    this.flushHeading();
    const title = written.trim().replace(/[\s:]+$/, '');
    // "Please remember:" over a list only reports; it is about nothing.
    this.heading = splitReporting(`${title}: x`).rest === 'x' ? '' : splitReporting(title).rest;
    this.headingUnused = this.heading !== '';
    this.leadIn = leadIn;
    this.open = undefined;
  }

  private flushHeading(): void {
    if (this.headingUnused) this.blocks.push({ text: this.heading, whole: false, heading: '' });
    this.headingUnused = false;
  }

  /** A new line starts a new fact unless the line before it was wrapped in the middle of a sentence. */
  private continues(line: string): boolean {
    const before = this.open!.text;
    if (this.openIsItem && /^\s{2,}\S/.test(line)) return true;
    if (/[.!?:;。！？]["'”)\]]{0,3}$/.test(before)) return false;
    if (/[,(]$/.test(before) || /\b(?:and|or|but|the|a|an|of|to|in|for|with|from|by|on|und|et|y)$/i.test(before))
      return true;
    return before.length >= wrapLength;
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
  return marker !== null && says.test(item.slice(marker[0].length));
}

function isLeadIn(line: string): boolean {
  return /:\s*$/.test(line) && isHeading(line.replace(/[\s:]+$/, ''));
}

function isHeading(text: string): boolean {
  const title = text.trim();
  if (!/[\p{L}\p{N}]/u.test(title) || /[.!?]$/.test(title)) return false;
  return title.split(/\s+/).length <= maxHeadingWords && splitSentences(title).length === 1;
}
