import path from 'node:path';
import type { EngineHost } from '../model/host.js';
import { SearchWorkerClient } from './worker/searchWorkerClient.js';

/** A thread that was started, until an engine has it. */
export type SearchWorkerHandle = SearchWorkerClient;

/** Where the static built-in model lies. */
export const builtInModelFolder = (modelsDir: string): string => path.join(modelsDir, 'built-in');

/**
 * Begins the thread that searches before there is an engine, for a program that will have one: what takes a tenth of a
 * second is done on another core while this one reads its code, and the first answer does not wait for it. For
 * `openEngine`.
 */
export function prewarmSearch({
  bundleDir,
  modelsDir,
}: Pick<EngineHost, 'bundleDir' | 'modelsDir'>): SearchWorkerHandle {
  const searchWorker = new SearchWorkerClient(bundleDir, { modelDir: builtInModelFolder(modelsDir) });
  searchWorker.start();
  return searchWorker;
}
