import path from 'node:path';

/** Whether an absolute path is a folder or lies below it. */
export function isInside(folder: string, target: string, pathModule = path): boolean {
  const relative = pathModule.relative(folder, target);
  return !relative.startsWith('..') && !pathModule.isAbsolute(relative);
}
