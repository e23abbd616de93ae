const isWindows = process.platform === 'win32';
const plainWord = isWindows ? /^[\w./\\:][\w./\\:-]*$/u : /^[\w./][\w./-]*$/u;

/**
 * A word of a command that another program hands to its shell: nothing in it runs in a POSIX shell. On Windows that may be cmd,
 * PowerShell or Git's Bash, which have double quotes alone in common.
 */
export function hookCommandWord(text: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? `"${text}"` : shellWord(text);
}

/** A word of a command line that a person may paste into their shell (PowerShell on Windows): nothing in it runs. */
export function shellWord(text: string): string {
  return plainWord.test(text) ? text : `'${text.replaceAll("'", isWindows ? "''" : String.raw`'\''`)}'`;
}
