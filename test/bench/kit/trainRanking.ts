/**
 * Entry point of `npm run train -- ranking [--embeddings NAME] [--without WORLD] [--examples FILE] [--out FILE] WORLD…`:
 * fits the weights of the ranker (docs/search-ranking.md) on worlds that are written and asked through the engine. Prints
 * how each world is answered by weights that were fitted on the others, then writes those that were fitted on all.
 * `--without` leaves a world out of everything; `--examples` keeps what was collected for the next run.
 */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readArguments } from '../../../scripts/commandLine.mjs';
import { readEmbeddings } from '../../../src/cli/environment.js';
import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import { defaultConfig, requestLimits, type Config } from '../../../src/engine/model/config.js';
import { rankingFeatures } from '../../../src/engine/model/rankingFeature.js';
import {
  scoreCandidate,
  situations,
  toProbability,
  weightCount,
  type CandidateFeatures,
  type RankingWeights,
  type Situation,
  type SituationWeights,
} from '../../../src/engine/scoring/rankingModel.js';
import { minShareOfBest } from '../../../src/engine/recall/answerCut.js';
import { rankedEmbedders, type RankedEmbedder, type RankingFile } from '../../../src/engine/recall/rankingWeights.js';
import { rememberTool } from '../../../src/operations/remember.js';
import { runTool } from '../../../src/operations/tool.js';
import { benchHost, inTemporaryFolder } from './corpus.js';
import { readJson } from './options.js';
import { fitWeights, type TrainingCandidate, type TrainingQuestion } from './rankingFit.js';

/** Worlds that the encoder was trained on: it finds in them what it would not find elsewhere. */
const encoderWorlds = [
  'a1-1',
  'a1-2',
  'a2-1',
  'a2-3',
  'a3-1',
  'a3-2',
  'a4-1',
  'a5-1',
  'a5-2',
  'a6-2',
  'a7-1',
  'a7-2',
  'a8-1',
  'a8-2',
];
const shippedFile = 'media/models/ranking.json';
const cuts = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6];
const maxHits = 8;
const meaningFeatures = [
  'queryText',
  'alternativeText',
  'queryQuestion',
  'alternativeQuestion',
  'queryTextToBest',
  'bestMeaning',
  'meanMeaning',
  'meaningToBest',
  'meaningToThird',
];
/** Digits of a weight that are written. */
const precision = 1e5;

interface World {
  readonly name: string;
  readonly memories: readonly {
    readonly id: string;
    readonly text: string;
    readonly model: { readonly questions: string[]; readonly keywords: string[]; readonly replaces: readonly string[] };
  }[];
  readonly questions: readonly {
    readonly query: string;
    readonly relevant: readonly string[];
    readonly best: string | null;
    readonly model: { readonly alternatives: string[]; readonly keywords: string[] };
  }[];
}

type Examples = Readonly<Record<Situation, readonly TrainingQuestion[]>>;

/** Which memories of a world are written with their search aids. `some`: every second one, as in a store of several clients. */
const aidings = ['all', 'some', 'none'] as const;
type Aiding = (typeof aidings)[number];

