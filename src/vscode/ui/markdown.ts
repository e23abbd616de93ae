/** Text of memories in Markdown. Anybody may have written it, so nothing in it may act: no link, image, HTML or icon. */

/** Punctuation that means something in Markdown or GitHub's dialect of it, or begins an `$(icon)`. */
const specialCharacters = /[\\`*_{}[\]()#+\-.!|~$:@=^"']/gu;
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Literal text of one paragraph; its line ends stay. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(specialCharacters, it => `\\${it}`)
    .replace(/[&<>]/gu, it => entities[it] ?? it)
    .replace(/^[ \t]+/gmu, '')
    .replace(/\n+/gu, '  \n');
}

/** A link's target, in the form that may hold anything. */
export function markdownLinkTarget(uri: string): string {
  return `<${uri.replace(/[<>\\\s]/gu, it => encodeURIComponent(it))}>`;
}

/** On one line, at most `length` characters. */
export function toTruncatedLine(text: string, maxLength: number): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).trimEnd()}…` : line;
}
