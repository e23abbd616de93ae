import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { asJsonObject, parseJsonObject, type JsonObject } from '../../base/json.js';
import { isFileError, readRegularText } from '../../base/regularFile.js';
import { createDocumentReader } from './documentSource.js';
import { readLinesWithOffsets } from './jsonLines.js';
import { changedFilesWork, skippedLine, spokenLine, toObjects, toSafeField, toTime } from './sessionFields.js';
import { isInsideAnyRoot, resolveRealFolders, sortByModificationTime } from './sessionFiles.js';
import type { LineMetadata, SessionLine } from './sessionLine.js';

/** The folder in which Gemini CLI has one for each project, with its chats. */
export function defaultGeminiSessionsFolder(home: string, environment: NodeJS.ProcessEnv): string {
  return path.join(environment.GEMINI_CLI_HOME ?? home, '.gemini', 'tmp');
}

const editTools: readonly unknown[] = ['write_file', 'replace', 'edit'];
/** The part that begins what `@file` in a turn put into it. */
const filesHeading = '\n--- Content from referenced files ---';
const maxSessionBytes = 64 * 1024 * 1024;

/**
 * Gemini CLI: `tmp/<project>/chats/session-*.jsonl`, a log of messages that later lines replace or take back, before 0.39
 * one object in a `.json`.
 */
export const geminiCliReader = createDocumentReader({
  async listFiles(folder, workspaceFolders) {
    const roots = await resolveRealFolders(workspaceFolders);
    const hashes = new Set([...roots, ...workspaceFolders].map(hashOf));
    const found: string[] = [];
    for (const project of await readdir(folder).catch(() => [])) {
      const root = await readProjectRoot(path.join(folder, project));
      const isOfFolder = root === undefined ? hashes.has(project) : await isInsideAnyRoot(root, roots);
      if (!isOfFolder) continue;
      const chats = path.join(folder, project, 'chats');
      const names = (await readdir(chats).catch(() => [])).filter(it => /^session-.*\.jsonl?$/u.test(it));
      // A session that was resumed goes on in a log, and its former file stays.
      found.push(...names.filter(it => !names.includes(`${it}l`)).map(it => path.join(chats, it)));
    }
    return sortByModificationTime(found);
  },
  readFolder: file => readProjectRoot(path.join(path.dirname(file), '..')),
  async readDocument(file) {
    const { session, isSubagent, messages, brokenLines } = await readConversation(file);
    const folder = await readProjectRoot(path.join(path.dirname(file), '..'));
    const lines = messages.map(it => toLine(it, { session, folder }, isSubagent));
    return [...Array.from({ length: brokenLines }, (): SessionLine => ({ kind: 'malformed' })), ...lines];
  },
});

const hashOf = (folder: string): string => createHash('sha256').update(folder).digest('hex');

/** The project of a folder below `tmp`, which Gemini CLI notes in it; a folder without the note is named after a hash. */
async function readProjectRoot(folder: string): Promise<string | undefined> {
  const text = await readRegularText(path.join(folder, '.project_root')).catch((error: unknown) => {
    if (!isFileError(error)) throw error;
    return '';
  });
  return toSafeField(text.trim());
}

interface Conversation {
  readonly session: string | undefined;
  readonly isSubagent: boolean;
  readonly messages: readonly JsonObject[];
  readonly brokenLines: number;
}

async function readConversation(file: string): Promise<Conversation> {
  if (file.endsWith('.json')) {
    const whole = parseJsonObject(await readRegularText(file, { maxBytes: maxSessionBytes }));
    const { sessionId, kind, messages } = whole ?? {};
    const brokenLines = whole === undefined ? 1 : 0;
    return {
      session: toSafeField(sessionId),
      isSubagent: kind === 'subagent',
      messages: toObjects(messages),
      brokenLines,
    };
  }
  let metadata: JsonObject = {};
  let brokenLines = 0;
  const messages = new Map<string, JsonObject>();
  for await (const { text, isUnterminated } of readLinesWithOffsets(file, 0)) {
    if (text?.trim() === '') continue;
    const record = text === undefined ? undefined : parseJsonObject(text);
    if (record === undefined) {
      if (!isUnterminated) brokenLines++;
    } else if (typeof record.$rewindTo === 'string') rewind(messages, record.$rewindTo);
    else if (typeof record.id === 'string') messages.set(record.id, record);
    else {
      const { messages: listed, ...fields } = asJsonObject(record.$set) ?? record;
      metadata = { ...metadata, ...fields };
      addUnknown(messages, toObjects(listed));
    }
  }
  return {
    session: toSafeField(metadata.sessionId),
    isSubagent: metadata.kind === 'subagent',
    messages: withoutCopies([...messages.values()]),
    brokenLines,
  };
}

/**
 * Adds what a list of the whole conversation has more than is known. A start, a resumption and a compression each write
 * such a list, with the time of the list, without what was typed and without tool calls: what was written first holds, also
 * where the list has it no more.
 */
function addUnknown(messages: Map<string, JsonObject>, listed: readonly JsonObject[]): void {
  for (const it of listed) if (typeof it.id === 'string' && !messages.has(it.id)) messages.set(it.id, it);
}

/** Without turns of a person that a compression wrote again under other ids. */
function withoutCopies(messages: readonly JsonObject[]): JsonObject[] {
  const known = new Set<string>();
  return messages.filter(({ type, content }) => {
    const text = JSON.stringify(content);
    const isCopy = type === 'user' && known.has(text);
    known.add(text);
    return !isCopy;
  });
}

/** Takes back a message and all after it; all of them where it is not known. */
function rewind(messages: Map<string, JsonObject>, id: string): void {
  const ids = [...messages.keys()];
  for (const it of ids.slice(Math.max(0, ids.indexOf(id)))) messages.delete(it);
}

function toLine(
  { id, type, timestamp, content, displayContent, toolCalls }: JsonObject,
  place: Pick<LineMetadata, 'session' | 'folder'>,
  isSubagent: boolean,
): SessionLine {
  const metadata = { uuid: toSafeField(id), at: toTime(timestamp), branch: undefined, ...place };
  if (isSubagent) return skippedLine('sidechain', metadata);
  // What was typed, where files that it names were put into what is sent.
  if (type === 'user') return spokenLine('person', textOf(displayContent ?? withoutFiles(content)), metadata);
  if (type !== 'gemini') return skippedLine(type === 'error' ? 'apiError' : 'meta', metadata);
  const edits = toObjects(toolCalls).filter(it => editTools.includes(it.name));
  const work = changedFilesWork(edits.map(it => asJsonObject(it.args)?.file_path));
  const text = textOf(content);
  if (text.trim() === '') return skippedLine('toolUse', metadata, work);
  const line = spokenLine('outcome', text, metadata);
  return line.kind === 'malformed' || work === undefined ? line : { ...line, work };
}

/** The parts before those that hold the files which a turn names. */
function withoutFiles(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const start = content.findIndex(it => asJsonObject(it)?.text === filesHeading);
  return start < 0 ? content : content.slice(0, start);
}

/** The text of a message: a string, a part or a list of both. */
function textOf(content: unknown): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts
    .map(it => (typeof it === 'string' ? it : asJsonObject(it)?.text))
    .filter(it => typeof it === 'string')
    .join('\n');
}