async function main(): Promise<void> {
  const { values, positionals } = readArguments(
    'npm run train -- ranking [--embeddings NAME] [--without WORLD] [--examples FILE] [--out FILE] WORLD…',
    {
      allowPositionals: true,
      options: {
        embeddings: { type: 'string' },
        without: { type: 'string' },
        out: { type: 'string' },
        examples: { type: 'string' },
      },
    },
  );
  const embeddings = readEmbeddings(values.embeddings);
  const embedder: RankedEmbedder = embeddings === 'off' ? 'words' : embeddings === 'static' ? 'static' : 'encoder';
  const files = positionals.slice(1);
  const nameOf = (file: string): string => path.basename(file).replace(/\.json(?:\.gz)?$/u, '');
  const seen = embedder === 'encoder' ? files.map(nameOf).filter(it => encoderWorlds.includes(it)) : [];
  if (seen.length > 0) throw new Error(`The encoder was trained on ${seen.join(', ')}: name other worlds.`);
  if (files.length < 2) throw new Error('Name at least two worlds.');
  useEmptyWeights();
  const examples = emptyExamples();
  const kept = values.examples;
  if (kept !== undefined && existsSync(kept))
    Object.assign(examples, JSON.parse(readFileSync(kept, 'utf8')) as Examples);
  else {
    for (const aiding of aidings) {
      for (const file of files) {
        const world = { ...(readJson(file) as World), name: nameOf(file) };
        await collect(world, aiding, { ...defaultConfig, embeddings }, examples);
      }
      if (kept !== undefined) writeFileSync(kept, JSON.stringify(examples));
    }
  }
  if (embedder !== 'words' && !hasMeaning(examples)) throw new Error(`${embeddings} has embedded nothing.`);
  const out = values.out ?? shippedFile;
  const written = existsSync(shippedFile)
    ? (JSON.parse(readFileSync(shippedFile, 'utf8')) as RankingFile)
    : emptyFile();
  const weights = { ...(written.features.join() === rankingFeatures.join() ? written : emptyFile()).weights };
  for (const it of new Set<RankedEmbedder>([embedder, 'words'])) {
    // Both embedders could give the weights for words alone: the default's worlds do.
    if (it !== embedder && embedder === 'static') continue;
    console.log(`\n${it}`);
    const ofEmbedder = it === 'words' ? withoutMeaning(examples) : examples;
    weights[it] = { ...weights[it], ...train(ofEmbedder, values.without, it) };
  }
  writeFileSync(out, `${JSON.stringify({ features: rankingFeatures, weights } satisfies RankingFile)}\n`);
}

/** Features do not depend on weights, which may not exist yet. */
function useEmptyWeights(): void {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'ranking-')), 'ranking.json');
  writeFileSync(file, JSON.stringify(emptyFile()));
  process.env.RECOLLECT_RANKING = file;
}

function emptyFile(): RankingFile {
  const zeros = (count: number, value = 0): number[] => new Array<number>(count).fill(value);
  const situation: SituationWeights = {
    mean: zeros(rankingFeatures.length),
    deviation: zeros(rankingFeatures.length, 1),
    weights: zeros(weightCount),
    threshold: 0,
  };
  const all = Object.fromEntries(situations.map(it => [it, situation])) as unknown as RankingWeights;
  return {
    features: rankingFeatures,
    weights: Object.fromEntries(rankedEmbedders.map(it => [it, all])) as unknown as RankingFile['weights'],
  };
}

function emptyExamples(): Record<Situation, TrainingQuestion[]> {
  return { alone: [], searched: [], expanded: [], assisted: [] };
}

/**
 * How many alternatives and keywords a thin call has, by turns: a caller gives few of them more often than the four and more of
 * the worlds.
 */
const thinCalls = [
  { alternatives: 1, keywords: 0 },
  { alternatives: 1, keywords: 1 },
  { alternatives: 0, keywords: 2 },
  { alternatives: 2, keywords: 2 },
] as const;

/** Writes a world, and asks each question without the caller's words, with few and with all of them. */
async function collect(
  world: World,
  aiding: Aiding,
  config: Config,
  into: Record<Situation, TrainingQuestion[]>,
): Promise<void> {
  await inTemporaryFolder(async folder => {
    let time = Date.now();
    const withTraces = { ...config, traces: { ...config.traces, candidates: 1_000 } };
    const host = {
      ...benchHost(path.join(folder, 'data'), () => new Date(time), withTraces),
      workspaceFolders: [folder],
    };
    const engine = await openEngine(host);
    try {
      const worldIds = await write(engine, world, aiding, () => time++);
      for (const [i, question] of world.questions.entries()) {
        const { alternatives, keywords } = question.model;
        const thin = thinCalls[i % thinCalls.length]!;
        const calls = [
          { isThin: false },
          { isThin: false, alternatives, keywords },
          {
            isThin: true,
            alternatives: alternatives.slice(0, thin.alternatives),
            keywords: keywords.slice(0, thin.keywords),
          },
        ];
        for (const { isThin, ...words } of calls) {
          time++;
          const { trace } = await engine.recall({
            query: question.query,
            ...words,
            mode: 'fresh',
            withoutCut: true,
            isUntracked: true,
            limit: requestLimits.maxHits,
          });
          const { relevant, best } = question;
          for (const situation of situations) {
            const candidates = trace.candidates
              .filter(it => it.relevance?.situation === situation && Object.keys(it.factors.features).length > 0)
              .flatMap(it => {
                const known = worldIds.get(it.id);
                return known === undefined ? [] : [{ ...known, features: completed(it.factors.features) }];
              });
            if (candidates.length === 0) continue;
            // Half of a world's memories are no answer to report on.
            into[situation].push({
              world: world.name,
              relevant,
              best,
              candidates,
              isPartial: aiding === 'some',
              isThin,
            });
          }
        }
      }
    } finally {
      await engine.close();
    }
  });
}

