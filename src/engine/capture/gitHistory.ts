import { readReflog } from '../store/projectIdentity.js';

/** A change of HEAD. */
interface ReflogEntry {
  /** Milliseconds since 1970, in whole seconds. */
  readonly time: number;
  readonly commit: string;
  /** First line of the message, for entries that are commits. */
  readonly commitSubject: string | undefined;
}

const reflogLinePattern =
  /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) .*> (\d{1,12}) [+-]\d{4}\t(?:commit(?: \([\w ]+\))?: (.*))?/u;

/** The history of HEAD in a repository, read from git's reflog file without starting git. */
export class GitHistory {
  private constructor(private readonly entries: readonly ReflogEntry[]) {}

  /** Empty where the folder is missing or not in a repository. */
  static async read(folder: string | undefined): Promise<GitHistory> {
    const log = folder === undefined ? '' : await readReflog(folder);
    const heads = log.split('\n').flatMap(line => {
      const [, commit, seconds, commitSubject] = reflogLinePattern.exec(line) ?? [];
      return commit === undefined ? [] : [{ time: Number(seconds) * 1000, commit, commitSubject }];
    });
    return new GitHistory(heads);
  }

  /** The commit checked out at a time (ISO-8601); undefined before the first entry. */
  commitAt(at: string): string | undefined {
    const time = Date.parse(at);
    return this.entries.findLast(it => it.time <= time)?.commit;
  }

  /** Subjects of the commits made between two times, oldest first. */
  commitSubjectsBetween(from: string, to: string): string[] {
    const [first, last] = [Date.parse(from), Date.parse(to)];
    return this.entries.flatMap(it =>
      it.commitSubject !== undefined && first <= it.time && it.time <= last ? [it.commitSubject] : [],
    );
  }
}
