import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../../../src/engine/base/errors.js';
import { newMemoryDefaults } from '../../../src/engine/remember/prepareFact.js';
import { hashContent } from '../../../src/engine/store/contentHash.js';
import { openSqliteStore } from '../../../src/engine/store/sqlite/openSqliteStore.js';
import { SearchWorkerClient } from '../../../src/engine/search/worker/searchWorkerClient.js';
import type { EngineHost } from '../../../src/engine/model/host.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import type { NewMemory, Store } from '../../../src/engine/store/store.js';
import { seeded } from './random.js';

/** What became of the memories of a store after one flipped bit. */
export interface FlipOutcome {
  /** Memories gone beyond those on the damaged page. */
  readonly lost: number;
  /** Memories whose text differs from what was stored, without a word. */
  readonly silentlyChanged: number;
  /** Whether the store could not be opened, with a sentence and no changed byte. */
  readonly refused: boolean;
  readonly repaired: boolean;
}

export interface FlipOptions {
  readonly flips: number;
  readonly memories: number;
  readonly seed: number;
}

/** Flips one bit of a fresh copy of a store each time, and uses the store as a person would: read, verify, open again. */
export async function flipBits(host: EngineHost, { flips, memories, seed }: FlipOptions): Promise<FlipOutcome[]> {
  const random = seeded(seed);
  const original = await fillStore(host, memories, random);
  const folder = path.join(host.dataDir, 'global');
  const template = `${folder}.template`;
  cpSync(folder, template, { recursive: true });
  const outcomes: FlipOutcome[] = [];
  for (let flip = 0; flip < flips; flip++) {
    rmSync(folder, { recursive: true });
    rmSync(path.join(host.dataDir, 'heads'), { recursive: true, force: true });
    cpSync(template, folder, { recursive: true });
    const file = path.join(folder, 'memory.db');
    if (flip % 2 === 1) {
      mkdirSync(path.join(folder, 'backups'), { recursive: true });
      cpSync(file, path.join(folder, 'backups', '2026-03-01T00-00-00-000Z-daily.db'));
    }
    const bytes = readFileSync(file);
    const offset = Math.floor(random() * bytes.length);
    bytes[offset]! ^= 1 << Math.floor(random() * 8);
    writeFileSync(file, bytes);
    outcomes.push(await observe(host, original, rowsOnPage(bytes, offset, original)));
  }
  return outcomes;
}

async function observe(
  host: EngineHost,
  original: ReadonlyMap<string, string>,
  onPage: ReadonlySet<string>,
): Promise<FlipOutcome> {
  const folder = path.join(host.dataDir, 'global');
  let silentlyChanged = 0;
  let last: readonly Memory[] | undefined;
  for (let opening = 0; opening < 3; opening++) {
    try {
      await withStore(host, async store => {
        last = undefined;
        await store.verify();
        last = await store.list({ scopeId: '' }, { limit: 10_000, offset: 0 });
        const said = String(store.notices);
        silentlyChanged += last.filter(
          it => original.get(it.id) !== it.content && !it.damaged && !said.includes(`#${it.id.slice(-8)}`),
        ).length;
      });
    } catch (error) {
      if (!EngineError.is(error)) throw error;
    }
  }
  const ids = new Set(last?.map(it => it.id));
  const lost = [...original.keys()].filter(it => !ids.has(it) && !onPage.has(it)).length;
  return {
    lost: last === undefined ? 0 : lost,
    silentlyChanged,
    refused: last === undefined,
    repaired: existsSync(path.join(folder, 'damage.json')),
  };
}

/** Ids of the memories on a page of rows. */
function rowsOnPage(bytes: Buffer, offset: number, original: ReadonlyMap<string, string>): Set<string> {
  const size = bytes.readUInt16BE(16) || 4_096;
  const page = bytes.subarray(Math.floor(offset / size) * size, (Math.floor(offset / size) + 1) * size);
  return new Set([...original.keys()].filter(it => page.includes(it)));
}

/** A store of `count` memories. @returns their contents by id */
export async function fillStore(host: EngineHost, count: number, random: () => number): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  await withStore(host, async store => {
    for (let i = 0; i < count; i++) {
      const id = idOf(i);
      const detail = 'It was measured on the slow machine. '.repeat(Math.floor(random() ** 3 * 40));
      contents.set(id, `Service ${i} listens on port ${3_000 + i}. ${detail}`.trim());
    }
    await store.write('bench', tx =>
      tx.insertMany([...contents.values()].map((content, i) => makeStoredMemory(i, content, host.now()))),
    );
  });
  return contents;
}

const idOf = (i: number): string => `019a0000-0000-7000-8000-${i.toString(16).padStart(12, '0')}`;

/** The memory of a number, as the store takes it. */
export function makeStoredMemory(i: number, content: string, now: Date): NewMemory {
  const at = now.toISOString();
  return {
    id: idOf(i),
    content,
    summary: content.slice(0, 60),
    gate: 'epistemic',
    kind: 'context',
    lane: 'confirmed',
    decayClass: 'durable',
    confidence: 80,
    ...newMemoryDefaults,
    sequence: i + 1,
    contentHash: hashContent(content),
    provenance: { source: 'explicit' },
    createdAt: at,
    updatedAt: at,
    reinforcedAt: at,
  };
}

async function withStore(host: EngineHost, work: (store: Store) => Promise<void>): Promise<void> {
  const indexes = new SearchWorkerClient(host.bundleDir, { modelDir: undefined });
  try {
    const store = await openSqliteStore('global', path.join(host.dataDir, 'global'), host, indexes);
    try {
      await work(store);
    } finally {
      await store.close();
    }
  } finally {
    await indexes.close();
  }
}
