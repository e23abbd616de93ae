import type { StoreKind } from '../../model/memory.js';
import { restoredRecords } from '../restoredRecords.js';
import type { Sql, SqlTransaction } from '../../database/database.js';
import { updateInDegrees } from './edges.js';
import { changedRowsSql } from './integrityCheck.js';
import { findOutsideChanges } from './outsideChanges.js';
import { readMeta } from '../../database/storeState.js';
import { memoryColumns } from '../memoryRow.js';
import { questionModelsSql } from '../questionVectors.js';
import { SqliteTransaction } from './sqliteTransaction.js';

const restoredColumns = ['row', ...memoryColumns, 'in_degree'].join(', ');

/**
 * Makes the store equal to the attached database `other`, row by row where they differ, in one transaction: other
 * processes keep the file open and see all changes at once. Kept: the audit log, which is appended to; the revision,
 * which rises; traces; vectors of unchanged memories. Purged memories stay purged.
 * @returns numbers of added, removed and changed memories; undefined, without any change, if the revision is not the
 * expected one
 */
export async function restoreCheckpoint(
  sql: SqlTransaction,
  options: {
    readonly kind: StoreKind;
    readonly actor: string;
    readonly at: string;
    readonly expectedRevision: number;
    readonly detail: Readonly<Record<string, unknown>>;
  },
): Promise<{ readonly back: number; readonly gone: number; readonly changed: number } | undefined> {
  if (Number(await readMeta(sql, 'revision')) !== options.expectedRevision) return undefined;
  const tx = new SqliteTransaction(sql, options.kind, options.actor, options.at);
  await createDiffTables(sql);
  const idsOf = async (query: string): Promise<string[]> => (await sql.all(query)).map(it => it.id as string);
  const gone = await idsOf('SELECT id FROM temp.stale WHERE id NOT IN (SELECT id FROM temp.fresh)');
  const back = await idsOf('SELECT id FROM temp.fresh WHERE id NOT IN (SELECT id FROM temp.stale)');
  const changed = (await sql.get('SELECT count(*) AS n FROM temp.fresh'))!.n as number;
  await applyDiff(sql, await tx.revision());
  await tx.log('rollback', { ...options.detail, gone: gone.length, back: back.length });
  tx.logMany(
    'rollback',
    gone.map(id => [id, { because: 'a checkpoint was restored' }]),
  );
  tx.logMany('create', await unloggedRows(sql));
  tx.logMany('restore', await restoredRows(sql));
  tx.logState(await findOutsideChanges(sql));
  await sql.exec('DROP TABLE temp.stale; DROP TABLE temp.fresh; DROP TABLE temp.purged;');
  await tx.commitMetadata();
  return { back: back.length, gone: gone.length, changed: changed - back.length };
}

/** `stale`: rows to remove. `fresh`: rows to add. A changed row is in both. */
async function createDiffTables(sql: SqlTransaction): Promise<void> {
  await sql.exec(`
    DROP TABLE IF EXISTS temp.stale; DROP TABLE IF EXISTS temp.fresh; DROP TABLE IF EXISTS temp.purged;
    CREATE TEMP TABLE purged AS
      SELECT row FROM other.memories WHERE id IN (SELECT memory_id FROM main.audit WHERE action = 'purge');
    CREATE TEMP TABLE stale AS SELECT row, id FROM (
      SELECT ${restoredColumns} FROM main.memories EXCEPT SELECT ${restoredColumns} FROM other.memories);
    CREATE TEMP TABLE fresh AS SELECT row, id FROM (
      SELECT ${restoredColumns} FROM other.memories EXCEPT SELECT ${restoredColumns} FROM main.memories)
      WHERE row NOT IN (SELECT row FROM temp.purged);
    CREATE UNIQUE INDEX temp.stale_rows ON stale (row, id);
    CREATE UNIQUE INDEX temp.fresh_rows ON fresh (row, id);`);
}

