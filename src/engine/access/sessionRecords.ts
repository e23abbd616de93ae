import { mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { readRegularText, replaceFile } from '../base/regularFile.js';
import { dayMs } from '../model/duration.js';

/** The sessions of one program in one project. */
interface SessionRecord {
  /** A hash; absent where the program names none. */
  readonly session?: string;
  readonly startedAt: string;
  /** When the session before it began. */
  readonly previousAt?: string;
  /** Sessions before it, which may still go on; newest first. */
  readonly earlier?: readonly Pick<SessionRecord, 'session' | 'previousAt'>[];
}

/** Sessions of one program that a person has open in one project, of which each gets the same text again. */
const maxEarlierSessions = 8;
/** Programs and projects that were not used for so long are dropped. */
const maxRecordAgeMs = 180 * dayMs;
/** A taken hand-over is remembered for longer than one is given. */
const maxClaimAgeMs = 30 * dayMs;

const recordsFile = (dataDir: string): string => path.join(dataDir, 'access', 'sessions.json');
const recordKey = (client: string, project: string): string => `${client} ${project}`;

/** Whose session begins, and when. */
export interface StartingSession {
  readonly client: string;
  /** Key of the project; empty where there is none. */
  readonly project: string;
  readonly session: string | undefined;
  readonly now: Date;
}

/**
 * When the last session of a program in a project began, before the one that begins now. Without one, and for a program that
 * names no sessions: the beginning of yesterday. ISO-8601 UTC.
 */
export async function previousSessionStart(dataDir: string, starting: StartingSession): Promise<string> {
  return previousStart((await readRecords(dataDir))[recordKey(starting.client, starting.project)], starting);
}

/** Records a session that begins, for the next one; the same session again changes nothing. Rejects where the disk refuses. */
export async function recordSession(dataDir: string, starting: StartingSession): Promise<void> {
  const { client, project, session, now } = starting;
  if (session === undefined) return;
  const records = await readRecords(dataDir);
  const key = recordKey(client, project);
  const known = records[key];
  if (recordOf(known, session) !== undefined) return;
  const kept = Object.entries(records).filter(
    ([other, { startedAt }]) => other !== key && now.getTime() - Date.parse(startedAt) < maxRecordAgeMs,
  );
  const record: SessionRecord = {
    session,
    startedAt: now.toISOString(),
    ...(known === undefined ? {} : { previousAt: known.startedAt, earlier: withEarlier(known) }),
  };
  await makeAccessFolder(dataDir);
  await replaceFile(recordsFile(dataDir), JSON.stringify(Object.fromEntries([...kept, [key, record]])));
}

/**
 * Takes a hand-over for a session: of two sessions that start at once one gets it. The session that took it gets it again.
 * @param handover short id of the memory
 */
export async function claimHandover(
  dataDir: string,
  handover: string,
  { session, now }: Pick<StartingSession, 'session' | 'now'>,
): Promise<boolean> {
  await makeAccessFolder(dataDir);
  const file = claimFile(dataDir, handover);
  try {
    // Exclusive: one process makes the file.
    const handle = await open(file, 'wx', 0o600);
    await handle.writeFile(session ?? '').finally(() => handle.close());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return hasClaimedHandover(dataDir, handover, session);
  }
  await dropOldClaims(dataDir, now);
  return true;
}

/** Whether no session has taken a hand-over. */
export async function isHandoverFree(dataDir: string, handover: string): Promise<boolean> {
  return (await readClaim(dataDir, handover)) === undefined;
}

/** Whether it was this session that took a hand-over. */
export async function hasClaimedHandover(
  dataDir: string,
  handover: string,
  session: string | undefined,
): Promise<boolean> {
  return session !== undefined && (await readClaim(dataDir, handover)) === session;
}

function previousStart(record: SessionRecord | undefined, { session, now }: StartingSession): string {
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  const yesterday = new Date(today - dayMs).toISOString();
  if (record === undefined) return yesterday;
  const own = recordOf(record, session);
  return own === undefined ? record.startedAt : (own.previousAt ?? yesterday);
}

/** The record of a session, which need not be the last one. */
function recordOf(
  record: SessionRecord | undefined,
  session: string | undefined,
): Pick<SessionRecord, 'previousAt'> | undefined {
  if (record === undefined || session === undefined) return undefined;
  return [record, ...(record.earlier ?? [])].find(it => it.session === session);
}

function withEarlier({ session, previousAt, earlier = [] }: SessionRecord): NonNullable<SessionRecord['earlier']> {
  const last = { ...(session === undefined ? {} : { session }), ...(previousAt === undefined ? {} : { previousAt }) };
  return [last, ...earlier].slice(0, maxEarlierSessions);
}

async function readRecords(dataDir: string): Promise<Readonly<Record<string, SessionRecord>>> {
  try {
    const found: unknown = JSON.parse(await readRegularText(recordsFile(dataDir)));
    if (typeof found !== 'object' || found === null) return {};
    const valid = Object.entries(found as Readonly<Record<string, SessionRecord | null>>).flatMap(([key, it]) =>
      it !== null && !Number.isNaN(Date.parse(it.startedAt)) ? [[key, it] as const] : [],
    );
    return Object.fromEntries(valid);
  } catch {
    // Not there, or damaged: sessions before are not known.
    return {};
  }
}

const claimPrefix = 'handover-';
const claimFile = (dataDir: string, handover: string): string =>
  path.join(dataDir, 'access', `${claimPrefix}${handover}`);

/** The session that took a hand-over, empty where it has no name; undefined where none did. */
function readClaim(dataDir: string, handover: string): Promise<string | undefined> {
  return readRegularText(claimFile(dataDir, handover)).catch(() => undefined);
}

async function dropOldClaims(dataDir: string, now: Date): Promise<void> {
  const folder = path.join(dataDir, 'access');
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(claimPrefix)) continue;
    const file = path.join(folder, name);
    const stats = await stat(file).catch(() => undefined);
    if (stats !== undefined && now.getTime() - stats.mtimeMs > maxClaimAgeMs) await unlink(file).catch(() => undefined);
  }
}

/** Not recursive: the data folder itself is not made. */
async function makeAccessFolder(dataDir: string): Promise<void> {
  await mkdir(path.join(dataDir, 'access'), { mode: 0o700 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
}
