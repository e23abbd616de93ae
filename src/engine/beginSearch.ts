import path from 'node:path';
import type { Host } from './model/host.js';
import { IndexThread } from './store/index/indexThread.js';

/** A thread that was begun, until an engine has it. */
export type BegunSearch = IndexThread;

/** Where the built-in model lies. */
export const builtInFolder = (modelsDir: string): string => path.join(modelsDir, 'built-in');

/**
 * Begins the thread that searches before there is an engine, for a program that will have one: what takes a tenth of a
 * second is done on another core while this one reads its code, and the first answer does not wait for it. For
 * `openEngine`.
 */
export function beginSearch({ bundleDir, modelsDir }: Pick<Host, 'bundleDir' | 'modelsDir'>): BegunSearch {
  const indexes = new IndexThread(bundleDir, { modelDir: builtInFolder(modelsDir) });
  indexes.begin();
  return indexes;
}
