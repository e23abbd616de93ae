import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import type { PostgresPool } from '../../database/postgres/postgresPool.js';
import { describeAddress } from '../../database/postgres/postgresSettings.js';
import type { StorePlacement } from '../storePlacement.js';

/**
 * Makes sure that a server has the store that was moved there: what is missing there was not lost, and none is made instead.
 * @throws EngineError storeUnavailable where it has none, or another one, and as PostgresPool
 */
export async function requireMovedStore(pool: PostgresPool, { schema, id }: StorePlacement): Promise<void> {
  const table = `"${schema}".meta`;
  const { found } = (await pool.read.get('SELECT to_regclass($1) IS NOT NULL AS found', table))!;
  const address = describeAddress(pool.settings);
  if (found !== true)
    throw new EngineError(
      'storeUnavailable',
      message`${address} does not have the memories that were moved to a server: there is no ${schema}. Name the server that has them.`,
    );
  const rows = await pool.read.all(`SELECT key, value FROM ${table} WHERE key IN ('storeId', 'copyOf')`);
  const meta = new Map(rows.map(it => [it.key as string, it.value as string]));
  if (meta.get('storeId') !== id)
    throw new EngineError(
      'storeUnavailable',
      message`${schema} of ${address} holds other memories than those that were moved to a server. Name the server that has them.`,
    );
  // A move that was interrupted at its end left it; what is used is no copy, which another one may replace.
  if (meta.has('copyOf')) await pool.read.run(`DELETE FROM ${table} WHERE key = 'copyOf'`).catch(() => undefined);
}
