/** Memory text in Markdown. It is untrusted, so it must not become a link, an image, HTML or an icon. */

/** Punctuation with a meaning in GitHub Flavored Markdown, or in an `$(icon)`. */
const specialCharacters = /[\\`*_{}[\]()#+\-.!|~$:@=^"']/gu;
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes a text as one paragraph that keeps its line breaks. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(specialCharacters, it => `\\${it}`)
    .replace(/[&<>]/gu, it => entities[it] ?? it)
    .replace(/^[ \t]+/gmu, '')
    .replace(/\n+/gu, '  \n');
}

/**
 * A text as a message of VS Code shows it, as it stands: messages draw `[text](command:…)` as a link that runs the command, and
 * `$(name)` as an icon. https://github.com/microsoft/vscode/issues/46571
 */
export function toPlainMessage(text: string): string {
  return text.replaceAll('](', '] (').replaceAll('$(', '$ (');
}

/** The target of a Markdown link, in angle brackets. */
export function markdownLinkTarget(uri: string): string {
  return `<${uri.replace(/[<>\\\s]/gu, it => encodeURIComponent(it))}>`;
}

/** Words in bold, and no glob such as `src/**`. */
const bold = /(?<![\w/*])\*\*(?=[\p{L}\p{N}`])([^*]+)(?<=[\p{L}\p{N}`.,:;!?)])\*\*(?![\w/*])/gu;

/** Collapses white space, leaves out the asterisks of bold, and truncates to `maxLength` characters, with an ellipsis. */
export function toTruncatedLine(text: string, maxLength: number): string {
  const line = text.replace(/\s+/gu, ' ').trim().replace(bold, '$1');
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).trimEnd()}…` : line;
}
