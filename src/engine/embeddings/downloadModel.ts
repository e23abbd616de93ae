import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { downloadSizeOf, type CatalogFile, type CatalogModel, type PinnedFile } from './modelCatalog.js';
import { readModelFolder } from './modelFolder.js';
import {
  defaultDownloadRetryPolicy,
  discardPartial,
  isSafeUrl,
  downloadResumably,
  type DownloadRetryPolicy,
} from './resumableDownload.js';

export interface DownloadOptions {
  readonly signal?: AbortSignal;
  /** @param received bytes of the whole model that are here, of `total` */
  readonly onProgress?: (received: number, total: number) => void;
  /** Where the files lie instead of the model's own source; for tests, and then on this machine. */
  readonly source?: string;
  readonly retryPolicy?: DownloadRetryPolicy;
}

/** Room to leave on the disk, so that the memory itself can go on writing. */
const reservedDiskBytes = 32 * 1024 * 1024;
/** A lock that nobody touched for this long is of a program that ended, whoever has its number now. */
const staleLockMs = 10 * 60_000;

/** Names of the models that lie in the models folder of a data folder, and can be read. */
export async function installedModels(modelsDir: string): Promise<string[]> {
  const entries = await readdir(modelsDir, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.map(async ({ name }) => {
      const readable = await readModelFolder(path.join(modelsDir, name)).then(
        () => true,
        () => false,
      );
      return readable ? [name] : [];
    }),
  );
  return found.flat().sort();
}

/**
 * Downloads a model into its folder, or completes or repairs what is there. Nothing is used before its size and SHA-256
 * are those of the catalog: until then it is a `.partial`, which the next download goes on from.
 * @param modelsDir holds a folder for each model
 * @returns the model's folder
 * @throws EngineError downloadFailed | checksumMismatch | storeFull | storeReadOnly | storeBusy | aborted
 */
export async function downloadModel(
  modelsDir: string,
  model: CatalogModel,
  options: DownloadOptions = {},
): Promise<string> {
  const folder = path.join(modelsDir, model.name);
  try {
    await mkdir(folder, { recursive: true });
    const downloadLock = await acquireLock(folder, model);
    try {
      await completeDownload(folder, model, { ...options, onProgress: downloadLock.keepAlive(options.onProgress) });
    } finally {
      await downloadLock.release();
    }
    return folder;
  } catch (error) {
    throw toEngineError(error, folder, model);
  }
}

async function completeDownload(folder: string, model: CatalogModel, options: DownloadOptions): Promise<void> {
  const total = downloadSizeOf(model);
  const needed: CatalogFile[] = [];
  for (const file of model.files) {
    if (!(await matchesPin(path.join(folder, file.name), file))) needed.push(file);
  }
  await checkDiskSpace(folder, model, needed);
  let done = total - needed.reduce((sum, it) => sum + it.pins[0].bytes, 0);
  for (const file of needed) {
    await fetchFile(folder, model, file, {
      ...options,
      onProgress: received => options.onProgress?.(Math.min(done + received, total), total),
    });
    done += file.pins[0].bytes;
  }
  options.onProgress?.(total, total);
  // Last, for only with it is the folder a model.
  const text = JSON.stringify(
    { ...model.description, licence: model.licence, source: model.source, files: model.files },
    undefined,
    2,
  );
  const partial = path.join(folder, 'model.json.partial');
  await writeFile(partial, `${text}\n`);
  await rename(partial, path.join(folder, 'model.json'));
  await readModelFolder(folder);
}

