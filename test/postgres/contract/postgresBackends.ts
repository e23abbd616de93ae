import { PostgresPool } from '../../../src/engine/database/postgres/postgresPool.js';
import { readPostgresSettings, type PostgresSettings } from '../../../src/engine/database/postgres/postgresSettings.js';
import { openPostgresStore } from '../../../src/engine/store/postgres/openPostgresStore.js';
import type { Store } from '../../../src/engine/store/store.js';
import type { TestHost } from '../../support/fixtures.js';
import { PgliteServer } from '../../support/pgliteServer.js';
import { PostgresServer } from '../../support/postgresServer.js';
import { addressOf, freshName } from '../kit.js';
import type { StoreBackend } from './kit.js';

/** This machine is busy with other tests. */
const deadlineMs = 60_000;

export async function openStoreOfTest(
  host: TestHost,
  settings: PostgresSettings,
  schema: string,
  connections?: number,
): Promise<Store> {
  return openPostgresStore('project', await PostgresPool.open(settings, schema, connections), {
    now: () => host.now(),
    log: host.log,
    keepCheckpoints: () => host.config().checkpoints.keep,
    openBuiltInModel: () => undefined,
    deadlineMs,
  });
}

/** A schema per store, on one server for all tests of the suite that calls it. */
export function declarePostgresServer(): StoreBackend & { readonly server: () => PostgresServer } {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.stop());
  return {
    name: 'on a PostgreSQL server',
    server: () => server,
    newPlace: async host => {
      const schema = freshName('store');
      const settings = (await readPostgresSettings(addressOf(server, 'admin', 'admin'), {}))!;
      return () => openStoreOfTest(host, settings, schema);
    },
  };
}

/** The same, where there is pgvector. It has one session: only one store is open at a time. */
export function declarePgliteServer(): StoreBackend {
  let server: PgliteServer;
  before(async () => {
    server = await PgliteServer.start();
  });
  after(() => server.stop());
  return {
    name: 'in PGlite',
    newPlace: host => {
      const schema = freshName('store');
      return Promise.resolve(() => openStoreOfTest(host, server.settings, schema, 1));
    },
  };
}
