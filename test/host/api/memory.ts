import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import { defaultConfig } from '../../../src/engine/model/config.js';

/** The extension's own storage folder, from where the run keeps everything (test/support/hostRun.mjs). */
export function globalStorage(): string {
  const report = process.env.RECOLLECT_TEST_REPORT;
  if (report === undefined)
    throw new Error('RECOLLECT_TEST_REPORT names no file: run these tests by `npm run test:host`.');
  return join(dirname(report), 'user-data', 'User', 'globalStorage', 'recollect.recollect');
}

/** An engine on the window's stores, as any other program on this machine has it. */
export function otherEngine(): Promise<MemoryEngine> {
  return engineOn(
    globalStorage(),
    (vscode.workspace.workspaceFolders ?? []).map(it => it.uri.fsPath),
  );
}

/** An engine on any stores. */
export function engineOn(dataDir: string, workspaceFolders: readonly string[]): Promise<MemoryEngine> {
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

/** Waits until a probe answers something; the last answer otherwise. */
export async function eventually<T>(probe: () => PromiseLike<T>, isThere: (value: T) => boolean): Promise<T> {
  const end = Date.now() + 15_000;
  for (;;) {
    const value = await probe();
    if (isThere(value) || Date.now() > end) return value;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}
