/**
 * Which memories does an assistant get to read? Invented projects ("worlds") are written and queried through the MCP server, as
 * by any client: `alone` with the text only, `assisted` with what a language model adds to a call (rephrasings, likely words,
 * which memory a new one replaces), `searched` written so, and queried with the question only, as by a person. The figures are defined in docs/performance.md.
 * `--embeddings NAME` as the option of the command line (built-in, off, a model or its folder, endpoint with RECOLLECT_EMBEDDINGS_…),
 * `--limit N` questions of each world. In process: `--rerank FOLDER` with a cross-encoder, and `--server`, which asks once more with
 * the projects' memories on a PostgreSQL server of this machine, without pgvector or `--pgvector` with it; needs PostgreSQL's
 * programs, and it.
 */
import { runTool } from '../../src/operations/tool.js';
import { recallTool } from '../../src/operations/recall.js';
import { rememberTool } from '../../src/operations/remember.js';
import { benchHost, inTemporaryFolder } from './kit/corpus.js';
import { throughServer, type CallTool } from './kit/rawClient.js';
import { openEngine } from '../../src/engine/engine.js';
import type { Figures, Report } from './kit/report.js';
import { askWorld, modes, worldFigures, type World, type WorldAnswer, type WorldAnswers } from './kit/worlds.js';
import { BenchError, dataFile, readJson, type BenchOptions, type OptionValues } from './kit/options.js';
import path from 'node:path';
import { readEmbeddings, readEndpointConfig } from '../../src/cli/environment.js';
import { checkCrossEncoder } from '../../src/engine/embeddings/crossEncoder.js';
import { defaultConfig, type Config } from '../../src/engine/model/config.js';
import { PostgresServer } from '../support/postgresServer.js';
import { countOnServer, moveToServer } from './kit/storeOnServer.js';

export const extraOptions = { embeddings: 'file', rerank: 'file', server: 'flag', pgvector: 'flag' } as const;

export async function run(options: BenchOptions & OptionValues<typeof extraOptions>): Promise<Report> {
  if (options.rerank !== undefined) {
    await checkCrossEncoder(options.rerank).catch((error: unknown) => {
      throw new BenchError(String(error));
    });
  }
  const config: Config = {
    ...defaultConfig,
    embeddings: readEmbeddings(options.embeddings),
    embeddingEndpoint: readEndpointConfig(defaultConfig.embeddingEndpoint),
    recall: { ...defaultConfig.recall, rerankModel: options.rerank ?? '' },
  };
  const files =
    options.data === undefined
      ? ['world1', 'world3'].map(it => dataFile(path.join('assistant', it), options))
      : options.data.split(',');
  const worlds = files.map(it => readJson(it) as World);
  const setup: Setup = {
    worlds,
    config,
    embeddings: options.embeddings,
    limit: options.limit ?? Infinity,
    server: undefined,
  };
  const ofFile = await askWorlds(setup);
  const n = ofFile.answers.length / modes.length;
  const report = { name: 'assistant', n, figures: ofFile.figures, baseline: {}, notes: ofFile.notes };
  if (options.server !== true) return report;
  const server = await PostgresServer.start({ pgvector: options.pgvector === true });
  try {
    const ofServer = await askWorlds({ ...setup, server });
    const others = ofFile.answers.filter((it, i) => it.returned.join() !== ofServer.answers[i]!.returned.join());
    const notes = new Set([
      ...report.notes,
      ...ofServer.notes,
      `${String(await countOnServer(server))} memories were on the server. ${String(others.length)} of ${String(ofFile.answers.length)} answers name other memories there, or in another order.`,
    ]);
    return { ...report, peers: { server: ofServer.figures }, notes: [...notes] };
  } finally {
    await server.stop();
  }
}

interface Setup {
  readonly worlds: readonly World[];
  /** As the option of the command line; undefined for its default. */
  readonly embeddings: string | undefined;
  readonly config: Config;
  /** Questions of each world. */
  readonly limit: number;
  /** Where the projects' memories are; undefined for files. */
  readonly server: PostgresServer | undefined;
}

interface Outcome {
  readonly figures: Figures;
  /** Of every mode. */
  readonly answers: readonly WorldAnswer[];
  /** What the engines say, such as that a model cannot be used. */
  readonly notes: readonly string[];
}

async function askWorlds(setup: Setup): Promise<Outcome> {
  const figures: Record<string, number> = {};
  const all: WorldAnswer[] = [];
  const notes = new Set<string>();
  for (const mode of modes) {
    const answers: WorldAnswers = { answers: [], stores: [] };
    for (const world of setup.worlds) {
      await throughDoor(setup, notes, call => askWorld(call, { world, mode, limit: setup.limit }, answers));
    }
    all.push(...answers.answers);
    for (const [key, value] of Object.entries(worldFigures(answers))) figures[`${mode}.${key}`] = value;
  }
  return { figures, answers: all, notes: [...notes] };
}

/** The MCP server; where a cross-encoder or a PostgreSQL server takes part, an engine in this process. */
async function throughDoor(
  { config, embeddings, server }: Omit<Setup, 'worlds' | 'limit'>,
  notes: Set<string>,
  work: (call: CallTool) => Promise<void>,
): Promise<void> {
  if (server === undefined && config.recall.rerankModel === '') {
    await throughServer(work, embeddings === undefined ? [] : ['--embeddings', embeddings]);
    return;
  }
  await inTemporaryFolder(async folder => {
    let time = Date.now();
    const host = {
      ...benchHost(path.join(folder, 'data'), () => new Date(time++), config),
      workspaceFolders: [folder],
    };
    let engine = await openEngine(host);
    try {
      // All is written there, too.
      if (server !== undefined) engine = await moveToServer(engine, host, server);
      await work(async (name, input) => {
        // What is embedded in the background is there before the first question.
        if (name === 'recall') await engine.embedMissing();
        const source = { source: 'mcp' } as const;
        return name === 'recall'
          ? runTool(recallTool, engine, input, source)
          : runTool(rememberTool, engine, input, source);
      });
      for (const it of (await engine.traces(1))[0]?.degraded ?? []) notes.add(it);
    } finally {
      await engine.close();
    }
  });
}
