// The only code of the engine that opens a connection, and only while it is called.
import { open, readFile, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../base/errors.js';
import { message, type LocalizableMessage } from '../base/localizableMessage.js';

/** How patient a transfer is. */
export interface DownloadRetryPolicy {
  /** Without a byte for this long, a connection counts as dead. */
  readonly stallTimeoutMs: number;
  /** Pause before the first of the retries; each next one is twice as long. */
  readonly initialBackoffMs: number;
  /** Failures in a row, with no byte in between, after which it gives up. */
  readonly maxAttempts: number;
}

export const defaultDownloadRetryPolicy: DownloadRetryPolicy = {
  stallTimeoutMs: 30_000,
  initialBackoffMs: 1_000,
  maxAttempts: 5,
};

export interface DownloadRequest {
  readonly url: URL;
  /** Gets the bytes; what is there of an earlier attempt is gone on from. */
  readonly file: string;
  /** What comes after that many is not read. */
  readonly maxBytes: number;
  readonly retryPolicy: DownloadRetryPolicy;
  readonly signal: AbortSignal | undefined;
  /** @param received bytes of the file that are there; falls where a server makes us start again */
  readonly onProgress: (received: number) => void;
}

/** Redirects of one request; a chain that is longer goes in circles. */
const maxRedirects = 5;
/** A server that asks for a longer pause is not waited for. */
const maxRetryAfterMs = 60_000;

/**
 * Fetches a file whole into `file`, over as many connections as it takes. What has arrived stays there when it throws.
 * @throws EngineError downloadFailed | aborted, and what the file system throws
 */
export async function downloadResumably(download: DownloadRequest): Promise<void> {
  let failures = 0;
  for (;;) {
    const bytesBefore = await sizeOf(download.file);
    try {
      await attemptDownload(download, bytesBefore);
      return;
    } catch (error) {
      if (download.signal?.aborted === true) throw cancelledError(download.url);
      if (!(error instanceof TransientError)) throw error;
      failures = (await sizeOf(download.file)) > bytesBefore ? 1 : failures + 1;
      if (failures >= download.retryPolicy.maxAttempts) throw downloadError(download.url, error.message, error.cause);
      const delayMs = Math.max(download.retryPolicy.initialBackoffMs * 2 ** (failures - 1), error.retryAfterMs);
      await sleep(
        Math.min(delayMs, maxRetryAfterMs),
        undefined,
        download.signal === undefined ? {} : { signal: download.signal },
      ).catch(() => {
        throw cancelledError(download.url);
      });
    }
  }
}

/** What another attempt may not meet again. */
class TransientError extends Error {
  constructor(
    message: string,
    readonly retryAfterMs = 0,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

async function attemptDownload(download: DownloadRequest, offset: number): Promise<void> {
  const stallAbort = new AbortController();
  const signal =
    download.signal === undefined ? stallAbort.signal : AbortSignal.any([stallAbort.signal, download.signal]);
  const { stallTimeoutMs } = download.retryPolicy;
  const stallTimer = setTimeout(() => {
    stallAbort.abort();
  }, stallTimeoutMs);
  try {
    const response = await sendRequest(download, offset, signal);
    const start = await readStartOffset(response, download, offset);
    if (start === undefined) return; // All of it is there already.
    await saveEtag(download.file, response.headers.get('etag'));
    const handle = await open(download.file, start === 0 ? 'w' : 'a');
    try {
      await writeBody(response, handle, { ...download, start, onByte: () => stallTimer.refresh() });
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (stallAbort.signal.aborted)
      throw new TransientError(`nothing came for ${Math.round(stallTimeoutMs / 1000)} seconds`);
    // What fetch throws of the network is a TypeError; everything else is ours or the file system's.
    if (error instanceof TypeError) {
      const code = (error.cause as NodeJS.ErrnoException | undefined)?.code ?? error.message;
      throw new TransientError(`the connection failed (${code})`, 0, { cause: error });
    }
    throw error;
  } finally {
    clearTimeout(stallTimer);
    stallAbort.abort(); // Ends the connection if the answer was not read to its end.
  }
}

async function sendRequest({ url, file }: DownloadRequest, offset: number, signal: AbortSignal): Promise<Response> {
  const etag = await readFile(etagFileOf(file), 'utf8').catch(() => undefined);
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (offset > 0) headers.range = `bytes=${offset}-`;
  if (offset > 0 && etag !== undefined) headers['if-range'] = etag;
  let currentUrl = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await fetch(currentUrl, { headers, signal, redirect: 'manual', credentials: 'omit' });
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (location === null) return response;
    const next = URL.canParse(location, currentUrl.href) ? new URL(location, currentUrl) : undefined;
    if (next === undefined || !isSafeUrl(next, url)) {
      throw downloadError(url, message`it sends us on to ${next?.origin ?? '?'}, which is not safe`);
    }
    currentUrl = next;
  }
  throw downloadError(url, message`it sends us around in circles`);
}

/** Encrypted; or on this very machine, when that is where we were told to begin. */
export function isSafeUrl(url: URL, first: URL): boolean {
  const isLocal = (it: URL): boolean => ['127.0.0.1', '[::1]', 'localhost'].includes(it.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal(url) && isLocal(first));
}

/** Where in the file the answer begins; undefined when there is nothing more to come. */
async function readStartOffset(
  response: Response,
  download: DownloadRequest,
  offset: number,
): Promise<number | undefined> {
  const { status, headers } = response;
  if (status === 206) {
    const range = /^bytes (\d+)-/u.exec(headers.get('content-range') ?? '');
    if (range !== null && Number(range[1]) === offset) return offset;
    await discardPartial(download.file);
    throw new TransientError('it sent another part than was asked for');
  }
  if (status === 200) return 0;
  if (status === 416) {
    const whole = /^bytes \*\/(\d+)$/u.exec(headers.get('content-range') ?? '');
    if (whole !== null && Number(whole[1]) === offset) return undefined;
    await discardPartial(download.file);
    throw new TransientError('it has less than we have');
  }
  if (status === 408 || status === 429 || status >= 500) {
    const seconds = Number(headers.get('retry-after'));
    throw new TransientError(`it answered ${status}`, Number.isFinite(seconds) ? seconds * 1000 : 0);
  }
  throw downloadError(download.url, message`it answered ${status}`);
}

interface DownloadState extends DownloadRequest {
  readonly start: number;
  readonly onByte: () => void;
}

async function writeBody(response: Response, handle: FileHandle, download: DownloadState): Promise<void> {
  let received = download.start;
  download.onProgress(received);
  const chunks = (response.body ?? []) as AsyncIterable<Uint8Array>;
  for await (const chunk of chunks) {
    download.onByte();
    const wanted = chunk.subarray(0, download.maxBytes - received);
    await handle.appendFile(wanted);
    download.onByte();
    received += wanted.length;
    download.onProgress(received);
    if (wanted.length < chunk.length) break;
  }
  await handle.sync();
  if (received === download.maxBytes) return;
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  if (received - download.start < length) throw new TransientError('the connection was cut');
}

/** Only a strong tag says that two answers are the same bytes. */
async function saveEtag(file: string, etag: string | null): Promise<void> {
  if (etag?.startsWith('"') === true) await writeFile(etagFileOf(file), etag);
  else await rm(etagFileOf(file), { force: true });
}

/** Removes what a transfer left. */
export async function discardPartial(file: string): Promise<void> {
  await rm(file, { force: true });
  await rm(etagFileOf(file), { force: true });
}

const etagFileOf = (file: string): string => `${file}.etag`;

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}

function cancelledError({ hostname }: URL): EngineError {
  return new EngineError(
    'aborted',
    message`The download from ${hostname} was cancelled. What has arrived is kept, and the next download goes on from there.`,
  );
}

function downloadError({ href }: URL, problem: string | LocalizableMessage, cause?: unknown): EngineError {
  return new EngineError(
    'downloadFailed',
    message`${href} could not be downloaded: ${problem}. Try again later, or put the model's files into a folder yourself and name that folder in the setting recollect.embeddingModel.`,
    { cause },
  );
}
