import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChangeFollower } from '../store/callTracker.js';
import type { OpenStore } from '../context.js';
import { isUnconfirmedImport } from '../classify/standing.js';
import { isWarning } from '../model/guards.js';
import type { EngineHost } from '../model/host.js';
import { findSecret } from '../secrets/secretScanner.js';
import { readGuardFile, writeGuardFile, type GuardEntry } from '../store/guardFile.js';
import { isOnServer } from '../store/storePlacement.js';
import { ReadOnlyStore, type GuardRow } from '../store/sqlite/readOnlyStore.js';
import type { Store } from '../store/store.js';
import { findNamedKeys } from '../text/namedKeys.js';

/** How long after a change the keys are written: changes come in groups. */
const writeDelayMs = 200;
/** How long after the opening files are looked at that another process may have left behind; short-lived ones do not. */
const checkDelayMs = 3_000;
/** Of one file at once, while other processes go on writing; the engine that wrote last writes it, too. */
const maxWrites = 5;
/** Of one store; the certain and the new ones. */
const maxEntries = 1_000;

/**
 * Keeps the keys of each store's memories in a small file, which is all that a hook before a tool call reads: paths, words of
 * commands, parts of errors. Written a little after memories change, and at closing; a store on a server has none.
 */
export class GuardFiles implements ChangeFollower {
  private readonly waiting = new Set<Store>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private readonly checkTimer: NodeJS.Timeout;
  private closed = false;

  constructor(
    private readonly host: EngineHost,
    private readonly stores: readonly OpenStore[],
  ) {
    this.checkTimer = setTimeout(() => void this.check(), checkDelayMs).unref();
  }

  /** The memories of a store have changed. */
  schedule(store: Store): void {
    if (this.closed) return;
    this.waiting.add(store);
    this.timer ??= setTimeout(() => void this.flush(), writeDelayMs).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.checkTimer);
    this.closed = true;
    await this.flush();
  }

  /** A file that cannot be written is logged, and stops nothing. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const stores = [...this.waiting];
    this.waiting.clear();
    this.writing = this.writing.then(async () => {
      for (const it of stores) await this.write(it);
    });
    return this.writing;
  }

  private async check(): Promise<void> {
    for (const { store } of this.stores) {
      const revision = await store.revision().catch(() => undefined);
      if (revision !== undefined && readGuardFile(store.file)?.revision !== revision) this.schedule(store);
    }
  }

  private async write(store: Store): Promise<void> {
    const isUntrusted = store.kind === 'project' && this.host.isTrusted?.() === false;
    if (store.readOnly || isUntrusted || isOnServer(path.dirname(store.file))) return;
    let reader: ReadOnlyStore | undefined;
    try {
      reader = await ReadOnlyStore.open(store.file, store.kind);
      if (reader === undefined) return;
      // Another process may have deleted one of them meanwhile, and the file before it was written here.
      for (let left = maxWrites, isCurrent = false; left > 0 && !isCurrent; left--) {
        const revision = await reader.revision();
        const rows = await reader.listGuardRows(maxEntries);
        await writeGuardFile(store.file, { revision, entries: rows.flatMap(it => toEntry(it) ?? []) });
        isCurrent = (await reader.revision()) === revision;
      }
    } catch (error) {
      this.host.log.error(
        `The keys of ${store.file} could not be written. Hooks before a tool call use older ones.`,
        error,
      );
    } finally {
      await reader?.close();
    }
  }
}

/** Undefined where a memory names nothing that a tool call could be about. */
function toEntry({ id, content, uri, symbol, asks, ...row }: GuardRow): GuardEntry | undefined {
  if (isUnconfirmedImport(row) && !asks) return undefined;
  const isGuard = asks && row.lane === 'confirmed';
  const { commands, paths, errors } = findNamedKeys(content);
  const file = uri === undefined ? undefined : fileOf(uri);
  const entry: GuardEntry = {
    id,
    ...(file === undefined ? {} : { file, ...(symbol === undefined ? {} : { symbol }) }),
    ...(isWarning(row) || isGuard
      ? {
          ...(commands.length === 0 ? {} : { commands }),
          ...(paths.length === 0 ? {} : { paths }),
          ...(errors.length === 0 ? {} : { errors }),
        }
      : {}),
    ...(isGuard ? { asks: true as const } : {}),
  };
  const { id: _, asks: __, ...keys } = entry;
  if (Object.keys(keys).length === 0 || findSecret(JSON.stringify(keys)) !== undefined) return undefined;
  return entry;
}

function fileOf(uri: string): string | undefined {
  if (!uri.startsWith('file:///')) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    // A model may send any text.
    return undefined;
  }
}
