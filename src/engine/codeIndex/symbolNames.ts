/** `canLeave` of `Timetable.canLeave`; a quoted or bracketed last part, as in `'*.css'`, stays whole. */
export function unqualifiedName(symbol: string): string {
  return /(?:'[^']{0,200}'|"[^"]{0,200}"|\[[^\]]{0,200}\]|[^.'"[\]]){1,500}$/u.exec(symbol)?.[0] ?? symbol;
}

/** `calculate retry delay` of `calculateRetryDelay`, `parse URL` of `parse_URL`. */
export function toWords(name: string): string {
  return name
    .replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|[^\p{L}\p{N}]+/gu, ' ')
    .replaceAll(/(?<!\S)\p{Lu}(?=\p{Ll})/gu, it => it.toLowerCase())
    .replaceAll(/\s+/gu, ' ')
    .trim();
}
