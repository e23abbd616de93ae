import { createInterface } from 'node:readline/promises';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { SettingChange } from '../engine/model/access.js';
import type { Config } from '../engine/model/config.js';

/** Meanings of the exit codes of the command line. */
export const exitCodes = {
  ok: 0,
  /** Understood, but it could not be done, or not all of it; the sentence on stderr says why, or how much was left out. */
  failed: 1,
  /** Not understood: an unknown command, a wrong option or value. */
  usage: 2,
  /** No such memory, or nothing found. */
  notFound: 3,
  /** `verify` found problems. */
  damaged: 4,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Opens the engine for one command, closes it whatever happens, and ends with the exit code. */
export type WithEngine = (work: (engine: MemoryEngine, json: boolean) => Promise<ExitCode>) => Promise<void>;

/** The whole command line, as a command about the program knows it. */
export interface ProgramContext {
  readonly dataDir: () => string;
  /** Of the settings file and the environment, with the options of the command line. */
  readonly config: () => Config;
  /** Folders that the person named. */
  readonly projects: () => readonly string[] | undefined;
  readonly isJson: () => boolean;
  /** Prints a result: as JSON, or as lines for people. */
  readonly print: (result: unknown, lines: () => readonly string[]) => void;
  /** Sets the exit code of a command that opens no engine; `ok` without it. */
  readonly exit: (code: ExitCode) => void;
  readonly withEngine: WithEngine;
  /** Writes a change into the audit log. */
  readonly noteSetting: (change: SettingChange) => Promise<void>;
}

/** Prints a result: as JSON, or as lines for people. */
export function print(json: boolean, result: unknown, lines: () => readonly string[]): void {
  const text = json ? JSON.stringify(result) : lines().join('\n');
  if (text !== '') process.stdout.write(`${text}\n`);
}

/** Asks for a yes at the terminal; anything else is a no, Control-C too. Throws `invalidInput` without a terminal. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new EngineError('invalidInput', `${question} There is no terminal to ask in: say --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/iu.test((await terminal.question(`${question} [y/N] `)).trim());
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return false;
    throw error;
  } finally {
    terminal.close();
  }
}

/** Control-C ends the work between two steps; what is done stays done. */
export async function withSigint<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort();
  };
  process.once('SIGINT', abort);
  try {
    return await work(controller.signal);
  } finally {
    process.removeListener('SIGINT', abort);
  }
}

/** As of a file: what is longer was piped in by mistake, or never ends. */
const maxStdinBytes = 10 * 1024 * 1024;

/** A text given as words of the command line; `-` or none reads it from stdin. */
export async function readText(words: readonly string[]): Promise<string> {
  if (words.length > 0 && !(words.length === 1 && words[0] === '-')) return words.join(' ');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxStdinBytes)
      throw new EngineError('invalidInput', 'The text on stdin is larger than 10 MB. Send it in parts.');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Runs work that writes a text and waits for a key, again and again; `q` where there are no more. */
export async function withKeys<T>(work: (askKey: (text: string) => Promise<string>) => Promise<T>): Promise<T> {
  const keys = readKeys();
  try {
    return await work(async text => {
      process.stdout.write(text);
      const key = (await keys.next()).value ?? 'q';
      process.stdout.write(`${key}\n`);
      return key;
    });
  } finally {
    await keys.return(undefined);
  }
}

/** Keys as they are pressed, or the characters of what is piped in; Control-C is `q`. */
async function* readKeys(): AsyncGenerator<string, undefined> {
  const { stdin } = process;
  const isTerminal = stdin.isTTY;
  if (isTerminal) stdin.setRawMode(true);
  try {
    for await (const chunk of stdin) {
      for (const key of String(chunk).toLowerCase()) {
        if (key === '\u0003' || key === '\u0004') yield 'q';
        else if (/\S/u.test(key)) yield key;
      }
    }
    return undefined;
  } finally {
    if (isTerminal) stdin.setRawMode(false);
    stdin.pause();
  }
}
