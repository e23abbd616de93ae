/** One setting of a git configuration file: `remote`, `origin`, `url`, `git@example.com:acme/shop.git`. */
export interface GitSetting {
  /** Lower case. */
  readonly section: string;
  /** '' without one. */
  readonly subsection: string;
  /** Lower case. */
  readonly key: string;
  readonly value: string;
}

/**
 * Reads the text of a git configuration file (https://git-scm.com/docs/git-config#_syntax). It runs and opens nothing that
 * the text names: `include` is not followed.
 */
export function parseGitConfig(text: string): GitSetting[] {
  const settings: GitSetting[] = [];
  let section = '';
  let subsection = '';
  // A backslash at the end of a line continues it.
  for (const line of text.replaceAll(/\\\r?\n/gu, '').split(/\r?\n/u)) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/u.exec(line);
    if (header) {
      const [, name = '', quoted] = header;
      const [first = '', ...rest] = name.split('.');
      section = first.toLowerCase();
      subsection = quoted?.replaceAll(/\\(.)/gu, '$1') ?? rest.join('.').toLowerCase();
    }
    const setting = /^\s*([a-z][\w-]*)\s*=\s*(?!\s)(.*)$/iu.exec(header?.[3] ?? line);
    if (setting) settings.push({ section, subsection, key: setting[1]!.toLowerCase(), value: parseValue(setting[2]!) });
  }
  return settings;
}

/** Unquotes a value and removes its comment. */
function parseValue(text: string): string {
  let value = '';
  let isQuoted = false;
  for (const [token] of text.matchAll(/\\.|[^\\]/gu)) {
    if (token === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (token === '#' || token === ';')) break;
    else if (token.startsWith('\\'))
      value += ({ n: '\n', t: '\t', b: '\b' } as Record<string, string>)[token[1]!] ?? token[1]!;
    else value += token;
  }
  return value.trim();
}

/**
 * The URLs of a repository's remotes as git would use them: the longest `url.<base>.insteadOf` that begins one is replaced
 * by its base. The remote `origin` comes first.
 * @param repository settings of the repository
 * @param personal settings of the person, for `insteadOf` alone
 */
export function remoteUrls(repository: readonly GitSetting[], personal: readonly GitSetting[]): string[] {
  const replacements = [...personal, ...repository].filter(it => it.section === 'url' && it.key === 'insteadof');
  const remotes = repository.filter(it => it.section === 'remote' && it.key === 'url' && it.value !== '');
  const ordered = [
    ...remotes.filter(it => it.subsection === 'origin'),
    ...remotes.filter(it => it.subsection !== 'origin'),
  ];
  return ordered.map(({ value }) => {
    const [longest] = replacements
      .filter(it => it.value !== '' && value.startsWith(it.value))
      .sort((a, b) => b.value.length - a.value.length);
    return longest === undefined ? value : longest.subsection + value.slice(longest.value.length);
  });
}
