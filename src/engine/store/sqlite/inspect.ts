import type { AuditAction, StoreReport } from '../../model/change.js';
import { decayClasses, gates, kinds, lanes, statuses, type StoreKind } from '../../model/memory.js';
import { sentence, type SentenceName } from '../../model/sentences.js';
import { AuditVerifier, type AuditEntry } from '../../security/audit.js';
import type { Row, Sql } from './database.js';
import { meta } from './meta.js';

const pageSize = 1_000;

const oneOf = (column: string, values: readonly string[]): string =>
  `${column} IN (${values.map(it => `'${it}'`).join(', ')})`;

/** Counts of memories that must be none, each with the sentence that tells of them. */
const mustBeNone: readonly (readonly [
  sql: string,
  problem: Extract<SentenceName, 'notAudited' | 'goneUnaudited' | 'notSearchable'>,
])[] = [
  [
    "memories m WHERE NOT EXISTS (SELECT 1 FROM audit a WHERE a.memory_id = m.id AND a.action = 'create')",
    'notAudited',
  ],
  [
    `(SELECT memory_id FROM audit WHERE memory_id IS NOT NULL GROUP BY memory_id
      HAVING sum(action = 'create') > 0 AND sum(action IN ('prune', 'purge', 'rollback')) = 0
      EXCEPT SELECT id FROM memories)`,
    'goneUnaudited',
  ],
  ['memories WHERE row NOT IN (SELECT rowid FROM memory_terms)', 'notSearchable'],
];

/** Of damaged memories, so many are named. */
const named = 5;
const damagedSql = `SELECT substr(id, -8) AS handle FROM memories
  WHERE NOT (json_valid(tags) AND json_valid(provenance)
    AND ${oneOf('gate', gates)} AND ${oneOf('kind', kinds)} AND ${oneOf('lane', lanes)}
    AND ${oneOf('decay_class', decayClasses)} AND ${oneOf('status', statuses)}
    AND ${['created_at', 'updated_at', 'reinforced_at'].map(it => `julianday(${it}) IS NOT NULL`).join(' AND ')})
  ORDER BY row`;

/** Checks one state of a store: the file, the audit chain, and that rows, index and chain tell of the same memories. */
export async function inspect(sql: Sql, store: StoreKind, file: string): Promise<StoreReport> {
  const problems: string[] = [];
  for (const row of await sql.all('PRAGMA integrity_check')) {
    if (row.integrity_check !== 'ok') problems.push(`The database file is damaged: ${String(row.integrity_check)}.`);
  }
  const chain = new AuditVerifier();
  for (let after = 0; ;) {
    const rows = await sql.all('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?', after, pageSize);
    if (rows.length === 0) break;
    chain.add(rows.map(toAuditEntry));
    after = rows.at(-1)!.seq as number;
  }
  problems.push(...chain.finish(await meta(sql, 'auditHead')));
  const count = async (from: string): Promise<number> =>
    (await sql.get(`SELECT count(*) AS n FROM ${from}`))!.n as number;
  for (const [from, problem] of mustBeNone) {
    const found = await count(from);
    if (found > 0) problems.push(sentence(problem, found));
  }
  const damaged = await sql.all(damagedSql);
  if (damaged.length > 0) {
    const handles = damaged.slice(0, named).map(it => `#${String(it.handle)}`);
    const names = [...handles, ...(damaged.length > named ? ['…'] : [])].join(', ');
    problems.push(sentence('damagedFields', damaged.length, names));
  }
  return { store, file, memories: await count('memories'), auditEntries: chain.entries, problems };
}

function toAuditEntry(row: Row): AuditEntry {
  return {
    seq: row.seq as number,
    at: row.at as string,
    action: row.action as AuditAction,
    memoryId: (row.memory_id as string | null) ?? undefined,
    actor: row.actor as string,
    detail: row.detail as string,
    hash: row.hash as string,
  };
}