async function applyDiff(sql: SqlTransaction, revision: number): Promise<void> {
  // Keep the vectors of rows with the same text; take all others from the checkpoint. The questions may be others.
  const isSameText = `EXISTS (SELECT 1 FROM main.memories m JOIN other.memories o
    ON o.row = m.row AND o.id = m.id AND o.content_hash = m.content_hash WHERE m.row = vectors.row)`;
  const goneEdges = `source IN (SELECT row FROM temp.purged) OR target IN (SELECT row FROM temp.purged)`;
  await sql.exec(`
    DELETE FROM main.vectors WHERE row IN (SELECT row FROM temp.stale) AND NOT ${isSameText};
    DELETE FROM main.vectors WHERE model IN (${questionModelsSql}) AND row IN (
      SELECT m.row FROM main.aids m LEFT JOIN other.aids o ON o.row = m.row WHERE o.questions IS NOT m.questions);
    DELETE FROM main.memory_terms WHERE rowid IN (SELECT row FROM temp.stale);
    DELETE FROM main.memories WHERE row IN (SELECT row FROM temp.stale);
    INSERT INTO main.memories (${restoredColumns}, change)
      SELECT ${restoredColumns}, ${revision} FROM other.memories WHERE row IN (SELECT row FROM temp.fresh);
    INSERT INTO main.memory_terms (rowid, terms)
      SELECT rowid, terms FROM other.memory_terms WHERE rowid IN (SELECT row FROM temp.fresh);
    -- A row that another memory takes is removed first, by who has an index of it.
    INSERT OR REPLACE INTO main.removed (row, change)
      SELECT row, ${revision} FROM temp.stale s WHERE NOT EXISTS
        (SELECT 1 FROM temp.fresh f WHERE f.row = s.row AND f.id = s.id);
    UPDATE main.memories SET change = ${revision} WHERE row IN (SELECT row FROM (
      SELECT * FROM (SELECT * FROM main.aids EXCEPT SELECT * FROM other.aids)
      UNION SELECT * FROM (SELECT * FROM other.aids EXCEPT SELECT * FROM main.aids)));
    DELETE FROM main.aids;
    INSERT INTO main.aids SELECT * FROM other.aids WHERE row IN (SELECT row FROM main.memories);
    INSERT OR IGNORE INTO main.models (id) SELECT id FROM other.models;
    INSERT OR IGNORE INTO main.vectors (model, row, vector)
      SELECT m.number, v.row, v.vector FROM other.vectors v
      JOIN other.models o ON o.number = v.model JOIN main.models m ON m.id = o.id
      WHERE v.row IN (SELECT row FROM temp.fresh);
    DELETE FROM main.edges;
    INSERT INTO main.edges SELECT * FROM other.edges WHERE NOT (${goneEdges});
    DELETE FROM main.sequences;
    INSERT INTO main.sequences SELECT * FROM other.sequences;
    DELETE FROM main.records WHERE kind IN (${quoted(restoredRecords)});
    INSERT INTO main.records SELECT * FROM other.records WHERE kind IN (${quoted(restoredRecords)});`);
  const neighbours = `SELECT source AS row FROM other.edges WHERE ${goneEdges} UNION SELECT target FROM other.edges WHERE ${goneEdges}`;
  await sql.exec(`CREATE TEMP TABLE neighbours AS ${neighbours};`);
  const rows = (await sql.all('SELECT row FROM temp.neighbours')).map(it => it.row as number);
  await sql.exec('DROP TABLE temp.neighbours;');
  if (rows.length > 0) await updateInDegrees(sql, 'row', rows);
}

/** Added memories without an audit line: the log was reset after the checkpoint was made. */
async function unloggedRows(sql: SqlTransaction): Promise<[id: string, detail: object][]> {
  const rows = await sql.all(
    `SELECT m.id, m.content_hash, m.lane, m.pinned, m.confidence FROM temp.fresh f JOIN main.memories m ON m.row = f.row
     WHERE NOT EXISTS (SELECT 1 FROM main.audit a WHERE a.memory_id = m.id AND a.action = 'create')`,
  );
  return rows.map(it => [
    it.id as string,
    {
      contentHash: it.content_hash,
      lane: it.lane,
      row: [it.lane, it.pinned, it.confidence],
      because: 'a checkpoint was restored',
    },
  ]);
}

/** Lines for memories that have another lane, pin or confidence again, which the log holds otherwise. */
async function restoredRows(sql: Sql): Promise<[id: string, detail: object][]> {
  const rows = await sql.all(changedRowsSql);
  return rows.map(it => [
    it.id as string,
    { row: [it.lane, it.pinned, it.confidence], because: 'a checkpoint was restored' },
  ]);
}

function quoted(kinds: readonly string[]): string {
  return kinds.map(it => `'${it}'`).join(', ');
}
