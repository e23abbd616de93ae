import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { asJsonObject, parseJsonObject, type JsonObject } from '../../base/json.js';
import type { Sql, SqlValue } from '../../database/database.js';
import { readDatabaseCopy } from './databaseCopy.js';
import { DatabaseSessions, type DatabaseSession } from './databaseSessions.js';
import { createDocumentReader } from './documentSource.js';
import { skippedLine, spokenLine, toObjects, toSafeField, toTime } from './sessionFields.js';
import { isInsideAnyRoot } from './sessionFiles.js';
import type { LineMetadata, SessionLine } from './sessionLine.js';
import { readWindowFolders } from './vscodeChat.js';

/** The folder of Cursor's database, which holds the conversations of all windows. */
export function defaultCursorFolder(home: string, environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const folders: Partial<Record<NodeJS.Platform, string>> = {
    win32: environment.APPDATA ?? path.join(home, 'AppData', 'Roaming'),
    darwin: path.join(home, 'Library', 'Application Support'),
  };
  const folder = folders[platform] ?? environment.XDG_CONFIG_HOME ?? path.join(home, '.config');
  return path.join(folder, 'Cursor', 'User', 'globalStorage');
}

const databaseName = 'state.vscdb';
const person = 1;
const assistant = 2;

/** The folder of a composer: it names it itself since Cursor 3.12, before that the database of its window names it. */
const databaseSessions = new DatabaseSessions(async (sql, wanted, file) => {
  const rows =
    'id' in wanted
      ? await sql.all('SELECT key, value FROM cursorDiskKV WHERE key = ?', `composerData:${wanted.id}`)
      : await sql.all("SELECT key, value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'");
  const windows = await readWindows(path.resolve(path.dirname(file), '..', 'workspaceStorage'), rows.map(idOf));
  const found: (DatabaseSession & { readonly updatedAt: number })[] = [];
  for (const row of rows) {
    const composer = parseCell(row.value);
    const id = idOf(row);
    const window = asJsonObject(composer?.workspaceIdentifier);
    const folder =
      toSafeField(asJsonObject(window?.uri)?.fsPath) ??
      windows.find(it => it.id === window?.id || it.composers.has(id))?.folder;
    if (composer === undefined || folder === undefined) continue;
    if ('roots' in wanted && !(await isInsideAnyRoot(folder, wanted.roots))) continue;
    const updatedAt = Number(composer.lastUpdatedAt ?? composer.createdAt ?? 0);
    found.push({ id, folder, updatedAt, lines: await readBubbles(sql, composer, { session: id, folder }) });
  }
  return found.sort((a, b) => a.updatedAt - b.updatedAt);
});

/** Cursor: the composers in `globalStorage/state.vscdb`, whose messages are rows of their own. Read on a copy. */
export const cursorReader = createDocumentReader({
  listFiles: (folder, workspaceFolders) => databaseSessions.list(path.join(folder, databaseName), workspaceFolders),
  readFolder: async file => (await databaseSessions.get(file))?.folder,
  readDocument: async file => (await databaseSessions.get(file))?.lines ?? [],
});

function idOf({ key }: { readonly key?: SqlValue }): string {
  return String(key).slice('composerData:'.length);
}

interface Window {
  /** The name of its folder in the workspace storage. */
  readonly id: string;
  readonly folder: string;
  readonly composers: ReadonlySet<string>;
}

/** The windows of one folder, and which of the composers are theirs. */
async function readWindows(storage: string, composers: readonly string[]): Promise<readonly Window[]> {
  const windows: Window[] = [];
  for (const id of await readdir(storage).catch(() => [])) {
    const [folder, ...more] = await readWindowFolders(path.join(storage, id));
    if (folder === undefined || more.length > 0) continue;
    const names = await readDatabaseCopy(path.join(storage, id, databaseName), async sql =>
      sql.all(
        "SELECT key, value FROM ItemTable WHERE key = 'composer.composerData' OR key LIKE 'workbench.panel.composerChatViewPane%'",
      ),
    ).catch(() => []);
    // Ids are unique: where one stands in what the window keeps, it is the window's.
    const text = names.map(it => textOf(it.value)).join('\n');
    windows.push({ id, folder, composers: new Set(composers.filter(it => text.includes(it))) });
  }
  return windows;
}

/** The messages of a composer, in its order; older ones stand in it as a whole. */
async function readBubbles(
  sql: Sql,
  composer: JsonObject,
  place: { readonly session: string; readonly folder: string },
): Promise<readonly SessionLine[]> {
  const rows = await sql.all(
    'SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ?',
    `bubbleId:${place.session}:`,
    `bubbleId:${place.session};`,
  );
  const bubbles = new Map(rows.map(it => [String(it.key).split(':')[2]!, parseCell(it.value)]));
  const headers = toObjects(composer.fullConversationHeadersOnly);
  const ordered = headers.length > 0 ? headers : toObjects(composer.conversation);
  return ordered.map(it => toLine({ ...it, ...bubbles.get(String(it.bubbleId)) }, toTime(composer.createdAt), place));
}

function toLine(
  { bubbleId, type, text, createdAt }: JsonObject,
  startedAt: string | undefined,
  place: Pick<LineMetadata, 'session' | 'folder'>,
): SessionLine {
  const metadata = { uuid: toSafeField(bubbleId), at: toTime(createdAt) ?? startedAt, branch: undefined, ...place };
  const words = typeof text === 'string' ? text : '';
  if (type === person) return spokenLine('person', words, metadata);
  if (type !== assistant) return { kind: 'malformed' };
  return words.trim() === '' ? skippedLine('toolUse', metadata) : spokenLine('outcome', words, metadata);
}

const textOf = (value: SqlValue | undefined): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : String(value ?? '');

const parseCell = (value: SqlValue | undefined): JsonObject | undefined => parseJsonObject(textOf(value));
