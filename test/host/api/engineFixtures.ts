import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import { defaultConfig } from '../../../src/engine/model/config.js';

/** The extension's storage folder, below the folder of the run (scripts/runInExtensionHost.mjs). */
export function globalStorageFolder(): string {
  const report = process.env.RECOLLECT_TEST_REPORT;
  if (report === undefined)
    throw new Error('RECOLLECT_TEST_REPORT names no file: run these tests by `npm run test:host`.');
  return join(dirname(report), 'user-data', 'User', 'globalStorage', 'recollect.recollect');
}

/** Opens another engine on the window's stores. */
export function openOtherEngine(): Promise<MemoryEngine> {
  return openEngineAt(
    globalStorageFolder(),
    (vscode.workspace.workspaceFolders ?? []).map(it => it.uri.fsPath),
  );
}

/** Opens an engine on any stores. */
export function openEngineAt(dataDir: string, workspaceFolders: readonly string[]): Promise<MemoryEngine> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const { extensionPath } = vscode.extensions.getExtension('recollect.recollect')!;
  return openEngine({
    dataDir,
    bundleDir: join(extensionPath, 'dist'),
    modelsDir: join(extensionPath, 'dist', 'models'),
    workspaceFolders,
    client: 'test',
    log,
    config: () => defaultConfig,
    now: () => new Date(),
  });
}

/** Ends a wait that hangs; below the limit of a test, so that the assertion shows the last value. */
const waitTimeoutMs = 60_000;

/** Polls a probe until its value is accepted; returns the last value when that never happens. */
export async function waitUntil<T>(probe: () => PromiseLike<T>, isThere: (value: T) => boolean): Promise<T> {
  const end = Date.now() + waitTimeoutMs;
  for (;;) {
    const value = await probe();
    if (isThere(value) || Date.now() > end) return value;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}