/** @returns the world's ids of each memory, by its id */
async function write(
  engine: MemoryEngine,
  { memories }: World,
  aiding: Aiding,
  tick: () => void,
): Promise<ReadonlyMap<string, Pick<TrainingCandidate, 'ids'>>> {
  const worldIds = new Map<string, string[]>();
  const shortIds = new Map<string, string>();
  const isAided = (i: number): boolean => aiding === 'all' || (aiding === 'some' && i % 2 === 0);
  const replacements = new Map(
    memories.flatMap((it, i) => (isAided(i) ? it.model.replaces.map(old => [old, it.id]) : [])),
  );
  for (const [i, { id, text, model }] of memories.entries()) {
    tick();
    const replaces = model.replaces.flatMap(it => shortIds.get(it) ?? []);
    const { questions, keywords } = model;
    const fact = { content: text, questions, keywords, ...(replaces.length > 0 ? { replaces } : {}) };
    const { structured } = await runTool(rememberTool, engine, isAided(i) ? { facts: [fact] } : { content: text }, {
      source: 'mcp',
    });
    const outcomes = structured.outcomes as unknown as readonly { readonly outcome: string; readonly id: string }[];
    for (const it of outcomes) {
      if (it.outcome === 'refused') continue;
      shortIds.set(id, it.id);
      worldIds.set(it.id, [...(worldIds.get(it.id) ?? []), id]);
    }
  }
  await engine.embedMissing();
  const known = new Map<string, Pick<TrainingCandidate, 'ids'>>();
  for (const [short, ids] of worldIds) {
    known.set((await engine.get(short)).id, { ids: ids.map(it => currentOf(it, replacements)) });
  }
  return known;
}

/** What stands in for a memory: the newest of what replaces it, or itself. */
function currentOf(id: string, replacements: ReadonlyMap<string, string>): string {
  let current = id;
  for (let next = replacements.get(id); next !== undefined; next = replacements.get(next)) current = next;
  return current;
}

function completed(features: Readonly<Record<string, number>>): CandidateFeatures {
  return Object.fromEntries(rankingFeatures.map(it => [it, features[it] ?? 0])) as unknown as CandidateFeatures;
}

/** Whether any candidate was compared by meaning: a model whose name is not known embeds nothing. */
function hasMeaning(examples: Examples): boolean {
  return situations.some(situation =>
    examples[situation].some(it => it.candidates.some(({ features }) => features.bestMeaning !== 0)),
  );
}

function withoutMeaning(examples: Examples): Examples {
  const strip = (features: CandidateFeatures): CandidateFeatures => ({
    ...features,
    ...Object.fromEntries(meaningFeatures.map(it => [it, 0])),
  });
  return Object.fromEntries(
    Object.entries(examples).map(([situation, questions]) => [
      situation,
      questions.map(it => ({
        ...it,
        candidates: it.candidates.map(candidate => ({ ...candidate, features: strip(candidate.features) })),
      })),
    ]),
  ) as unknown as Examples;
}

/** @returns the weights of the situations that there are examples of */
function train(examples: Examples, without: string | undefined, embedder: RankedEmbedder): Partial<RankingWeights> {
  const entries = situations.flatMap(situation => {
    const questions = examples[situation].filter(it => it.world !== without);
    if (questions.length === 0) return [];
    const worlds = [...new Set(questions.map(it => it.world))];
    const all = fitWeights(questions);
    const answers = worlds.flatMap(world => {
      const weights = fitWeights(
        questions.filter(it => it.world !== world),
        all,
      );
      return questions.filter(it => it.world === world && !it.isPartial).map(it => answer(it, weights));
    });
    report(situation, answers);
    // A call with few words is answered with what its bare question gets besides, whatever the threshold.
    const threshold = chooseThreshold(
      answers.filter(it => !it.question.isThin),
      embedder,
    );
    return [[situation, { ...roundAll(all), threshold }] as const];
  });
  return Object.fromEntries(entries);
}

interface Answer {
  readonly question: TrainingQuestion;
  /** Best first. */
  readonly ranked: readonly { readonly ids: readonly string[]; readonly probability: number }[];
}

