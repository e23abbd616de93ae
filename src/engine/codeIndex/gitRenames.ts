import { execFile } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';

const maxRenames = 10;
const timeoutMs = 5_000;
const maxOutputBytes = 8 * 1024 * 1024;

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
    this.staged ??= parseRenames(this.runGit('diff', '--cached', ...renameArgs, 'HEAD', '--'));
    const staged = (await this.staged).get(name);
    if (staged !== undefined) return staged;
    // The last commit that touched a missing file removed it.
    const commit = (await this.runGit('log', '-1', '--format=%H', 'HEAD', '--', name)).trim();
    if (!/^[0-9a-f]{40,64}$/u.test(commit)) return undefined;
    const shown = this.runGit('show', '--format=', '--diff-merges=first-parent', ...renameArgs, commit, '--');
    return (await parseRenames(shown)).get(name);
  }

  /**
   * Git's answer; '' when it fails. Compares what git has stored alone, so that nothing that a repository's settings
   * name is run: no filter, monitor, external diff or hook; and nothing is fetched.
   */
  private runGit(...args: readonly string[]): Promise<string> {
    const settings = ['core.fsmonitor=false', 'log.showSignature=false', 'core.quotePath=false'];
    return new Promise(resolve => {
      execFile(
        'git',
        ['--no-pager', '-C', this.root, ...settings.flatMap(it => ['-c', it]), ...args],
        {
          // Windows looks for a program in the working folder first, and a repository may have a git.exe.
          cwd: os.homedir(),
          timeout: timeoutMs,
          maxBuffer: maxOutputBytes,
          windowsHide: true,
          env: {
            ...process.env,
            GIT_OPTIONAL_LOCKS: '0',
            GIT_NO_LAZY_FETCH: '1',
            GIT_ALLOW_PROTOCOL: 'none',
            GIT_TERMINAL_PROMPT: '0',
          },
        },
        (error, stdout) => {
          resolve(error === null ? stdout : '');
        },
      );
    });
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
