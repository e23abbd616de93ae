import { parseObject } from '../../database/jsonColumns.js';
import { aboutMemoriesSql, mayQuoteSql, recordKindKeptByReset, withoutUnwanted } from '../permanentDeletion.js';
import type { StoreTransaction } from '../store.js';
import type { SharedSql, SqlDialect } from './sharedSql.js';

/** Content that a purge deletes from records and traces. */
interface PurgedContent {
  readonly ids: readonly string[];
  /** Texts that no record may quote, as JSON quotes them. */
  readonly quoted: readonly string[];
  /** The sessions whose capture is forgotten, as JSON quotes them. */
  readonly sessions: readonly string[];
}

/** Deletes the records and traces that name a purged memory or quote its text, and what was captured from its session. */
export async function deletePurgedRecords(
  sql: SharedSql,
  dialect: SqlDialect,
  { ids, quoted, sessions }: PurgedContent,
): Promise<void> {
  const list = dialect.text(1);
  const namesOne = (text: string): string => dialect.names(text, list);
  const [wantedIds, wantedTexts] = [JSON.stringify(ids), JSON.stringify(quoted)];
  // Proposals contain merged texts, traces and uncertain pairs quote memories, and a request is about one.
  await sql.run(
    `DELETE FROM records WHERE ${aboutMemoriesSql} AND ${namesOne("records.id || ' ' || records.body")}`,
    wantedIds,
  );
  await deleteFromReviews(sql, dialect, [...ids, ...quoted, ...sessions]);
  for (const wanted of [wantedIds, wantedTexts])
    await sql.run(`DELETE FROM traces WHERE ${namesOne('traces.trace')}`, wanted);
  await emptyCursors(sql, dialect, [...quoted, ...sessions]);
  await sql.run(
    `DELETE FROM records WHERE kind <> 'cursor' AND ${mayQuoteSql} AND ${namesOne('records.body')}`,
    wantedTexts,
  );
  await sql.run(
    `DELETE FROM records WHERE kind = 'state' AND id LIKE 'candidates:%' AND ${namesOne('records.body')}`,
    JSON.stringify(sessions),
  );
}

/** @param unwanted ids and texts as JSON quotes them */
async function deleteFromReviews(sql: SharedSql, { text }: SqlDialect, unwanted: readonly string[]): Promise<void> {
  for (const { id, body } of await sql.all("SELECT id, body FROM records WHERE kind = 'review'")) {
    const rest = withoutUnwanted(String(body), unwanted);
    if (rest === body) continue;
    if (rest === undefined)
      await sql.run(`DELETE FROM records WHERE kind = 'review' AND id = ${text(1)}`, id as string);
    else
      await sql.run(
        `UPDATE records SET body = ${text(1)} WHERE kind = 'review' AND id = ${text(2)}`,
        rest,
        id as string,
      );
  }
}

/**
 * A cursor stays without what it holds of a session: without it the session would be captured again.
 * @param unwanted texts as JSON quotes them
 */
async function emptyCursors(sql: SharedSql, { text, names }: SqlDialect, unwanted: readonly string[]): Promise<void> {
  const rows = await sql.all(
    `SELECT id, body FROM records WHERE kind = 'cursor' AND ${names('records.body', text(1))}`,
    JSON.stringify(unwanted),
  );
  for (const { id, body } of rows)
    await sql.run(
      `UPDATE records SET body = ${text(1)} WHERE kind = 'cursor' AND id = ${text(2)}`,
      JSON.stringify({ ...parseObject(body as string), story: {} }),
      id as string,
    );
}

/** Deletes the records that a reset does not keep. */
export async function deleteRecordsForReset(sql: SharedSql, { text }: SqlDialect): Promise<void> {
  await sql.run(`DELETE FROM records WHERE kind <> ${text(1)}`, recordKindKeptByReset);
}

/** @returns how many of the ids were sensitive memories */
export async function deleteSensitiveRecords(
  sql: SharedSql,
  { text, isIn }: SqlDialect,
  tx: StoreTransaction,
  ids: readonly string[],
): Promise<number> {
  const rows = await sql.all(
    `SELECT id FROM records WHERE kind = 'sensitive' AND ${isIn('id', text(1))}`,
    JSON.stringify(ids),
  );
  for (const { id } of rows) {
    await tx.deleteRecord('sensitive', id as string);
    await tx.log('consent', { sensitive: id, withdrawn: true });
  }
  if (rows.length > 0) await tx.announce();
  return rows.length;
}
