import { createHash } from 'node:crypto';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runGit } from '../base/git.js';
import { readRegularText } from '../base/regularFile.js';
import { parseGitConfig, remoteUrls, type GitSetting } from './gitConfig.js';

/** Signs of the project that a folder belongs to. Contains no credentials. */
export interface ProjectKeys {
  /**
   * Real paths that identify the folder, the most telling first: the repository that worktrees share, the root of this
   * working copy, the folder itself. Only the disk decides them: nothing that a file in the folder claims.
   */
  readonly folders: readonly [string, ...string[]];
  /** Name for people. */
  readonly name: string;
  /** Normalized remotes. A claim of the repository's configuration: anything can be written there. */
  readonly remotes: readonly string[];
  /** Hash of the commit that the history begins with; undefined where it is not known. */
  readonly root?: string;
  readonly isRepository: boolean;
  /** False where the folder borrows another repository's files, so that its remotes and root say nothing about it. */
  readonly isSelfContained: boolean;
  /** Names that the store of this folder had in earlier versions, by what they were made of. */
  readonly legacyKeys: { readonly folder: readonly string[]; readonly remote: readonly string[] };
}

/** A larger file is no git configuration. */
const maxConfigBytes = 1024 * 1024;

/**
 * Reads what a folder shows, without running a program. The root commit is left out: `readRootCommit` reads it.
 * @param folder may be missing
 */
export async function readProjectKeys(folder: string): Promise<ProjectKeys> {
  const realFolder = await realFolderOf(folder);
  const git = await findGitDir(realFolder);
  if (git === undefined) {
    return {
      folders: [realFolder],
      name: nameOf(realFolder),
      remotes: [],
      isRepository: false,
      isSelfContained: true,
      legacyKeys: { folder: legacyKeysOfFolder(realFolder), remote: [] },
    };
  }
  const commonDir = path.dirname(git.config);
  const repository = parseGitConfig(await readConfig(git.config));
  const isOwner = await belongsTo(git, repository);
  const urls = remoteUrls(repository, await readPersonalConfig());
  const remotes = await Promise.all(urls.map(async it => normalizeRemote(it) ?? resolveLocalRemote(it, git.root)));
  const uniqueRemotes = [...new Set(remotes.filter(it => it !== undefined))];
  const writtenUrls = remoteUrls(repository, []);
  const shared = isOwner ? [await sharedFolder(commonDir)] : [];
  const remoteNames = uniqueRemotes.filter(it => !path.isAbsolute(it));
  return {
    folders: [...new Set([...shared, git.root, realFolder])] as [string, ...string[]],
    name: nameOf(remoteNames[0] ?? shared[0] ?? git.root),
    remotes: uniqueRemotes,
    isRepository: true,
    isSelfContained: isOwner && !(await borrowsObjects(commonDir)),
    legacyKeys: {
      folder: [...shared, git.root, realFolder].flatMap(legacyKeysOfFolder),
      remote: [...new Set([...writtenUrls.flatMap(it => normalizeUrl(it) ?? []), ...remoteNames])].map(legacyKey),
    },
  };
}

/**
 * The first commit of the checked-out history, along first parents, so that a merged history of another project does not
 * count.
 * @returns undefined without commits, without git, and in a shallow clone, whose first commit is an accident
 */
export async function readRootCommit(folder: string): Promise<string | undefined> {
  const git = await findRepository(folder);
  if (git === undefined) return undefined;
  const shallow = await readRegularText(path.join(path.dirname(git.config), 'shallow')).catch(() => '');
  if (shallow.trim() !== '') return undefined;
  const output = await runGit(git.root, 'rev-list', '--first-parent', '--max-parents=0', 'HEAD', '--');
  return /^[0-9a-f]{40,64}$/mu.exec(output)?.[0];
}

/** Hosts that answer ssh on port 443 under another name. */
const sshHosts: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
  'altssh.bitbucket.org': 'bitbucket.org',
};

/**
 * Normalizes a remote: `git@github.com:Acme/shop.git`, `https://user:token@github.com/Acme/shop` and
 * `ssh://git@ssh.github.com:443/Acme/shop.git` are all `github.com/acme/shop`. Lower case, because the large hosts ignore
 * case.
 * @returns undefined for a path on this machine, which has no host
 */
