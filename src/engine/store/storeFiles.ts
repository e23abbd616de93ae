import path from 'node:path';

/** Where the stores of a data folder lie. */
export const projectsFolder = (dataDir: string): string => path.join(dataDir, 'projects');
export const projectFolder = (dataDir: string, key: string): string => path.join(projectsFolder(dataDir), key);
export const projectDatabase = (dataDir: string, key: string): string =>
  path.join(projectFolder(dataDir, key), 'memory.db');
export const globalDatabase = (dataDir: string): string => path.join(dataDir, 'global', 'memory.db');
