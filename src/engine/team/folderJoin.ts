import { runGit } from '../base/git.js';
import type { Context } from '../context.js';
import type { TeamJoin } from '../model/team.js';
import type { Store } from '../store/store.js';
import { toPlainName } from './lineAuthors.js';
import { readServerLink } from './server/serverLink.js';
import { joinRecordId, listTeamFiles, readRecordId, type JoinRecord } from './folderState.js';
import { teamFolderExists, type TeamFolder } from './teamFolder.js';

/** Commits that an offer looks at for names. */
const maxCommits = 2_000;

/** Whether a person has joined the team of the project's folder: only then any file in it is opened. */
export async function isJoined(store: Store): Promise<boolean> {
  const record = await store.record<JoinRecord>('state', joinRecordId);
  if (record !== undefined) return record.body.isJoined;
  // Of a version that had no word for it: this person has shared through the folder, or read it.
  if ((await store.record('state', 'teamMember')) !== undefined) return true;
  return (await readServerLink(store)) === undefined && (await store.records('receivedShare', 1)).length > 0;
}

export async function writeJoin(ctx: Context, store: Store, joined: boolean): Promise<void> {
  await store.write(ctx.host.client, async tx => {
    await tx.putRecord('state', joinRecordId, { isJoined: joined } satisfies JoinRecord);
    if (!joined) await tx.deleteRecord('state', readRecordId);
    await tx.log('consent', { team: joined ? 'joined' : 'left' });
  });
}

/** What joining would read, from names of files and `git log` alone: no file is opened. @throws EngineError unsupportedFile */
export async function previewJoin(folder: TeamFolder): Promise<TeamJoin> {
  const exists = await teamFolderExists(folder);
  const files = exists ? (await listTeamFiles(folder.root)).length : 0;
  const log = exists
    ? await runGit(folder.project, 'log', `-${maxCommits}`, '--encoding=UTF-8', '--format=%an%x00', '--', folder.root)
    : '';
  const authors = new Set(log.split('\0').map(toPlainName));
  authors.delete('');
  return { folder: folder.name, exists, isJoined: await isJoined(folder.store), files, authors: [...authors] };
}

export async function readFolderTree({ project, name }: TeamFolder): Promise<string> {
  return (await runGit(project, 'rev-parse', '--verify', '--quiet', `HEAD:${name}`)).trim();
}
