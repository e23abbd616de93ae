import * as vscode from 'vscode';
import type { Memory } from '../../engine/model/memory.js';
import { memoryDocumentScheme, type CommandId } from '../contributions.js';
import { escapeMarkdown } from '../ui/markdown.js';
import { memoryDocumentUri } from '../ui/memoryDocuments.js';
import { splitCitations, type AnswerSegment } from './citations.js';

/** The part of VS Code's response stream that answers use. */
export type ChatAnswerStream = Pick<
  vscode.ChatResponseStream,
  'markdown' | 'anchor' | 'button' | 'progress' | 'reference'
>;

export interface CitedMemory {
  /** The short id. */
  readonly id: string;
  readonly content: string;
}

/**
 * Writes an answer of the participant. Memory text is written literally, and no Markdown is trusted to run commands:
 * memories are linked by anchors, and commands are buttons.
 */
export class ChatAnswer {
  /** Whether nothing was written yet, no progress either. */
  isSilent = true;

  constructor(private readonly target: ChatAnswerStream) {}

  private get stream(): ChatAnswerStream {
    this.isSilent = false;
    return this.target;
  }

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

  /** Suggests what to type. @param example text without backticks */
  example(text: string, example: string): void {
    this.stream.markdown(`${escapeMarkdown(text)} \`${example}\`\n\n`);
  }

  /** A paragraph in which the short ids of the memories are links. */
  linkedParagraph(text: string, memories: readonly CitedMemory[]): void {
    const memoriesById = new Map(memories.map(it => [it.id, it]));
    for (const segment of splitCitations(text, memoriesById)) this.writeSegment(segment, memoriesById, escapeInline);
    this.stream.markdown('\n\n');
  }

  /** Text of a model, split by CitationStream. */
  modelText(segments: readonly AnswerSegment[], memories: readonly CitedMemory[]): void {
    const memoriesById = new Map(memories.map(it => [it.id, it]));
    for (const segment of segments) this.writeSegment(segment, memoriesById, it => it);
  }

  /**
   * A list item: the memory's id, its text and a description, which may be empty.
   * @param subItems nested items, in which the short ids of `memories` are links
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

  /** Adds a memory, and the code that it is anchored to, to the references of the answer. */
  reference(memory: Memory): void {
    this.stream.reference(memoryDocumentUri(memory));
    const { uri, range } = memory.provenance;
    if (uri === undefined) return;
    const target = vscode.Uri.parse(uri);
    // Any other scheme could be a command or a web page.
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

  /** VS Code shows the last segment of the path and ignores the title (1.139), so the path ends with the id. */
  private anchor({ id }: CitedMemory): void {
    this.stream.anchor(vscode.Uri.from({ scheme: memoryDocumentScheme, path: `/#${id}`, query: id }), `#${id}`);
  }
}

/** Escapes text in the middle of a line: keeps a leading space, which escapeMarkdown removes. */
function escapeInline(text: string): string {
  return `${/^[ \t]/u.test(text) ? ' ' : ''}${escapeMarkdown(text)}`;
}

function collapseWhitespace(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}
