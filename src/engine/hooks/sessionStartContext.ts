import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { appendAccesses, sessionStarted } from '../access/accessLog.js';
import { readClientRights } from '../access/clientRights.js';
import {
  claimHandover,
  hasClaimedHandover,
  isHandoverFree,
  previousSessionStart,
  recordSession,
} from '../access/sessionRecords.js';
import { composeBriefing } from '../briefing/briefing.js';
import { readOwnInstructions } from '../briefing/ownInstructions.js';
import { readStandingWeights } from '../briefing/standingWeights.js';
import { briefingTokenBudget, hookClients, type BriefedProgram, type Briefing } from '../model/briefing.js';
import type { Config, DecayRules } from '../model/config.js';
import type { StoreKind } from '../model/memory.js';
import { projectNoticeForModel, takenProjectNotice } from '../model/project.js';
import { toProjectNotices } from '../projects/projects.js';
import { agingTime, clockStateId, type ClockState } from '../scoring/agingTime.js';
import { locateProject, type ProjectLocation } from '../store/locateProject.js';
import { globalDatabase, projectDatabase, projectFolder } from '../store/storeFiles.js';
import { excerptFile, isOnServer } from '../store/storePlacement.js';
import { ReadOnlyStore } from '../store/sqlite/readOnlyStore.js';
import { describeUnread, topOfFolders } from '../team/folderState.js';

/** @param at of the excerpt that is given in place of them, ISO-8601 UTC; undefined where there is none */
function serverNotice(at: string | undefined): string {
  const what = 'The memories of this project are on a server, which is not asked at the start of a session.';
  return at === undefined
    ? `${what} Recall them when you need them.`
    : `${what} Here are those that this machine had last, on ${at.slice(0, 10)}; recall the others when you need them.`;
}

/** Whose briefing it is. */
export interface BriefingRequest {
  readonly dataDir: string;
  /** The folder of the shipped models. */
  readonly modelsDir: string;
  /** The only kind of store that the client may use; undefined = both. */
  readonly onlyStore: StoreKind | undefined;
  /** Programs that read their own instructions files. */
  readonly program: BriefedProgram;
  /** The name of the program in the log of reads. */
  readonly client: string;
  /** Of the assistant's session, as a hash; absent where it is not known. */
  readonly session?: string | undefined;
  /** Folders whose projects are meant; those without a memory are passed over. */
  readonly folders: readonly string[];
  readonly now: Date;
  readonly rules: DecayRules;
  /** Estimated tokens at most. */
  readonly tokenBudget: number;
  /** Whether hand-overs are given; by default they are. */
  readonly withHandover?: boolean;
}

/** A briefing, and sentences about the project to print above it. */
export interface NoticedBriefing extends Briefing {
  readonly notices: readonly string[];
}

/**
 * The text that a session gets at its start, without an engine: it opens files that are there, reads and closes them, adds a
 * line to the log of reads, and notes that a session began. For programs that live for one answer. It makes no store, and no
 * thread, model or parser is loaded for it.
 * @param isContinued whether the session goes on, as after a compaction: a hand-over that it has not had is not for it
 * @returns a packed context; empty where nothing is remembered
 * @throws EngineError as reading a store does
 */
export async function loadSessionStartContext({
  isContinued = false,
  ...request
}: BriefingRequest & { readonly isContinued?: boolean }): Promise<string> {
  const { dataDir, client, session, now } = request;
  const take = (handover: string): Promise<boolean> =>
    isContinued
      ? hasClaimedHandover(dataDir, handover, session)
      : // A disk that is full keeps no session from its memories.
        claimHandover(dataDir, handover, { session, now }).catch(() => false);
  const { project, briefing } = await readBriefing(request, take);
  const { context, lines, notices } = briefing;
  if (lines.length > 0 || session !== undefined) {
    const access = { client, session, via: sessionStarted, at: now, memories: lines.map(it => it.memory) };
    await appendAccesses(dataDir, [access])
      .then(() => recordSession(dataDir, { client, project, session, now }))
      .catch(() => undefined);
  }
  return [...notices, context].filter(it => it !== '').join('\n');
}

/**
 * Briefing that a new session of a program would be given now, for a person to look at: nothing is noted, and no hand-over is taken.
 * @param request by default with hand-overs where the settings have them
 * @throws EngineError as reading a store does
 */
