import type { PostgresPool, PostgresSql } from '../../database/postgres/postgresPool.js';
import type { DeletionResult } from '../../model/deletionResult.js';
import type { Log } from '../../model/host.js';
import { aboutMemoriesSql, mayQuoteSql, toQuotedSessions, toQuotedTexts } from '../permanentDeletion.js';
import { deletePurgedRecords, deleteRecordsForReset, deleteSensitiveRecords } from '../sql/purgedRecords.js';
import type { StoreHardDeletion } from '../store.js';
import { checkpointTable, checkpointTablePattern, dropPostgresCheckpoint } from './checkpointTables.js';
import { updatePostgresInDegrees } from './postgresEdges.js';
import { postgresDialect } from './postgresDialect.js';
import { postgresStoreName } from './postgresStore.js';
import type { PostgresTransaction } from './postgresTransaction.js';
import type { PostgresWriter } from './postgresWriter.js';

/** Content that a purge deletes. */
interface PurgedContent {
  readonly ids: readonly string[];
  /** Records of the capture of this session, or of `everySession`, goes too. */
  readonly session: string | symbol | undefined;
  /** Texts that no record may quote. */
  readonly texts: readonly string[];
}

/** Whether a text names one of an array of texts. @param array a parameter, `$1` */
const names = (text: string, array: string): string =>
  `EXISTS (SELECT 1 FROM unnest(${array}::text[]) AS wanted (text) WHERE strpos(${text}, wanted.text) > 0)`;

/** Whether tables of memories and records have or name one of the ids in $1, or quote one of the texts in $2. */
const hasAnySql = (memories: string, records: string): string => `(
  EXISTS (SELECT 1 FROM ${memories} WHERE id = ANY($1::text[]))
  OR EXISTS (SELECT 1 FROM ${records} AS records WHERE records.kind = 'sensitive' AND records.id = ANY($1::text[])
    OR (${aboutMemoriesSql} OR records.kind = 'review') AND ${names("records.id || ' ' || records.body", '$1')}
    OR ${mayQuoteSql} AND ${names('records.body', '$2')}))`;

/**
 * Deletes permanently: from the tables, from the free pages of their files, and from the checkpoints. The server's own log and
 * backups are its administrator's matter.
 */
export class PostgresHardDeletion implements StoreHardDeletion {
  constructor(
    private readonly pool: PostgresPool,
    private readonly writer: PostgresWriter,
    private readonly log: Log,
  ) {}

  async knowsAny(ids: readonly string[], texts: readonly string[]): Promise<boolean> {
    const quoted = toQuotedTexts(texts);
    const found = await this.pool.read.get(
      `SELECT ${hasAnySql('memories', 'records')} OR EXISTS (SELECT 1 FROM audit WHERE memory_id = ANY($1::text[]))
         OR EXISTS (SELECT 1 FROM traces WHERE ${names('trace', '$1')} OR ${names('trace', '$2')}) AS any`,
      ids,
      quoted,
    );
    if (found!.any === true) return true;
    for (const copy of await listCopies(this.pool.read))
      if (await copyHasAny(this.pool.read, copy, ids, quoted)) return true;
    return false;
  }

  async purge(
    actor: string,
    ids: readonly string[],
    { session, texts = [] }: Parameters<StoreHardDeletion['purge']>[2] = {},
  ): Promise<DeletionResult> {
    const purged: PurgedContent = { ids, session, texts };
    const { memories, copies } = await this.writer.exclusively(async sql => {
      let copies = 0;
      for (const copy of await listCopies(sql)) {
        if (!(await copyHasAny(sql, copy, ids, toQuotedTexts(texts)))) continue;
        await deleteFromCopy(sql, copy, purged);
        copies++;
      }
      const memories = await this.writer.writeIn(sql, actor, tx => deleteFromStore(sql, tx, purged));
      return { memories, copies };
    });
    return { memories, copies, left: await this.vacuum() };
  }

  async reset(actor: string): Promise<DeletionResult> {
    const result = await this.writer.exclusively(async sql => {
      const copies = await listCopies(sql);
      for (const copy of copies) await dropPostgresCheckpoint(sql, copy);
      const memories = await this.writer.writeIn(sql, actor, tx => deleteEverything(sql, tx));
      return { memories, copies: copies.length };
    });
    return { ...result, left: await this.vacuum() };
  }

