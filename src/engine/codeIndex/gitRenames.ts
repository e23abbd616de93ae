import { execFile } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';

/** A file that was renamed that often has been followed far enough. */
const maxRenames = 10;
const timeoutMs = 5_000;
const maxOutputBytes = 8 * 1024 * 1024;

/** What git says became of the files of one repository: renames that are staged, and those that were committed. */
export class GitRenames {
  private staged: Promise<ReadonlyMap<string, string>> | undefined;

  /** @param root of the repository, absolute */
  constructor(private readonly root: string) {}

  /**
   * Where a file that is gone is now, as git detects renames: also when it was changed on the way.
   * @param file absolute
   * @returns absolute; undefined where git does not know, or there is no git. It may be gone from there too.
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
    // The last commit that touched a file that is gone is the one that took it away.
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

/** `R100 NUL old NUL new NUL`, again and again. */
async function parseRenames(output: Promise<string>): Promise<ReadonlyMap<string, string>> {
  const parts = (await output).split('\0');
  const renames = new Map<string, string>();
  for (let i = 0; i + 2 < parts.length; i += 3) renames.set(parts[i + 1]!, parts[i + 2]!);
  return renames;
}
