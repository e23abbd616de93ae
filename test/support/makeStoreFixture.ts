// Creates test/fixtures/stores/version-N.db for the newest schema version N. Run once per version.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openEngine } from '../../src/engine/engine.js';
import { sqliteMigrations } from '../../src/engine/store/sqlite/migrations.js';
import { sql } from './sqlite.js';
import { bundlePaths } from './bundlePaths.js';
import { staticConfig } from './staticConfig.js';

async function main(): Promise<void> {
  const target = path.resolve(`test/fixtures/stores/version-${sqliteMigrations.length}.db`);
  if (existsSync(target)) throw new Error(`${target} exists, and files of a released version never change.`);
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'recollect-fixture-'));
  let at = Date.parse('2026-01-05T08:00:00.000Z');
  const engine = await openEngine({
    ...bundlePaths,
    dataDir,
    workspaceFolders: [],
    client: 'fixture',
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    config: () => staticConfig,
    now: () => new Date((at += 60_000)),
  });
  const facts = [
    'I prefer tabs over spaces.',
    'The payments service runs on port 8443.',
    'Ship the beta before 2026-02-01.',
  ];
  const ids: string[] = [];
  for (const content of [...facts, facts[0]!]) {
    const [kept] = await engine.remember({ content, source: 'explicit', lane: 'confirmed', tags: ['fixture'] });
    if (kept?.outcome === 'stored') ids.push(kept.id);
  }
  await engine.remember({ content: 'データベースはPostgresです。', source: 'mcp', session: 's1', scopeId: 'set' });
  await engine.pin(ids[0]!);
  await engine.forget(ids[2]!);
  await engine.recall({ query: 'payments port' });
  await engine.close();
  await sql(path.join(dataDir, 'global', 'memory.db'), `VACUUM INTO '${target}'`);
  rmSync(dataDir, { recursive: true });
}

void main();
