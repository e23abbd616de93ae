/** Default length of a one-line summary, in code points: fits a tree row and a line of CLAUDE.md. */
const defaultSummaryLength = 120;

/**
 * One line for lists: Markdown and line breaks removed, cut at a word boundary with "…" so that the whole has at most
 * `maxLength` code points (at least 2). Never splits a character. Linear, never throws.
 * @param text sanitized, as it is stored
 */
export function toSingleLineSummary(text: string, maxLength: number = defaultSummaryLength): string {
  // A summary never needs more of a long text than this; the factor leaves room for the Markdown that is removed.
  const head = text.slice(0, maxLength * 20).replace(/[\uD800-\uDBFF]$/, '');
  const line = head
    .replace(/^[ \t]{0,20}(?:```|~~~)[^\n]{0,40}$/gm, '')
    .replace(/^\s{0,8}(?:#{1,6}\s+|>\s?|[-*+•]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+)/gm, '')
    .replace(/!?\[([^\]\n]{0,300})\]\([^)\s]{0,500}\)/g, '$1')
    .replace(/(?<![\p{L}\p{N}/*])(\*{1,3}|~~)(?=\S)([^*~\n]{1,400}?)\1(?![\p{L}\p{N}/*])/gu, '$2')
    .replace(/`+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  if (characters.length <= maxLength) return line;
  const cut = characters.slice(0, Math.max(1, maxLength - 1)).join('');
  const next = characters[Math.max(1, maxLength - 1)];
  const boundary = next === ' ' ? cut.length : cut.lastIndexOf(' ');
  // A text without spaces (a path, Chinese) is cut at the limit.
  const shortened = boundary > cut.length / 2 ? cut.slice(0, boundary) : cut;
  return `${shortened.replace(/(?<![\s,;:.–—-])[\s,;:.–—-]+$/u, '')}…`;
}
