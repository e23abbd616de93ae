import { EngineError } from './errors.js';
import { message } from './localizableMessage.js';

const isWindows = process.platform === 'win32';
const plainWord = isWindows ? /^[\w./\\:][\w./\\:-]*$/u : /^[\w./][\w./-]*$/u;

/**
 * A word of a command that another program hands to its shell: nothing in it runs in a POSIX shell. On Windows that may be cmd,
 * PowerShell or Git's Bash, which have double quotes alone in common.
 * @throws EngineError invalidInput for a path that one of them would change within double quotes
 */
export function hookCommandWord(text: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== 'win32') return shellWord(text);
  if (/[$`%"]/u.test(text))
    throw new EngineError(
      'invalidInput',
      message`A shell of Windows would change ${text} within a command, because of a $, a % or a \`. Set RECOLLECT_HOME to a folder without them, and try again.`,
    );
  return `"${text}"`;
}

/** A word of a command line that a person may paste into their shell (PowerShell on Windows): nothing in it runs. */
export function shellWord(text: string): string {
  return plainWord.test(text) ? text : `'${text.replaceAll("'", isWindows ? "''" : String.raw`'\''`)}'`;
}
