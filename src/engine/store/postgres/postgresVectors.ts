import { toInt8Components } from '../../base/int8Vector.js';
import { parseStringArray } from '../../database/jsonColumns.js';
import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import type { EmbeddingProgress } from '../../model/storeReport.js';
import { questionModel } from '../questionVectors.js';
import type { PostgresWriter } from './postgresWriter.js';

/** Rows deleted per transaction, so that other writes do not wait long. */
const deleteBatchSize = 5_000;

/** Reads embeddings, and deletes those of models that are out of use. Methods as of `VectorStore`. */
export class PostgresVectors {
  constructor(
    private readonly sql: PostgresSql,
    private readonly writer: PostgresWriter,
  ) {}

  async progress(model: string): Promise<EmbeddingProgress> {
    const row = await this.sql.get(
      `SELECT count(*)::int AS total, count(v.id)::int AS embedded
       FROM memories m LEFT JOIN vectors v ON v.id = m.id AND v.model = $1`,
      model,
    );
    return { embedded: row!.embedded as number, total: row!.total as number };
  }

  async missing(model: string, limit: number): Promise<{ readonly id: string; readonly content: string }[]> {
    const rows = await this.sql.all(
      `SELECT id, content FROM memories m
       WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.id = m.id AND v.model = $1) ORDER BY row DESC LIMIT $2::bigint`,
      model,
      limit,
    );
    return rows.map(it => ({ id: it.id as string, content: it.content as string }));
  }

  async missingQuestions(
    model: string,
    limit: number,
  ): Promise<{ readonly id: string; readonly content: string; readonly questions: readonly string[] }[]> {
    const rows = await this.sql.all(
      `SELECT m.id, m.content, a.questions FROM aids a JOIN memories m ON m.id = a.id
         JOIN vectors v ON v.id = a.id AND v.model = $1
       WHERE a.questions <> '[]' AND NOT EXISTS (SELECT 1 FROM vectors q WHERE q.id = a.id AND q.model = $2)
       ORDER BY m.row DESC LIMIT $3::bigint`,
      model,
      questionModel(model),
      limit,
    );
    return rows.map(it => ({
      id: it.id as string,
      content: it.content as string,
      questions: parseStringArray(it.questions as string),
    }));
  }

  async load(model: string, ids: readonly string[]): Promise<Map<string, Int8Array>> {
    const rows = await this.sql.all(
      'SELECT id, vector FROM vectors WHERE model = $1 AND id = ANY($2::text[])',
      model,
      ids,
    );
    return new Map(rows.map(it => [it.id as string, toInt8Components(it.vector as Uint8Array)]));
  }

  /** A model whose use is not recorded counts as used now. */
  async pruneUnusedModels(
    model: string,
    { at, unusedSince }: { readonly at: string; readonly unusedSince: string },
  ): Promise<void> {
    // The usual case at every start: its use is recorded for this day, and no other model is due.
    const due = await this.sql.get(
      `SELECT 1 FROM models WHERE CASE WHEN id IN ($1, $4) THEN coalesce(left(used_at, 10), '') <> left($2, 10)
         ELSE used_at IS NULL OR used_at < $3 END`,
      ...[model, at, unusedSince, questionModel(model)],
    );
    if (due === undefined) return;
    const unused = await this.writer.exclusively(async sql => {
      const used = [model, questionModel(model)];
      await sql.run('UPDATE models SET used_at = $2 WHERE id = ANY ($1::text[]) OR used_at IS NULL', used, at);
      return sql.all('SELECT id FROM models WHERE id <> ALL ($1::text[]) AND used_at < $2', used, unusedSince);
    });
    for (const { id } of unused) while (await this.deleteSome(id as string));
  }

  /** @returns whether vectors of the model are left */
  private deleteSome(model: string): Promise<boolean> {
    return this.writer.exclusively(async sql => {
      await sql.run(
        'DELETE FROM vectors WHERE model = $1 AND id IN (SELECT id FROM vectors WHERE model = $1 LIMIT $2::bigint)',
        model,
        deleteBatchSize,
      );
      const left = await sql.get('SELECT 1 FROM vectors WHERE model = $1 LIMIT 1', model);
      if (left === undefined) await sql.run('DELETE FROM models WHERE id = $1', model);
      return left !== undefined;
    });
  }
}
