import { createHash } from 'node:crypto';
import {
  lerimContentOf,
  lerimFolders,
  lerimKindOf,
  lerimSummaryKeys,
  parseLerimFile,
  serializeLerimFile,
  type LerimFile,
} from '../exchange/formats/lerim.js';
import { omitUndefined } from '../base/omitUndefined.js';
import { defaultPriority, type Kind, type Lane, type Memory, type SearchAids } from '../model/memory.js';
import { hasAids, normalizeAids } from '../secrets/storableText.js';
import { toSingleLineSummary } from '../text/singleLine.js';
import { folderForKind, isArchivedPath } from './mirrorFiles.js';

/** The fields that a memory and its file have in common, and that a sync carries over. */
export interface SyncedFields {
  readonly content: string;
  readonly tags: readonly string[];
  readonly kind: Kind;
  readonly lane: Lane;
  readonly archived: boolean;
  readonly aids: SearchAids;
  /** 1-10; a file without one has the default. */
  readonly priority: number;
  /** The day of a plan, YYYY-MM-DD; undefined without one. */
  readonly due: string | undefined;
}

/** A memory with its search aids, which are no part of its content. */
export type SyncedMemory = Memory & { readonly aids?: SearchAids | undefined };

const noAids: SearchAids = { questions: [], keywords: [] };

/** The last synced state of a memory and its file. Stored as a record of kind `syncedFile`. */
export interface SyncState {
  /** The memory's id. */
  readonly memory: string;
  /** Path below the mirror, with slashes. */
  readonly name: string;
  /** The id in the file: the memory's, or one of another program. */
  readonly fileId: string;
  /** Fingerprint of the {@link SyncedFields}. */
  readonly print: string;
  /** Absent in records of older versions. */
  readonly lane?: Lane;
  /** The lane that the file says and this store did not take: the word of another machine, which its file keeps. */
  readonly fileLane?: Lane;
  readonly title: string;
  /** The title is part of the content, not only its summary. */
  readonly titled: boolean;
  /** The person deleted the file. */
  readonly gone: boolean;
}

/**
 * The state of a file that no memory had before. A file with an id stays as it is, byte for byte, and so does its lane: git
 * carries it to other machines, whose memory has that id.
 * @param isTaken whether another memory has the id
 */
export function stateOfNewFile(
  { name, parsed }: { readonly name: string; readonly parsed: LerimFile },
  { memory, content, isTaken }: { readonly memory: string; readonly content: string; readonly isTaken: boolean },
): SyncState {
  const { id = '', title = '', lane: fileLane } = parsed;
  const titled = title !== '' && content.startsWith(`${title}\n\n`);
  const fileId = id === '' || isTaken ? memory : id;
  return { memory, name, fileId, print: '', title, titled, gone: false, ...omitUndefined({ fileLane }) };
}

/** Once a file is written, its lane is the memory's. */
export function omitFileLane({ fileLane: _, ...state }: SyncState): SyncState {
  return state;
}

/** Equal for fields that a sync need not carry over. */
export function fingerprintFields(fields: SyncedFields): string {
  const { content, tags, kind, lane, archived, aids, priority, due } = fields;
  // Without these as in the records of earlier versions.
  const more: unknown[] = hasAids(aids) ? [aids.questions, aids.keywords] : [];
  if (priority !== defaultPriority || due !== undefined) more.push({ priority, due });
  return createHash('sha256')
    .update(JSON.stringify([content, [...tags].sort(), kind, lane, archived, ...more]))
    .digest('base64url');
}

export function fieldsFromMemory(memory: SyncedMemory): SyncedFields {
  const { content, tags, kind, lane, status, aids = noAids, priority } = memory;
  return { content, tags, kind, lane, archived: status !== 'active', aids, priority, due: dueDayOf(memory) };
}

/** The day of a plan, which is a day of UTC; undefined without one. */
export function dueDayOf({ dueAt }: Pick<Memory, 'dueAt'>): string | undefined {
  return dueAt?.slice(0, 10);
}

/** The due date of a day: the end of it, as for a day that a text names. */
export function dueAtOf(due: string): string {
  return `${due}T23:59:59.999Z`;
}

/** Fields of a file, with the priority and the day of the memory where the file names none. */
export function keepPlan<T extends SyncedFields>(fields: T, memory: Memory): T {
  const priority = fields.priority === defaultPriority ? memory.priority : fields.priority;
  return { ...fields, priority, due: fields.due ?? dueDayOf(memory) };
}

/**
 * The fields of a file. A field that the file does not have keeps the memory's value; for a new file it follows from the
 * folder and from `lane`.
 */
