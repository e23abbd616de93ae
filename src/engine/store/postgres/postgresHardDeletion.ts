import { EngineError } from '../../base/errors.js';
import type { PostgresPool } from '../../database/postgres/postgresPool.js';
import type { DeletionResult } from '../../model/deletionResult.js';
import type { Log } from '../../model/host.js';
import type { StoreKind } from '../../model/memory.js';
import type { StoreHardDeletion } from '../store.js';

export class PostgresHardDeletion implements StoreHardDeletion {
  constructor(
    readonly kind: StoreKind,
    readonly pool: PostgresPool,
    readonly host: { readonly now: () => Date; readonly log: Log },
  ) {}

  knowsAny(ids: readonly string[], texts: readonly string[]): Promise<boolean> {
    return Promise.resolve(ids.length + texts.length > 0);
  }

  purge(actor: string, ids: readonly string[]): Promise<DeletionResult> {
    throw new EngineError('internal', `Not built yet: ${actor} ${ids.length}`);
  }

  reset(actor: string): Promise<DeletionResult> {
    throw new EngineError('internal', `Not built yet: ${actor}`);
  }
}
