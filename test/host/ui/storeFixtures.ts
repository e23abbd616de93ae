import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import type { EdgeType } from '../../../src/engine/model/edge.js';
import { defaultConfig } from '../../../src/engine/model/config.js';
import { decayClasses, gates } from '../../../src/engine/model/memory.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { sql } from '../../support/sqlite.js';
import type { Storage } from './kit/window.js';

/** Runs the command line on the stores of a window, in a separate process. */
export function runCommandLine(storage: Storage, ...args: string[]): Promise<string> {
  return runCommandLineIn(storage, {}, ...args);
}

/** As runCommandLine. @param environment further variables */
export async function runCommandLineIn(
  storage: Storage,
  environment: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<string> {
  const program = [resolve('dist', 'cli.js'), ...args, '--data-dir', storage.globalStorage];
  const env = { ...process.env, RECOLLECT_EMBEDDINGS: 'static', ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: storage.workspace, env });
  return stdout;
}

/** Remembers a text as one memory in the project's store. @returns its id */
export async function rememberOne(storage: Storage, ...args: string[]): Promise<string> {
  const output = await runCommandLine(storage, 'remember', '--store', 'project', '--whole', '--json', ...args);
  return (JSON.parse(output) as { readonly outcomes: readonly { readonly id: string }[] }).outcomes[0]!.id;
}

/** The database file of the sample project, which exists once it has a memory. */
export function projectFile(storage: Storage): string {
  const projects = join(storage.globalStorage, 'projects');
  return join(projects, readdirSync(projects)[0]!, 'memory.db');
}

/** Another process that has the stores open. */
interface EngineSettings {
  readonly now: () => Date;
  readonly client: string;
  readonly embeddings: string;
}

/**
 * The engine on the stores of a storage, as another program would have it, or at another time; the caller closes it.
 */
export function openEngineOf(
  storage: Storage,
  { now = () => new Date(), client = 'test', embeddings = 'off' }: Partial<EngineSettings> = {},
): Promise<MemoryEngine> {
  return openEngine({
    dataDir: storage.globalStorage,
    bundleDir: resolve('dist'),
    modelsDir: resolve('dist', 'models'),
    workspaceFolders: [storage.workspace],
    client,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    config: () => ({ ...defaultConfig, embeddings }),
    now,
  });
}

/** Stores memories of every gate and age from another process. */
export async function rememberMany(storage: Storage, count: number): Promise<void> {
  const engine = await openEngineOf(storage);
  const ages = [1, 3, 9, 27, 60, 80];
  const inputs = Array.from({ length: count }, (_, i): RememberInput => ({
    content: `Buoy ${i} lies ${(i * 37) % 1_013} metres from the pier and was checked by crew ${i % 29}.`,
    gate: gates[i % gates.length]!,
    decayClass: decayClasses[i % decayClasses.length]!,
    source: 'import',
    lane: 'confirmed',
    store: 'project',
    whole: true,
    at: new Date(Date.now() - (ages[i % ages.length]! + (i % 13)) * 86_400_000).toISOString(),
  }));
  for (let i = 0; i < count; i += 1_000) await engine.rememberAll(inputs.slice(i, i + 1_000));
  await engine.close();
}

/**
 * Some links between memories of the inspector's sample, and no others, because the write path finds different ones as
 * it is improved.
 */
export async function linkSampleMemories(storage: Storage): Promise<void> {
  const links: readonly (readonly [newer: string, older: string, type: EdgeType])[] = [
    ['Heights in tide tables', 'Tide tables come from', 'relates_to'],
    ['The night job', 'Tide tables come from', 'relates_to'],
    ['Replace the rule', 'Heights in tide tables', 'relates_to'],
    ['Clearances under', 'Heights in tide tables', 'contradicts'],
    ['The ferry is called', 'Replace the rule', 'refines'],
  ];
  const row = (text: string): string => `(SELECT row FROM memories WHERE content LIKE '${text}%')`;
  await sql(
    projectFile(storage),
    'DELETE FROM edges',
    ...links.map(
      ([newer, older, type], i) =>
        `INSERT INTO edges (source, target, type, strength, reason, created_at, settled_at) VALUES (${row(newer)}, ${row(older)}, '${type}', ${0.5 + 0.1 * i}, 'Both are about the sea.',
          '2026-01-01T00:00:00.000Z', NULL)`,
    ),
    "UPDATE edges SET outdated = 'target', marked_by = 'model', marked_at = created_at WHERE type = 'contradicts'",
    "UPDATE meta SET value = value + 1 WHERE key = 'revision'",
  );
}
