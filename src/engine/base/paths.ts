import nodePath from 'node:path';

/**
 * Whether a path lies below a folder. Compares the paths as written: it resolves no symbolic links, and an entry whose name
 * begins with two dots counts as outside.
 * @param path the path rules of a platform; default those of the current one
 */
export function isInside(folder: string, file: string, path: nodePath.PlatformPath = nodePath): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && isDescent(relative, path);
}

/** The same, but also true for the folder itself. */
export function isSameOrInside(folder: string, file: string, path: nodePath.PlatformPath = nodePath): boolean {
  return isDescent(path.relative(folder, file), path);
}

/** On Windows a relative path to another drive is absolute. */
function isDescent(relative: string, path: nodePath.PlatformPath): boolean {
  return !relative.startsWith('..') && !path.isAbsolute(relative);
}

/** The name of a project's folder below `projects` in Claude Code's own folder. */
export function claudeProjectName(folder: string): string {
  return folder.replaceAll(/[^A-Za-z0-9]/gu, '-');
}
