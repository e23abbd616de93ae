import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { ExcludePattern } from '../model/codeIndex.js';

/** Nobody's own code, whether git ignores it or not. */
const ignoredDirectories = new Set(['.git', '.hg', '.svn', 'node_modules', '.venv', '__pycache__']);

interface IgnoreRules {
  /** Absolute; the patterns are relative to it. */
  readonly folder: string;
  readonly rules: Ignore;
}

export interface WalkOptions {
  /** The root of the repository, or the folder that is open where there is none. Absolute. */
  readonly root: string;
  /** The repository's own file of exclusions, where there is one. */
  readonly excludeFile: string | undefined;
  readonly exclude: readonly ExcludePattern[];
  /** The folder of the window, to which `exclude` is relative. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onIgnored: () => void;
}

/**
 * The files at or below a path that git would not ignore, in the order of their names. Links are not followed, and
 * repositories inside of the repository are projects of their own.
 * @param start absolute, at or below `root`
 */
export async function walkFiles(start: string, isFile: boolean, options: WalkOptions): Promise<string[]> {
  const files: string[] = [];
  const excluded = createExcluder(options);
  const repositoryRules = ignore().add(
    options.excludeFile === undefined ? '' : await readTextOrEmpty(options.excludeFile),
  );
  let rules: IgnoreRules[] = [{ folder: options.root, rules: repositoryRules }];
  const pathFromRoot = path.relative(options.root, isFile ? path.dirname(start) : start);
  // Every folder above may say that this one is ignored.
  let folder = options.root;
  for (const name of ['', ...pathFromRoot.split(path.sep)].filter((it, i) => i === 0 || it !== '')) {
    const next = path.join(folder, name);
    if (next !== folder && (ignoredDirectories.has(name) || isIgnored(`${next}/`, rules))) {
      options.onIgnored();
      return [];
    }
    folder = next;
    rules = await addGitignoreRules(folder, rules);
  }
  if (isFile) {
    const names = new Set(await readdir(path.dirname(start)));
    if (isIgnored(start, rules) || excluded(start, names)) options.onIgnored();
    else files.push(start);
    return files;
  }
  const visit = async (at: string, inheritedRules: readonly IgnoreRules[]): Promise<void> => {
    if (options.signal.aborted) return;
    const entries = await readdir(at, { withFileTypes: true }).catch(() => []);
    const names = new Set(entries.map(it => it.name));
    if (at !== options.root && at !== start && names.has('.git')) return;
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const full = path.join(at, entry.name);
      if (entry.isDirectory()) {
        if (ignoredDirectories.has(entry.name) || isIgnored(`${full}/`, inheritedRules) || excluded(full, names))
          continue;
        await visit(full, await addGitignoreRules(full, inheritedRules));
      } else if (entry.isFile()) {
        if (isIgnored(full, inheritedRules) || excluded(full, names)) options.onIgnored();
        else files.push(full);
      }
    }
  };
  await visit(start, rules);
  return files;
}

async function addGitignoreRules(folder: string, rules: readonly IgnoreRules[]): Promise<IgnoreRules[]> {
  const text = await readTextOrEmpty(path.join(folder, '.gitignore'));
  return text === '' ? [...rules] : [...rules, { folder, rules: ignore().add(text) }];
}

/** The deepest file that says anything about a path decides. A folder's path ends with a slash. */
function isIgnored(full: string, all: readonly IgnoreRules[]): boolean {
  for (const { folder, rules } of [...all].reverse()) {
    const relative = path.relative(folder, full).split(path.sep).join('/');
    if (relative === '' || relative.startsWith('..')) continue;
    const { ignored, unignored } = rules.test(full.endsWith('/') ? `${relative}/` : relative);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

/** VS Code's patterns: braces are spelled out, and a pattern begins at the folder of the window. */
function createExcluder({ exclude, folder }: WalkOptions): (full: string, siblings: ReadonlySet<string>) => boolean {
  const all = exclude.map(({ pattern, when }) => ({
    when,
    rules: ignore().add(expandBraces(pattern).map(it => (it.startsWith('**') ? it : `/${it.replace(/^\.?\//u, '')}`))),
  }));
  return (full, siblings) => {
    const relative = path.relative(folder, full).split(path.sep).join('/');
    if (relative === '' || relative.startsWith('..')) return false;
    const { name } = path.parse(full);
    return all.some(
      ({ rules, when }) =>
        (when === undefined || siblings.has(when.replaceAll('$(basename)', name))) && rules.ignores(relative),
    );
  };
}

/** `*.{js,map}` is `*.js` and `*.map`. */
function expandBraces(pattern: string): string[] {
  const braces = /\{([^{}]*)\}/u.exec(pattern);
  if (braces === null) return [pattern];
  const [whole, choices] = [braces[0], braces[1]!];
  return choices.split(',').flatMap(it => expandBraces(pattern.replace(whole, () => it)));
}

function readTextOrEmpty(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
