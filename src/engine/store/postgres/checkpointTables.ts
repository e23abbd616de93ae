import type { PostgresSql } from '../../database/postgres/postgresPool.js';

/** Tables that a checkpoint has copies of. The audit log and traces outlive a restore; counts of terms follow from memories. */
export const copiedPostgresTables = ['memories', 'aids', 'models', 'vectors', 'edges', 'records', 'sequences'] as const;
export type CopiedPostgresTable = (typeof copiedPostgresTables)[number];

/** A regular expression for the names of checkpoints' tables. */
export const checkpointTablePattern = '^checkpoint_[0-9a-f]{8}_';

/** Name of a checkpoint's copy of a table. */
export function checkpointTable(id: string, table: CopiedPostgresTable): string {
  return `checkpoint_${id}_${table}`;
}

/** Deletes a checkpoint that is there. */
export async function dropPostgresCheckpoint(sql: PostgresSql, id: string): Promise<void> {
  await sql.exec(`DROP TABLE IF EXISTS ${copiedPostgresTables.map(it => checkpointTable(id, it)).join(', ')}`);
  await sql.run('DELETE FROM checkpoints WHERE id = $1', id);
}
