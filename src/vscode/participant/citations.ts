/** Text that names memories by their short ids, taken apart. Knows nothing of VS Code. */

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  /** The short id of a memory that is known to the answer. */
  | { readonly kind: 'citation'; readonly id: string };

/** Cuts a text at the ids that are known; `[#1a2b3c4d]` loses its brackets. Others stay text. */
export function pieces(text: string, known: { has(id: string): boolean }): Piece[] {
  const found: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(/\[#([0-9a-f]{8})\](?![[(:])|#([0-9a-f]{8})\b/gu)) {
    const id = match[1] ?? match[2]!;
    if (!known.has(id)) continue;
    if (match.index > end) found.push({ kind: 'text', text: text.slice(end, match.index) });
    found.push({ kind: 'citation', id });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ kind: 'text', text: text.slice(end) });
  return found;
}

/**
 * What a model says, a line at a time: Markdown that may look as the model likes but links to nowhere and shows no
 * picture, since a memory that it read may have told it to.
 */
export class CitedText {
  private rest = '';
  private fence = '';
  /** Short ids that were cited so far. */
  readonly cited = new Set<string>();

  constructor(private readonly known: { has(id: string): boolean }) {}

  /** Takes in what has arrived. @returns the pieces of the lines that are whole by now */
  add(text: string): Piece[] {
    const lines = `${this.rest}${text}`.split('\n');
    this.rest = lines.pop()!;
    return lines.flatMap(it => this.line(`${it}\n`));
  }

  /** @returns the pieces of the last line; a block of code that was left open is closed */
  end(): Piece[] {
    const last = this.rest === '' ? [] : this.line(this.rest);
    this.rest = '';
    return this.fence === '' ? last : [...last, { kind: 'text', text: `\n${this.fence}\n` }];
  }

  private line(line: string): Piece[] {
    const [, fence] = /^\s*(`{3,}|~{3,})/u.exec(line) ?? [];
    const isCode = this.fence !== '' || fence !== undefined;
    if (this.fence === '') this.fence = fence ?? '';
    else if (fence?.startsWith(this.fence) === true) this.fence = '';
    if (isCode) return [{ kind: 'text', text: line }];
    return pieces(line, this.known).map(it => {
      if (it.kind === 'text') return { kind: 'text', text: withoutLinks(it.text) };
      this.cited.add(it.id);
      return it;
    });
  }
}

/** Escapes what makes a link, a picture or HTML of a line of Markdown; code in it stays as it is. */
function withoutLinks(line: string): string {
  return line
    .split(/(`[^`]*`)/u)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(/!\[|\](?=[[(:])/gu, it => `\\${it}`).replace(/<(?=[a-z/!?])/giu, '&lt;'),
    )
    .join('');
}