function answer(question: TrainingQuestion, weights: Omit<SituationWeights, 'threshold'>): Answer {
  const ranked = question.candidates
    .map(({ ids, features }) => ({
      ids,
      probability: toProbability(scoreCandidate(features, { ...weights, threshold: 0 }).logit),
    }))
    .sort((a, b) => b.probability - a.probability);
  return { question, ranked };
}

/** Precision, recall and empty answers where nothing is known, with a threshold of the best; 0-1. */
function measureCut(answers: readonly Answer[], cut: number): { precision: number; recall: number; empty: number } {
  const answerable = answers.filter(it => it.question.relevant.length > 0);
  const others = answers.filter(it => it.question.relevant.length === 0);
  let [precision, recall] = [0, 0];
  for (const { question, ranked } of answerable) {
    const best = ranked[0]?.probability ?? 0;
    const ids = new Set(
      ranked
        .filter(it => best >= cut && it.probability >= minShareOfBest * best)
        .slice(0, maxHits)
        .flatMap(it => it.ids),
    );
    const found = question.relevant.filter(it => ids.has(it)).length;
    precision += ids.size === 0 ? 0 : found / ids.size;
    recall += found / question.relevant.length;
  }
  const empty = others.filter(it => (it.ranked[0]?.probability ?? 0) < cut).length;
  return {
    precision: precision / answerable.length,
    recall: recall / answerable.length,
    empty: empty / Math.max(1, others.length),
  };
}

/**
 * How many times as much recall counts as precision: a line too many is skipped, and what is cut is never missed. More so
 * by words alone, where the model was late: it would find what they cut.
 */
const recallWeights: Readonly<Record<RankedEmbedder, number>> = { words: 4, static: 2, encoder: 2 };

/** Of the questions that are asked; the worlds have fewer, one in seven. */
const shareWithoutAnswer = 1 / 3;

/**
 * How much less than the best F score is as good, 0-1: the lowest such cut is taken. Memories of small stores are less probable to
 * the static model than those of the worlds.
 */
const tolerances: Readonly<Record<RankedEmbedder, number>> = { words: 0, static: 0.005, encoder: 0 };

/** The cut with the best F score; an empty answer is precise where nothing is known. */
function chooseThreshold(answers: readonly Answer[], embedder: RankedEmbedder): number {
  const beta = recallWeights[embedder];
  const rated = cuts.map(cut => {
    const { precision, recall, empty } = measureCut(answers, cut);
    const ofAll = (1 - shareWithoutAnswer) * precision + shareWithoutAnswer * empty;
    return { cut, value: ((1 + beta ** 2) * ofAll * recall) / (beta ** 2 * ofAll + recall) };
  });
  const best = Math.max(...rated.map(it => it.value));
  return rated.find(it => it.value >= best - tolerances[embedder])!.cut;
}

function report(situation: Situation, answers: readonly Answer[]): void {
  reportPlaces(situation, answers);
  const thin = answers.filter(it => it.question.isThin);
  if (thin.length > 0) {
    reportPlaces('  few words of the caller', thin);
    reportPlaces(
      '  all words of the caller',
      answers.filter(it => !it.question.isThin),
    );
  }
  for (const cut of cuts) {
    const { precision, recall, empty } = measureCut(answers, cut);
    console.log(
      `  cut ${cut}: precision ${percent(precision)}, recall ${percent(recall)}, empty where nothing is known ${percent(empty)}`,
    );
  }
}

function reportPlaces(name: string, answers: readonly Answer[]): void {
  const withBest = answers.filter(it => it.question.best !== null);
  const within = (count: number): string =>
    percent(
      withBest.filter(({ question, ranked }) => ranked.slice(0, count).some(it => it.ids.includes(question.best!)))
        .length / withBest.length,
    );
  console.log(`${name}: first ${within(1)}, in 3 ${within(3)}, candidate ${within(Infinity)}, n ${answers.length}`);
}

function percent(value: number): string {
  return (100 * value).toFixed(1);
}

function roundAll<T extends Omit<SituationWeights, 'threshold'>>(weights: T): T {
  const round = (values: readonly number[]): number[] => values.map(it => Math.round(it * precision) / precision);
  return {
    ...weights,
    mean: round(weights.mean),
    deviation: round(weights.deviation),
    weights: round(weights.weights),
  };
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
