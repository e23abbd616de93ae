/** Text that names memories by their short ids, taken apart. Knows nothing of VS Code. */

export type AnswerSegment =
  | { readonly kind: 'text'; readonly text: string }
  /** The short id of a memory that is known to the answer. */
  | { readonly kind: 'citation'; readonly id: string };

/** Cuts a text at the ids that are known; `[#1a2b3c4d]` loses its brackets. Others stay text. */
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
 * What a model says, a line at a time: Markdown that may look as the model likes but links to nowhere and shows no
 * picture, since a memory that it read may have told it to.
 */
export class CitationStream {
  private incompleteLine = '';
  private openFence = '';
  /** Short ids that were cited so far. */
  readonly citedIds = new Set<string>();

  constructor(private readonly knownIds: { has(id: string): boolean }) {}

  /** Takes in what has arrived. @returns the pieces of the lines that are whole by now */
  add(text: string): AnswerSegment[] {
    const lines = `${this.incompleteLine}${text}`.split('\n');
    this.incompleteLine = lines.pop()!;
    return lines.flatMap(it => this.parseLine(`${it}\n`));
  }

  /** @returns the pieces of the last line; a block of code that was left open is closed */
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

/** Escapes what makes a link, a picture or HTML of a line of Markdown; code in it stays as it is. */
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
