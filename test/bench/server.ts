/**
 * How much longer does a search take where the memories are on a PostgreSQL server? The same generated memories in a file and
 * on a server of this machine, without pgvector or `--pgvector` with it, asked the same questions by turns. `--limit` memories
 * (100,000). Needs PostgreSQL's programs, and it.
 */
import { availableParallelism } from 'node:os';
import { newMemory } from '../support/newMemory.js';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { toInt8Vector } from '../../src/engine/base/int8Vector.js';
import { PostgresPool } from '../../src/engine/database/postgres/postgresPool.js';
import { readPostgresSettings } from '../../src/engine/database/postgres/postgresSettings.js';
import { builtInModelFolder } from '../../src/engine/search/prewarmSearch.js';
import { StaticModel } from '../../src/engine/embeddings/staticModel.js';
import { SearchWorkerClient } from '../../src/engine/search/worker/searchWorkerClient.js';
import { hashContent } from '../../src/engine/store/contentHash.js';
import { openPostgresStore } from '../../src/engine/store/postgres/openPostgresStore.js';
import { openSqliteStore } from '../../src/engine/store/sqlite/openSqliteStore.js';
import type { NewMemory, SearchResult, Store, StoreFilter, StoreQuery } from '../../src/engine/store/store.js';
import { weighTerms } from '../../src/engine/text/queryTerms.js';
import { analyzeQuestion } from '../../src/engine/text/questionAnalysis.js';
import { PostgresServer } from '../support/postgresServer.js';
import { benchHost, inTemporaryFolder, reportProgress } from './kit/corpus.js';
import { mean, percentile } from './kit/metrics.js';
import type { BenchOptions, OptionValues } from './kit/options.js';
import type { Report } from './kit/report.js';
import { generateTexts } from './kit/syntheticTexts.js';

/** Memories in one transaction. */
const batchSize = 2_000;
const [warmUpCount, questionCount, factCount] = [20, 200, 50];
/** As many candidates as a recall asks for. */
const candidates = 30;
const shown = 10;
const filter: StoreFilter = { scopeId: '', statuses: ['active', 'archived'], withoutForgotten: true };

export const extraOptions = { pgvector: 'flag' } as const;

export async function run({
  limit = 100_000,
  pgvector = false,
}: BenchOptions & OptionValues<typeof extraOptions>): Promise<Report> {
  return inTemporaryFolder(async folder => {
    const server = await PostgresServer.start({ pgvector });
    const closers: (() => Promise<unknown>)[] = [() => server.stop()];
    try {
      // The memory that PostgreSQL has by default.
      await server.halt();
      await server.resume(['shared_buffers=128MB']);
      const host = benchHost(folder, () => new Date());
      const modelDir = builtInModelFolder(host.modelsDir);
      const model = StaticModel.open(modelDir);
      const worker = new SearchWorkerClient(host.bundleDir, { modelDir });
      closers.push(() => worker.close());
      const file = await openSqliteStore('project', path.join(folder, 'file'), host, worker);
      closers.push(() => file.close());
      const address = `postgres://admin:admin@127.0.0.1:${String(server.port)}/team`;
      const pool = await PostgresPool.open((await readPostgresSettings(address, {}))!, 'bench');
      const onServer = await openPostgresStore('project', pool, {
        now: () => host.now(),
        log: host.log,
        keepCheckpoints: () => 1,
        openBuiltInModel: () => model,
        deadlineMs: 60_000,
      });
      closers.push(() => onServer.close());
      const vacuum = (): Promise<unknown> => server.asAdmin('VACUUM ANALYZE');
      return await compareStores({ file, onServer, vacuum, pgvector, model, count: limit });
    } finally {
      for (const close of closers.reverse()) await close();
    }
  });
}

interface ComparedStores {
  readonly file: Store;
  readonly onServer: Store;
  /** What a server does by itself some time after many rows came. */
  readonly vacuum: () => Promise<unknown>;
  readonly pgvector: boolean;
  readonly model: StaticModel;
  readonly count: number;
}