  /**
   * Rewrites the tables' files without what was deleted.
   * @returns the store if that failed
   */
  private async vacuum(): Promise<string[]> {
    try {
      const statements = await this.pool.read.all(
        // The tables of pgvector are not rewritten: their indexes would take minutes.
        `SELECT format(CASE WHEN tablename LIKE 'embeddings\\_%' THEN 'VACUUM %I.%I' ELSE 'VACUUM (FULL) %I.%I' END,
           schemaname, tablename) AS statement
         FROM pg_tables WHERE schemaname = current_schema()
           AND tablename NOT IN ('audit', 'meta', 'leases', 'totals', 'models', 'sequences', 'checkpoints')
           AND tablename !~ ($1::text || '(?:models|sequences)$')`,
        checkpointTablePattern,
      );
      for (const { statement } of statements) await this.pool.read.exec(statement as string);
      return [];
    } catch (error) {
      // The disk is full, or another process reads all the time.
      const store = postgresStoreName(this.pool);
      this.log.error(`${store} could not be cleaned of what was deleted.`, error);
      return [store];
    }
  }
}

/** Ids of the checkpoints. */
async function listCopies(sql: PostgresSql): Promise<readonly string[]> {
  return (await sql.all('SELECT id FROM checkpoints ORDER BY at, id')).map(it => it.id as string);
}

/** @param quoted texts as JSON quotes them */
async function copyHasAny(
  sql: PostgresSql,
  copy: string,
  ids: readonly string[],
  quoted: readonly string[],
): Promise<boolean> {
  const has = hasAnySql(checkpointTable(copy, 'memories'), checkpointTable(copy, 'records'));
  const found = await sql.get(`SELECT ${has} AS any`, ids, quoted);
  return found!.any === true;
}

async function deleteFromCopy(sql: PostgresSql, copy: string, { ids, texts }: PurgedContent): Promise<void> {
  const [memories, aids, vectors, edges, records] = (['memories', 'aids', 'vectors', 'edges', 'records'] as const).map(
    it => checkpointTable(copy, it),
  );
  const found = await sql.all(`SELECT content, summary FROM ${memories!} WHERE id = ANY($1::text[])`, ids);
  const neighbors = await sql.all(
    `SELECT target AS id FROM ${edges!} WHERE source = ANY($1::text[])
     UNION SELECT source FROM ${edges!} WHERE target = ANY($1::text[])`,
    ids,
  );
  for (const table of [memories!, aids!, vectors!])
    await sql.run(`DELETE FROM ${table} WHERE id = ANY($1::text[])`, ids);
  await sql.run(`DELETE FROM ${edges!} WHERE source = ANY($1::text[]) OR target = ANY($1::text[])`, ids);
  await updatePostgresInDegrees(
    sql,
    neighbors.map(it => it.id as string),
    { memories: memories!, edges: edges! },
  );
  await sql.run('UPDATE checkpoints SET memories = memories - $2::int WHERE id = $1', copy, found.length);
  const quoted = toQuotedTexts([...texts, ...found.flatMap(it => [it.content as string, it.summary as string])]);
  await sql.run(
    `DELETE FROM ${records!} AS records WHERE ${aboutMemoriesSql} AND ${names("records.id || ' ' || records.body", '$1')}
       OR ${mayQuoteSql} AND ${names('records.body', '$2')}`,
    ids,
    quoted,
  );
}

/** @returns how many existed */
async function deleteFromStore(
  sql: PostgresSql,
  tx: PostgresTransaction,
  { ids, session, texts }: PurgedContent,
): Promise<number> {
  const found = await tx.getMany(ids);
  const foundIds = found.map(it => it.id);
  if (found.length > 0) await tx.deleteMany(foundIds, 'purge');
  const sensitive = await deleteSensitiveRecords(sql, postgresDialect, tx, ids);
  const quoted = toQuotedTexts([...texts, ...found.flatMap(it => [it.content, it.summary])]);
  await deletePurgedRecords(sql, postgresDialect, { ids, quoted, sessions: toQuotedSessions(session) });
  return found.length + sensitive;
}

/** @returns the number of memories */
async function deleteEverything(sql: PostgresSql, tx: PostgresTransaction): Promise<number> {
  const { n: memories } = (await sql.get('SELECT count(*)::int AS n FROM memories'))! as { readonly n: number };
  await tx.revision();
  // With the tables that refer to them.
  await sql.exec(
    'TRUNCATE memories, lexemes, traces, sequences, audit CASCADE; UPDATE totals SET memories = 0, terms = 0',
  );
  await deleteRecordsForReset(sql, postgresDialect);
  tx.resetAuditLog();
  await tx.log('reset', { memories });
  return memories;
}
