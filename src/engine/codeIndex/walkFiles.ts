import { readdir } from 'node:fs/promises';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { readRegularText } from '../base/regularFile.js';
import type { ExcludePattern } from '../model/codeIndex.js';

/** Ignored whether git ignores them or not. */
const ignoredDirectories = new Set(['.git', '.hg', '.svn', 'node_modules', '.venv', '__pycache__']);

interface IgnoreRules {
  /** Absolute base of the patterns. */
  readonly folder: string;
  readonly rules: Ignore;
}

export interface WalkOptions {
  /** Absolute root of the repository, or the workspace folder outside of a repository. */
  readonly root: string;
  /** The repository's `info/exclude`. */
  readonly excludeFile: string | undefined;
  readonly exclude: readonly ExcludePattern[];
  /** The workspace folder, the base of `exclude`. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onIgnored: () => void;
}

/**
 * Lists the files at or below a path that git does not ignore, sorted by name. Symbolic links are not followed, and nested
 * repositories are skipped.
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
  // A folder above may ignore this one.
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
      } else if (!entry.isSymbolicLink()) {
        // A pipe or a device with the name of a source file is refused, with its name, when it is read.
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

/** The deepest .gitignore that matches a path decides. A folder's path ends with a slash. */
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

/** VS Code's patterns as gitignore rules: braces are expanded, and patterns are anchored at the workspace folder. */
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
  return readRegularText(file).catch(() => '');
}