async function fetchFile(
  folder: string,
  model: CatalogModel,
  file: CatalogFile,
  {
    signal,
    source = model.source,
    retryPolicy = defaultDownloadRetryPolicy,
    onProgress = () => undefined,
  }: DownloadOptions,
): Promise<void> {
  const url = new URL(file.path, source);
  if (!isSafeUrl(url, url))
    throw new EngineError('invalidInput', message`${source} is no source: it must begin with https:.`);
  const target = path.join(folder, file.name);
  const partial = `${target}.partial`;
  const maxBytes = Math.max(...file.pins.map(it => it.bytes));
  // It may be whole already, where the program ended before it was checked.
  if (!(await matchesPin(partial, file))) {
    const size = (await stat(partial).catch(() => undefined))?.size ?? 0;
    if (size >= Math.min(...file.pins.map(it => it.bytes))) await discardPartial(partial);
    const report = (received: number): void => {
      onProgress(received, maxBytes);
    };
    await downloadResumably({ url, file: partial, maxBytes, retryPolicy, signal, onProgress: report });
    if (!(await matchesPin(partial, file))) {
      await discardPartial(partial);
      throw new EngineError(
        'checksumMismatch',
        message`What ${url.href} sent is not the model that Recollect knows: its SHA-256 is another. It was deleted and not used. Try again later; if it stays so, do not use this source.`,
      );
    }
  }
  signal?.throwIfAborted();
  await rename(partial, target);
  await discardPartial(partial);
}

/** Whether a file is one of its pins, byte for byte. */
async function matchesPin(file: string, { pins }: CatalogFile): Promise<boolean> {
  const size = (await stat(file).catch(() => undefined))?.size;
  const pin = pins.find((it: PinnedFile) => it.bytes === size);
  if (pin === undefined) return false;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex') === pin.sha256;
}

async function checkDiskSpace(folder: string, model: CatalogModel, needed: readonly CatalogFile[]): Promise<void> {
  let bytes = 0;
  for (const file of needed) {
    const partial = await stat(path.join(folder, `${file.name}.partial`)).catch(() => undefined);
    bytes += Math.max(file.pins[0].bytes - (partial?.size ?? 0), 0);
  }
  const { bavail, bsize } = await statfs(folder);
  if (bytes === 0 || bavail * bsize >= bytes + reservedDiskBytes) return;
  throw notEnoughDiskError(folder, model);
}

interface DownloadLock {
  /** The same callback, which also shows others that the download is alive. */
  keepAlive(onProgress: DownloadOptions['onProgress']): NonNullable<DownloadOptions['onProgress']>;
  release(): Promise<void>;
}

/** Two windows must not write into one `.partial`. */
async function acquireLock(folder: string, { name }: CatalogModel): Promise<DownloadLock> {
  const file = path.join(folder, 'download.lock');
  const owner = Number(await readFile(file, 'utf8').catch(() => Number.NaN));
  const touched = (await stat(file).catch(() => undefined))?.mtimeMs ?? Date.now();
  if (!isProcessRunning(owner) || Date.now() - touched > staleLockMs) await rm(file, { force: true });
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new EngineError(
      'storeBusy',
      message`${name} is being downloaded by another window just now. Wait until it is done.`,
    );
  }
  let touchedAt = Date.now();
  return {
    keepAlive: onProgress => (received, total) => {
      if (Date.now() - touchedAt > staleLockMs / 10) {
        touchedAt = Date.now();
        void utimes(file, new Date(), new Date()).catch(() => undefined);
      }
      onProgress?.(received, total);
    },
    release: () => rm(file, { force: true }),
  };
}

function isProcessRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // It is, and somebody else's.
  }
}

/** What the file system says, as a sentence. */
function toEngineError(error: unknown, folder: string, model: CatalogModel): unknown {
  if (error instanceof EngineError) return error;
  const { code, name } = error as NodeJS.ErrnoException;
  if (name === 'AbortError') return new EngineError('aborted', message`The download of ${model.name} was cancelled.`);
  if (code === 'ENOSPC' || code === 'EDQUOT') return notEnoughDiskError(folder, model, error);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new EngineError(
      'storeReadOnly',
      message`${folder} cannot be written, so ${model.name} cannot be kept there. Make the folder writable and try again.`,
      { cause: error },
    );
  }
  return error;
}

function notEnoughDiskError(folder: string, model: CatalogModel, cause?: unknown): EngineError {
  const megabytes = Math.ceil((downloadSizeOf(model) + reservedDiskBytes) / 1e6);
  return new EngineError(
    'storeFull',
    message`The disk of ${folder} is too full for ${model.name}, which needs ${megabytes} MB. Free some space and try again; what has arrived is kept.`,
    { cause },
  );
}
