import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { temporaryFolder } from './fixtures.js';

const settings = ['user.name=Ada', 'user.email=ada@example.com', 'commit.gpgSign=false', 'protocol.file.allow=always'];

/** Runs git in a folder, with the settings of no person. */
export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', folder, ...settings.flatMap(it => ['-c', it]), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  });
}

let commits = 0;

/** Adds a commit like no other. */
export function commit(folder: string): void {
  git(folder, 'commit', '-q', '--allow-empty', '-m', `Commit ${process.pid} ${++commits}`);
}

/** A repository with one commit, in a folder that is removed after the test. */
export function createRepository(folder = path.join(temporaryFolder(), 'shop'), origin?: string): string {
  git(path.dirname(folder), 'init', '-q', path.basename(folder));
  if (origin !== undefined) git(folder, 'remote', 'add', 'origin', origin);
  commit(folder);
  return folder;
}

/** A clone whose `origin` is the repository's, or the repository itself. */
export function cloneRepository(
  repository: string,
  { args = [], origin }: { args?: string[]; origin?: string } = {},
): string {
  const folder = path.join(temporaryFolder(), 'clone');
  git(temporaryFolder(), 'clone', '-q', ...args, repository, folder);
  if (origin !== undefined) git(folder, 'remote', 'set-url', 'origin', origin);
  return folder;
}
