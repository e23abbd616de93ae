import sqlite3 from '@vscode/sqlite3';

export type Row = Record<string, unknown>;

/** The rows of a query on a database file, read on a connection of its own. */
export async function rowsOf(file: string, query: string): Promise<Row[]> {
  const db = await new Promise<sqlite3.Database>((resolve, reject) => {
    const opened: sqlite3.Database = new sqlite3.Database(file, error => {
      if (error === null) resolve(opened);
      else reject(error);
    });
  });
  try {
    return await new Promise((resolve, reject) => {
      db.all(query, (error: Error | null, found: Row[]) => {
        if (error === null) resolve(found);
        else reject(error);
      });
    });
  } finally {
    await new Promise<void>(resolve => {
      db.close(() => {
        resolve();
      });
    });
  }
}
