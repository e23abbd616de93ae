/**
 * Does recall find the turns of a long conversation that answer a question? LoCoMo (ACL 2024): one memory per turn,
 * relevant are the turns that the question's authors name as evidence. Categories: 1 several turns, 2 time, 3 with
 * knowledge of the world, 4 one turn; 5 (cannot be answered) has nothing to find and is left out.
 */
import { Bm25 } from './kit/bm25.js';
import { reportProgress, withCorpus, type Document, type QuestionSet } from './kit/corpus.js';
import { depth, score } from './kit/metrics.js';
import { readData, type BenchOptions } from './kit/options.js';
import { createCompetitors, searchAll } from './kit/competitors.js';
import { buildQualityReport, type ScoredQuestion, type Report } from './kit/report.js';

interface Conversation {
  readonly id: string;
  readonly turns: readonly {
    readonly id: string;
    readonly session: number;
    /** `1:56 pm on 8 May, 2023` */
    readonly date: string;
    readonly speaker: string;
    readonly text: string;
    readonly caption: string | null;
  }[];
  readonly questions: readonly {
    readonly id: string;
    readonly question: string;
    readonly category: number;
    readonly evidence: readonly string[];
  }[];
}

const answerable = 4;
const dayMs = 24 * 60 * 60 * 1000;

export async function run(options: BenchOptions): Promise<Report> {
  const answered: ScoredQuestion[] = [];
  let left = options.limit ?? Infinity;
  let refused = 0;
  let cut = 0;
  for (const { id, documents, at, questions } of conversations(options)) {
    const asked = questions.slice(0, left);
    if (asked.length === 0) continue;
    left -= asked.length;
    const bm25 = new Bm25(documents);
    const peers = await createCompetitors(documents);
    await withCorpus(documents, at, async corpus => {
      for (const { query, kind, relevant } of asked) {
        answered.push({
          group: kind,
          ours: score(await corpus.ask(query, depth), relevant),
          baseline: score(bm25.search(query, depth), relevant),
          peers: await searchAll(peers, query, depth, ids => score(ids, relevant)),
        });
      }
      refused += corpus.refused.length;
      cut += corpus.cut;
    });
    reportProgress(`${id}: ${documents.length} turns, ${asked.length} questions`);
  }
  const notes = [`${refused} turns refused; ${cut} answers cut by the token budget.`];
  return buildQualityReport('locomo', answered, notes);
}

/** The conversations with their answerable questions, asked a day after the last turn. */
export function conversations(options: BenchOptions): readonly QuestionSet[] {
  return (readData('locomo', options) as readonly Conversation[]).map(it => ({
    id: it.id,
    documents: documentsOf(it),
    at: new Date(Math.max(...it.turns.map(turn => timeOf(turn.date))) + dayMs),
    questions: it.questions
      .filter(({ category, evidence }) => category <= answerable && evidence.length > 0)
      .map(({ question, category, evidence }) => ({
        query: question,
        kind: `category ${category}`,
        relevant: new Set(evidence),
      })),
  }));
}

function documentsOf({ id, turns }: Conversation): Document[] {
  return turns.map((turn, order) => ({
    id: turn.id,
    text: `${turn.speaker}: ${turn.text}${turn.caption === null ? '' : ` [${turn.caption}]`}`,
    // Turns of a session share its date; one second per turn keeps their order.
    more: { session: `${id}:${turn.session}`, at: new Date(timeOf(turn.date) + order * 1000).toISOString() },
  }));
}

/** `1:56 pm on 8 May, 2023` in milliseconds since 1970, as UTC. */
function timeOf(date: string): number {
  const [clock = '', day = ''] = date.split(' on ');
  return Date.parse(`${day} ${clock} UTC`);
}
