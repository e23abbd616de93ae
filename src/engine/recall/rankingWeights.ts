import { existsSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { readRegularTextSync } from '../base/regularFile.js';
import { rankingFeatures } from '../model/rankingFeature.js';
import { situations, weightCount, type RankingWeights, type SituationWeights } from '../scoring/rankingModel.js';

/** Embedders that have weights of their own. `words`: none, or a memory without a vector. */
export const rankedEmbedders = ['words', 'static', 'encoder'] as const;
export type RankedEmbedder = (typeof rankedEmbedders)[number];

/** The file that `npm run train -- ranking` writes. */
export interface RankingFile {
  readonly features: readonly string[];
  readonly weights: Readonly<Record<RankedEmbedder, RankingWeights>>;
}

/** Read instead of the shipped file, by tests and benches (docs/search-ranking.md). */
const fileVariable = 'RECOLLECT_RANKING';
const known = new Map<string, RankingFile>();

/**
 * The trained weights of a package.
 * @param folders where the shipped models may be, with `ranking.json`
 * @throws EngineError unsupportedFile where the file is missing, damaged or written for other features
 */
export function readRankingFile(folders: readonly string[]): RankingFile {
  const shipped = folders.map(it => path.join(it, 'ranking.json'));
  const file = process.env[fileVariable] ?? shipped.find(it => known.has(it) || existsSync(it)) ?? shipped[0]!;
  const before = known.get(file);
  if (before !== undefined) return before;
  const parsed = parseFile(file);
  known.set(file, parsed);
  return parsed;
}

function parseFile(file: string): RankingFile {
  let cause: unknown;
  try {
    const parsed: unknown = JSON.parse(readRegularTextSync(file));
    if (isUsable(parsed)) return parsed;
  } catch (error) {
    cause = error;
  }
  const shownFile = JSON.stringify(file);
  throw new EngineError(
    'unsupportedFile',
    message`${shownFile} does not hold the weights that this version ranks by. Install Recollect again, or clear RECOLLECT_RANKING.`,
    { cause },
  );
}

/** Cosines of a network are spread as the encoder's; the built-in model's are not. */
export function rankedEmbedderOf(model: { readonly name: string } | undefined, isStatic: boolean): RankedEmbedder {
  if (model === undefined) return 'words';
  return isStatic ? 'static' : 'encoder';
}

function isUsable(parsed: unknown): parsed is RankingFile {
  const { features, weights } = parsed as {
    readonly features?: readonly string[];
    readonly weights?: Partial<Record<RankedEmbedder, Partial<RankingWeights>>>;
  };
  const isList = (list: readonly number[] | undefined, length: number): boolean =>
    Array.isArray(list) && list.length === length && list.every(Number.isFinite);
  const isComplete = (it: SituationWeights | undefined): boolean =>
    isList(it?.mean, rankingFeatures.length) &&
    isList(it?.deviation, rankingFeatures.length) &&
    isList(it?.weights, weightCount) &&
    Number.isFinite(it?.threshold);
  return (
    features?.join() === rankingFeatures.join() &&
    rankedEmbedders.every(embedder => situations.every(it => isComplete(weights?.[embedder]?.[it])))
  );
}
