/** Words of a query that are written as names in code or as files: `parsePort`, `max_retries`, `listen()`, src/net.ts. */
export function namesInQuery(query: string): ReadonlySet<string> {
  const names = new Set<string>();
  const words =
    /`([^`\s]{1,200})`|([\p{L}_$][\p{L}\p{N}_$]{0,99}(?:(?:::|[./\\-])[\p{L}\p{N}_$]{1,99}){0,20})(\(\))?/gu;
  for (const [, quoted, word = '', call] of query.matchAll(words)) {
    const isName = /\p{Ll}\p{Lu}|[\p{L}\p{N}]_[\p{L}\p{N}]|::|[/\\]|\.\p{Ll}{1,4}$/u.test(word);
    if (quoted !== undefined || call !== undefined || isName) names.add(quoted?.replace(/\(\)$/u, '') ?? word);
  }
  return names;
}

/** Whether one of the names is that of a declaration or of a file, also without what is before it. */
export function namesDeclaration(
  names: ReadonlySet<string>,
  { symbol, uri }: { readonly symbol?: string | undefined; readonly uri?: string | undefined },
): boolean {
  for (const written of names) {
    const name = written.replaceAll('::', '.').replaceAll('\\', '/');
    if (symbol !== undefined && (symbol === name || symbol.endsWith(`.${name}`))) return true;
    if (uri?.endsWith(`/${name.replace(/^\.?\//u, '')}`) === true) return true;
  }
  return false;
}
