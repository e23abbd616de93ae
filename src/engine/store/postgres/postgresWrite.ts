import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import type { PostgresTransaction } from './postgresTransaction.js';

/** The channel on which other programs hear of a write: `schema revision`. */
export const postgresStoreChannel = 'recollect_store';

/** Waits for the writers before, and makes those after wait until the end of the transaction. */
export async function lockPostgresStore(sql: PostgresSql): Promise<void> {
  await sql.run("SELECT value FROM meta WHERE key = 'revision' FOR UPDATE");
}

/** Runs one write and announces it to the programs that listen, when it is committed. */
export async function runPostgresWrite<T>(
  sql: PostgresSql,
  schema: string,
  tx: PostgresTransaction,
  work: (tx: PostgresTransaction) => Promise<T>,
): Promise<T> {
  const result = await work(tx);
  await tx.commitMetadata();
  if (tx.changed) await sql.run('SELECT pg_notify($1, $2)', postgresStoreChannel, `${schema} ${await tx.revision()}`);
  return result;
}
