import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import type { Log } from '../../model/host.js';
import type { StoreQuery } from '../store.js';
import { fillVectorTable, readPgvector, vectorTable, type Pgvector } from './vectorRows.js';

/** How a table of vectors is searched. */
export interface VectorTableUse extends Pick<Pgvector, 'schema'> {
  /** Whether pgvector goes on searching where a filter leaves too few: from version 0.8 on. */
  readonly isIterative: boolean;
}

/** Knows which tables of vectors can be searched, and makes them where the server has pgvector. */
export class VectorTables {
  /** By model. */
  private readonly tables = new Map<string, Promise<VectorTableUse | undefined>>();

  constructor(
    private readonly sql: PostgresSql,
    private readonly log: Log,
  ) {}

  /** Fills a table that is missing in the background. @returns undefined where no memory can be found by meaning, or not yet */
  async find(model: StoreQuery['model']): Promise<VectorTableUse | undefined> {
    if (model === undefined) return undefined;
    let table = this.tables.get(model.id);
    if (table === undefined) {
      this.tables.set(model.id, (table = this.open(model)));
      // A server that was away is asked again.
      table.catch(() => this.tables.delete(model.id));
    }
    return table;
  }

  private async open({ id, dimensions }: NonNullable<StoreQuery['model']>): Promise<VectorTableUse | undefined> {
    const pgvector = await readPgvector(this.sql, dimensions);
    if (pgvector === undefined) return undefined;
    const { version, schema } = pgvector;
    const use = { isIterative: hasIterativeScan(version), schema };
    const row = await this.sql.get(
      'SELECT to_regclass($1) IS NOT NULL AS there, EXISTS (SELECT 1 FROM vectors WHERE model = $2) AS filled',
      vectorTable(dimensions),
      id,
    );
    const filling = fillVectorTable(this.sql, { model: id, dimensions, schema }).then(
      () => use,
      () => {
        this.log.warn('The vectors on the server have no index: memories are found by their words.');
        return undefined;
      },
    );
    if (row!.there === true) return use;
    // An empty table takes no time.
    if (row!.filled !== true) return filling;
    void filling.then(it => this.tables.set(id, Promise.resolve(it)));
    return undefined;
  }
}

function hasIterativeScan(version: string): boolean {
  const [major, minor] = version.split('.').map(Number);
  return major! > 0 || minor! >= 8;
}
