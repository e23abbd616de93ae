/*
 * The line of a memory in every text for an assistant: `- [#0a1b2c3d · label · label] text`. Writing it, knowing one that a client
 * quotes, and reading one back belong together.
 */

/**
 * @param labels after the id, in their order
 * @param text whose memory text went through `escapeMemoryText` or `formatMemoryText`
 */
export function writeMemoryLine(id: string, labels: readonly string[], text: string): string {
  return `- [${[`#${id}`, ...labels].join(' · ')}] ${text}`;
}

/** Whether a line is a memory, also without labels or the mark of a list. */
export function isMemoryLine(line: string): boolean {
  const trimmed = line.trimStart();
  const label = trimmed.startsWith('-') ? trimmed.slice(1).trimStart() : trimmed;
  if (!label.startsWith('[#') || !(label.startsWith(' · ', 10) || label.startsWith('] ', 10))) return false;
  const isId = Array.from(label.slice(2, 10)).every(it => '0123456789abcdef'.includes(it));
  return isId && label.includes(']');
}

/** The same line where it is none: its bracket is another one. For code that a memory quotes. */
export function maskMemoryLine(line: string): string {
  return line.replace(/^(\s*(?:[-*+]\s+)?)\[(?=#[\da-f]{8}\b)/u, '$1⟦');
}

/** The labels and the lines of a written memory, without its id. */
export function readMemoryLine(text: string): {
  readonly labels: readonly string[];
  readonly lines: readonly string[];
} {
  const start = /^- \[#\w+(?: · ([^\]\n]*))?\] /u.exec(text);
  return { labels: start?.[1]?.split(' · ') ?? [], lines: text.slice(start?.[0].length ?? 0).split('\n') };
}

/** At most so many characters, cut at a word's end where there is one, never within a character. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const start = text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/u, '');
  return `${start.replace(/(?<!\s)\s+\S{0,40}$/u, '')}…`;
}
