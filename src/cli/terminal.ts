import { createInterface } from 'node:readline/promises';
import { EngineError } from '../engine/base/errors.js';
import type { CommandAnswer, CommandCaller } from '../operations/personCommand.js';
import { exitCodes, type ExitCode } from './command.js';
import { describeKeySource } from './keyFile.js';
import { writeOutputFile } from './output/outputFile.js';

/** The person at this terminal. */
export const createCaller = (isJson: boolean): CommandCaller => ({
  isJson,
  confirm,
  readText,
  interruptible: withSigint,
  show: lines => {
    if (!isJson) print(lines.join('\n'));
  },
  say: lines => {
    for (const it of lines) console.error(it);
  },
  withKeys,
  showProgress: (text, isLast) => {
    if (!isJson && process.stderr.isTTY) process.stderr.write(`\r${text}${isLast ? '\n' : ''}`);
  },
  async write(file, text) {
    if (file !== undefined) return writeOutputFile(file, text);
    for await (const chunk of text) process.stdout.write(chunk);
  },
  get keySource() {
    return describeKeySource();
  },
});

/** Prints an answer: as JSON, or as lines for people. @returns its exit code */
export function printAnswer(
  isJson: boolean,
  { output, lines, remarks = [], hints = [], ending = 'done' }: CommandAnswer,
): ExitCode {
  if (output !== undefined) print(isJson ? JSON.stringify(output) : lines.join('\n'));
  for (const it of [...(isJson ? [] : hints), ...remarks]) console.error(it);
  return exitCodes[ending === 'done' ? 'ok' : ending];
}

function print(text: string): void {
  if (text !== '') process.stdout.write(`${text}\n`);
}

/** Asks for a yes at the terminal; anything else is a no, Control-C too. Throws `invalidInput` without a terminal. */
async function confirm(question: string): Promise<boolean> {
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
async function withSigint<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
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
async function readText(words: readonly string[]): Promise<string> {
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
async function withKeys<T>(work: (askKey: (text: string) => Promise<string>) => Promise<T>): Promise<T> {
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
