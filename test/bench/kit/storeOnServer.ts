import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import type { EngineHost } from '../../../src/engine/model/host.js';
import type { PostgresServer } from '../../support/postgresServer.js';

/** Moves the store of the host's project to a server, as its administrator, and opens the engine again. */
export async function moveToServer(
  engine: MemoryEngine,
  host: EngineHost,
  server: PostgresServer,
): Promise<MemoryEngine> {
  const address = `postgres://admin:admin@127.0.0.1:${String(server.port)}/team`;
  const onServer: EngineHost = {
    ...host,
    secret: name => Promise.resolve(name === 'teamConnection' ? address : undefined),
  };
  await engine.close();
  const mover = await openEngine(onServer);
  try {
    await mover.team.store.useServer(await mover.team.store.copyToServer());
  } finally {
    await mover.close();
  }
  return openEngine(onServer);
}

/** Number of memories in all stores on a server. */
export async function countOnServer(server: PostgresServer): Promise<number> {
  let count = 0;
  for (const { name } of await server.asAdmin(
    String.raw`SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'recollect\_%'`,
  )) {
    const [row] = await server.asAdmin(`SELECT count(*)::int AS count FROM "${String(name)}".memories`);
    count += row!.count as number;
  }
  return count;
}
