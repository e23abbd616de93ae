/**
 * Which memories does an assistant get to read? Invented projects ("worlds") are written and queried through the MCP server, as
 * by any client: `alone` with the text only, `assisted` with what a language model adds to a call (rephrasings, likely words,
 * which memory a new one replaces), `searched` written so, and queried with the question only, as by a person. The figures are defined in docs/performance.md.
 * `--embeddings NAME` as the option of the command line (built-in, off, a model or its folder, endpoint with RECOLLECT_EMBEDDINGS_…),
 * `--limit N` questions of each world. In process: `--rerank FOLDER` with a cross-encoder, and `--server`, which asks once more with
 * the projects' memories on a PostgreSQL server of this machine, without pgvector or `--pgvector` with it; needs PostgreSQL's
 * programs, and it.
 */
import { runTool } from '../../src/tools/tool.js';
import { recallTool } from '../../src/tools/recall.js';
import { rememberTool } from '../../src/tools/remember.js';
import { estimateTokens } from '../../src/engine/text/tokenEstimate.js';
import { benchHost, inTemporaryFolder } from './kit/corpus.js';
import { recallMemories, rememberOutcomes, throughServer, type CallTool } from './kit/rawClient.js';
import { openEngine } from '../../src/engine/engine.js';
import { percent, share, type Figures, type Report } from './kit/report.js';
import { BenchError, dataFile, readJson, type BenchOptions, type OptionValues } from './kit/options.js';
import path from 'node:path';
import { readEmbeddings } from '../../src/cli/embeddingsOption.js';
import { readEndpointConfig } from '../../src/cli/commands/embeddingEndpoint.js';
import { checkCrossEncoder } from '../../src/engine/embeddings/crossEncoder.js';
import { defaultConfig, type Config } from '../../src/engine/model/config.js';
import { PostgresServer } from '../support/postgresServer.js';
import { countOnServer, moveToServer } from './kit/storeOnServer.js';

interface WorldMemory {
  readonly id: string;
  readonly at: string;
  readonly text: string;
  readonly store: 'global' | 'project';
  readonly gate: string;
  readonly model: {
    readonly questions: readonly string[];
    readonly keywords: readonly string[];
    readonly replaces: readonly string[];
  };
}

interface WorldQuestion {
  readonly id: string;
  readonly query: string;
  readonly relevant: readonly string[];
  readonly best: string | null;
  readonly stale: readonly string[];
  readonly type: string;
  readonly model: { readonly alternatives: readonly string[]; readonly keywords: readonly string[] };
}

interface World {
  readonly world: string;
  readonly memories: readonly WorldMemory[];
  readonly questions: readonly WorldQuestion[];
}

/** The answer to one question by ids of the world; `''` is a memory that comes from no text of the world. */
interface WorldAnswer {
  readonly question: WorldQuestion;
  readonly returned: readonly string[];
  /** Older texts that are listed under their replacement, and texts marked as in conflict. */
  readonly marked: ReadonlySet<string>;
  readonly tokens: number;
}

const modes = ['alone', 'searched', 'assisted'] as const;
type Mode = (typeof modes)[number];

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

interface Asked {
  readonly world: World;
  readonly mode: Mode;
}

interface Answers {
  readonly answers: WorldAnswer[];
  readonly stores: { wanted: string; given: string }[];
  readonly notes: Set<string>;
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
    const answers: WorldAnswer[] = [];
    const stores: { wanted: string; given: string }[] = [];
    for (const world of setup.worlds) {
      await askWorld({ ...setup, world, mode }, { answers, stores, notes });
    }
    all.push(...answers);
    for (const [key, value] of Object.entries({ ...figuresOf(answers), ...storeFigures(stores) })) {
      figures[`${mode}.${key}`] = value;
    }
  }
  return { figures, answers: all, notes: [...notes] };
}

