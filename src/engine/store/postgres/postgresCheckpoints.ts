import { randomBytes } from 'node:crypto';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import type { PostgresRow } from '../../database/postgres/postgresConnection.js';
import type { PostgresPool, PostgresSql } from '../../database/postgres/postgresPool.js';
import type { Checkpoint, CheckpointOrigin, RestoreResult } from '../../model/checkpoint.js';
import type { StoreKind } from '../../model/memory.js';
import { restoredRecords } from '../restoredRecords.js';
import type { CheckpointLabel, StoreCheckpoints } from '../store.js';
import { checkpointTable, copiedPostgresTables, dropPostgresCheckpoint } from './checkpointTables.js';
import { postgresStoreName } from './postgresStore.js';
import type { PostgresWriter } from './postgresWriter.js';
import { restorePostgresCheckpoint } from './restorePostgresCheckpoint.js';
import { postgresMigrations } from './migrations.js';

const listSql = `SELECT c.id, c.at, c.origin, c.reason, c.version, c.memories, count(t.oid)::int AS tables,
    coalesce(sum(pg_total_relation_size(t.oid)), 0)::float8 AS bytes
  FROM checkpoints c LEFT JOIN pg_class t ON t.relkind = 'r' AND starts_with(t.relname::text, 'checkpoint_' || c.id || '_')
    AND t.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
  GROUP BY c.id ORDER BY c.at DESC, c.id DESC`;

/** Checkpoints of one store on a server: copies of its tables, in the same schema. Backups are the server's own matter. */
export class PostgresCheckpoints implements StoreCheckpoints {
  constructor(
    private readonly kind: StoreKind,
    private readonly pool: PostgresPool,
    private readonly writer: PostgresWriter,
    private readonly maxCheckpoints: () => number,
  ) {}

  make({ reason, origin }: CheckpointLabel): Promise<Checkpoint> {
    return this.writer.exclusively(async sql => {
      return this.createCopy(sql, { reason, origin });
    });
  }

  async list(): Promise<Checkpoint[]> {
    return (await this.pool.read.all(listSql)).map(it => this.toCheckpoint(it));
  }

  restore(actor: string, id: string): Promise<RestoreResult> {
    return this.writer.exclusively(async sql => {
      const row = await findRow(sql, id);
      const restored = this.toCheckpoint(row);
      if ((row.version as number) > postgresMigrations.length) {
        throw new EngineError(
          'storeTooNew',
          message`The checkpoint of ${restored.at} was made by a newer Recollect. Update Recollect to restore it; nothing was changed.`,
        );
      }
      if (row.tables !== copiedPostgresTables.length) {
        throw new EngineError(
          'storeDamaged',
          message`The checkpoint of ${restored.at} is damaged and cannot be restored. Choose another one; nothing was changed.`,
        );
      }
      const before = await this.createCopy(sql, {
        reason: `before restoring the checkpoint of ${restored.at}`,
        origin: 'engine',
        keptId: id,
      });
      const result = await this.writer.writeIn(sql, actor, tx =>
        restorePostgresCheckpoint(sql, tx, id, { checkpoint: id, from: restored.at }),
      );
      return { restored, before, ...result };
    });
  }

  delete(id: string): Promise<Checkpoint> {
    return this.writer.exclusively(async sql => {
      const row = await findRow(sql, id);
      await dropPostgresCheckpoint(sql, id);
      return this.toCheckpoint(row);
    });
  }

  /** Makes a copy, and deletes the oldest of its origin over the limit, except `keptId`. The store must be locked. */
  private async createCopy(
    sql: PostgresSql,
    {
      reason,
      origin,
      keptId,
    }: { readonly reason: string; readonly origin: CheckpointOrigin; readonly keptId?: string },
  ): Promise<Checkpoint> {
    const id = randomBytes(4).toString('hex');
    for (const table of copiedPostgresTables) {
      const rows = table === 'records' ? `WHERE kind IN (${restoredRecords.map(it => `'${it}'`).join(', ')})` : '';
      await sql.exec(`CREATE TABLE ${checkpointTable(id, table)} AS SELECT * FROM ${table} ${rows}`);
    }
    await sql.run(
      `INSERT INTO checkpoints (id, at, origin, reason, version, memories)
       SELECT $1, $2, $3, $4, $5::int, count(*) FROM memories`,
      ...[id, this.writer.now().toISOString(), origin, reason, postgresMigrations.length],
    );
    const older = await sql.all(
      `SELECT id FROM checkpoints WHERE origin = $1 AND id <> $2 AND id <> $3
       ORDER BY at DESC, id DESC OFFSET $4::bigint`,
      ...[origin, id, keptId ?? '', Math.max(0, this.maxCheckpoints() - 1)],
    );
    for (const it of older) await dropPostgresCheckpoint(sql, it.id as string);
    return this.toCheckpoint(await findRow(sql, id));
  }

  /** @param row of `listSql` */
  private toCheckpoint(row: PostgresRow): Checkpoint {
    const of = postgresStoreName(this.pool);
    return {
      id: row.id as string,
      store: this.kind,
      of,
      file: `${of}.checkpoint_${row.id as string}`,
      at: row.at as string,
      reason: row.reason as string,
      origin: row.origin as CheckpointOrigin,
      bytes: row.bytes as number,
      memories: row.memories as number,
    };
  }
}

/** @returns the row of `listSql` @throws EngineError notFound */
async function findRow(sql: PostgresSql, id: string): Promise<PostgresRow> {
  const row = (await sql.all(listSql)).find(it => it.id === id);
  if (row !== undefined) return row;
  throw new EngineError(
    'notFound',
    message`There is no checkpoint ${id.slice(0, 40)}. List them: recollect checkpoint list.`,
  );
}
