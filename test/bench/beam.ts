/**
 * Does recall find what a user said earlier in a long chat with an assistant? BEAM 100K: one memory per message of the
 * user, the probes' questions as queries. For probes about a contradiction or an update the answer needs both sides:
 * `pairsComplete` counts those with at least one message of each side in the top ten.
 */
import { Bm25 } from './kit/bm25.js';
import { splitToFit, reportProgress, withCorpus, type Document, type QuestionSet } from './kit/corpus.js';
import { depth, isPairComplete, mean, score } from './kit/metrics.js';
import { readData, type BenchOptions } from './kit/options.js';
import { createCompetitors, searchAll } from './kit/competitors.js';
import { computeIntervals, percent, buildQualityReport, type ScoredQuestion, type Report } from './kit/report.js';

interface Chat {
  readonly id: string | number;
  readonly messages: readonly {
    readonly id: number;
    /** `March-15-2024`; null means as before. */
    readonly date: string | null;
    readonly text: string;
  }[];
  readonly probes: readonly {
    readonly kind: string;
    readonly question: string;
    readonly evidence: readonly number[];
    readonly pair?: readonly (readonly number[])[];
  }[];
}

interface Pair {
  readonly kind: string;
  readonly ours: boolean;
  readonly baseline: boolean;
}

const dayMs = 24 * 60 * 60 * 1000;
/** A message longer than a memory is several memories; twice the depth still gives ten different messages. */
const memoriesAsked = 2 * depth;

export async function run(options: BenchOptions): Promise<Report> {
  const answered: ScoredQuestion[] = [];
  const pairs: Pair[] = [];
  let left = options.limit ?? Infinity;
  let refused = 0;
  let cut = 0;
  let inParts = 0;
  for (const { id, documents, at, questions } of chats(options)) {
    const asked = questions.slice(0, left);
    if (asked.length === 0) continue;
    left -= asked.length;
    inParts += documents.filter(it => splitToFit(it.text).length > 1).length;
    const bm25 = new Bm25(documents);
    const peers = await createCompetitors(documents);
    await withCorpus(documents, at, async corpus => {
      for (const { query, kind, relevant, sides } of asked) {
        const ours = await corpus.ask(query, memoriesAsked);
        const baseline = bm25.search(query, depth);
        answered.push({
          group: kind,
          ours: score(ours, relevant),
          baseline: score(baseline, relevant),
          peers: await searchAll(peers, query, depth, ids => score(ids, relevant)),
        });
        if (sides === undefined) continue;
        pairs.push({ kind, ours: isPairComplete(ours, sides), baseline: isPairComplete(baseline, sides) });
      }
      refused += corpus.refused.length;
      cut += corpus.cut;
    });
    reportProgress(`chat ${id}: ${documents.length} messages, ${asked.length} probes`);
  }
  const notes = [
    `${refused} messages refused; ${cut} answers cut by the token budget.`,
    `${inParts} messages longer than a memory are kept as parts; a part found is the message found.`,
  ];
  return withPairs(buildQualityReport('beam', answered, notes), pairs);
}

/** The chats with the probes that have an answer, asked a day after the last message. */
export function chats(options: BenchOptions): readonly QuestionSet[] {
  return (readData('beam', options) as readonly Chat[]).map(chat => {
    const documents = documentsOf(chat);
    return {
      id: String(chat.id),
      documents,
      at: new Date(Math.max(...documents.map(it => Date.parse(it.more!.at!))) + dayMs),
      questions: chat.probes
        .filter(it => it.evidence.length > 0)
        .map(({ kind, question, evidence, pair }) => ({
          query: question,
          kind,
          relevant: new Set(evidence.map(String)),
          ...(pair === undefined ? {} : { sides: pair.map(side => side.map(String)) }),
        })),
    };
  });
}

function withPairs(report: Report, pairs: readonly Pair[]): Report {
  if (pairs.length === 0) return report;
  const share = (group: readonly Pair[], of: 'ours' | 'baseline'): number =>
    percent(mean(group.map(it => Number(it[of]))));
  const groups = Object.entries(report.groups ?? {}).map(([kind, group]) => {
    const ofKind = pairs.filter(it => it.kind === kind);
    if (ofKind.length === 0) return [kind, group] as const;
    const figures = { ...group.figures, pairsComplete: share(ofKind, 'ours') };
    return [
      kind,
      { ...group, figures, baseline: { ...group.baseline, pairsComplete: share(ofKind, 'baseline') } },
    ] as const;
  });
  const count = (of: 'ours' | 'baseline'): number => pairs.filter(it => it[of]).length;
  return {
    ...report,
    figures: { ...report.figures, pairsComplete: share(pairs, 'ours') },
    baseline: { ...report.baseline, pairsComplete: share(pairs, 'baseline') },
    intervals: {
      ...report.intervals,
      pairsComplete: computeIntervals(pairs.map(it => [Number(it.ours), Number(it.baseline)])),
    },
    groups: Object.fromEntries(groups),
    notes: [`Pairs complete: ${count('ours')} of ${pairs.length}, baseline ${count('baseline')}.`, ...report.notes],
  };
}

function documentsOf({ id, messages }: Chat): Document[] {
  let date = messages.find(it => it.date !== null)?.date ?? '2024-01-01';
  let session = 0;
  return messages.map((message, order) => {
    if (message.date !== null) session++;
    date = message.date ?? date;
    // One second per message keeps the order within a day.
    const at = new Date(Date.parse(`${date.replaceAll('-', ' ')} UTC`) + order * 1000).toISOString();
    return { id: String(message.id), text: message.text, more: { session: `chat ${id}:${session}`, at } };
  });
}
