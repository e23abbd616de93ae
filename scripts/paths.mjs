import { homedir } from 'node:os';
import { join } from 'node:path';

/** npm runs every script from the project's root, and nothing here is run in another way. */
export const projectRoot = process.cwd();

/**
 * Where downloads and the data of `npm start` live. Outside the project, because `npm ci` would empty it, and shared
 * by all its clones.
 */
export const cacheFolder = process.env.RECOLLECT_DEV_CACHE ?? join(platformCache(), 'recollect-dev');

function platformCache() {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  if (process.platform === 'win32') return process.env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local');
  return process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
}

/** Stages of `npm test` that run in plain Node, named after their folder in test/. */
export const plainStages = ['unit', 'postgres'];
/** Stages that start many short processes, and the one of the extension host. */
export const processStages = ['contracts', 'cli', 'mcp', 'host'];
/** Stages that open windows of VS Code. */
export const windowStages = ['ui', 'clients'];
export const testStages = [...plainStages, ...processStages, ...windowStages];
