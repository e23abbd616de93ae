import { existsSync, readFileSync } from 'node:fs';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { defaultConfig, type Config } from '../../../src/engine/model/config.js';
import type { MaintenanceRun } from '../../../src/engine/model/maintenance.js';
import { TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

/** A host without embeddings, so that byte counts cover texts only. */
export function maintenanceHost(
  maintenance: Partial<Config['maintenance']> = {},
  rest: Partial<Config> = {},
  options: { project?: boolean } = {},
): TestHost {
  const host = new TestHost(options);
  host.settings = {
    ...defaultConfig,
    embeddings: 'off',
    ...rest,
    maintenance: { ...defaultConfig.maintenance, ...maintenance },
  };
  return host;
}

/** Number of memories per action, in the order of the passes. */
export function runCounts({ counts: { faded, expired, quota, pruned } }: MaintenanceRun): readonly number[] {
  return [faded, expired, quota, pruned];
}

/** Runs maintenance on the global store. */
export async function runMaintenance(engine: MemoryEngine): Promise<MaintenanceRun> {
  return (await engine.maintenance.run({ scope: 'global-only' }))[0]!;
}

/** All rows of the store's tables except the records of runs. */
export async function storeContents(host: TestHost): Promise<unknown> {
  const tables = ['memories', 'edges', 'audit', 'sequences', 'memory_terms'];
  const rows: Record<string, unknown> = {};
  for (const it of tables)
    rows[it] = await sql(host.globalFile, `SELECT * FROM ${it} ORDER BY 1, 2`.replace(', 2', ''));
  rows.meta = await sql(host.globalFile, "SELECT * FROM meta WHERE key NOT LIKE 'lease:%'");
  return rows;
}

/** All bytes of the database and its log. */
export function fileBytes(file: string): string {
  return [file, `${file}-wal`].map(it => (existsSync(it) ? readFileSync(it).toString('base64') : '')).join('\n');
}
