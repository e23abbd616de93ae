import type { Sql, SqlTransaction } from '../../database/database.js';
import { readMeta } from '../../database/storeState.js';
import { contentHashVersion, hashContent } from '../contentHash.js';

/** Whether the hashes of a store are those of this version of the normalized form. */
export async function areContentHashesCurrent(sql: Sql): Promise<boolean> {
  return (await readMeta(sql, 'contentHash')) === contentHashVersion;
}

/**
 * Hashes every memory of a store again where an earlier version of the normalized form was used. Otherwise a fact that is
 * repeated would become a second row, and a forgotten one would come back.
 */
export async function updateContentHashes(sql: SqlTransaction): Promise<void> {
  if (await areContentHashesCurrent(sql)) return;
  for (const { row, content, content_hash: before } of await sql.all(
    'SELECT row, content, content_hash FROM memories',
  )) {
    const after = hashContent(content as string);
    // The earlier form distinguished fewer facts, so no two rows get one hash; a row that did would keep its own.
    if (after !== before) await sql.run('UPDATE OR IGNORE memories SET content_hash = ? WHERE row = ?', after, row!);
  }
  await sql.run("INSERT OR REPLACE INTO meta VALUES ('contentHash', ?)", contentHashVersion);
}
