import { isStorableField } from '../secrets/storableText.js';
import { currentBranch } from '../store/gitBranches.js';
import { readReflog } from '../store/projectIdentity.js';

/** A change of HEAD. */
interface ReflogEntry {
  /** Milliseconds since 1970, in whole seconds. */
  readonly time: number;
  readonly commit: string;
  /** First line of the message, for entries that are commits. */
  readonly commitSubject: string | undefined;
  /** Whether another branch or commit was checked out. */
  readonly isSwitch: boolean;
}

const reflogLinePattern =
  /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) .*> (\d{1,12}) [+-]\d{4}\t(?:commit(?: \([\w ]+\))?: (.*)|(checkout: |rebase|Branch: renamed))?/u;

/** The history of HEAD in a repository, read from git's files without starting git. */
export class GitHistory {
  private constructor(
    private readonly entries: readonly ReflogEntry[],
    /** The branch that is checked out now. */
    private readonly branch: string | undefined,
  ) {}

  /** Empty where the folder is missing or not in a repository. */
  static async read(folder: string | undefined): Promise<GitHistory> {
    const log = folder === undefined ? '' : await readReflog(folder);
    const heads = log.split('\n').flatMap(line => {
      const [, commit, seconds, commitSubject, change] = reflogLinePattern.exec(line) ?? [];
      if (commit === undefined) return [];
      return [{ time: Number(seconds) * 1000, commit, commitSubject, isSwitch: change !== undefined }];
    });
    const branch = folder === undefined ? undefined : await currentBranch(folder);
    return new GitHistory(heads, branch !== undefined && isStorableField(branch) ? branch : undefined);
  }

  /** The commit checked out at a time (ISO-8601); undefined before the first entry. */
  commitAt(at: string): string | undefined {
    const time = Date.parse(at);
    return this.entries.findLast(it => it.time <= time)?.commit;
  }

  /**
   * The branch checked out at a time (ISO-8601): the one of now, if no other was since; earlier ones are not certain, as the
   * log does not say what was a branch.
   */
  branchAt(at: string): string | undefined {
    const time = Date.parse(at);
    const isKnown = this.entries[0] !== undefined && this.entries[0].time <= time;
    return isKnown && !this.entries.some(it => it.isSwitch && it.time > time) ? this.branch : undefined;
  }

  /** Subjects of the commits made between two times, oldest first. */
  commitSubjectsBetween(from: string, to: string): string[] {
    const [first, last] = [Date.parse(from), Date.parse(to)];
    return this.entries.flatMap(it =>
      it.commitSubject !== undefined && first <= it.time && it.time <= last ? [it.commitSubject] : [],
    );
  }
}
