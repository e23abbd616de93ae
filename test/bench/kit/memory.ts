import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import { requestLimits, defaultConfig, type Config } from '../../../src/engine/model/config.js';
import type { EngineHost } from '../../../src/engine/model/host.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import type { RankFactors } from '../../../src/engine/model/trace.js';

/** One document of a corpus. Several may be one memory (the same words twice), one may be several (too long for one). */
export interface Document {
  readonly id: string;
  readonly text: string;
  readonly more?: Partial<RememberInput>;
}

/** Documents that belong together, and what is asked about them. */
export interface Questions {
  readonly id: string;
  readonly documents: readonly Document[];
  /** When it is asked. */
  readonly at: Date;
  readonly questions: readonly {
    readonly query: string;
    readonly kind: string;
    /** Ids of the documents that answer it; never empty. */
    readonly relevant: ReadonlySet<string>;
    /** Where an answer needs more than one side: the documents of each. */
    readonly sides?: readonly (readonly string[])[];
  }[];
}

/** A filled engine, asked as a user's assistant asks it: through its public face. */
export interface Corpus {
  /** Ids of the documents of the best memories, best first, without repeats. */
  ask(query: string, limit: number): Promise<string[]>;
  /** Everything the ranks of a question were made of, best first (the answer's trace). */
  explain(query: string): Promise<readonly Explained[]>;
  /** Documents that no memory holds, because the engine refused them. */
  readonly refused: readonly string[];
  /** Answers so far that lost a memory to the token budget. */
  readonly cut: number;
}

/** A candidate's rank, and the documents that its memory holds. */
export interface Explained {
  readonly documents: readonly string[];
  readonly factors: RankFactors;
}

/** A temporary data folder, the default settings, and a clock that stands still unless told otherwise. */
export function benchHost(dataDir: string, now: () => Date, config: Config = defaultConfig): EngineHost {
  const silent = (): void => undefined;
  return {
    dataDir,
    bundleDir: path.resolve('dist'),
    modelsDir: path.resolve('dist', 'models'),
    workspaceFolders: [],
    client: 'bench',
    log: { info: silent, warn: silent, error: silent },
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
 * Remembers the documents in the order given, in a store of their own, at the time `at`, and hands the corpus to `work`.
 * The clock moves by a millisecond per memory, so that ids and thereby ties come out the same in every run; it stays
 * within a day, so that no daily backup is measured.
 */
export async function withCorpus<T>(
  documents: readonly Document[],
  at: Date,
  work: (corpus: Corpus) => Promise<T>,
  config: Config = defaultConfig,
): Promise<T> {
  return inTemporaryFolder(async folder => {
    let time = at.getTime();
    const engine = await openEngine(benchHost(folder, () => new Date(time), config));
    try {
      const documentsOf = new Map<string, string[]>();
      const refused: string[] = [];
      for (const { id, text, more } of documents) {
        for (const part of parts(text)) {
          time++;
          const [outcome] = await engine.remember({
            source: 'import',
            lane: 'confirmed',
            ...more,
            content: part,
            whole: true,
          });
          if (outcome === undefined || outcome.outcome === 'refused') refused.push(id);
          else documentsOf.set(outcome.id, [...(documentsOf.get(outcome.id) ?? []), id]);
        }
      }
      return await work(new EngineCorpus(engine, documentsOf, refused));
    } finally {
      await engine.close();
    }
  });
}

class EngineCorpus implements Corpus {
  cut = 0;

  constructor(
    private readonly engine: MemoryEngine,
    private readonly documentsOf: ReadonlyMap<string, readonly string[]>,
    readonly refused: readonly string[],
  ) {}

  async ask(query: string, limit: number): Promise<string[]> {
    const { hits, trace } = await this.engine.recall({
      query,
      limit,
      tokenBudget: requestLimits.maxTokenBudget,
      // What one question returns would count for the next.
      isUntracked: true,
    });
    if (hits.length < Math.min(limit, trace.candidateCount)) this.cut++;
    return [...new Set(hits.flatMap(({ memory }) => this.documentsOf.get(memory.id) ?? []))];
  }

  async explain(query: string): Promise<readonly Explained[]> {
    const { trace } = await this.engine.recall({ query, isUntracked: true });
    return trace.candidates.map(({ id, factors }) => ({ documents: this.documentsOf.get(id) ?? [], factors }));
  }
}

/**
 * A text as memories: whole where it fits, else cut between lines (a line that is too long, between words). Whoever
 * remembers such a text by hand gets the same advice from the engine.
 */
export function parts(text: string, max: number = defaultConfig.remember.maxCharacters): string[] {
  if (text.length <= max) return [text];
  const cutAt = [text.lastIndexOf('\n', max), text.lastIndexOf(' ', max), max].find(it => it > max / 2)!;
  return [text.slice(0, cutAt), ...parts(text.slice(cutAt), max)].filter(it => it.trim() !== '');
}

/** Progress for a person; stdout is for the report. */
export function sayTo(text: string): void {
  if (process.stderr.isTTY) console.error(text);
}
