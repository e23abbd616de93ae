/**
 * Does recall find the turns of a long conversation that answer a question? LoCoMo (ACL 2024): one memory per turn,
 * relevant are the turns that the question's authors name as evidence. Categories: 1 several turns, 2 time, 3 with
 * knowledge of the world, 4 one turn; 5 (cannot be answered) has nothing to find and is left out.
 */
import { Bm25 } from './kit/bm25.js';
import { sayTo, withCorpus, type Document } from './kit/memory.js';
import { depth, score } from './kit/metrics.js';
import { readData, type BenchOptions } from './kit/options.js';
import { allPeers, askAll } from './kit/peers.js';
import { qualityReport, type Answered, type Report } from './kit/report.js';

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
  const conversations = readData('locomo', options) as readonly Conversation[];
  const answered: Answered[] = [];
  let left = options.limit ?? Infinity;
  let refused = 0;
  let cut = 0;
  for (const conversation of conversations) {
    const questions = conversation.questions.filter(it => it.category <= answerable && it.evidence.length > 0);
    const asked = questions.slice(0, left);
    if (asked.length === 0) continue;
    left -= asked.length;
    const documents = documentsOf(conversation);
    const bm25 = new Bm25(documents);
    const peers = await allPeers(documents);
    const last = new Date(Math.max(...conversation.turns.map(it => timeOf(it.date))) + dayMs);
    await withCorpus(documents, last, async corpus => {
      for (const { question, category, evidence } of asked) {
        const relevant = new Set(evidence);
        answered.push({
          group: `category ${category}`,
          ours: score(await corpus.ask(question, depth), relevant),
          baseline: score(bm25.search(question, depth), relevant),
          peers: await askAll(peers, question, depth, ids => score(ids, relevant)),
        });
      }
      refused += corpus.refused.length;
      cut += corpus.cut;
    });
    sayTo(`${conversation.id}: ${documents.length} turns, ${asked.length} questions`);
  }
  const notes = [`${refused} turns refused; ${cut} answers cut by the token budget.`];
  return qualityReport('locomo', answered, notes);
}

function documentsOf({ id, turns }: Conversation): Document[] {
  return turns.map((turn, order) => ({
    id: turn.id,
    text: `${turn.speaker}: ${turn.text}${turn.caption === null ? '' : ` [${turn.caption}]`}`,
    // Turns of one session share its date; a second each keeps their order.
    more: { session: `${id}:${turn.session}`, at: new Date(timeOf(turn.date) + order * 1000).toISOString() },
  }));
}

/** `1:56 pm on 8 May, 2023` in milliseconds since 1970, as UTC. */
function timeOf(date: string): number {
  const [clock = '', day = ''] = date.split(' on ');
  return Date.parse(`${day} ${clock} UTC`);
}
