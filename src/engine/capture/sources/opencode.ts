import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { asJsonObject, parseJsonObject, type JsonObject } from '../../base/json.js';
import { isFileError, readRegularText } from '../../base/regularFile.js';
import { DatabaseSessions, isDatabaseSession, type DatabaseSession } from './databaseSessions.js';
import { createDocumentReader } from './documentSource.js';
import { changedFilesWork, skippedLine, spokenLine, toSafeField, toTime } from './sessionFields.js';
import { isInsideAnyRoot, resolveRealFolders, sortByModificationTime } from './sessionFiles.js';
import type { LineMetadata, SessionLine } from './sessionLine.js';

/** The folder of opencode's data. */
export function defaultOpencodeFolder(home: string, environment: NodeJS.ProcessEnv): string {
  return path.join(environment.XDG_DATA_HOME ?? path.join(home, '.local', 'share'), 'opencode');
}

const databaseName = 'opencode.db';
const editTools: readonly unknown[] = ['edit', 'write', 'patch', 'multiedit'];

const databaseSessions = new DatabaseSessions(async (sql, wanted) => {
  const rows =
    'id' in wanted
      ? await sql.all('SELECT id, directory, parent_id FROM session WHERE id = ?', wanted.id)
      : await sql.all('SELECT id, directory, parent_id FROM session ORDER BY time_updated, id');
  const found: DatabaseSession[] = [];
  for (const { id, directory, parent_id } of rows) {
    const folder = toSafeField(directory);
    if (typeof id !== 'string' || folder === undefined) continue;
    if ('roots' in wanted && !(await isInsideAnyRoot(folder, wanted.roots))) continue;
    const messages = await sql.all('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id', id);
    const parts = await sql.all('SELECT message_id, data FROM part WHERE session_id = ? ORDER BY id', id);
    const lines = messages.map(row => {
      const its = parts.filter(it => it.message_id === row.id).map(it => parseText(it.data));
      return toLine({ id: row.id, ...parseText(row.data) }, its, {
        session: id,
        folder,
        isSubagent: parent_id !== null,
      });
    });
    found.push({ id, folder, lines });
  }
  return found;
});

/**
 * opencode: since 1.2 `opencode.db`, before that `storage/session/<project>/<id>.json` with `storage/message/<id>` and
 * `storage/part/<message>`. A session that was moved into the database is read from there.
 */
export const opencodeReader = createDocumentReader({
  async listFiles(folder, workspaceFolders) {
    const inDatabase = await databaseSessions.list(path.join(folder, databaseName), workspaceFolders);
    const moved = new Set(inDatabase.map(it => `${it.slice(it.lastIndexOf('#') + 1)}.json`));
    const roots = await resolveRealFolders(workspaceFolders);
    const found: string[] = [];
    const sessions = path.join(folder, 'storage', 'session');
    for (const project of await readdir(sessions).catch(() => []))
      for (const name of await readdir(path.join(sessions, project)).catch(() => [])) {
        const file = path.join(sessions, project, name);
        if (!name.endsWith('.json') || moved.has(name)) continue;
        const directory = toSafeField((await readObject(file)).directory);
        if (directory !== undefined && (await isInsideAnyRoot(directory, roots))) found.push(file);
      }
    return [...(await sortByModificationTime(found)), ...inDatabase];
  },
  async readFolder(file) {
    if (isDatabaseSession(file)) return (await databaseSessions.get(file))?.folder;
    return toSafeField((await readObject(file)).directory);
  },
  async readDocument(file) {
    if (isDatabaseSession(file)) return (await databaseSessions.get(file))?.lines ?? [];
    const { id, directory, parentID } = parseJsonObject(await readRegularText(file)) ?? {};
    const session = toSafeField(id);
    if (session === undefined) return [{ kind: 'malformed' }];
    const storage = path.resolve(path.dirname(file), '..', '..');
    const place = { session, folder: toSafeField(directory), isSubagent: typeof parentID === 'string' };
    const lines: SessionLine[] = [];
    for (const message of await readObjects(path.join(storage, 'message', path.basename(session)))) {
      const messageId = toSafeField(message.id);
      const parts =
        messageId === undefined ? [] : await readObjects(path.join(storage, 'part', path.basename(messageId)));
      lines.push(toLine(message, parts, place));
    }
    return lines;
  },
});

/** @param message `data` of a row, or a file */
function toLine(
  { id, role, time, error, summary }: JsonObject,
  parts: readonly JsonObject[],
  { isSubagent, ...place }: Pick<LineMetadata, 'session' | 'folder'> & { readonly isSubagent: boolean },
): SessionLine {
  const at = toTime(asJsonObject(time)?.created);
  const metadata: LineMetadata = { uuid: toSafeField(id), at, branch: undefined, ...place };
  if (isSubagent) return skippedLine('sidechain', metadata);
  // Texts of files and of the program itself are synthetic.
  const text = parts
    .filter(it => it.type === 'text' && it.synthetic !== true && it.ignored !== true && typeof it.text === 'string')
    .map(it => it.text as string)
    .join('\n\n');
  if (role === 'user') return spokenLine('person', withoutArgumentQuotes(text), metadata);
  if (role !== 'assistant') return { kind: 'malformed' };
  if (summary === true) return skippedLine('compaction', metadata);
  if (error !== undefined && text.trim() === '') return skippedLine('apiError', metadata);
  const inputs = parts
    .filter(it => it.type === 'tool' && editTools.includes(it.tool))
    .map(it => asJsonObject(asJsonObject(it.state)?.input)?.filePath);
  const work = changedFilesWork(inputs);
  if (text.trim() === '') return skippedLine('toolUse', metadata, work);
  const line = spokenLine('outcome', text, metadata);
  return line.kind === 'malformed' || work === undefined ? line : { ...line, work };
}

/** The message as a person typed it: `opencode run` puts one with a space into quotes. */
function withoutArgumentQuotes(text: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/su.exec(text.trim())?.[1];
  return quoted === undefined ? text : quoted.replaceAll('\\"', '"');
}

/** The objects in the files of a folder, in the order of their names, which is that of their time. */
async function readObjects(folder: string): Promise<readonly JsonObject[]> {
  const names = (await readdir(folder).catch(() => [])).filter(it => it.endsWith('.json')).sort();
  return Promise.all(names.map(it => readObject(path.join(folder, it))));
}

/** Empty where a file is gone meanwhile, or no JSON object. */
async function readObject(file: string): Promise<JsonObject> {
  const text = await readRegularText(file).catch((error: unknown) => {
    if (!isFileError(error)) throw error;
    return '';
  });
  return parseText(text);
}

const parseText = (text: unknown): JsonObject => parseJsonObject(typeof text === 'string' ? text : '') ?? {};
