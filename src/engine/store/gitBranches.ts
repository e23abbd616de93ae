import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { readRegularText } from '../base/regularFile.js';
import { isBranchName } from '../model/branchName.js';
import { findRepository, type GitDir } from './projectIdentity.js';

/** Bytes. Packed branches of a repository that is used for years are some hundred KB. */
const maxPackedRefsBytes = 32 * 1024 * 1024;

/** Branches that are rarely deleted, and if, then renamed: what was learned there is no less true. */
const defaultBranchNames: readonly string[] = ['main', 'master', 'trunk', 'develop', 'development', 'default'];

/** Checked-out branch of a folder; undefined outside a repository, for a detached HEAD, and where no file has its name. */
export async function currentBranch(folder: string): Promise<string | undefined> {
  const git = await findRepository(folder);
  return git === undefined ? undefined : readHead(git);
}

/** The local branches of a repository, read from its files without starting git. */
export class GitBranches {
  private packedBranches: Promise<ReadonlySet<string> | undefined> | undefined;

  private constructor(
    private readonly git: GitDir,
    /** Undefined for a detached HEAD. */
    readonly current: string | undefined,
    /** The default branch of `origin`, where the clone knows it. */
    private readonly originDefault: string | undefined,
  ) {}

  /** Undefined outside a repository, and for one whose branches are no files (reftable). */
  static async read(folder: string | undefined): Promise<GitBranches | undefined> {
    const git = folder === undefined ? undefined : await findRepository(folder);
    if (git === undefined || !(await isMissing(path.join(git.commonDir, 'reftable')))) return undefined;
    const origin = await readText(path.join(git.commonDir, 'refs', 'remotes', 'origin', 'HEAD'));
    const originDefault = /^ref: refs\/remotes\/origin\/(\S+)\s*$/u.exec(origin)?.[1];
    return new GitBranches(git, await readHead(git), originDefault);
  }

  /** Whether it is a branch that others start from, by its name or by the word of `origin`. */
  isDefault(branch: string): boolean {
    return defaultBranchNames.includes(branch) || branch === this.originDefault;
  }

  /**
   * Whether a branch was deleted here. False wherever that is not certain: for what is no name of a branch, for a default
   * branch, and where files cannot be read.
   */
  async isGone(branch: string): Promise<boolean> {
    if (!isBranchName(branch) || this.isDefault(branch) || branch === this.current) return false;
    const { commonDir } = this.git;
    // A folder there holds branches whose names start with this one.
    if (!(await isMissing(path.join(commonDir, 'refs', 'heads', ...branch.split('/')), { orFolder: true })))
      return false;
    this.packedBranches ??= readPackedBranches(path.join(commonDir, 'packed-refs'));
    return (await this.packedBranches)?.has(branch) === false;
  }
}

async function readHead(git: GitDir): Promise<string | undefined> {
  const name = /^ref: refs\/heads\/(.*\S)\s*$/u.exec(await readText(path.join(git.gitDir, 'HEAD')))?.[1];
  return name !== undefined && isBranchName(name) ? name : undefined;
}

function readText(file: string): Promise<string> {
  return readRegularText(file).catch(() => '');
}

/** The branches that have no file of their own; undefined where they cannot be read. */
async function readPackedBranches(file: string): Promise<ReadonlySet<string> | undefined> {
  try {
    const text = await readRegularText(file, { maxBytes: maxPackedRefsBytes });
    return new Set(text.split('\n').flatMap(it => /^[0-9a-f]{40,64} refs\/heads\/(.*\S)\s*$/u.exec(it)?.[1] ?? []));
  } catch (error) {
    return isMissingError(error) ? new Set() : undefined;
  }
}

/** Whether nothing is there; false where that cannot be seen. */
async function isMissing(file: string, { orFolder = false }: { readonly orFolder?: boolean } = {}): Promise<boolean> {
  try {
    return (await lstat(file)).isDirectory() && orFolder;
  } catch (error) {
    return isMissingError(error);
  }
}

function isMissingError(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '');
}
