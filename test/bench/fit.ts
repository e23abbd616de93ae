/**
 * Learns the ranking weights of search. Fills the engine with the data of `locomo`, `beam` and `cosqa`, takes the features of
 * every candidate from the traces, learns weights by listwise softmax, and prints them as
 * src/engine/store/index/features.ts has them. The figures are cross-validated: a question is ranked, by the engine's
 * own formula, with weights learned without its conversation or chat (of the one corpus of code, without a fifth of the
 * questions). Two measures depend on the weights the engine has meanwhile, `instruction` and `feedback`: run it again
 * after pasting until the weights stay. The baseline is the engine as it is.
 */
import { defaultConfig } from '../../src/engine/model/config.js';
import { featureNames, type RankFactors } from '../../src/engine/model/trace.js';
import { chats } from './beam.js';
import { functions } from './cosqa.js';
import { reportProgress, withCorpus, type QuestionSet } from './kit/corpus.js';
import { isPairComplete, mean, score } from './kit/metrics.js';
import type { BenchOptions } from './kit/options.js';
import { computeIntervals, percent, type Figures, type Report } from './kit/report.js';
import { fitWeights, scoreCandidates, type Ranking } from './kit/listwiseFit.js';
import { conversations } from './locomo.js';

const folds = 5;
/** Of the squared weights; a tenth gives the same figures within a point or so, ten times costs up to four of beam's MRR. */
const ridge = 2e-3;
/**
 * How much each data set counts, whatever its number of questions; with 1, 3 or 5 for beam, or 1.2 or 3 for cosqa, no
 * figure moves by over a point but beam's hit@5 (75.9 to 78.8), MRR (62.8 to 63.9) and pairs (36 and 37).
 */
const dataSetWeights = { locomo: 1, beam: 2, cosqa: 2 } as const;
type DataSet = keyof typeof dataSetWeights;
/** Candidates of a question, as many as the search itself measures. */
const candidatesPerQuestion = 150;
const config = {
  ...defaultConfig,
  recall: { ...defaultConfig.recall, candidates: candidatesPerQuestion },
  traces: { ...defaultConfig.traces, candidates: candidatesPerQuestion },
};

/** A question with the features of its candidates. */
interface Sample extends Ranking {
  readonly set: DataSet;
  readonly fold: number;
  readonly candidates: readonly { readonly documents: readonly string[]; readonly factors: RankFactors }[];
  readonly question: QuestionSet['questions'][number];
}

/** `--limit` is the number of questions of each corpus. */
export async function run(options: BenchOptions): Promise<Report> {
  const samples = await measure(options);
  const asItIs = new Map(samples.map(it => [it, Float64Array.from(it.candidates, ({ factors }) => factors.score)]));
  const held = new Map<Sample, Float64Array>();
  for (let fold = 0; fold < folds; fold++) {
    const weights = learn(samples.filter(it => it.fold !== fold));
    for (const it of samples) if (it.fold === fold) held.set(it, scoreCandidates(it, weights));
  }
  const final = learn(samples);
  const table = featureNames.map((name, i) => `  ${name}: ${Number(final[i]!.toFixed(2))},`);
  const ours = toSample(samples, it => held.get(it)!);
  const baseline = toSample(samples, it => asItIs.get(it)!);
  return {
    name: 'fit',
    n: samples.length,
    figures: means(ours),
    baseline: means(baseline),
    intervals: Object.fromEntries(
      [...ours].map(([key, values]) => [key, computeIntervals(values.map((it, i) => [it, baseline.get(key)![i]!]))]),
    ),
    notes: ['Baseline: the engine as it is, learned on the same questions. For features.ts, learned on all:', ...table],
  };
}

function learn(samples: readonly Sample[]): Float64Array {
  return fitWeights(samples, featureNames.length, ridge);
}

async function measure(options: BenchOptions): Promise<Sample[]> {
  const samples: Sample[] = [];
  const corpora: readonly (readonly [DataSet, readonly QuestionSet[]])[] = [
    ['locomo', conversations(options)],
    ['beam', chats(options)],
    ['cosqa', [functions(options)]],
  ];
  for (const [set, questionSets] of corpora) {
    const total = questionSets.reduce(
      (sum, { questions }) => sum + Math.min(questions.length, options.limit ?? Infinity),
      0,
    );
    for (const [number, { id, documents, at, questions }] of questionSets.entries()) {
      await withCorpus(
        documents,
        at,
        async corpus => {
          for (const [position, question] of questions.slice(0, options.limit).entries()) {
            const found = await corpus.explain(question.query);
            samples.push({
              set,
              fold: (questionSets.length === 1 ? position : number) % folds,
              candidates: found,
              question,
              features: Float64Array.from(
                found.flatMap(it => featureNames.map(name => it.factors.features[name] ?? 0)),
              ),
              relevant: found.map(it => it.documents.some(document => question.relevant.has(document))),
              weight: dataSetWeights[set] / total,
            });
          }
        },
        { config },
      );
      reportProgress(`${set} ${id}: ${documents.length} memories`);
    }
  }
  return samples;
}

/** Each figure of each data set, a value per question. */
function toSample(
  samples: readonly Sample[],
  scoresOf: (sample: Sample) => Float64Array,
): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  const note = (name: string, value: number): void => {
    found.set(name, [...(found.get(name) ?? []), value]);
  };
  for (const it of samples) {
    const ranked = rank(it, scoresOf(it));
    const { relevant, sides } = it.question;
    const all = score(ranked, relevant);
    for (const key of ['recall@10', 'hit@5', 'mrr'] as const) note(`${it.set} ${key}`, all[key]);
    if (sides !== undefined) note(`${it.set} pairsComplete`, Number(isPairComplete(ranked, sides)));
  }
  return found;
}

function means(values: ReadonlyMap<string, readonly number[]>): Figures {
  return Object.fromEntries([...values].map(([key, shares]) => [key, percent(mean(shares))]));
}

/** The documents in the order of the engine for given scores (recallRank). */
function rank({ candidates }: Sample, scores: Float64Array): string[] {
  const { lambda, relevanceTemperature } = config.recall;
  const best = Math.max(...scores);
  const order = candidates
    .map(({ documents, factors }, i) => {
      const relevance = Math.exp((scores[i]! - best) / relevanceTemperature);
      const { gateWeight, laneWeight, standing, freshness } = factors;
      const rank = gateWeight * laneWeight * (lambda * relevance + (1 - lambda) * standing) + freshness;
      return { documents, rank };
    })
    .sort((a, b) => b.rank - a.rank);
  return [...new Set(order.flatMap(it => it.documents))];
}
