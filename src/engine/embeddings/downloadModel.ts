import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { readRegularText } from '../base/regularFile.js';
import { downloadRetryPolicy, type RetryPolicy } from '../base/retryPolicy.js';
import { downloadSizeOf, type CatalogFile, type CatalogModel, type PinnedFile } from './modelCatalog.js';
import { readModelFolder } from './modelFolder.js';
import { discardPartial, downloadResumably, isSafeUrl } from './resumableDownload.js';

export interface DownloadOptions {
  readonly signal?: AbortSignal;
  /** @param received bytes of the model on disk, of `total` */
  readonly onProgress?: (received: number, total: number) => void;
  /** Base URL that replaces the model's source, for tests. */
  readonly source?: string;
  readonly retryPolicy?: RetryPolicy;
}

/** Disk space left free, so that the stores can still be written. */
const reservedDiskBytes = 32 * 1024 * 1024;
/** A lock that was not touched for this long is stale, even if a process has its pid: pids are reused. */
const staleLockMs = 10 * 60_000;

/** Names of the readable models in the models folder of a data folder. */
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
 * Downloads a model into its folder, or completes or repairs it. A file keeps the extension `.partial`, from which the
 * next download continues, until its size and SHA-256 match the catalog.
 * @param modelsDir holds a folder per model
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
  // Last, because a folder with this file is a model.
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
    signal = new AbortController().signal,
    source = model.source,
    retryPolicy = downloadRetryPolicy,
    onProgress = () => undefined,
  }: DownloadOptions,
): Promise<void> {
  const url = new URL(file.path, source);
  if (!isSafeUrl(url, url))
    throw new EngineError('invalidInput', message`${source} is no source: it must begin with https:.`);
  const target = path.join(folder, file.name);
  const partial = `${target}.partial`;
  const maxBytes = Math.max(...file.pins.map(it => it.bytes));
  // It is complete if the program ended before checking it.
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
  signal.throwIfAborted();
  await rename(partial, target);
  await discardPartial(partial);
}

/** Whether size and SHA-256 of a file match one of its pins. */
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
  /** Wraps the callback so that progress also keeps the lock from becoming stale. */
  keepAlive(onProgress: DownloadOptions['onProgress']): NonNullable<DownloadOptions['onProgress']>;
  release(): Promise<void>;
}

/** Keeps two windows from writing the same `.partial`. */
async function acquireLock(folder: string, { name }: CatalogModel): Promise<DownloadLock> {
  const file = path.join(folder, 'download.lock');
  const owner = Number(await readRegularText(file).catch(() => Number.NaN));
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
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // It runs as another user.
  }
}

/** Turns expected errors of the file system into engine errors. */
function toEngineError(error: unknown, folder: string, model: CatalogModel): unknown {
  if (EngineError.is(error)) return error;
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
