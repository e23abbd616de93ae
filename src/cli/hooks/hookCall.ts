import path from 'node:path';
import { parseArgs } from 'node:util';
import { mayConcernMemories } from '../../engine/hooks/toolCallKeys.js';
import { findDataDir } from '../dataDir.js';
import { isCallOf, isToolHook } from './hookEvents.js';
import type { HookInput } from './hookMessages.js';
import { readToolCall } from './readToolCall.js';

/** The event and options of a hook's command line. */
export interface HookCallOptions {
  readonly event: string | undefined;
  readonly dataDir: string | undefined;
  /** Estimated tokens at most. */
  readonly budget: number | undefined;
  readonly timeoutMs: number | undefined;
}

/** A machine that is always busy may need as much; more is a hook that hangs. */
const maxTimeoutSeconds = 600;
/** A harness writes its input at once; where none has come by then, there is none. */
const inputTimeoutMs = 1_500;
/** A prompt and a few paths; what is longer is not ours to read. */
const maxInputLength = 1_000_000;

/** Options as they are; one that makes no sense is as if it were not given. */
export function readHookOptions(args: readonly string[]): HookCallOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    options: { 'data-dir': { type: 'string' }, budget: { type: 'string' }, timeout: { type: 'string' } },
  });
  const [dataDir, budget, timeout] = [values['data-dir'], Number(values.budget), Number(values.timeout)];
  return {
    event: positionals[0],
    dataDir: typeof dataDir === 'string' ? dataDir : undefined,
    budget: Number.isInteger(budget) && budget > 0 ? budget : undefined,
    timeoutMs: timeout > 0 && timeout <= maxTimeoutSeconds ? timeout * 1000 : undefined,
  };
}

/**
 * Whether a hook is one of a tool call that nothing remembered is about, which is nearly always so: an assistant waits for one
 * at each edit and command, and this says so before anything else is loaded.
 */
export function isOfNoMemory({ event, dataDir }: HookCallOptions, input: HookInput): boolean {
  if (!isToolHook(event)) return false;
  const call = readToolCall(input);
  if (call === undefined || !isCallOf(event, call)) return true;
  const folder = typeof input.cwd === 'string' && path.isAbsolute(input.cwd) ? input.cwd : undefined;
  return !mayConcernMemories(findDataDir(dataDir).path, folder, call);
}

/** The object on stdin as soon as it is whole, whether or not stdin ends; undefined for anything else. */
export async function readHookInput(): Promise<HookInput | undefined> {
  if (process.stdin.isTTY) return undefined;
  let text = '';
  const timer = setTimeout(() => process.stdin.destroy(), inputTimeoutMs);
  try {
    for await (const chunk of process.stdin.setEncoding('utf8') as AsyncIterable<string>) {
      text += chunk;
      if (text.length > maxInputLength) return undefined;
      const input = chunk.trimEnd().endsWith('}') ? parseHookInput(text) : undefined;
      if (input !== undefined) return input;
    }
    return parseHookInput(text);
  } finally {
    clearTimeout(timer);
  }
}

function parseHookInput(text: string): HookInput | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/u, ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as HookInput) : undefined;
  } catch {
    return undefined;
  }
}
