import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import type { StoreKind } from '../../model/memory.js';
import type { UsageFlush } from '../store.js';
import type { PostgresTransaction } from './postgresTransaction.js';

/* eslint-disable @typescript-eslint/no-unused-vars */

/**
 * Writes access counts and traces, and deletes traces beyond `keepTraces`.
 * @returns ids of archived memories that a recall reactivated
 */
export function writePostgresUsage(
  _sql: PostgresSql,
  _tx: PostgresTransaction,
  _usage: UsageFlush,
  _options: { readonly store: StoreKind; readonly keepTraces: number },
): Promise<readonly string[]> {
  throw new Error('Not built yet.');
}
