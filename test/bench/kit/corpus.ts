import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import { requestLimits, defaultConfig, type Config } from '../../../src/engine/model/config.js';
import type { EngineHost } from '../../../src/engine/model/host.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import type { RankFactors } from '../../../src/engine/model/trace.js';
import { PostgresServer } from '../../support/postgresServer.js';
import { moveToServer } from './storeOnServer.js';

/** A document of a corpus. Equal documents become one memory, a long document becomes several. */
export interface Document {
  readonly id: string;
  readonly text: string;
  readonly more?: Partial<RememberInput>;
}

/** A corpus and the questions about it. */
export interface QuestionSet {
  readonly id: string;
  readonly documents: readonly Document[];
  /** Time of the questions. */
  readonly at: Date;
  readonly questions: readonly {
    readonly query: string;
    readonly kind: string;
    /** Ids of the documents that answer it; never empty. */
    readonly relevant: ReadonlySet<string>;
    /** Documents of each side when an answer needs more than one. */
    readonly sides?: readonly (readonly string[])[];
  }[];
}

/** A filled engine, queried through its public API. */
export interface Corpus {
  /** Ids of the documents of the best memories, best first, without repeats. */
  ask(query: string, limit: number): Promise<string[]>;
  /** Rank factors of all candidates from the trace, best first. */
  explain(query: string): Promise<readonly RankedCandidate[]>;
  /** Moves the memories of a project to a PostgreSQL server of this machine, where they are asked from then on. */
  moveToServer(options: { readonly pgvector: boolean }): Promise<void>;
  /** Ids of documents that the engine refused. */
  readonly refused: readonly string[];
  /** Number of answers that the token budget truncated. */
  readonly cut: number;
}

/** Rank factors of a candidate and the documents of its memory. */
export interface RankedCandidate {
  readonly documents: readonly string[];
  readonly factors: RankFactors;
}

/** A host with a given data folder and clock, the default settings and no log. */
export function benchHost(dataDir: string, now: () => Date, config: Config = defaultConfig): EngineHost {
  const ignore = (): void => undefined;
  return {
    dataDir,
    bundleDir: path.resolve('dist'),
    modelsDir: path.resolve('dist', 'models'),
    workspaceFolders: [],
    client: 'bench',
    log: { info: ignore, warn: ignore, error: ignore },
    config: () => config,
    now,
  };
}

export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'recollect-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Remembers the documents in order in a new store at the time `at`, and passes the corpus to `work`. The clock advances by
 * a millisecond per memory, so that ids and therefore ties are the same in every run; it stays within a day, so that no
 * daily backup is measured.
 */
export async function withCorpus<T>(
  documents: readonly Document[],
  at: Date,
  work: (corpus: Corpus) => Promise<T>,
  { config = defaultConfig, inProject = false }: { readonly config?: Config; readonly inProject?: boolean } = {},
): Promise<T> {
  return inTemporaryFolder(async folder => {
    let time = at.getTime();
    const host = {
      ...benchHost(path.join(folder, 'data'), () => new Date(time), config),
      workspaceFolders: inProject ? [folder] : [],
    };
    const corpus = new EngineCorpus(await openEngine(host), host);
    try {
      for (const { id, text, more } of documents) {
        for (const part of splitToFit(text)) {
          time++;
          await corpus.remember(id, {
            source: 'import',
            lane: 'confirmed',
            // Ranking is measured: what lasts a week would be over long before the questions are asked.
            decayClass: 'durable',
            ...more,
            content: part,
            whole: true,
          });
        }
      }
      return await work(corpus);
    } finally {
      await corpus.close();
    }
  });
}

class EngineCorpus implements Corpus {
  cut = 0;
  readonly refused: string[] = [];
  private server: PostgresServer | undefined;
  private readonly documentsOf = new Map<string, string[]>();

  constructor(
    private engine: MemoryEngine,
    private readonly host: EngineHost,
  ) {}

  async remember(id: string, input: RememberInput): Promise<void> {
    const store = this.host.workspaceFolders.length > 0 ? 'project' : 'global';
    const [outcome] = await this.engine.remember({ store, ...input });
    if (outcome === undefined || outcome.outcome === 'refused') this.refused.push(id);
    else this.documentsOf.set(outcome.id, [...(this.documentsOf.get(outcome.id) ?? []), id]);
  }

  async moveToServer(options: { readonly pgvector: boolean }): Promise<void> {
    this.server = await PostgresServer.start(options);
    this.engine = await moveToServer(this.engine, this.host, this.server);
  }

  async close(): Promise<void> {
    await this.engine.close();
    await this.server?.stop();
  }

  async ask(query: string, limit: number): Promise<string[]> {
    const { hits, trace } = await this.engine.recall({
      query,
      limit,
      tokenBudget: requestLimits.maxTokenBudget,
      // Recorded usage would change the ranks of the next question.
      isUntracked: true,
      withoutCut: true,
    });
    if (hits.length < Math.min(limit, trace.candidateCount)) this.cut++;
    return [...new Set(hits.flatMap(({ memory }) => this.documentsOf.get(memory.id) ?? []))];
  }

  async explain(query: string): Promise<readonly RankedCandidate[]> {
    const { trace } = await this.engine.recall({ query, isUntracked: true });
    return trace.candidates.map(({ id, factors }) => ({ documents: this.documentsOf.get(id) ?? [], factors }));
  }
}

/**
 * Parts of a text that fit into a memory: split between lines, or between words of a line that is too long. The engine
 * gives the same advice when it refuses a long text.
 */
export function splitToFit(text: string, maxLength: number = defaultConfig.remember.maxCharacters): string[] {
  if (text.length <= maxLength) return [text];
  const cutAt = [text.lastIndexOf('\n', maxLength), text.lastIndexOf(' ', maxLength), maxLength].find(
    it => it > maxLength / 2,
  )!;
  return [text.slice(0, cutAt), ...splitToFit(text.slice(cutAt), maxLength)].filter(it => it.trim() !== '');
}

/** Prints progress to stderr; stdout is for the report. */
export function reportProgress(text: string): void {
  if (process.stderr.isTTY) console.error(text);
}