async function askWorld({ world, mode, limit, ...setup }: Setup & Asked, into: Answers): Promise<void> {
  await throughDoor(setup, into.notes, async call => {
    /** Ids in the world of the texts of each memory, by its short id. */
    const worldIds = new Map<string, string[]>();
    const shortIds = new Map<string, string>();
    for (const memory of world.memories) {
      for (const { id, store } of await rememberOutcomes(call, inputOf(memory, mode, shortIds))) {
        if (id === undefined || store === undefined) continue;
        worldIds.set(id, [...(worldIds.get(id) ?? []), memory.id]);
        if (!shortIds.has(memory.id)) shortIds.set(memory.id, id);
        into.stores.push({ wanted: memory.store, given: store });
      }
    }
    const idsOf = (short: string): readonly string[] => worldIds.get(short) ?? [''];
    for (const question of world.questions.slice(0, limit)) into.answers.push(await ask(call, question, mode, idsOf));
  });
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

function inputOf({ text, model }: WorldMemory, mode: Mode, shortIds: ReadonlyMap<string, string>): object {
  const { questions, keywords } = model;
  const replaces = model.replaces.flatMap(it => shortIds.get(it) ?? []);
  return mode === 'alone'
    ? { content: text }
    : { facts: [{ content: text, questions, keywords, ...(replaces.length > 0 ? { replaces } : {}) }] };
}

async function ask(
  call: CallTool,
  question: WorldQuestion,
  mode: Mode,
  idsOf: (short: string) => readonly string[],
): Promise<WorldAnswer> {
  const { alternatives, keywords } = question.model;
  const input = mode !== 'assisted' ? { query: question.query } : { query: question.query, alternatives, keywords };
  const { memories, answer } = await recallMemories(call, input);
  const marked = memories.filter(it => it.conflict !== undefined || it.contradicts !== undefined);
  return {
    question,
    returned: [...new Set(memories.flatMap(it => idsOf(it.id)))],
    marked: new Set(marked.flatMap(it => idsOf(it.id))),
    tokens: (estimateTokens(answer.text) + estimateTokens(JSON.stringify(answer.structured))) / 2,
  };
}

function figuresOf(answers: readonly WorldAnswer[]): Figures {
  const answerable = answers.filter(it => it.question.relevant.length > 0);
  const withBest = answerable.filter(it => it.question.best !== null);
  const unanswerable = answers.filter(it => it.question.relevant.length === 0);
  const changed = answerable.filter(it => it.question.stale.length > 0);
  const returned = answerable.reduce((sum, it) => sum + it.returned.length, 0);
  const relevant = answerable.reduce((sum, it) => sum + relevantIn(it, Infinity), 0);
  return {
    bestFirst: share(withBest, it => it.returned[0] === it.question.best),
    bestIn3: share(withBest, it => it.returned.slice(0, 3).includes(it.question.best!)),
    recall: percent(
      answerable.reduce((sum, it) => sum + relevantIn(it, 10) / it.question.relevant.length, 0) / answerable.length,
    ),
    precision: percent(returned === 0 ? 0 : relevant / returned),
    noneEmpty: share(unanswerable, it => it.returned.length === 0),
    staleAbove: share(changed, isStaleAbove),
    staleUnmarked: share(changed, it => it.question.stale.some(id => it.returned.includes(id) && !it.marked.has(id))),
    tokens: Math.round(answers.reduce((sum, it) => sum + it.tokens, 0) / answers.length),
    returned: Math.round((answers.reduce((sum, it) => sum + it.returned.length, 0) / answers.length) * 100) / 100,
  };
}

function relevantIn({ returned, question }: WorldAnswer, depth: number): number {
  return returned.slice(0, depth).filter(it => question.relevant.includes(it)).length;
}

function isStaleAbove({ returned, question }: WorldAnswer): boolean {
  const best = returned.indexOf(question.best!);
  return question.stale.some(it => {
    const stale = returned.indexOf(it);
    return stale >= 0 && (best < 0 || stale < best);
  });
}

function storeFigures(stores: readonly { readonly wanted: string; readonly given: string }[]): Figures {
  const ofProject = stores.filter(it => it.wanted === 'project');
  return {
    storeRight: share(stores, it => it.wanted === it.given),
    leaked: share(ofProject, it => it.given === 'global'),
  };
}
