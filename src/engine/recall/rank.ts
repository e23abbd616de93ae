import { pathToFileURL } from 'node:url';
import type { RecallContext } from '../context.js';
import type { Memory } from '../model/memory.js';
import type { Hit } from '../model/query.js';
import type { RankFactors, TraceCandidate } from '../model/trace.js';
import { codeWeight } from '../scoring/codeWeight.js';
import { effectiveConfidence } from '../scoring/decay.js';
import { relevanceProbability } from '../scoring/relevance.js';
import { recallRank } from '../scoring/recallRank.js';
import { activation } from '../scoring/activation.js';
import type { Store } from '../store/store.js';
import type { MergedCandidate, StoreSearchResult } from './mergeResults.js';

/** A memory that may be in the answer. */
export interface RankedMemory {
  readonly store: Store;
  readonly hit: Hit;
  /** Of the memory's text. */
  readonly terms: ReadonlySet<string>;
  readonly factors: RankFactors;
  readonly relevance: NonNullable<TraceCandidate['relevance']>;
  readonly vector: Int8Array | undefined;
  /** A cross-encoder's score for the question and the memory, where one was asked; the scale is the model's. */
  readonly pairScore?: number;
}

/** Makes a candidate of what was found, with every factor of its rank. */
export type Ranker = (candidate: MergedCandidate) => RankedMemory;

/** A ranker for memories of the stores that were searched, at this moment. */
export function createRanker(
  ctx: RecallContext,
  storeResults: readonly StoreSearchResult[],
  { query, isAssisted }: { readonly query: string; readonly isAssisted: boolean },
): Ranker {
  const { recall: config, decay: rules } = ctx.host.config();
  const now = ctx.aging.now();
  const sequences = new Map(storeResults.map(it => [it.store, it.sequence]));
  return ({ store, memory, terms, features, answering, score, relevance, vector }) => {
    const { centrality } = memory;
    const effective = effectiveConfidence(memory, { rules, centrality, now });
    const factors = recallRank(
      memory,
      {
        features,
        score,
        relevance,
        effectiveConfidence: effective,
        activation: activation(memory, sequences.get(store)!, now),
        centrality,
        codeWeight: codeWeightOf(memory, ctx.host.workspaceFolders, query),
        now,
      },
      config,
    );
    const probability = relevanceProbability(answering, isAssisted);
    return {
      store,
      terms,
      vector,
      factors,
      relevance: { ...answering, probability },
      hit: { memory, effectiveConfidence: effective, rank: factors.rank, probability },
    };
  };
}

function codeWeightOf({ provenance }: Memory, folders: readonly string[], query: string): number {
  const { source, uri, symbol, workspace } = provenance;
  if (source !== 'code-index' || uri === undefined) return 1;
  // A folder above the project says nothing about its code.
  const project = [...folders, ...(workspace === undefined ? [] : [workspace])]
    .map(it => `${pathToFileURL(it).href}/`)
    .find(it => uri.startsWith(it));
  return project === undefined ? 1 : codeWeight({ path: uri.slice(project.length), symbol }, query);
}

/** Best first. Equal ranks: the newer first, so that the order never depends on the store. */
export function sortByRank(candidates: readonly RankedMemory[]): readonly RankedMemory[] {
  return [...candidates].sort(
    (a, b) => b.factors.rank - a.factors.rank || (a.hit.memory.id < b.hit.memory.id ? 1 : -1),
  );
}
