import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './paths.mjs';

/**
 * Copies the sample project to a new folder and makes it a git repository with one commit. Its `origin` is what names
 * the project to Recollect, wherever the copy lies.
 * @param {string} folder does not exist yet
 */
export function createSampleWorkspace(folder) {
  cpSync(join(projectRoot, 'test', 'fixtures', 'sample-workspace'), folder, { recursive: true });
  const git = gitRunner(folder);
  git('init', '--quiet', '--initial-branch=main');
  git('remote', 'add', 'origin', 'https://git.example/harbour/harbour.git');
  git('add', '.');
  const author = ['-c', 'user.name=Sample', '-c', 'user.email=sample@example.com', '-c', 'commit.gpgsign=false'];
  git(...author, 'commit', '--quiet', '--no-verify', '--message', 'Tell when there is enough water to leave');
}

/** @param {string} folder @returns {(...args: string[]) => void} */
function gitRunner(folder) {
  // A git hook that runs us would otherwise name its own repository to every git below.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  return (...args) => {
    execFileSync('git', args, { cwd: folder, env });
  };
}
