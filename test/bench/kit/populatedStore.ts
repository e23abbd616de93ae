import path from 'node:path';
import { openSqliteStore } from '../../../src/engine/store/sqlite/openSqliteStore.js';
import { hashContent } from '../../../src/engine/store/contentHash.js';
import { SearchWorkerClient } from '../../../src/engine/search/worker/searchWorkerClient.js';
import type { EngineHost } from '../../../src/engine/model/host.js';
import { gates, kinds, type Memory } from '../../../src/engine/model/memory.js';
import type { NewEdge } from '../../../src/engine/model/edge.js';
import type { NewMemory, StoredVector } from '../../../src/engine/store/store.js';
import { generateTexts } from './syntheticTexts.js';
import { seeded } from './random.js';

const dayMs = 86_400_000;
/** Memories in one transaction. */
const writeBatchSize = 2_000;
const dimensions = 384;

/**
 * Fills the global store of a host's data folder with memories of the last 400 days, as years of use may leave them:
 * most of them alive, some faded and not yet archived, a fifth in the archive, one in a hundred pinned, one in fifty a
 * promise, every second linked to another, each with a vector. Inserted as rows, because remembering as
 * many facts takes minutes. Deterministic for a count.
 * @param model id of the embedding model to record with the vectors
 */
export async function populateStore(host: EngineHost, count: number, model: string): Promise<void> {
  const indexes = new SearchWorkerClient(host.bundleDir, { modelDir: undefined });
  const store = await openSqliteStore('global', path.join(host.dataDir, 'global'), host, indexes);
  try {
    const random = seeded(29);
    const { texts } = generateTexts(count, 0);
    const ids = texts.map((_, i) => `019a0000-0000-7000-8000-${i.toString(16).padStart(12, '0')}`);
    for (let from = 0; from < count; from += writeBatchSize) {
      const memories = texts
        .slice(from, from + writeBatchSize)
        .map((content, i) =>
          buildMemory(content, { id: ids[from + i]!, sequence: from + i + 1, now: host.now(), random }),
        );
      const links = memories.flatMap((_, i): NewEdge[] => {
        const source = from + i;
        if (source === 0 || random() < 0.5) return [];
        const target = ids[Math.floor(random() * source)]!;
        return [{ source: ids[source]!, target, type: 'relates_to', strength: 0.6, reason: 'They share words.' }];
      });
      await store.write('bench', async tx => {
        await tx.insertMany(
          memories,
          memories.map(() => syntheticVector(model, random)),
        );
        await tx.link(links);
      });
    }
  } finally {
    await store.close();
    await indexes.close();
  }
}

function buildMemory(
  content: string,
  {
    id,
    sequence,
    now,
    random,
  }: { readonly id: string; readonly sequence: number; readonly now: Date; readonly random: () => number },
): NewMemory {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const daysAgo = (days: number): string => new Date(now.getTime() - days * dayMs).toISOString();
  const ageDays = random() * 400;
  const daysSinceReinforced = Math.min(ageDays, random() ** 2 * 70);
  const isPromise = random() < 0.02;
  const isNote = !isPromise && random() < 0.4;
  const archived: Partial<Memory> =
    random() < 0.2 ? { status: 'archived', archiveReason: 'faded', archivedAt: daysAgo(random() * 90) } : {};
  return {
    id,
    content,
    summary: content,
    gate: isPromise ? 'promissory' : pick(gates.filter(it => it !== 'promissory')),
    kind: isPromise ? 'progress' : pick(kinds.slice(0, 8)),
    lane: isNote ? 'note' : 'confirmed',
    decayClass: isPromise || random() < 0.15 ? 'session' : 'durable',
    confidence: 60 + Math.floor(random() * 36),
    priority: 5,
    pinned: archived.status === undefined && random() < 0.01,
    reinforcementCount: 1,
    accessCount: Math.floor(random() ** 4 * 20),
    usefulCount: random() < 0.05 ? 1 : 0,
    feedback: 0,
    tags: [],
    status: 'active',
    sequence,
    contentHash: hashContent(content),
    provenance: { source: 'conversation' },
    createdAt: daysAgo(ageDays),
    updatedAt: daysAgo(daysSinceReinforced),
    reinforcedAt: daysAgo(daysSinceReinforced),
    ...(isPromise ? { dueAt: daysAgo(random() * 60 - 30) } : {}),
    ...(isNote ? { expiresAt: daysAgo(ageDays - 60) } : {}),
    ...archived,
  };
}

function syntheticVector(model: string, random: () => number): StoredVector {
  const start = random() * 251;
  return { model, vector: Int8Array.from({ length: dimensions }, (_, i) => ((start + i * 37) % 251) - 125) };
}
