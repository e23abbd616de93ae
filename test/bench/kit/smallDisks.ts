import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { EngineError } from '../../../src/engine/base/errors.js';
import type { Database } from '../../../src/engine/database/database.js';
import type { EngineHost } from '../../../src/engine/model/host.js';
import { SearchWorkerClient } from '../../../src/engine/search/worker/searchWorkerClient.js';
import { openSqliteStore } from '../../../src/engine/store/sqlite/openSqliteStore.js';
import { makeStoredMemory } from './bitFlips.js';

/** What became of memories on a disk that fills up, or may not be written. */
export interface SmallDiskOutcome {
  readonly acknowledged: number;
  /** Acknowledged, and not listed afterwards. */
  readonly lost: number;
  readonly refused: number;
  /** Refused without a sentence that says why. */
  readonly unsaid: number;
  /** What verify found afterwards. */
  readonly problems: readonly string[];
}

interface Answer {
  readonly value?: unknown;
  readonly error?: string;
}

const text = (i: number): string => `Fact ${i}: ${'words that fill a page of the disk '.repeat(200)}.`;
const attempts = 80;

/**
 * Remembers on a tmpfs of 1.6 MB until it is full, and reads on.
 * @returns undefined where this machine lets no such disk be mounted
 */
export async function fillMountedDisk(folder: string): Promise<SmallDiskOutcome | undefined> {
  const mount = 'mount -t tmpfs -o size=1600k none "$RECOLLECT_DISK" && exec "$@"';
  const answers = await runOnDisk(folder, mount, [...rememberAll(), ['list'], ['verify']]);
  return answers === undefined ? undefined : judge(answers, 'storeFull');
}

/** Asks a store of one memory on a disk that was mounted without the right to write. Undefined as above. */
export async function useReadOnlyDisk(folder: string): Promise<SmallDiskOutcome | undefined> {
  const made = await runOnDisk(folder, 'exec "$@"', [['remember', input(0)]]);
  if (made?.[1]?.error !== undefined) return undefined;
  const mount = 'mount --bind "$RECOLLECT_DISK" "$RECOLLECT_DISK" && mount -o remount,bind,ro "$RECOLLECT_DISK"';
  const calls = [['remember', input(1)], ['list'], ['verify']] as const;
  const answers = await runOnDisk(folder, `${mount} && exec "$@"`, calls);
  if (answers === undefined) return undefined;
  const outcome = judge(answers, 'storeReadOnly');
  return { ...outcome, acknowledged: 1, lost: 1 - (answers.at(-3)?.value as unknown[]).length };
}

/** The same as a full disk, by SQLite's own limit of pages: works everywhere. */
export async function fillLimitedFile(host: EngineHost): Promise<SmallDiskOutcome> {
  const indexes = new SearchWorkerClient(host.bundleDir, { modelDir: undefined });
  const store = await openSqliteStore('global', path.join(host.dataDir, 'global'), host, indexes);
  let [acknowledged, refused, unsaid] = [0, 0, 0];
  try {
    const { database } = store as unknown as { readonly database: Database };
    await database.write(sql => sql.exec('PRAGMA max_page_count = 400'));
    for (let i = 0; i < attempts; i++) {
      try {
        await store.write('bench', tx => tx.insertMany([makeStoredMemory(i, text(i), host.now())]));
        acknowledged++;
      } catch (error) {
        refused++;
        if (!EngineError.is(error, 'storeFull')) unsaid++;
      }
    }
    const listed = await store.list({ scopeId: '' }, { limit: 1_000, offset: 0 });
    const { problems } = await store.verify();
    return { acknowledged, refused, unsaid, lost: acknowledged - listed.length, problems };
  } finally {
    await store.close();
    await indexes.close();
  }
}

const input = (i: number): object => ({ content: text(i), source: 'explicit', lane: 'confirmed', whole: true });

const rememberAll = (): readonly (readonly unknown[])[] =>
  Array.from({ length: attempts }, (_, i) => ['remember', input(i)]);

function judge(answers: readonly Answer[], code: string): SmallDiskOutcome {
  const [listed, verified] = answers.slice(-3, -1);
  const remembered = answers.slice(1, -3);
  const acknowledged = remembered.filter(it => it.error === undefined).length;
  return {
    acknowledged,
    lost: acknowledged - ((listed?.value ?? []) as unknown[]).length,
    refused: remembered.length - acknowledged,
    unsaid: remembered.filter(it => it.error !== undefined && it.error !== code).length,
    problems: ((verified?.value ?? []) as { problems: string[] }[]).flatMap(it => it.problems),
  };
}

/** Answers of opening, each call and closing, in a process with a file system of its own. */
async function runOnDisk(
  folder: string,
  script: string,
  calls: readonly (readonly unknown[])[],
): Promise<readonly Answer[] | undefined> {
  const dataDir = path.join(folder, 'disk');
  mkdirSync(dataDir, { recursive: true });
  const plan = path.join(folder, 'plan.json');
  writeFileSync(plan, JSON.stringify({ dataDir, calls }));
  const command = [process.execPath, path.resolve('out/test/support/engineProcess.js'), plan];
  const unshare = ['--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh', ...command];
  const child = spawn('unshare', unshare, {
    env: { ...process.env, RECOLLECT_DISK: dataDir },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const answers: Answer[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', line => answers.push(JSON.parse(line) as Answer));
  await new Promise<void>(resolve => {
    child.once('error', () => {
      resolve();
    });
    lines.once('close', resolve);
  });
  return answers.length === calls.length + 2 ? answers : undefined;
}
