import { EngineError } from '../../base/errors.js';
import type { EngineHost } from '../../model/host.js';
import { readPostgresSettings, type PostgresSettings } from './postgresSettings.js';

/** The server that the person chose. @throws EngineError invalidInput where none is chosen, and as readPostgresSettings */
export async function readChosenServer(host: EngineHost): Promise<PostgresSettings> {
  const settings = await readPostgresSettings(await host.secret?.('teamConnection'), process.env);
  if (settings !== undefined) return settings;
  throw new EngineError(
    'invalidInput',
    'No PostgreSQL server is named here. Set PGHOST, PGUSER, PGPASSWORD and PGDATABASE; in VS Code use “Team…”, or “Move Project Store…” in “Maintenance…”.',
  );
}