export function fieldsFromFile(
  name: string,
  file: LerimFile,
  { state, memory, lane }: { readonly state?: SyncState; readonly memory?: SyncedMemory; readonly lane: Lane },
): SyncedFields {
  const isTitleSummary = state !== undefined && !state.titled && file.title === state.title && file.body !== '';
  const folder = folderOf(name);
  const folderKind =
    memory !== undefined && folderForKind(memory.kind) === folder ? memory.kind : lerimKindOf(folder, undefined);
  // Once synced, a file without aids says that there are none.
  const aidsBefore = state === undefined || state.print === '' ? memory?.aids : undefined;
  const tags = file.tags?.map(it => it.toLowerCase().slice(0, 64)).slice(0, 20);
  const fields: SyncedFields = {
    content: isTitleSummary ? file.body : lerimContentOf(file, folder),
    tags: tags === undefined ? (memory?.tags ?? []) : [...new Set(tags)],
    kind: file.kind ?? folderKind,
    lane: memory === undefined ? lane : file.lane === state?.fileLane ? memory.lane : (file.lane ?? memory.lane),
    archived: isArchivedPath(name),
    aids: normalizeAids({ ...aidsBefore, ...omitUndefined({ questions: file.questions, keywords: file.keywords }) }),
    priority: file.priority ?? defaultPriority,
    due: file.due,
  };
  return memory !== undefined && (state === undefined || state.print === '') ? keepPlan(fields, memory) : fields;
}

/**
 * The fields to keep where the person chose the file although the memory has changed too. They chose its text; a
 * confirmation given in the meantime is withdrawn only where the file's lane was edited as well.
 */
export function mergeFileOverMemory(
  fileFields: SyncedFields,
  memory: Memory,
  { lane: lastLane }: SyncState,
): SyncedFields {
  const fields = keepPlan(fileFields, memory);
  if (lastLane !== undefined) return { ...fields, lane: fields.lane === lastLane ? memory.lane : fields.lane };
  return { ...fields, lane: memory.lane === 'confirmed' ? memory.lane : fields.lane };
}

/** The folder of the layout that a file is in; empty at the top. */
function folderOf(name: string): string {
  return name.split('/').findLast(it => lerimFolders.includes(it)) ?? '';
}

/** The assistant of a client, by the name that lerim has for it; undefined for a person's own programs. */
function agentOf(client = ''): string | undefined {
  if (client === 'hook') return 'claude';
  return /^(?:hook|mcp):(.+)$/u.exec(client)?.[1];
}

/** Whether the file says all that the memory does, in its title too, so that it may stay as it is, byte for byte. */
function isUpToDate(memory: SyncedMemory, state: SyncState, file: LerimFile): boolean {
  if (lerimContentOf(file, folderOf(state.name)) !== memory.content) return false;
  const fields = fieldsFromFile(state.name, file, { state, memory, lane: memory.lane });
  return file.id === state.fileId && fingerprintFields(fields) === fingerprintFields(fieldsFromMemory(memory));
}

/** Fields that all files of a mirror share. */
export interface FileOrigin {
  /** The name of the project's folder; undefined for the global memory. */
  readonly repository: string | undefined;
  /** Session id -> its transcript, below the lerim folder; undefined where there are none. */
  readonly traces?: ReadonlyMap<string, string> | undefined;
}

/**
 * The text of a memory's file.
 * @param existing the current file, which keeps its other keys, and stays as it is where it says the same; with its state,
 * which has its name
 * @param origin what a session summary says of where it is from
 */
export function renderMirrorFile(
  memory: SyncedMemory,
  existing: { readonly text: string; readonly state: SyncState } | undefined,
  { repository, traces }: FileOrigin,
): { readonly text: string; readonly title: string; readonly titled: boolean } {
  const file = existing && parseLerimFile(existing.text);
  if (file !== undefined && !('refused' in file) && isUpToDate(memory, existing!.state, file)) {
    const { titled } = existing!.state;
    return { text: existing!.text, title: file.title ?? '', titled };
  }
  const { content, createdAt, updatedAt, confidence, tags, kind, lane, provenance, id, aids = noAids } = memory;
  const previousTitle = existing?.state.titled === true ? existing.state.title : '';
  const titled = previousTitle !== '' && content.startsWith(`${previousTitle}\n\n`);
  const title = titled ? previousTitle : toSingleLineSummary(content);
  const values = {
    id: existing?.state.fileId ?? id,
    title,
    ...(kind === 'summary'
      ? lerimSummaryKeys({
          content,
          createdAt,
          session: provenance.session,
          agent: agentOf(provenance.client),
          repository,
          trace: traces?.get(provenance.session ?? ''),
        })
      : {}),
    created: createdAt,
    updated: updatedAt,
    source: provenance.source,
    confidence: Math.round(confidence) / 100,
    tags,
    kind,
    lane,
    priority: memory.priority === defaultPriority ? undefined : memory.priority,
    due: dueDayOf(memory),
    questions: aids.questions.length > 0 ? aids.questions : undefined,
    keywords: aids.keywords.length > 0 ? aids.keywords : undefined,
  };
  const body = titled ? content.slice(previousTitle.length + 2) : content;
  return { text: serializeLerimFile(values, body, existing?.text), title, titled };
}
