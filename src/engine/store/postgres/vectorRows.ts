import { toInt8Components } from '../../base/int8Vector.js';
import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import { encodeQuestionVectors, isQuestionModel, questionModel } from '../questionVectors.js';
import type { StoredVector } from '../store.js';

/** Dimensions up to which pgvector has an index. */
const maxIndexedDimensions = 2_000;
/** Vectors converted in one statement when the table of a server that got pgvector later is filled. */
const fillBatchSize = 1_000;

/** A vector and the memory that it belongs to. */
export interface VectorRow extends StoredVector {
  readonly id: string;
}

/**
 * Saves the vectors of stored memories and of their questions, in place of earlier ones of the same models; those of memories
 * where the server has pgvector also in its index. Deleting rows of `vectors` deletes them there too.
 * @param rows may hold encoded vectors of questions (questionVectors.ts), of a model of their own
 */
export async function saveVectorRows(sql: PostgresSql, rows: readonly VectorRow[]): Promise<void> {
  const all = [...rows, ...rows.flatMap(questionRowOf)];
  const dimensionsOf = new Map(all.map(it => [it.model, isQuestionModel(it.model) ? 0 : it.vector.length]));
  for (const [model, dimensions] of dimensionsOf) {
    const ofModel = all.filter(it => it.model === model);
    const saved = await sql.get(
      `WITH known AS (INSERT INTO models (id, dimensions) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING),
         saved AS (
           INSERT INTO vectors (model, id, vector)
           SELECT $1, id, vector FROM unnest($3::text[], $4::bytea[]) AS given (id, vector)
           WHERE EXISTS (SELECT 1 FROM memories m WHERE m.id = given.id)
           ON CONFLICT (model, id) DO UPDATE SET vector = excluded.vector)
       SELECT to_regclass($5) IS NOT NULL AS indexed`,
      model,
      dimensions,
      ofModel.map(it => it.id),
      ofModel.map(it => Buffer.from(it.vector.buffer, it.vector.byteOffset, it.vector.byteLength)),
      vectorTable(dimensions),
    );
    if (saved!.indexed !== true) continue;
    const pgvector = await readPgvector(sql, dimensions);
    if (pgvector === undefined) continue;
    await sql.run(
      `INSERT INTO ${vectorTable(dimensions)} (model, id, embedding)
       SELECT $1, given.id, embedding::${pgvector.schema}.vector FROM unnest($2::text[], $3::text[]) AS given (id, embedding)
         JOIN vectors v ON v.model = $1 AND v.id = given.id
       ON CONFLICT (model, id) DO UPDATE SET embedding = excluded.embedding`,
      model,
      ofModel.map(it => it.id),
      ofModel.map(it => toVectorText(it.vector)),
    );
  }
}

/** A row of the table `vectors`, or of a copy of it. */
export function toVectorRow({ id, model, vector }: Readonly<Record<string, unknown>>): VectorRow {
  return { id: id as string, model: model as string, vector: toInt8Components(vector as Uint8Array) };
}

function questionRowOf({ id, model, questions = [] }: VectorRow): readonly VectorRow[] {
  if (questions.length === 0) return [];
  const bytes = encodeQuestionVectors(questions);
  return [{ id, model: questionModel(model), vector: new Int8Array(bytes.buffer) }];
}

/** The table of pgvector's vectors with so many dimensions, of every model. */
export function vectorTable(dimensions: number): string {
  return `embeddings_${String(dimensions)}`;
}

/** A vector as pgvector reads it. */
export function toVectorText(vector: Int8Array): string {
  return `[${vector.join(',')}]`;
}

/** The extension pgvector of a database. */
export interface Pgvector {
  /** Such as `0.8.0`. */
  readonly version: string;
  /** The schema of its type and operators, as it stands in a statement: it is not searched. */
  readonly schema: string;
}

/** Undefined without the extension, or where it has no index for so many dimensions. */
export async function readPgvector(sql: PostgresSql, dimensions: number): Promise<Pgvector | undefined> {
  if (dimensions > maxIndexedDimensions) return undefined;
  const row = await sql.get(
    `SELECT extversion AS version, quote_ident(nspname::text) AS schema
     FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
     WHERE extname = 'vector' AND has_schema_privilege(n.oid, 'USAGE'::text)`,
  );
  return row as Pgvector | undefined;
}

/** Creates the table of vectors with so many dimensions where it is missing, and adds what it lacks of a model. */
export async function fillVectorTable(
  sql: PostgresSql,
  { model, dimensions, schema }: { readonly model: string; readonly dimensions: number } & Pick<Pgvector, 'schema'>,
): Promise<void> {
  const table = vectorTable(dimensions);
  await sql.exec(
    `CREATE TABLE IF NOT EXISTS ${table} (
       model text NOT NULL, id text NOT NULL, embedding ${schema}.vector(${String(dimensions)}) NOT NULL, PRIMARY KEY (model, id),
       FOREIGN KEY (model, id) REFERENCES vectors (model, id) ON DELETE CASCADE);
     CREATE INDEX IF NOT EXISTS ${table}_by_cosine ON ${table} USING hnsw (embedding ${schema}.vector_cosine_ops)`,
  );
  for (let added = fillBatchSize; added === fillBatchSize;) {
    const row = await sql.get(
      `WITH missing AS (
         SELECT v.id, v.vector FROM vectors v
         WHERE v.model = $1 AND NOT EXISTS (SELECT 1 FROM ${table} e WHERE e.model = v.model AND e.id = v.id)
         LIMIT $2),
       added AS (
         INSERT INTO ${table} (model, id, embedding)
         SELECT $1, id, (SELECT array_agg((get_byte(vector, i) + 128) % 256 - 128 ORDER BY i)
           FROM generate_series(0, length(vector) - 1) AS i)::${schema}.vector
         FROM missing WHERE length(vector) = $3
         ON CONFLICT DO NOTHING RETURNING 1)
       SELECT count(*)::int AS added FROM added`,
      model,
      fillBatchSize,
      dimensions,
    );
    added = row!.added as number;
  }
}
