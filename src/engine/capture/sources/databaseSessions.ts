import path from 'node:path';
import { resolveRealFolders } from './sessionFiles.js';
import type { Sql } from '../../database/database.js';
import { databaseStamp, readDatabaseCopy } from './databaseCopy.js';
import type { SessionLine } from './sessionLine.js';

/** A session that a database holds. */
export interface DatabaseSession {
  readonly id: string;
  readonly folder: string;
  readonly lines: readonly SessionLine[];
}

/** Between the file of a database and the id of a session: together they stand for a file of its own. */
const separator = '#';

/** The sessions of the folders that are read from a database, kept while that does not change. */
export class DatabaseSessions {
  private known: { readonly key: string; readonly sessions: ReadonlyMap<string, DatabaseSession> } | undefined;

  constructor(
    /** Reads the sessions in one of the folders, or the one with an id. Oldest first. */
    private readonly load: (
      sql: Sql,
      wanted: { readonly roots: readonly string[] } | { readonly id: string },
      file: string,
    ) => Promise<readonly DatabaseSession[]>,
  ) {}

  /** The names of the sessions in the folders, oldest first; none where there is no database. */
  async list(file: string, workspaceFolders: readonly string[]): Promise<string[]> {
    const stamp = await databaseStamp(file);
    if (stamp === undefined) return [];
    const roots = await resolveRealFolders(workspaceFolders);
    const sessions = await readDatabaseCopy(file, sql => this.load(sql, { roots }, file));
    this.known = { key: `${file} ${stamp}`, sessions: new Map(sessions.map(it => [it.id, it])) };
    return sessions.map(it => `${file}${separator}${it.id}`);
  }

  /** Undefined where there is no such session. */
  async get(name: string): Promise<DatabaseSession | undefined> {
    const at = path.basename(name).indexOf(separator);
    if (at < 0) return undefined;
    const file = path.join(path.dirname(name), path.basename(name).slice(0, at));
    const id = path.basename(name).slice(at + 1);
    const key = `${file} ${await databaseStamp(file)}`;
    const found = this.known?.key === key ? this.known.sessions.get(id) : undefined;
    if (found !== undefined) return found;
    const [session] = await readDatabaseCopy(file, sql => this.load(sql, { id }, file));
    if (session !== undefined) {
      const others = this.known?.key === key ? this.known.sessions : new Map<string, DatabaseSession>();
      this.known = { key, sessions: new Map([...others, [id, session]]) };
    }
    return session;
  }
}

/** Whether a file is a session of a database. */
export function isDatabaseSession(name: string): boolean {
  return path.basename(name).includes(separator);
}
