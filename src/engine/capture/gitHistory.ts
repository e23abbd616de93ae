import { readReflog } from '../store/projectIdentity.js';

/** HEAD from a moment on. */
interface ReflogEntry {
  /** Milliseconds since 1970; git knows seconds. */
  readonly time: number;
  readonly commit: string;
  /** First line of the message, where it was a commit that was made. */
  readonly commitSubject: string | undefined;
}

const reflogLinePattern =
  /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) .*> (\d{1,12}) [+-]\d{4}\t(?:commit(?: \([\w ]+\))?: (.*))?/u;

/** What was checked out and committed in a repository, and when: from git's own files, without starting git. */
export class GitHistory {
  private constructor(private readonly entries: readonly ReflogEntry[]) {}

  /** Empty where the folder is in no repository, or is gone. */
  static async read(folder: string | undefined): Promise<GitHistory> {
    const log = folder === undefined ? '' : await readReflog(folder);
    const heads = log.split('\n').flatMap(line => {
      const [, commit, seconds, commitSubject] = reflogLinePattern.exec(line) ?? [];
      return commit === undefined ? [] : [{ time: Number(seconds) * 1000, commit, commitSubject }];
    });
    return new GitHistory(heads);
  }

  /** The commit that was checked out at a time, ISO-8601; undefined before the first that is known. */
  commitAt(at: string): string | undefined {
    const time = Date.parse(at);
    return this.entries.findLast(it => it.time <= time)?.commit;
  }

  /** First lines of the commits made from one time to another, oldest first. */
  commitSubjectsBetween(from: string, to: string): string[] {
    const [first, last] = [Date.parse(from), Date.parse(to)];
    return this.entries.flatMap(it =>
      it.commitSubject !== undefined && first <= it.time && it.time <= last ? [it.commitSubject] : [],
    );
  }
}
