import * as vscode from 'vscode';
import type { Memory } from '../../engine/model/memory.js';
import { memoryDocumentScheme, type CommandId } from '../contributions.js';
import { escapeMarkdown } from '../ui/markdown.js';
import { memoryDocumentUri } from '../ui/memoryDocuments.js';
import { splitCitations, type AnswerSegment } from './citations.js';

/** What answers are made of; VS Code's stream, or a test's. */
export type ChatAnswerStream = Pick<
  vscode.ChatResponseStream,
  'markdown' | 'anchor' | 'button' | 'progress' | 'reference'
>;

/** A memory as an answer names it. */
export interface CitedMemory {
  /** The short id. */
  readonly id: string;
  readonly content: string;
}

/**
 * A chat's answer while it is written. What memories say goes in as literal text, and no Markdown of ours is trusted with
 * commands: memories are opened by anchors, and commands are buttons.
 */
export class ChatAnswer {
  constructor(private readonly stream: ChatAnswerStream) {}

  progress(text: string): void {
    this.stream.progress(escapeMarkdown(text));
  }

  paragraph(text: string): void {
    this.stream.markdown(`${escapeMarkdown(text)}\n\n`);
  }

  heading(text: string): void {
    this.stream.markdown(`**${escapeMarkdown(text)}**\n\n`);
  }

  /** A remark about the answer. */
  remark(text: string): void {
    this.stream.markdown(`*${escapeMarkdown(text)}*\n\n`);
  }

  /** What to type instead. @param example plain words without backticks */
  example(text: string, example: string): void {
    this.stream.markdown(`${escapeMarkdown(text)} \`${example}\`\n\n`);
  }

  /** A paragraph in which the short ids of these memories open them. */
  linkedParagraph(text: string, memories: readonly CitedMemory[]): void {
    const memoriesById = new Map(memories.map(it => [it.id, it]));
    for (const segment of splitCitations(text, memoriesById)) this.writeSegment(segment, memoriesById, escapeInline);
    this.stream.markdown('\n\n');
  }

  /** What a model says, as `CitedText` cut it. */
  modelText(segments: readonly AnswerSegment[], memories: readonly CitedMemory[]): void {
    const memoriesById = new Map(memories.map(it => [it.id, it]));
    for (const segment of segments) this.writeSegment(segment, memoriesById, it => it);
  }

  /**
   * A row of a list: the memory's id, its text, and behind it what is said of it, if anything is.
   * @param subItems rows below it, in which nothing but these memories is linked
   */
  listItem(
    memory: CitedMemory,
    description: string,
    subItems: readonly string[] = [],
    memories: readonly CitedMemory[] = [],
  ): void {
    this.stream.markdown('- ');
    this.anchor(memory);
    const suffix = description === '' ? '' : ` *${escapeMarkdown(description)}*`;
    this.stream.markdown(` ${escapeInline(collapseWhitespace(memory.content))}${suffix}\n`);
    const memoriesById = new Map(memories.map(it => [it.id, it]));
    for (const text of subItems) {
      this.stream.markdown('  - ');
      for (const segment of splitCitations(collapseWhitespace(text), memoriesById))
        this.writeSegment(segment, memoriesById, escapeInline);
      this.stream.markdown('\n');
    }
  }

  endList(): void {
    this.stream.markdown('\n');
  }

  button(title: string, command: CommandId, ...args: readonly unknown[]): void {
    this.stream.button({ title, command, arguments: [...args] });
  }

  /** Lists a memory, and the code that it is about, among what the answer is made of. */
  reference(memory: Memory): void {
    this.stream.reference(memoryDocumentUri(memory));
    const { uri, range } = memory.provenance;
    if (uri === undefined) return;
    const target = vscode.Uri.parse(uri);
    // Any other scheme could be a command or a page; only files are somewhere to go.
    if (target.scheme !== 'file') return;
    const lines = range && new vscode.Range(range.startLine, 0, Math.max(range.startLine, range.endLine - 1), 0);
    this.stream.reference(lines === undefined ? target : new vscode.Location(target, lines));
  }

  private writeSegment(
    segment: AnswerSegment,
    memoriesById: ReadonlyMap<string, CitedMemory>,
    toMarkdown: (text: string) => string,
  ): void {
    const memory = segment.kind === 'citation' ? memoriesById.get(segment.id) : undefined;
    if (memory !== undefined) this.anchor(memory);
    else if (segment.kind === 'text') this.stream.markdown(toMarkdown(segment.text));
  }

  /** Shown by the last part of its path, whatever title it is given (1.139). */
  private anchor({ id }: CitedMemory): void {
    this.stream.anchor(vscode.Uri.from({ scheme: memoryDocumentScheme, path: `/#${id}`, query: id }), `#${id}`);
  }
}

/** Escaped, with the blank that it may begin with: it goes on in the middle of a line. */
function escapeInline(text: string): string {
  return `${/^[ \t]/u.test(text) ? ' ' : ''}${escapeMarkdown(text)}`;
}

function collapseWhitespace(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}