export function normalizeRemote(remote: string): string | undefined {
  const normalized = normalizeUrl(remote);
  if (normalized === undefined) return undefined;
  const [host = '', ...rest] = normalized.split('/');
  return [sshHosts[host] ?? host, ...rest].join('/');
}

function normalizeUrl(remote: string): string | undefined {
  const scp = /^(?:[^@/\s]+@)?([^:/\s]{2,}):(?!\/\/)(.+)$/u.exec(remote.trim());
  const urlText = scp ? `ssh://${scp[1]!}/${scp[2]!}` : remote.trim();
  if (!URL.canParse(urlText)) return undefined;
  const url = new URL(urlText);
  if (url.hostname === '' || url.protocol === 'file:') return undefined;
  const pathname = decodePath(url.pathname).replaceAll(/^\/+|(?<!\/)\/+$|\.git\/*$/gu, '');
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

/** Real path of a remote on this machine; undefined for what is no path. */
async function resolveLocalRemote(remote: string, root: string): Promise<string | undefined> {
  const location = toFilePath(remote.trim());
  if (location === '' || /^[a-z][\w+.-]+:/iu.test(location)) return undefined;
  return realFolderOf(path.resolve(root, location.replace(/[\\/]\.git[\\/]*$/u, '')));
}

function toFilePath(remote: string): string {
  if (!/^file:/iu.test(remote)) return remote;
  try {
    return fileURLToPath(remote);
  } catch {
    return ''; // Of another machine.
  }
}

/**
 * Form in which two paths of the same folder are equal: the file systems of Windows and macOS ignore case, macOS ignores
 * how an accent is written, and programs write the drive letter either way.
 */
export function folderKey(folder: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') {
    const plain = folder.replace(/^\\\\\?\\(?:UNC\\)?/iu, it => (/UNC/iu.test(it) ? '\\\\' : ''));
    return path.win32
      .normalize(plain)
      .replace(/(?<=[^:\\]|(?:^|:)\\)\\+$/u, '')
      .toLowerCase();
  }
  const normalized = path.posix.normalize(folder).replace(/(?<=.)\/$/u, '');
  return platform === 'darwin' ? normalized.normalize('NFC').toLowerCase() : normalized;
}

/** Name of a project's store: readable, unique by a short hash. */
export function storeKey(name: string, identity: string): string {
  const slug = slugOf(name);
  return `${slug}-${createHash('sha256').update(identity).digest('hex').slice(0, 12)}`;
}

export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, 40);
}

/** Key of earlier versions, which was made of the `origin` remote, else of the folder. */
function legacyKey(identity: string): string {
  return storeKey(path.posix.basename(identity.replaceAll('\\', '/')), identity);
}

/** On Windows the drive letter was written either way. */
function legacyKeysOfFolder(folder: string): string[] {
  const drive = /^[a-z]:/iu.exec(folder)?.[0];
  if (drive === undefined) return [legacyKey(folder)];
  return [drive.toUpperCase(), drive.toLowerCase()].map(it => legacyKey(it + folder.slice(drive.length)));
}

/** The last part of a path or address; what looks like a token in it is no name. */
function nameOf(identity: string): string {
  return path.posix
    .basename(identity.replaceAll('\\', '/'))
    .replace(/\.git$/u, '')
    .replaceAll(/[a-z\d]{24,}/giu, it => (/\d/u.test(it) && /[a-z]/iu.test(it) ? 'project' : it));
}

/** Whether the git directory was made for this working copy: a worktree's and a submodule's name it in return. */
async function belongsTo(git: GitDir, repository: readonly GitSetting[]): Promise<boolean> {
  const dotGit = path.join(git.root, '.git');
  const stats = await lstat(dotGit).catch(() => undefined);
  const commonFile = await lstat(path.join(git.gitDir, 'commondir')).catch(() => undefined);
  if (stats?.isDirectory() === true) return commonFile === undefined;
  if (stats?.isFile() !== true) return false;
  const isSame = async (other: string): Promise<boolean> =>
    folderKey(await realFolderOf(path.resolve(git.gitDir, other))) === folderKey(await realFolderOf(dotGit));
  const backlink = await readRegularText(path.join(git.gitDir, 'gitdir')).catch(() => '');
  if (backlink.trim() !== '') {
    const worktrees = await realFolderOf(path.join(path.dirname(git.config), 'worktrees'));
    return path.dirname(await realFolderOf(git.gitDir)) === worktrees && isSame(backlink.trim());
  }
  const worktree = repository.find(it => it.section === 'core' && it.key === 'worktree')?.value;
  return worktree !== undefined && isSame(path.join(worktree, '.git'));
}

