const isWindows = process.platform === 'win32';
const plainWord = isWindows ? /^[\w./\\:][\w./\\:-]*$/u : /^[\w./][\w./-]*$/u;

/** A word of a command line that a person may paste into their shell (PowerShell on Windows): nothing in it runs. */
export function shellWord(text: string): string {
  return plainWord.test(text) ? text : `'${text.replaceAll("'", isWindows ? "''" : String.raw`'\''`)}'`;
}
