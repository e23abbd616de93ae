import type { MemoryEngine } from '../engine/engine.js';

/** What the exit code of the command line means. */
export const exitCodes = {
  ok: 0,
  /** Understood, but it could not be done; the sentence on stderr says why. */
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

/** Prints a result: as JSON, or as lines for people. */
export function print(json: boolean, data: unknown, lines: () => readonly string[]): void {
  const text = json ? JSON.stringify(data) : lines().join('\n');
  if (text !== '') process.stdout.write(`${text}\n`);
}
