// Code blocks that are lists of commands.
import type { Token } from 'markdown-it';

interface ShellCommand {
  readonly command: string;
  /** From a comment; empty where the code says none. */
  readonly purpose: string;
  /** From 0, in the block. */
  readonly line: number;
}

export function isShell({ info, content }: Token): boolean {
  const language = info.trim().split(/\s+/u, 1)[0]!.toLowerCase();
  if (/^(?:sh|bash|shell|zsh|fish|console|powershell|pwsh|ps1|cmd|bat|shell-session)$/u.test(language)) return true;
  const lines = content.split('\n').filter(it => it.trim() !== '');
  return (
    language === '' &&
    lines.length > 0 &&
    lines.every(it => /^(?:\$ |#|(?:\.\/)?[a-z][\w.-]*(?: [\w./@:"'<>{}$*=&|-]+)+$)/u.test(it))
  );
}

/** Longer blocks that change the folder are lists of commands all the same. */
const maxSequenceLength = 5;

/**
 * The commands of a shell block that says what each is for; undefined for a script, whose lines belong together. A comment
 * line holds for the commands up to the next blank line or comment.
 */
export function readCommands(code: string): ShellCommand[] | undefined {
  const lines = code.replace(/(?<!\n)\n+$/u, '').split('\n');
  const commandLines = lines.filter(it => it.trim() !== '' && !it.trimStart().startsWith('#'));
  if (commandLines.length === 0) return undefined;
  const isScript = lines.some(it =>
    /\\$|<<|^\s*(?:if|for|while|do|done|fi|then|else|case|esac|function|[}{])\b|^\s*[}{]|^\s+\S/u.test(it),
  );
  // What follows runs where, or with what, the line before says.
  const isSequence =
    commandLines.length > 1 &&
    commandLines.length <= maxSequenceLength &&
    commandLines.some(it => /^(?:\$ )?(?:cd|pushd|export|source|\.) [^&;|]*$/u.test(it));
  const hasPurposes = lines.some(it => /^\s*#|\s#\s/u.test(it));
  if (isScript || isSequence || (!hasPurposes && commandLines.length > 1)) return undefined;
  const found: { command: string; purpose: string; line: number }[] = [];
  let comment = '';
  let isGroupOpen = false;
  for (const [line, text] of lines.entries()) {
    const isComment = text.startsWith('#') && !text.startsWith('#!');
    if (isComment || text.trim() === '') {
      comment = isComment
        ? [isGroupOpen ? '' : comment, text.replace(/^#+\s*/u, '').trim()].filter(it => it !== '').join(' ')
        : '';
      isGroupOpen = false;
      continue;
    }
    const [, command = text, trailing = ''] = /^(.*?\S)\s+#\s+(?!\s)(.*)$/u.exec(text) ?? [];
    const last = found.at(-1);
    if (isGroupOpen && trailing === '' && comment !== '' && last !== undefined) last.command += `\n${command}`;
    else
      found.push({
        command: command.replace(/^\$ /u, ''),
        purpose: [comment, trailing].filter(it => it !== '').join(', '),
        line,
      });
    isGroupOpen = true;
  }
  // A comment on some of them says nothing of the others: they stay together.
  return found.length > 1 && found.some(it => it.purpose === '') ? undefined : found;
}