/** The folder that all worktrees of a repository have in common: its main working copy, else its git directory. */
async function sharedFolder(commonDir: string): Promise<string> {
  const realDir = await realFolderOf(commonDir);
  return path.basename(realDir) === '.git' ? path.dirname(realDir) : realDir;
}

/** Whether the repository reads another one's objects: then having a commit does not show that it has the history. */
async function borrowsObjects(commonDir: string): Promise<boolean> {
  const objects = path.join(commonDir, 'objects');
  const isLink = async (file: string): Promise<boolean> =>
    (await lstat(file).catch(() => undefined))?.isSymbolicLink() === true;
  if (await isLink(objects)) return true;
  if ((await lstat(path.join(objects, 'info', 'alternates')).catch(() => undefined)) !== undefined) return true;
  for (const folder of [objects, path.join(objects, 'pack'), path.join(objects, 'info')]) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    if (entries.some(it => it.isSymbolicLink())) return true;
  }
  return false;
}

async function realFolderOf(folder: string): Promise<string> {
  return realpath(folder).catch(() => path.resolve(folder));
}

/** The text of a configuration file; '' for what is no file of ordinary size. A pipe would never end. */
async function readConfig(file: string): Promise<string> {
  return readRegularText(file, { maxBytes: maxConfigBytes, followLinks: true }).catch(() => '');
}

/** Git settings of the person. */
async function readPersonalConfig(): Promise<GitSetting[]> {
  const { GIT_CONFIG_GLOBAL, XDG_CONFIG_HOME } = process.env;
  const home = os.homedir();
  const files =
    GIT_CONFIG_GLOBAL !== undefined
      ? [GIT_CONFIG_GLOBAL]
      : [path.join(XDG_CONFIG_HOME ?? path.join(home, '.config'), 'git', 'config'), path.join(home, '.gitconfig')];
  return (await Promise.all(files.map(readConfig))).flatMap(parseGitConfig);
}

/** Root of the repository around a folder and its `info/exclude` file; the folder itself outside a repository. */
export async function projectRoot(folder: string): Promise<{ root: string; excludeFile?: string }> {
  const git = await findGitDir(path.resolve(folder));
  if (git === undefined) return { root: path.resolve(folder) };
  // Worktrees share it, like the configuration.
  return { root: git.root, excludeFile: path.join(path.dirname(git.config), 'info', 'exclude') };
}

/** Text of the reflog of HEAD; '' if there is none. */
export async function readReflog(folder: string): Promise<string> {
  const git = await findRepository(folder);
  return git === undefined ? '' : readRegularText(path.join(git.gitDir, 'logs', 'HEAD')).catch(() => '');
}

/** A working copy: its root, its git directory, and what it shares with other worktrees. */
export interface GitDir {
  readonly root: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly config: string;
}

/** The repository around a folder, which may be missing or a link. */
export async function findRepository(folder: string): Promise<GitDir | undefined> {
  return findGitDir(await realFolderOf(folder));
}

async function findGitDir(folder: string): Promise<GitDir | undefined> {
  for (let directory = folder; ; directory = path.dirname(directory)) {
    const dotGit = path.join(directory, '.git');
    const entry = await stat(dotGit).catch(() => undefined);
    if (entry?.isDirectory() === true)
      return { root: directory, gitDir: dotGit, commonDir: dotGit, config: path.join(dotGit, 'config') };
    if (entry?.isFile() === true) return { root: directory, ...(await worktreeGitDir(directory, dotGit)) };
    if (path.dirname(directory) === directory) return undefined;
  }
}

/**
 * In a worktree or submodule, `.git` is a file with the path of the git directory; `commondir` in there is the shared
 * one.
 */
async function worktreeGitDir(root: string, dotGit: string): Promise<Omit<GitDir, 'root'>> {
  const gitDir = path.resolve(
    root,
    (await readRegularText(dotGit, { followLinks: true }).catch(() => '')).replace(/^gitdir:\s*/u, '').trim(),
  );
  const common = await readRegularText(path.join(gitDir, 'commondir')).catch(() => '.');
  const commonDir = path.resolve(gitDir, common.trim());
  return { gitDir, commonDir, config: path.join(commonDir, 'config') };
}
