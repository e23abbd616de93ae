/** Programs that run the command which follows them. */
const wrappers = ['sudo', 'env', 'time', 'nohup', 'npx', 'bunx', 'exec', 'command', 'winpty', 'uvx', 'xvfb-run'];
/** Programs that run the text after `-c`. */
const shells = ['sh', 'bash', 'zsh', 'fish', 'dash', 'pwsh', 'powershell', 'cmd'];
/** Programs that run the file which is named first. */
const interpreters = [...shells, ...'source . node deno bun tsx ts-node ruby perl php'.split(' ')];
/** Programs that print what is there: an error in their output is one of a text. */
const readers =
  'cat bat sed awk head tail less more nl wc ls tree find fd grep rg ag cut sort uniq echo printf pwd cd jq diff stat file'.split(
    ' ',
  );
const gitReaders = ['show', 'log', 'diff', 'blame', 'grep', 'status'];
/** In characters; what follows is not read. */
const maxCommandLength = 20_000;
/** Commands of one line. */
const maxCommands = 50;

/**
 * The words of each command of a command line, once for each reading: `sudo npx eslint .` is `sudo`, `npx` and `eslint`. The
 * first word is the program's name without its folder.
 */
export function splitCommandLine(line: string, depth = 0): readonly (readonly string[])[] {
  return simpleCommands(line).flatMap(it => readingsOf(it, depth));
}

/** Paths of the files that a command line runs, as it has them: `./reset.sh`, `bash scripts/reset.sh`, `sudo node tools/seed.js`. */
export function filesRunBy(line: string, depth = 0): readonly string[] {
  return simpleCommands(line).flatMap(command => {
    const at = command.findIndex(
      it => !it.startsWith('-') && !/^\w+=/u.test(it) && !wrappers.includes(programName(it)),
    );
    const [first = '', ...rest] = command.slice(Math.max(0, at));
    const program = programName(first);
    if (!interpreters.includes(program) && !/^python[\d.]*$/u.test(program)) return [first];
    const script = shells.includes(program) ? rest.findIndex(it => isScriptOption(it)) : -1;
    if (script >= 0) return depth > 2 ? [] : filesRunBy(rest[script + 1] ?? '', depth + 1);
    return rest.filter(it => !it.startsWith('-') && it !== 'run').slice(0, 1);
  });
}

/** The words of each command of a line, without the variables before them. */
function simpleCommands(line: string): readonly (readonly string[])[] {
  const tokens =
    line.slice(0, maxCommandLength).match(/"(?:[^"\\]|\\.)*"|'[^']*'|&&|\|\||[;|&\n()`]|[^\s"';|&()`]+/gu) ?? [];
  const commands: string[][] = [[]];
  for (const token of tokens) {
    if (/^(?:&&|\|\||[;|&\n()`])$/u.test(token)) commands.push([]);
    else commands.at(-1)!.push(unquote(token));
  }
  return commands
    .map(it => it.slice(it.findIndex(word => !/^\w+=/u.test(word) && word !== '$')))
    .filter(it => it.length > 0)
    .slice(0, maxCommands);
}

/** Whether the words of a key stand in a command in their order, the program first. */
export function isNamedBy(command: readonly string[], key: readonly string[]): boolean {
  if (command[0] !== key[0]) return false;
  let at = 1;
  for (const word of key.slice(1)) {
    const found = command.findIndex(
      (it, i) => i >= at && (it === word || (word.startsWith('--') && it.startsWith(`${word}=`))),
    );
    if (found < 0) return false;
    at = found + 1;
  }
  return true;
}

/** Whether all commands of a line only print what is there. */
export function isReadingOnly(line: string): boolean {
  return splitCommandLine(line).every(
    ([program = '', part = '']) =>
      readers.includes(program) || shells.includes(program) || (program === 'git' && gitReaders.includes(part)),
  );
}

function readingsOf([first = '', ...rest]: readonly string[], depth: number): readonly (readonly string[])[] {
  const program = programName(first);
  const own = [program, ...rest.map(normalizeWord)];
  if (depth > 2) return [own];
  if (shells.includes(program)) {
    const script = rest.findIndex(it => isScriptOption(it));
    return script < 0 ? [own] : [own, ...splitCommandLine(rest[script + 1] ?? '', depth + 1)];
  }
  const isModule = /^python[\d.]*$/u.test(program) && rest[0] === '-m';
  if (!isModule && !wrappers.includes(program)) return [own];
  const next = rest.findIndex(it => !it.startsWith('-') && !/^\w+=/u.test(it));
  return next < 0 ? [own] : [own, ...readingsOf(rest.slice(next), depth + 1)];
}

/** Whether a shell runs the text of the next word. */
function isScriptOption(word: string): boolean {
  return /^[-/][a-z]*c$|^-Command$/iu.test(word);
}

/** A program as a key names it: without its folder, and without the end that Windows adds. */
export function programName(word: string): string {
  return word.replace(/^.*[\\/](?=[^\\/])/u, '').replace(/\.(?:exe|cmd|bat|ps1)$/iu, '');
}

/** An argument as a key names it. */
export function normalizeWord(word: string): string {
  return word.replace(/^\.[\\/](?=.)/u, '');
}

function unquote(token: string): string {
  return /^(["']).*\1$/su.test(token) ? token.slice(1, -1) : token;
}
