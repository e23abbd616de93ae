import path from 'node:path';
import { runGit } from '../base/git.js';

const maxRenames = 10;

/** The staged and committed renames of a repository, as git detects them. */
export class GitRenames {
  private staged: Promise<ReadonlyMap<string, string>> | undefined;

  /** @param root absolute root of the repository */
  constructor(private readonly root: string) {}

  /**
   * The path that a missing file was renamed to, even where it was changed too.
   * @param file absolute
   * @returns absolute path, which may be missing as well; undefined without a detected rename, or without git
   */
  async findCurrentPath(file: string): Promise<string | undefined> {
    let name = path.relative(this.root, file).split(path.sep).join('/');
    const originalName = name;
    for (let count = 0; count < maxRenames; count++) {
      const next = await this.nextName(name);
      if (next === undefined) break;
      name = next;
    }
    return name === originalName ? undefined : path.join(this.root, name);
  }

  private async nextName(name: string): Promise<string | undefined> {
    this.staged ??= parseRenames(runGit(this.root, 'diff', '--cached', ...renameArgs, 'HEAD', '--'));
    const staged = (await this.staged).get(name);
    if (staged !== undefined) return staged;
    // The last commit that touched a missing file removed it.
    const commit = (await runGit(this.root, 'log', '-1', '--format=%H', 'HEAD', '--', name)).trim();
    if (!/^[0-9a-f]{40,64}$/u.test(commit)) return undefined;
    const shown = runGit(this.root, 'show', '--format=', '--diff-merges=first-parent', ...renameArgs, commit, '--');
    return (await parseRenames(shown)).get(name);
  }
}

const renameArgs = ['-M', '--diff-filter=R', '--name-status', '-z', '--no-ext-diff', '--no-textconv'] as const;

/** Parses repeated `R100 NUL old NUL new NUL`. */
async function parseRenames(output: Promise<string>): Promise<ReadonlyMap<string, string>> {
  const parts = (await output).split('\0');
  const renames = new Map<string, string>();
  for (let i = 0; i + 2 < parts.length; i += 3) renames.set(parts[i + 1]!, parts[i + 2]!);
  return renames;
}