export async function previewBriefing({
  config: { decay: rules, hooks },
  ...request
}: Pick<BriefingRequest, 'dataDir' | 'modelsDir' | 'program' | 'folders' | 'now' | 'withHandover'> & {
  readonly config: Pick<Config, 'decay' | 'hooks'>;
}): Promise<NoticedBriefing> {
  const { dataDir, program } = request;
  const client = hookClients[program];
  const { store: onlyStore } = readClientRights(dataDir, client);
  const withHandover = hooks.moments.includes('handover');
  const ofClient = { client, onlyStore, rules, tokenBudget: briefingTokenBudget, withHandover };
  const { briefing } = await readBriefing({ ...ofClient, ...request }, it => isHandoverFree(dataDir, it));
  return briefing;
}

async function readBriefing(
  {
    dataDir,
    modelsDir,
    folders,
    onlyStore,
    client,
    session,
    program,
    withHandover = true,
    ...options
  }: BriefingRequest,
  takeHandover: (handover: string) => Promise<boolean>,
): Promise<{ readonly project: string; readonly briefing: NoticedBriefing }> {
  const projects = await Promise.all(folders.map(it => locateProject(dataDir, it)));
  const keys = projects.flatMap(it => it.storeKeys);
  const here = keys.filter(it => !isOnServer(projectFolder(dataDir, it)));
  const storeFiles = here.map(key => projectDatabase(dataDir, key));
  const found = projects.flatMap(toProjectNotices);
  const notices = [projectNoticeForModel(found), takenProjectNotice(found)].filter(it => it !== '');
  // The file that they were moved from is of then.
  const moved = keys.filter(it => !here.includes(it)).map(it => excerptFile(projectFolder(dataDir, it)));
  const excerpts = moved.filter(it => existsSync(it));
  if (moved.length > 0 && onlyStore !== 'global')
    notices.push(serverNotice(excerpts[0] === undefined ? undefined : statSync(excerpts[0]).mtime.toISOString()));
  const files = [
    ...[...new Set([...storeFiles, ...excerpts])].map(file => ({ kind: 'project' as const, file })),
    { kind: 'global' as const, file: globalDatabase(dataDir) },
  ].filter(it => (onlyStore === undefined || it.kind === onlyStore) && existsSync(it.file));
  const project = keys[0] ?? '';
  const readers: ReadOnlyStore[] = [];
  try {
    for (const { file, kind } of files) {
      const reader = await ReadOnlyStore.open(file, kind);
      if (reader !== undefined) readers.push(reader);
    }
    const global = readers.find(it => it.kind === 'global');
    const shared = await describeShared(readers, projects, options.now);
    const [clock, since, ownInstructions, standingWeights] = await Promise.all([
      global?.readState<ClockState>(clockStateId),
      previousSessionStart(dataDir, { client, project, session, now: options.now }),
      readOwnInstructions(program, folders[0]),
      readStandingWeights(modelsDir),
    ]);
    const agingNow = agingTime(clock, options.now);
    const mayTakeHandover = withHandover ? takeHandover : () => Promise.resolve(false);
    const input = { ...options, agingNow, folders, since, ownInstructions, standingWeights, mayTakeHandover };
    return { project, briefing: { ...(await composeBriefing(readers, input)), notices: [...notices, ...shared] } };
  } finally {
    await Promise.all(readers.map(it => it.close()));
  }
}

/** What a team has shared with the first project and is not read yet, as a sentence; a briefing reads no folder. */
async function describeShared(
  readers: readonly ReadOnlyStore[],
  [location]: readonly ProjectLocation[],
  now: Date,
): Promise<readonly string[]> {
  const project = readers.find(it => it.kind === 'project');
  const top = location === undefined ? undefined : topOfFolders(location.keys.folders);
  if (project === undefined || top === undefined) return [];
  const notice = await describeUnread(<T>(id: string) => project.readState<T>(id), top, now);
  return notice === undefined ? [] : [notice];
}

/**
 * Those of the folders whose project has a memory: opening an engine on the others would make them one.
 * @returns undefined where there is no memory at all
 */
export async function foldersWithMemory(dataDir: string, folders: readonly string[]): Promise<string[] | undefined> {
  const projects = await Promise.all(folders.map(it => projectStoreFiles(dataDir, it)));
  const withMemory = folders.filter((_, i) => projects[i]!.some(it => existsSync(it) || isOnServer(path.dirname(it))));
  return withMemory.length > 0 || existsSync(globalDatabase(dataDir)) ? withMemory : undefined;
}

/** Store files of a folder, whether or not they exist; the first one is the one that is written. */
export async function projectStoreFiles(dataDir: string, folder: string): Promise<readonly [string, ...string[]]> {
  const { storeKeys } = await locateProject(dataDir, folder);
  return storeKeys.map(it => projectDatabase(dataDir, it)) as [string, ...string[]];
}
