// Besides language models, the embedding endpoint and PostgreSQL, the only code of the engine that opens connections.
import { open, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { EngineError } from '../base/errors.js';
import { message, type LocalizableMessage } from '../base/localizableMessage.js';
import { readRegularText } from '../base/regularFile.js';
import { backoffMs, type RetryPolicy } from '../base/retryPolicy.js';

export interface DownloadRequest {
  readonly url: URL;
  /** Receives the bytes; bytes of an earlier download are continued. */
  readonly file: string;
  /** Further bytes are not read. */
  readonly maxBytes: number;
  readonly retryPolicy: RetryPolicy;
  readonly signal: AbortSignal;
  /** @param received bytes of the file on disk; falls if the server forces a restart */
  readonly onProgress: (received: number) => void;
}

/** Redirects of one request; a longer chain counts as a loop. */
const maxRedirects = 5;

/**
 * Downloads a file, over several connections if necessary. The bytes received stay in `file` when it throws.
 * @throws EngineError downloadFailed | aborted, and errors of the file system
 */
export async function downloadResumably(download: DownloadRequest): Promise<void> {
  const { url, file, retryPolicy, signal } = download;
  let failures = 0;
  for (;;) {
    const bytesBefore = await sizeOf(file);
    try {
      await attemptDownload(download, bytesBefore);
      return;
    } catch (error) {
      if (signal.aborted) throw cancelledError(url);
      if (!(error instanceof TransientError)) throw error;
      failures = (await sizeOf(file)) > bytesBefore ? 1 : failures + 1;
      if (failures >= retryPolicy.maxAttempts) throw downloadError(url, error.message, error.cause);
      const delayMs = Math.max(backoffMs(retryPolicy, failures), error.retryAfterMs);
      await retryPolicy.sleep(Math.min(delayMs, retryPolicy.maxBackoffMs), signal).catch(() => {
        throw cancelledError(url);
      });
    }
  }
}

/** A failure that another attempt may not meet. */
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
  const signal = AbortSignal.any([stallAbort.signal, download.signal]);
  const { timeoutMs } = download.retryPolicy;
  const stallTimer = setTimeout(() => {
    stallAbort.abort();
  }, timeoutMs);
  try {
    const response = await sendRequest(download, offset, signal);
    const start = await readStartOffset(response, download, offset);
    if (start === undefined) return; // The file is complete.
    await saveEtag(download.file, response.headers.get('etag'));
    const handle = await open(download.file, start === 0 ? 'w' : 'a');
    try {
      await writeBody(response, handle, { ...download, start, onByte: () => stallTimer.refresh() });
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (stallAbort.signal.aborted) throw new TransientError(`nothing came for ${Math.round(timeoutMs / 1000)} seconds`);
    // fetch throws a TypeError for network failures; other errors are of this module or the file system.
    if (error instanceof TypeError) {
      const code = (error.cause as NodeJS.ErrnoException | undefined)?.code ?? error.message;
      throw new TransientError(`the connection failed (${code})`, 0, { cause: error });
    }
    throw error;
  } finally {
    clearTimeout(stallTimer);
    stallAbort.abort(); // Closes the connection if the response was not read completely.
  }
}

async function sendRequest({ url, file }: DownloadRequest, offset: number, signal: AbortSignal): Promise<Response> {
  const etag = await readRegularText(etagFileOf(file)).catch(() => undefined);
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

/** Whether a URL is encrypted, or local if the first one was local. */
export function isSafeUrl(url: URL, first: URL): boolean {
  const isLocal = (it: URL): boolean => ['127.0.0.1', '[::1]', 'localhost'].includes(it.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal(url) && isLocal(first));
}

/** The offset in the file at which the response starts; undefined if the file is complete. */
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

/** Keeps a strong ETag only: a weak one does not guarantee identical bytes. */
async function saveEtag(file: string, etag: string | null): Promise<void> {
  if (etag?.startsWith('"') === true) await writeFile(etagFileOf(file), etag);
  else await rm(etagFileOf(file), { force: true });
}

/** Removes an incomplete download. */
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
