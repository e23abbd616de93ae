/**
 * Does recall find code by what people type into a search engine? CoSQA: every function is a memory of kind `code`, kept
 * whole; one function answers each query. `--server` asks once more with the memories on a PostgreSQL server of this machine,
 * without pgvector or `--pgvector` with it; needs PostgreSQL's programs, and it.
 */
import path from 'node:path';
import { Bm25 } from './kit/bm25.js';
import { reportProgress, withCorpus, type Corpus, type QuestionSet } from './kit/corpus.js';
import { depth, score } from './kit/metrics.js';
import { dataFile, readJson, type BenchOptions, type OptionValues } from './kit/options.js';
import { createCompetitors, searchAll } from './kit/competitors.js';
import { buildQualityReport, type ScoredQuestion, type Report } from './kit/report.js';

interface Data {
  /** Name of the file with the functions, without its extension. */
  readonly corpus: string;
  readonly queries: readonly { readonly query: string; readonly relevant: number }[];
}

type Functions = readonly { readonly id: number; readonly code: string }[];

/** The functions carry no date; any fixed one gives the same ranks. */
const noDate = new Date('2026-01-01T00:00:00Z');

export const extraOptions = { server: 'flag', pgvector: 'flag' } as const;

export async function run(options: BenchOptions & OptionValues<typeof extraOptions>): Promise<Report> {
  const { documents, at, questions } = functions(options);
  const bm25 = new Bm25(documents);
  const peers = await createCompetitors(documents);
  const answered: ScoredQuestion[] = [];
  const inProject = options.server === true;
  const ask = async (corpus: Corpus): Promise<Report> => {
    reportProgress(`${documents.length} functions remembered`);
    const asked = questions.slice(0, options.limit);
    for (const { query, kind, relevant } of asked) {
      answered.push({
        group: kind,
        ours: score(await corpus.ask(query, depth), relevant),
        baseline: score(bm25.search(query, depth), relevant),
        peers: await searchAll(peers, query, depth, found => score(found, relevant)),
      });
    }
    if (inProject) {
      await corpus.moveToServer({ pgvector: options.pgvector === true });
      for (const [i, { query, relevant }] of asked.entries()) {
        const answer = answered[i]!;
        const ofServer = score(await corpus.ask(query, depth), relevant);
        answered[i] = { ...answer, peers: { ...answer.peers, server: ofServer } };
      }
    }
    const { groups, ...report } = buildQualityReport('cosqa', answered, [
      `${documents.length} functions, ${corpus.refused.length} refused; ${corpus.cut} answers cut by the token budget.`,
    ]);
    return report;
  };
  return withCorpus(documents, at, ask, { inProject });
}

/** `--data` names the file of questions, which names the file of functions in the same folder. */
export function functions(options: BenchOptions): QuestionSet {
  const file = dataFile('cosqa', options);
  const { corpus, queries } = readJson(file) as Data;
  const ending = file.endsWith('.gz') ? '.json.gz' : '.json';
  return {
    id: corpus,
    documents: (readJson(path.join(path.dirname(file), corpus + ending)) as Functions).map(it => ({
      id: String(it.id),
      text: it.code,
      more: { source: 'code-index', kind: 'code', gate: 'epistemic' },
    })),
    at: noDate,
    questions: queries.map(({ query, relevant }) => ({ query, kind: 'all', relevant: new Set([String(relevant)]) })),
  };
}