async function compareStores({ file, onServer, vacuum, pgvector, model, count }: ComparedStores): Promise<Report> {
  const { texts, queries } = generateTexts(count + factCount, warmUpCount + questionCount);
  const storeModel = { id: 'bench', dimensions: model.dimensions };
  const search = (store: Store, text: string): Promise<SearchResult> => {
    const question = analyzeQuestion(text);
    const meaning = { texts: [question.text] };
    const query: StoreQuery = { question, terms: weighTerms(question, {}), model: storeModel, meaning };
    return store.search(query, filter, candidates);
  };
  // While it is empty, the table of pgvector is made at once.
  await search(onServer, queries[0]!);
  const loading = { file: 0, server: 0 };
  for (let from = 0; from < count; from += batchSize) {
    reportProgress(`${String(from)} memories`);
    const memories = texts.slice(from, Math.min(count, from + batchSize)).map((it, i) => buildMemory(it, from + i + 1));
    const vectors = memories.map(it => ({ model: storeModel.id, vector: toInt8Vector(model.embed(it.content)) }));
    loading.file += await timed(() => file.write('bench', tx => tx.insertMany(memories, vectors)));
    loading.server += await timed(() => onServer.write('bench', tx => tx.insertMany(memories, vectors)));
  }

  await vacuum();
  // The index of the file is built in the background.
  while ((await search(file, queries[0]!)).lexicalOnlyReason !== undefined) await pause(200);
  for (const it of queries.slice(0, warmUpCount)) for (const store of [file, onServer]) await search(store, it);
  reportProgress('searching');
  const times = { file: [] as number[], server: [] as number[] };
  const [shares, firsts]: [number[], number[]] = [[], []];
  for (const it of queries.slice(warmUpCount)) {
    const found: (readonly string[])[] = [];
    for (const [name, store] of [
      ['file', file],
      ['server', onServer],
    ] as const) {
      times[name].push(
        await timed(async () => {
          const { hits } = await search(store, it);
          found.push(hits.slice(0, shown).map(hit => hit.memory.id));
        }),
      );
    }
    const [inFile, there] = [found[0]!, found[1]!];
    shares.push(inFile.filter(id => there.includes(id)).length / Math.max(1, inFile.length));
    firsts.push(inFile[0] === there[0] ? 1 : 0);
  }
  const comparisons = { file: [] as number[], server: [] as number[] };
  for (const content of texts.slice(count)) {
    for (const [name, store] of [
      ['file', file],
      ['server', onServer],
    ] as const) {
      comparisons[name].push(
        await timed(async () => {
          const session = store.openComparison(storeModel, { relatedCosine: 0.6, embeds: true });
          const fact = {
            id: '',
            content,
            contentHash: hashContent(content),
            assertedAt: '',
            scopeId: '',
            vector: undefined,
          };
          await session.add([fact], true);
          session.end();
        }),
      );
    }
  }
  const [fileP50, serverP50] = [times.file, times.server].map(it => percentile(it, 0.5));
  return {
    name: 'server',
    n: questionCount,
    figures: {
      fileP50: fileP50!,
      fileP95: percentile(times.file, 0.95),
      serverP50: serverP50!,
      serverP95: percentile(times.server, 0.95),
      ratio: serverP50! / fileP50!,
      sameFirst: mean(firsts) * 100,
      sameTen: mean(shares) * 100,
      fileCompareP50: percentile(comparisons.file, 0.5),
      serverCompareP50: percentile(comparisons.server, 0.5),
      fileImportPerSecond: (count / loading.file) * 1000,
      serverImportPerSecond: (count / loading.server) * 1000,
    },
    baseline: {},
    notes: [
      `${String(count)} memories, ${String(questionCount)} questions; a search gives ${String(candidates)} candidates with their features, as a recall ranks them.`,
      'sameFirst and sameTen: percent of the questions whose first hit, and of the first ten hits, that both stores give.',
      `The server is on loopback, ${pgvector ? 'with' : 'without'} pgvector and without waiting for the disk. ${String(availableParallelism())} cores.`,
    ],
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function buildMemory(content: string, sequence: number): NewMemory {
  const at = new Date(Date.UTC(2025, 0, 1) + sequence * 60_000).toISOString();
  const id = `019a0000-0000-7000-8000-${sequence.toString(16).padStart(12, '0')}`;
  return newMemory(id, content, at, { sequence, provenance: { source: 'conversation' } });
}
