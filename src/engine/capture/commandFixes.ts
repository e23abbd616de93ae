import { isReadingOnly, splitCommandLine } from '../text/commandLine.js';
import type { LineWork } from './sources/sessionLine.js';

/** In characters: a longer command is a script. */
const maxCommandLength = 120;
/** Commands that failed and are still waited for. */
const maxFailed = 5;

/** Git commands that change no file of the work tree. */
const gitWithoutFiles = /^git (?:add|commit|push|tag|fetch|remote|config)\b/u;
/** They bring other code: what then passes need not have needed them. */
const gitWithFiles = /^git (?!submodule\b|lfs\b)/u;
/** Waits, writes into a file, or is a program of its own. */
const unclear =
  /[<>`\n]|\$\(|\bsed\b.*\s-i|^(?:sleep|wait|timeout)\b|^(?:node|python[\d.]*|ruby|perl|bash|sh) -[ce]\b/u;

/** A command that failed, and what ran well since. */
interface FailedCommand {
  readonly command: string;
  readonly since: readonly string[];
}

/**
 * Finds commands of a session that failed, and passed once exactly one other command had run: "`x` needs `y` first." Where a
 * file was changed meanwhile, that may as well have been the reason. A fold over lines; keeps nothing beyond them.
 */
export class CommandFixes {
  /** Commands that run, by the id of the call. */
  private readonly running = new Map<string, string>();
  private failed: readonly FailedCommand[] = [];

  /** @returns what a line shows, as sentences */
  read({ changedFiles, commands, results }: LineWork): readonly string[] {
    if (changedFiles.length > 0) this.failed = [];
    for (const { call, command } of commands) this.running.set(call, command);
    return results.flatMap(({ call, hasFailed }) => {
      const command = this.running.get(call);
      this.running.delete(call);
      if (command === undefined) return [];
      if (hasFailed) this.fail(command);
      else return this.pass(command);
      return [];
    });
  }

  private fail(line: string): void {
    const command = toCommand(line);
    // What stands before the last one may have failed as well.
    if (command === undefined || command.steps.length > 0 || isReadingOnly(command.text)) return;
    const others = this.failed.filter(it => it.command !== command.text);
    this.failed = [...others, { command: command.text, since: [] }].slice(-maxFailed);
  }

  private pass(line: string): readonly string[] {
    const command = toCommand(line);
    if (command === undefined) {
      if (!isReadingOnly(line) || unclear.test(line)) this.failed = [];
      return [];
    }
    const { text, steps, isPiped } = command;
    const found = this.failed.find(it => it.command === text);
    // Behind a pipe nothing says how it ended.
    if (found !== undefined && isPiped) return [];
    this.failed = this.failed.filter(it => it !== found);
    const needed = [...new Set([...(found?.since ?? []), ...steps])];
    for (const it of found === undefined ? [...steps, text] : steps) this.note(it);
    return found === undefined || needed.length !== 1 ? [] : [`\`${text}\` needs \`${needed[0]!}\` first.`];
  }

  /** A command has run well, after those that failed. */
  private note(command: string): void {
    if (isReadingOnly(command) || gitWithoutFiles.test(command)) return;
    this.failed = this.failed
      .filter(it => !gitWithFiles.test(command) || it.command.startsWith('git '))
      .map(it => ({ ...it, since: [...it.since, command] }));
  }
}

interface CommandOfLine {
  /** The last one. */
  readonly text: string;
  /** What the line runs before it. */
  readonly steps: readonly string[];
  readonly isPiped: boolean;
}

/** Undefined for a line of which it is not clear what it does. Where it runs is left out: a path is of this machine. */
function toCommand(line: string): CommandOfLine | undefined {
  const plain = line
    .trim()
    .replaceAll(/ ?2>(?:&1|\/dev\/null)/gu, '')
    .replace(/^\(([^()]*)\)$/u, '$1');
  const [whole = '', ...readers] = plain.split(/(?<!\|)\|(?!\|)/u).map(it => it.trim());
  const parts = whole
    .split('&&')
    .map(it => it.trim())
    .filter(it => !/^cd(?:\s|$)/u.test(it));
  const text = parts.pop();
  if (text === undefined || readers.some(it => !isReadingOnly(it))) return undefined;
  const all = [...parts, text];
  const isClear = all.every(
    it => it.length <= maxCommandLength && !unclear.test(it) && !/[;&|]/u.test(it) && splitCommandLine(it).length > 0,
  );
  return isClear ? { text, steps: parts.filter(it => !isReadingOnly(it)), isPiped: readers.length > 0 } : undefined;
}
