import type { StoreReport } from '../../model/storeReport.js';
import type { StoreKind } from '../../model/memory.js';
import { formatMessage, type MessageTemplateName } from '../../model/engineMessages.js';
import { AuditVerifier } from '../audit.js';
import { LoggedState } from '../loggedState.js';
import { allowedValues, describeOutsideChanges, isIntact, nameMemories, timeColumns } from '../damagedRows.js';
import type { Sql } from '../../database/database.js';
import { readAuditPages, readSqliteState } from './outsideChanges.js';
import { readMeta } from '../../database/storeState.js';

const pageSize = 1_000;

const enumCheck = (column: string, values: readonly string[]): string =>
  `${column} IN (${values.map(it => `'${it}'`).join(', ')})`;

/** Memories that the audit log says were made and not deleted, and that are not there. */
export const goneUnauditedSql = `SELECT memory_id FROM audit WHERE memory_id IS NOT NULL GROUP BY memory_id
  HAVING sum(action = 'create') > 0 AND sum(action IN ('prune', 'purge', 'move', 'rollback')) = 0
  EXCEPT SELECT id FROM memories`;

/** Memories whose lane, pin or confidence is not what the last line about them says; lines of before have none. */
export const changedRowsSql = `SELECT m.id, m.lane, m.pinned, m.confidence FROM memories m JOIN (
    SELECT memory_id, detail ->> '$.row[0]' AS lane, detail ->> '$.row[1]' AS pinned,
      detail ->> '$.row[2]' AS confidence, max(seq)
    FROM audit WHERE memory_id IS NOT NULL AND iif(json_valid(detail), detail -> '$.row', NULL) IS NOT NULL
    GROUP BY memory_id) logged ON logged.memory_id = m.id
  WHERE m.lane <> logged.lane OR m.pinned <> logged.pinned OR abs(m.confidence - logged.confidence) > 1e-9 ORDER BY m.row`;

/** Queries that must count 0 rows, each with the message for the violation. */
const violationQueries: readonly (readonly [
  sql: string,
  problem: Extract<MessageTemplateName, 'notAudited' | 'goneUnaudited' | 'notSearchable'>,
])[] = [
  [
    "memories m WHERE NOT EXISTS (SELECT 1 FROM audit a WHERE a.memory_id = m.id AND a.action = 'create')",
    'notAudited',
  ],
  [`(${goneUnauditedSql})`, 'goneUnaudited'],
  ['memories WHERE row NOT IN (SELECT rowid FROM memory_terms)', 'notSearchable'],
];

const damagedSql = `SELECT substr(id, -8) AS handle FROM memories
  WHERE NOT (json_valid(tags) AND json_valid(provenance)
    AND ${allowedValues.map(it => enumCheck(...it)).join(' AND ')}
    AND ${timeColumns.map(it => `julianday(${it}) IS NOT NULL`).join(' AND ')})
  ORDER BY row`;

/**
 * Verifies one snapshot of a store: the file, the audit chain, and that rows, full-text index and chain hold the same
 * memories and the texts that were stored.
 */
export async function verifyStore(
  sql: Sql,
  store: StoreKind,
  file: string,
): Promise<StoreReport & { readonly isFileDamaged: boolean }> {
  const problems: string[] = [];
  for (const row of await sql.all('PRAGMA integrity_check')) {
    if (row.integrity_check !== 'ok') problems.push(`The database file is damaged: ${String(row.integrity_check)}.`);
  }
  const areSomePagesDamaged = problems.length > 0;
  const chain = new AuditVerifier();
  const logged = new LoggedState();
  for await (const entries of readAuditPages(sql)) {
    chain.add(entries);
    logged.add(entries);
  }
  problems.push(...chain.finish(await readMeta(sql, 'auditHead')));
  const count = async (from: string): Promise<number> =>
    (await sql.get(`SELECT count(*) AS n FROM ${from}`))!.n as number;
  for (const [from, problem] of violationQueries) {
    const found = await count(from);
    if (found > 0) problems.push(formatMessage(problem, found));
  }
  const damaged = await sql.all(damagedSql);
  if (damaged.length > 0) {
    const handles = damaged.map(it => it.handle as string);
    problems.push(formatMessage('damagedFields', damaged.length, nameMemories(handles)));
  }
  const changed = await findChangedTexts(sql);
  if (changed.length > 0) problems.push(formatMessage('changedTexts', changed.length, nameMemories(changed)));
  const rewritten = await sql.all(changedRowsSql);
  if (rewritten.length > 0) {
    const handles = rewritten.map(it => String(it.id).slice(-8));
    problems.push(formatMessage('changedRows', rewritten.length, nameMemories(handles)));
  }
  problems.push(...describeOutsideChanges(logged.compare(await readSqliteState(sql))));
  const isFileDamaged = areSomePagesDamaged || changed.length > 0;
  return { store, file, memories: await count('memories'), auditEntries: chain.entries, problems, isFileDamaged };
}

/** Short ids of memories whose text is not what was stored. */
export async function findChangedTexts(sql: Sql): Promise<string[]> {
  const changed: string[] = [];
  for (let after = 0; ;) {
    const rows = await sql.all(
      `SELECT row, id, content, summary, provenance, content_hash FROM memories NOT INDEXED
       WHERE row > ? ORDER BY row LIMIT ?`,
      after,
      pageSize,
    );
    if (rows.length === 0) return changed;
    changed.push(...rows.filter(it => !isIntact(it)).map(it => String(it.id).slice(-8)));
    after = rows.at(-1)!.row as number;
  }
}
