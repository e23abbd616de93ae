/** Parses references to memories by id. This file must not import `vscode`. */

export type AnswerSegment =
  | { readonly kind: 'text'; readonly text: string }
  /** The short id of a memory of the answer. */
  | { readonly kind: 'citation'; readonly id: string };

/** Splits a text at the known short ids; `[#1a2b3c4d]` loses its brackets. Unknown ids stay text. */
export function splitCitations(text: string, knownIds: { has(id: string): boolean }): AnswerSegment[] {
  const segments: AnswerSegment[] = [];
  let end = 0;
  for (const match of text.matchAll(/\[#([0-9a-f]{8})\](?![[(:])|#([0-9a-f]{8})\b/gu)) {
    const id = match[1] ?? match[2]!;
    if (!knownIds.has(id)) continue;
    if (match.index > end) segments.push({ kind: 'text', text: text.slice(end, match.index) });
    segments.push({ kind: 'citation', id });
    end = match.index + match[0].length;
  }
  if (end < text.length) segments.push({ kind: 'text', text: text.slice(end) });
  return segments;
}

/**
 * Splits the streamed answer of a model at citations, line by line. Keeps the model's Markdown but escapes links,
 * images and HTML, which a prompt injection in a memory may have caused.
 */
export class CitationStream {
  private incompleteLine = '';
  private openFence = '';
  /** Short ids that were cited. */
  readonly citedIds = new Set<string>();

  constructor(private readonly knownIds: { has(id: string): boolean }) {}

  /** Adds a chunk. @returns the segments of the lines that are complete */
  add(text: string): AnswerSegment[] {
    const lines = `${this.incompleteLine}${text}`.split('\n');
    this.incompleteLine = lines.pop()!;
    return lines.flatMap(it => this.parseLine(`${it}\n`));
  }

  /** @returns the segments of the last line, and the closing fence of an open code block */
  end(): AnswerSegment[] {
    const last = this.incompleteLine === '' ? [] : this.parseLine(this.incompleteLine);
    this.incompleteLine = '';
    return this.openFence === '' ? last : [...last, { kind: 'text', text: `\n${this.openFence}\n` }];
  }

  private parseLine(line: string): AnswerSegment[] {
    const [, fence] = /^\s*(`{3,}|~{3,})/u.exec(line) ?? [];
    const isCode = this.openFence !== '' || fence !== undefined;
    if (this.openFence === '') this.openFence = fence ?? '';
    else if (fence?.startsWith(this.openFence) === true) this.openFence = '';
    if (isCode) return [{ kind: 'text', text: line }];
    return splitCitations(line, this.knownIds).map(it => {
      if (it.kind === 'text') return { kind: 'text', text: escapeLinks(it.text) };
      this.citedIds.add(it.id);
      return it;
    });
  }
}

/** Escapes links, images and HTML in a line of Markdown; code spans stay. */
function escapeLinks(line: string): string {
  return line
    .split(/(`[^`]*`)/u)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(/!\[|\](?=[[(:])/gu, it => `\\${it}`).replace(/<(?=[a-z/!?])/giu, '&lt;'),
    )
    .join('');
}

/** The argument of `/forget`: a memory's id, short or in full, or a query for the memory. */
export function parseMemoryReference(prompt: string): { readonly id: string } | { readonly query: string } {
  const isId = /^#\S+$|^[0-9a-f]{8}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(prompt);
  return isId ? { id: prompt.replace(/^#/u, '').toLowerCase() } : { query: prompt };
}

/** Short ids of memories, as a prompt names them: `#1a2b3c4d #5e6f7a8b`. */
export function formatMemoryReferences(ids: readonly string[]): string {
  return ids.map(it => `#${it.slice(-8)}`).join(' ');
}

/** The short ids of a prompt that has nothing else; empty where it has words. */
export function parseMemoryReferences(prompt: string): readonly string[] {
  const words = prompt.split(/\s+/u);
  return words.every(it => /^#[0-9a-f]{8}$/u.test(it)) ? words.map(it => it.slice(1)) : [];
}
