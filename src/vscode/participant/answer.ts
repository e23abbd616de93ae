import * as vscode from 'vscode';
import type { Memory } from '../../engine/model/memory.js';
import { memoryScheme, type CommandId } from '../contributions.js';
import { escapeMarkdown } from '../markdown.js';
import { memoryUri } from '../memoryDocuments.js';
import { pieces, type Piece } from './citations.js';

/** What answers are made of; VS Code's stream, or a test's. */
export type AnswerStream = Pick<vscode.ChatResponseStream, 'markdown' | 'anchor' | 'button' | 'progress' | 'reference'>;

/** A memory as an answer names it. */
export interface Named {
  /** The short id. */
  readonly id: string;
  readonly content: string;
}

/**
 * A chat's answer while it is written. What memories say goes in as literal text, and no Markdown of ours is trusted with
 * commands: memories are opened by anchors, and commands are buttons.
 */
export class Answer {
  constructor(private readonly stream: AnswerStream) {}

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
  aside(text: string): void {
    this.stream.markdown(`*${escapeMarkdown(text)}*\n\n`);
  }

  /** What to type instead. @param example plain words without backticks */
  example(text: string, example: string): void {
    this.stream.markdown(`${escapeMarkdown(text)} \`${example}\`\n\n`);
  }

  /** A paragraph in which the short ids of these memories open them. */
  linked(text: string, memories: readonly Named[]): void {
    const known = new Map(memories.map(it => [it.id, it]));
    for (const piece of pieces(text, known)) this.piece(piece, known, literal);
    this.stream.markdown('\n\n');
  }

  /** What a model says, as `CitedText` cut it. */
  said(said: readonly Piece[], memories: readonly Named[]): void {
    const known = new Map(memories.map(it => [it.id, it]));
    for (const piece of said) this.piece(piece, known, it => it);
  }

  /**
   * A row of a list: the memory's id, its text, and behind it what is said of it, if anything is.
   * @param more rows below it, in which nothing but these memories is linked
   */
  row(memory: Named, about: string, more: readonly string[] = [], memories: readonly Named[] = []): void {
    this.stream.markdown('- ');
    this.anchor(memory);
    const behind = about === '' ? '' : ` *${escapeMarkdown(about)}*`;
    this.stream.markdown(` ${literal(onOneLine(memory.content))}${behind}\n`);
    const known = new Map(memories.map(it => [it.id, it]));
    for (const text of more) {
      this.stream.markdown('  - ');
      for (const piece of pieces(onOneLine(text), known)) this.piece(piece, known, literal);
      this.stream.markdown('\n');
    }
  }

  endOfList(): void {
    this.stream.markdown('\n');
  }

  button(title: string, command: CommandId, ...args: readonly unknown[]): void {
    this.stream.button({ title, command, arguments: [...args] });
  }

  /** Lists a memory, and the code that it is about, among what the answer is made of. */
  reference(memory: Memory): void {
    this.stream.reference(memoryUri(memory));
    const { uri, range } = memory.provenance;
    if (uri === undefined) return;
    const target = vscode.Uri.parse(uri);
    // Any other scheme could be a command or a page; only files are somewhere to go.
    if (target.scheme !== 'file') return;
    const lines = range && new vscode.Range(range.startLine, 0, Math.max(range.startLine, range.endLine - 1), 0);
    this.stream.reference(lines === undefined ? target : new vscode.Location(target, lines));
  }

  private piece(piece: Piece, known: ReadonlyMap<string, Named>, markdown: (text: string) => string): void {
    const memory = piece.kind === 'citation' ? known.get(piece.id) : undefined;
    if (memory !== undefined) this.anchor(memory);
    else if (piece.kind === 'text') this.stream.markdown(markdown(piece.text));
  }

  /** Shown by the last part of its path, whatever title it is given (1.139). */
  private anchor({ id }: Named): void {
    this.stream.anchor(vscode.Uri.from({ scheme: memoryScheme, path: `/#${id}`, query: id }), `#${id}`);
  }
}

/** Escaped, with the blank that it may begin with: it goes on in the middle of a line. */
function literal(text: string): string {
  return `${/^[ \t]/u.test(text) ? ' ' : ''}${escapeMarkdown(text)}`;
}

function onOneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}
