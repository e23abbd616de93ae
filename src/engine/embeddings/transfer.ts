// The only code of the engine that opens a connection, and only while it is called.
import { open, readFile, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../base/errors.js';
import { message, type Message } from '../base/message.js';

/** How patient a transfer is. */
export interface Patience {
  /** Without a byte for this long, a connection counts as dead. */
  readonly stallMs: number;
  /** Pause before the first of the retries; each next one is twice as long. */
  readonly retryMs: number;
  /** Failures in a row, with no byte in between, after which it gives up. */
  readonly attempts: number;
}

export const defaultPatience: Patience = { stallMs: 30_000, retryMs: 1_000, attempts: 5 };

export interface Transfer {
  readonly url: URL;
  /** Gets the bytes; what is there of an earlier attempt is gone on from. */
  readonly file: string;
  /** What comes after that many is not read. */
  readonly maxBytes: number;
  readonly patience: Patience;
  readonly signal: AbortSignal | undefined;
  /** @param received bytes of the file that are there; falls where a server makes us start again */
  readonly onProgress: (received: number) => void;
}

/** Redirects of one request; a chain that is longer goes in circles. */
const maxRedirects = 5;
/** A server that asks for a longer pause is not waited for. */
const maxPauseMs = 60_000;

/**
 * Fetches a file whole into `file`, over as many connections as it takes. What has arrived stays there when it throws.
 * @throws EngineError downloadFailed | aborted, and what the file system throws
 */
export async function transfer(it: Transfer): Promise<void> {
  let failures = 0;
  for (;;) {
    const before = await sizeOf(it.file);
    try {
      await attempt(it, before);
      return;
    } catch (error) {
      if (it.signal?.aborted === true) throw cancelled(it.url);
      if (!(error instanceof Passing)) throw error;
      failures = (await sizeOf(it.file)) > before ? 1 : failures + 1;
      if (failures >= it.patience.attempts) throw failed(it.url, error.message, error.cause);
      const pauseMs = Math.max(it.patience.retryMs * 2 ** (failures - 1), error.pauseMs);
      await sleep(Math.min(pauseMs, maxPauseMs), undefined, it.signal === undefined ? {} : { signal: it.signal }).catch(
        () => {
          throw cancelled(it.url);
        },
      );
    }
  }
}

/** What another attempt may not meet again. */
class Passing extends Error {
  constructor(
    message: string,
    readonly pauseMs = 0,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

async function attempt(it: Transfer, offset: number): Promise<void> {
  const dead = new AbortController();
  const signal = it.signal === undefined ? dead.signal : AbortSignal.any([dead.signal, it.signal]);
  const { stallMs } = it.patience;
  const stalled = setTimeout(() => {
    dead.abort();
  }, stallMs);
  try {
    const response = await request(it, offset, signal);
    const start = await startOf(response, it, offset);
    if (start === undefined) return; // All of it is there already.
    await keepTag(it.file, response.headers.get('etag'));
    const handle = await open(it.file, start === 0 ? 'w' : 'a');
    try {
      await receive(response, handle, { ...it, start, onByte: () => stalled.refresh() });
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (dead.signal.aborted) throw new Passing(`nothing came for ${Math.round(stallMs / 1000)} seconds`);
    // What fetch throws of the network is a TypeError; everything else is ours or the file system's.
    if (error instanceof TypeError) {
      const code = (error.cause as NodeJS.ErrnoException | undefined)?.code ?? error.message;
      throw new Passing(`the connection failed (${code})`, 0, { cause: error });
    }
    throw error;
  } finally {
    clearTimeout(stalled);
    dead.abort(); // Ends the connection if the answer was not read to its end.
  }
}

async function request({ url, file }: Transfer, offset: number, signal: AbortSignal): Promise<Response> {
  const tag = await readFile(tagFile(file), 'utf8').catch(() => undefined);
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (offset > 0) headers.range = `bytes=${offset}-`;
  if (offset > 0 && tag !== undefined) headers['if-range'] = tag;
  let at = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await fetch(at, { headers, signal, redirect: 'manual', credentials: 'omit' });
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (location === null) return response;
    const next = URL.canParse(location, at.href) ? new URL(location, at) : undefined;
    if (next === undefined || !isSafe(next, url)) {
      throw failed(url, message`it sends us on to ${next?.origin ?? '?'}, which is not safe`);
    }
    at = next;
  }
  throw failed(url, message`it sends us around in circles`);
}

/** Encrypted; or on this very machine, when that is where we were told to begin. */
export function isSafe(url: URL, first: URL): boolean {
  const isLocal = (it: URL): boolean => ['127.0.0.1', '[::1]', 'localhost'].includes(it.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal(url) && isLocal(first));
}

/** Where in the file the answer begins; undefined when there is nothing more to come. */
async function startOf(response: Response, it: Transfer, offset: number): Promise<number | undefined> {
  const { status, headers } = response;
  if (status === 206) {
    const range = /^bytes (\d+)-/u.exec(headers.get('content-range') ?? '');
    if (range !== null && Number(range[1]) === offset) return offset;
    await dropTransfer(it.file);
    throw new Passing('it sent another part than was asked for');
  }
  if (status === 200) return 0;
  if (status === 416) {
    const whole = /^bytes \*\/(\d+)$/u.exec(headers.get('content-range') ?? '');
    if (whole !== null && Number(whole[1]) === offset) return undefined;
    await dropTransfer(it.file);
    throw new Passing('it has less than we have');
  }
  if (status === 408 || status === 429 || status >= 500) {
    const seconds = Number(headers.get('retry-after'));
    throw new Passing(`it answered ${status}`, Number.isFinite(seconds) ? seconds * 1000 : 0);
  }
  throw failed(it.url, message`it answered ${status}`);
}

interface Receiving extends Transfer {
  readonly start: number;
  readonly onByte: () => void;
}

async function receive(response: Response, handle: FileHandle, it: Receiving): Promise<void> {
  let received = it.start;
  it.onProgress(received);
  const chunks = (response.body ?? []) as AsyncIterable<Uint8Array>;
  for await (const chunk of chunks) {
    it.onByte();
    const wanted = chunk.subarray(0, it.maxBytes - received);
    await handle.appendFile(wanted);
    it.onByte();
    received += wanted.length;
    it.onProgress(received);
    if (wanted.length < chunk.length) break;
  }
  await handle.sync();
  if (received === it.maxBytes) return;
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  if (received - it.start < length) throw new Passing('the connection was cut');
}

/** Only a strong tag says that two answers are the same bytes. */
async function keepTag(file: string, tag: string | null): Promise<void> {
  if (tag?.startsWith('"') === true) await writeFile(tagFile(file), tag);
  else await rm(tagFile(file), { force: true });
}

/** Removes what a transfer left. */
export async function dropTransfer(file: string): Promise<void> {
  await rm(file, { force: true });
  await rm(tagFile(file), { force: true });
}

const tagFile = (file: string): string => `${file}.etag`;

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}

function cancelled({ hostname }: URL): EngineError {
  return new EngineError(
    'aborted',
    message`The download from ${hostname} was cancelled. What has arrived is kept, and the next download goes on from there.`,
  );
}

function failed({ href }: URL, problem: string | Message, cause?: unknown): EngineError {
  return new EngineError(
    'downloadFailed',
    message`${href} could not be downloaded: ${problem}. Try again later, or put the model's files into a folder yourself and name that folder in the setting recollect.embeddingModel.`,
    { cause },
  );
}
