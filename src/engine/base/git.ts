import os from 'node:os';

const timeoutMs = 5_000;
const maxOutputBytes = 8 * 1024 * 1024;

/**
 * Git's answer; '' when it fails, is missing or refuses the repository. Only for commands that compare what git has
 * stored: together with these settings nothing that a repository's own settings name is run (no filter, monitor, external
 * diff, hook or transport), and nothing is fetched.
 * @param folder absolute
 */
export async function runGit(folder: string, ...args: readonly string[]): Promise<string> {
  // A hook that says nothing asks git nothing.
  const { execFile } = await import('node:child_process');
  const settings = ['core.fsmonitor=false', 'log.showSignature=false', 'core.quotePath=false'];
  return new Promise(resolve => {
    execFile(
      'git',
      ['--no-pager', '-C', folder, ...settings.flatMap(it => ['-c', it]), ...args],
      {
        // Windows looks for a program in the working folder first, and a repository may have a git.exe.
        cwd: os.homedir(),
        timeout: timeoutMs,
        maxBuffer: maxOutputBytes,
        windowsHide: true,
        env: {
          ...withoutGitVariables(process.env),
          GIT_OPTIONAL_LOCKS: '0',
          GIT_NO_LAZY_FETCH: '1',
          GIT_ALLOW_PROTOCOL: 'none',
          GIT_NO_REPLACE_OBJECTS: '1',
          GIT_TERMINAL_PROMPT: '0',
        },
      },
      (error, stdout) => {
        resolve(error === null ? stdout : '');
      },
    );
  });
}

/** A git hook runs with `GIT_DIR` and others set, which name its repository instead of the folder. */
export function withoutGitVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = new Set(['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_OBJECT_DIRECTORY']);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name.toUpperCase())));
}
