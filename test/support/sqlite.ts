import sqlite3 from '@vscode/sqlite3';

/** Runs SQL on a database file on a separate connection, and returns the rows of the last statement. */
export async function sql(file: string, ...statements: readonly string[]): Promise<Record<string, unknown>[]> {
  const db = await new Promise<sqlite3.Database>((resolve, reject) => {
    const opened: sqlite3.Database = new sqlite3.Database(file, error => {
      if (error === null) resolve(opened);
      else reject(error);
    });
  });
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) {
      rows = await new Promise((resolve, reject) => {
        db.all(statement, (error: Error | null, found: Record<string, unknown>[]) => {
          if (error === null) resolve(found);
          else reject(error);
        });
      });
    }
    return rows;
  } finally {
    await new Promise<void>(resolve => {
      db.close(() => {
        resolve();
      });
    });
  }
}
