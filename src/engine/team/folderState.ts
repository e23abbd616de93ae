import { createHash } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../base/paths.js';

export const defaultTeamFolder = '.recollect/team';
/** Record of the folder that a project's store uses, where it is another one. */
export const folderRecordId = 'teamFolder';
/** Record of a person's word that what the folder brings is read. */
export const joinRecordId = 'teamJoin';
/** Record of the state of the folder that was read last. */
export const readRecordId = 'teamRead';
/** Record of facts that a program is reading now. */
export const readingRecordId = 'teamReading';
/** A program that died reads no more after this time. */
export const readingLeaseMs = 60_000;
/** Files whose sizes and times are compared; reading the folder names the others. */
const maxFiles = 2_000;

export interface JoinRecord {
  readonly isJoined: boolean;
}

/** A folder as it was when it was read. */
export interface FolderState {
  /** Of names, sizes and times of its files. */
  readonly files: string;
  /** Id of the folder's tree in the last commit, '' for none: a line has an author once it is committed. */
  readonly tree: string;
}

export interface ReadingRecord {
  readonly left: number;
  /** ISO-8601 UTC. */
  readonly at: string;
}

/** How many facts are still being read, as a record says. */
export function leftToRead(record: ReadingRecord | undefined, now: Date): number {
  if (record === undefined || Math.abs(now.getTime() - Date.parse(record.at)) > readingLeaseMs) return 0;
  return record.left;
}

/** Names, sizes and times of the files with lines, as a hash; undefined where there is no folder. Opens none of them. */
export async function readFolderFiles(root: string): Promise<string | undefined> {
  const names = await listTeamFiles(root).catch(() => undefined);
  if (names === undefined) return undefined;
  const hash = createHash('sha256');
  for (const name of names.sort().slice(0, maxFiles)) {
    const entry = await lstat(path.join(root, name)).catch(() => undefined);
    hash.update(`${name}\0${entry?.size}\0${entry?.mtimeMs}\n`);
  }
  return hash.update(String(names.length)).digest('hex').slice(0, 24);
}

export async function listTeamFiles(root: string): Promise<string[]> {
  return (await readdir(root)).filter(it => /\.jsonl$/iu.test(it));
}

/**
 * The top of the working copy that a folder is in, without asking git; not that of another working copy of the repository.
 * @param folders of the project's keys (store/projectIdentity.ts): the last one is open
 */
export function topOfFolders(folders: readonly string[]): string | undefined {
  const opened = folders.at(-1);
  return opened === undefined ? undefined : (folders.findLast(it => it !== opened && isInside(it, opened)) ?? opened);
}

/** What a program that reads no folder says of one that a person has joined, for a model; undefined for most. */
export async function describeUnread(
  readState: <T>(id: string) => Promise<T | undefined>,
  top: string,
  now: Date,
): Promise<string | undefined> {
  const left = leftToRead(await readState<ReadingRecord>(readingRecordId), now);
  if (left > 0) return readingNotice(left);
  if ((await readState<JoinRecord>(joinRecordId))?.isJoined !== true) return undefined;
  const folder = (await readState<{ readonly folder: string }>(folderRecordId))?.folder ?? defaultTeamFolder;
  const [files, read] = [await readFolderFiles(path.resolve(top, folder)), await readState<FolderState>(readRecordId)];
  return files === undefined || files === read?.files
    ? undefined
    : 'Your team has shared something that is not in this yet: the next recall reads it.';
}

/** Of facts that a team shares and that are not in the store yet, for people and models. @param left 0 for an unknown number */
export function readingNotice(left: number): string {
  if (left === 0) return 'What the team has shared is being read, and not searched yet.';
  return `${left} shared ${left === 1 ? 'fact is' : 'facts are'} being read, and not searched yet.`;
}
