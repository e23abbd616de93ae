import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** Identity of the project that a folder belongs to. */
export interface ProjectIdentity {
  /** Name of the store's folder: readable, unique by a short hash. */
  readonly key: string;
  /** Source of the key: the normalized `origin` remote, else the folder. Contains no credentials. */
  readonly identity: string;
}

/**
 * A project is its repository: clones and worktrees of one `origin` share their memories. A repository without a remote
 * and a folder without a repository are identified by their path.
 */
export async function identifyProject(folder: string): Promise<ProjectIdentity> {
  const realFolder = await realpath(folder).catch(() => path.resolve(folder));
  const git = await findGitDir(realFolder);
  const remote = git && (await readOriginUrl(git.config));
  const identity = (remote !== undefined ? normalizeRemote(remote) : undefined) ?? git?.root ?? realFolder;
  const slug = path.posix
    .basename(identity.replaceAll('\\', '/'))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-');
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 12);
  return { key: `${slug.slice(0, 40)}-${hash}`, identity };
}

/**
 * Normalizes a remote: `git@github.com:Acme/shop.git`, `https://user:token@github.com/Acme/shop` and
 * `ssh://git@github.com:22/Acme/shop.git` are all `github.com/acme/shop`. Lower case, because the large hosts ignore
 * case.
 * @returns undefined for a path on this machine, which has no host
 */
export function normalizeRemote(remote: string): string | undefined {
  const scp = /^(?:[^@/\s]+@)?([^:/\s]{2,}):(?!\/\/)(.+)$/u.exec(remote.trim());
  const urlText = scp ? `ssh://${scp[1]!}/${scp[2]!}` : remote.trim();
  if (!URL.canParse(urlText)) return undefined;
  const url = new URL(urlText);
  if (url.hostname === '' || url.protocol === 'file:') return undefined;
  const pathname = decodePath(url.pathname).replaceAll(/^\/+|\/+$|\.git\/*$/gu, '');
  return pathname === '' ? undefined : `${url.hostname}/${pathname}`.toLowerCase();
}

/** Returns the path unchanged if a `%` in it is literal. */
function decodePath(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** Root of the repository around a folder and its `info/exclude` file; the folder itself outside a repository. */
export async function projectRoot(folder: string): Promise<{ root: string; excludeFile?: string }> {
  const git = await findGitDir(path.resolve(folder));
  if (git === undefined) return { root: path.resolve(folder) };
  // Worktrees share it, like the configuration.
  return { root: git.root, excludeFile: path.join(path.dirname(git.config), 'info', 'exclude') };
}

/** Checked-out branch of a folder; undefined outside a repository and for a detached HEAD. */
export async function currentBranch(folder: string): Promise<string | undefined> {
  const git = await findGitDir(await realpath(folder).catch(() => path.resolve(folder)));
  const head = git && (await readFile(path.join(git.gitDir, 'HEAD'), 'utf8').catch(() => ''));
  return /^ref: refs\/heads\/(.+?)\s*$/u.exec(head ?? '')?.[1];
}

/** Text of the reflog of HEAD; '' if there is none. */
export async function readReflog(folder: string): Promise<string> {
  const git = await findGitDir(await realpath(folder).catch(() => path.resolve(folder)));
  return git === undefined ? '' : readFile(path.join(git.gitDir, 'logs', 'HEAD'), 'utf8').catch(() => '');
}

/** The repository around a folder: its root, its git directory, and its configuration, which worktrees share. */
async function findGitDir(folder: string): Promise<{ root: string; gitDir: string; config: string } | undefined> {
  for (let directory = folder; ; directory = path.dirname(directory)) {
    const dotGit = path.join(directory, '.git');
    const entry = await stat(dotGit).catch(() => undefined);
    if (entry?.isDirectory() === true) return { root: directory, gitDir: dotGit, config: path.join(dotGit, 'config') };
    if (entry?.isFile() === true) return { root: directory, ...(await worktreeGitDir(directory, dotGit)) };
    if (path.dirname(directory) === directory) return undefined;
  }
}

/**
 * In a worktree or submodule, `.git` is a file with the path of the git directory; `commondir` in there is the shared
 * one.
 */
async function worktreeGitDir(root: string, dotGit: string): Promise<{ gitDir: string; config: string }> {
  const gitDir = path.resolve(root, (await readFile(dotGit, 'utf8')).replace(/^gitdir:\s*/u, '').trim());
  const common = await readFile(path.join(gitDir, 'commondir'), 'utf8').catch(() => '.');
  return { gitDir, config: path.join(path.resolve(gitDir, common.trim()), 'config') };
}

async function readOriginUrl(config: string): Promise<string | undefined> {
  const text = await readFile(config, 'utf8').catch(() => '');
  const section = /^\s*\[remote "origin"\]\s*$([^[]*)/mu.exec(text)?.[1] ?? '';
  return /^\s*url\s*=\s*(.+?)\s*$/mu.exec(section)?.[1];
}
