import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openEngine, type MemoryEngine } from '../../src/engine/engine.js';
import type { Config } from '../../src/engine/model/config.js';
import type { EngineHost } from '../../src/engine/model/host.js';
import type { StoreKind } from '../../src/engine/model/memory.js';
import type { RememberInput } from '../../src/engine/model/rememberInput.js';
import { SearchWorkerClient } from '../../src/engine/search/worker/searchWorkerClient.js';
import { openSqliteStore } from '../../src/engine/store/sqlite/openSqliteStore.js';
import type { StoreTransaction } from '../../src/engine/store/store.js';
import { staticConfig } from './staticConfig.js';

const temporaryFolders: string[] = [];
const openEngines: MemoryEngine[] = [];
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map(close => close()));
  await Promise.all(openEngines.splice(0).map(it => it.close()));
  for (const it of temporaryFolders.splice(0)) await removeFolder(it);
});

/** How long to wait for the end of what keeps a folder from being removed, by the code of the error. */
const passingErrors: Readonly<Record<string, number>> = {
  // The process of a hook writes there for some seconds what it has noted: a folder that filled meanwhile.
  ENOTEMPTY: 60_000,
  // Windows removes no file that a process which ends has open.
  EBUSY: 10_000,
  EPERM: 10_000,
};

/** Removes a folder once nothing holds it. */
export async function removeFolder(
  folder: string,
  remove: (folder: string) => void = it => {
    rmSync(it, { recursive: true, force: true });
  },
): Promise<void> {
  const start = Date.now();
  for (;;) {
    try {
      remove(folder);
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (Date.now() - start >= (passingErrors[code] ?? 0)) throw error;
      await pause(50);
    }
  }
}

/** Creates a folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'recollect-test-'));
  temporaryFolders.push(folder);
  return folder;
}

/** Registers work for the end of the test, before its engines are closed and its folders are removed. */
export function closeAfterTest(close: () => Promise<unknown>): void {
  closers.push(close);
}

/** A host with a fixed clock that tests advance, and a log that tests can read. */
export class TestHost implements EngineHost {
  dataDir = path.join(temporaryFolder(), 'data');
  bundleDir = path.resolve('dist');
  modelsDir = path.resolve('dist', 'models');
  workspaceFolders: readonly string[] = [];
  client = 'test';
  time = Date.parse('2026-03-02T09:00:00.000Z');
  settings: Config = staticConfig;
  readonly logLines: string[] = [];
  readonly log = {
    info: (message: string): void => void this.logLines.push(message),
    warn: (message: string): void => void this.logLines.push(message),
    error: (message: string, error?: unknown): void => void this.logLines.push(`${message} ${String(error)}`),
  };

  constructor(options: { project?: boolean } = {}) {
    if (options.project === true) this.workspaceFolders = [temporaryFolder()];
  }

  config(): Config {
    return this.settings;
  }

  now(): Date {
    return new Date(this.time);
  }

  /** Advances the clock; a negative number moves it back. */
  advanceDays(days: number): void {
    this.time += days * 86_400_000;
  }

  /** Opens an engine that is closed after the test. */
  async open(): Promise<MemoryEngine> {
    const engine = await openEngine(this);
    openEngines.push(engine);
    return engine;
  }

  /** The database file of the global store. */
  get globalFile(): string {
    return path.join(this.dataDir, 'global', 'memory.db');
  }
}

/** Input of a confirmed memory in the global store that is not split, unless `rest` overrides it. */
export function memoryInput(content: string, rest: Partial<RememberInput> = {}): RememberInput {
  return { content, source: 'explicit', lane: 'confirmed', store: 'global', whole: true, ...rest };
}

/** Remembers one fact and returns its id. */
export async function storeMemory(
  engine: MemoryEngine,
  content: string,
  rest: Partial<RememberInput> = {},
): Promise<string> {
  const [outcome] = await engine.remember(memoryInput(content, rest));
  if (outcome === undefined || outcome.outcome === 'refused') throw new Error(`Not kept: ${JSON.stringify(outcome)}`);
  return outcome.id;
}

/** Runs a transaction on the file of a store, with edges and audit entries, as the write path does. */
export async function writeToStore<T>(
  host: EngineHost,
  kind: StoreKind,
  file: string,
  work: (tx: StoreTransaction) => Promise<T>,
): Promise<T> {
  const indexes = new SearchWorkerClient(host.bundleDir, { modelDir: undefined });
  const store = await openSqliteStore(kind, path.dirname(file), host, indexes);
  try {
    return await store.write(host.client, work);
  } finally {
    await store.close();
    await indexes.close();
  }
}

/** States, by a model's word, that the later of two memories replaces the earlier one, in the global store. */
export async function linkContradiction(
  host: EngineHost,
  later: string,
  earlier: string,
  strength = 0.8,
): Promise<void> {
  const reason = `Said otherwise with a certainty of ${strength}.`;
  await writeToStore(host, 'global', path.join(host.dataDir, 'global', 'memory.db'), tx =>
    linkMarked(tx, { source: later, target: earlier, strength, reason }),
  );
}

/** Problems that verify finds in all stores, as sentences. */
export async function storeProblems(engine: MemoryEngine): Promise<readonly string[]> {
  return (await engine.verify()).flatMap(it => it.problems);
}

/** An edge with a model's word that its target no longer holds. */
export async function linkMarked(
  tx: StoreTransaction,
  edge: { readonly source: string; readonly target: string; readonly strength: number; readonly reason: string },
): Promise<void> {
  await tx.link([{ ...edge, type: 'contradicts' }]);
  await tx.restoreMark(
    { ...edge, type: 'contradicts' },
    { outdated: 'target', by: 'model', at: '2026-03-02T09:00:00.000Z' },
  );
}
