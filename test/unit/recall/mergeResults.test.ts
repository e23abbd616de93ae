import assert from 'node:assert/strict';
import fc from 'fast-check';
import { defaultConfig } from '../../../src/engine/model/config.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import { mergeStoreResults } from '../../../src/engine/recall/mergeResults.js';
import { parseRecallQuery } from '../../../src/engine/recall/recallQuery.js';
import { noLexicalScale } from '../../../src/engine/search/query/searchMemories.js';
import { featureNames, type FeatureName } from '../../../src/engine/model/trace.js';
import { learnedWeights } from '../../../src/engine/scoring/rankingModel.js';
import type { SearchResult, Store } from '../../../src/engine/store/store.js';

const config = defaultConfig.recall;
const recallQuery = parseRecallQuery({ query: 'a question' }, config, new Date(0));
const [project, global] = [{ kind: 'project' }, { kind: 'global' }] as unknown as readonly [Store, Store];

type Features = Readonly<Partial<Record<FeatureName, number>>>;

/** One store's answer: memories by name, with the features that are not 0. */
function answer(
  store: Store,
  maxFeatureValues: SearchResult['maxFeatureValues'],
  hits: Readonly<Record<string, Features>>,
): SearchResult & { readonly store: Store } {
  return {
    store,
    holdsNotes: false,
    maxFeatureValues,
    lexicalScale: { ...noLexicalScale, rareTerm: 1, possible: 1 },
    embedded: 0,
    searchable: 0,
    embedding: undefined,
    revision: 0,
    sequence: 0,
    lexicalOnlyReason: undefined,
    contradictions: { byMemoryId: new Map(), memories: new Map() },
    hits: Object.entries(hits).map(([id, given]) => ({
      memory: { id, content: id } as Memory,
      aids: undefined,
      vector: undefined,
      features: Float32Array.from(featureNames, it => given[it] ?? 0),
    })),
  };
}

const near = (a: number, b: number): boolean => Math.abs(a - b) < 1e-5;

describe('fusion', () => {
  it('weighs the words of a store that matches less by its share of the best match', () => {
    const found = mergeStoreResults(
      [
        answer(project, { words: 8, session: 4 }, { strong: { words: 1, neighbours: 0.5 } }),
        answer(global, { words: 2, session: 1 }, { weak: { words: 1, neighbours: 0.5, session: 1, meaning: 0.5 } }),
      ],
      recallQuery,
      config,
    );
    const [strong, weak] = found;
    assert.deepEqual([strong?.features.words, strong?.features.neighbours], [1, 0.5]);
    const { words, neighbours, session, meaning } = weak!.features;
    assert.deepEqual([words, neighbours, session, meaning], [0.25, 0.125, 0.25, 0.5]);
    assert.equal(weak?.store, global);
  });

  it('gives the best a relevance of 1, and the others less by how far they lie below', () => {
    const hits = { best: { words: 1, meaning: 0.6 }, next: { words: 1 } };
    const [best, next] = mergeStoreResults([answer(project, { words: 3, session: 0 }, hits)], recallQuery, config);
    assert.equal(best?.relevance, 1);
    assert.ok(near(next!.relevance, Math.exp((-0.6 * learnedWeights.meaning) / config.relevanceTemperature)));
    assert.ok(near(best.score - next!.score, 0.6 * learnedWeights.meaning));
  });

  it('leaves out candidates that share no word and are not close in meaning', () => {
    const found = mergeStoreResults(
      [
        answer(
          project,
          { words: 0, session: 0 },
          {
            far: { meaning: config.minSemanticScore - 0.01 },
            close: { meaning: config.minSemanticScore + 0.01 },
            instruction: { instruction: 1 },
            neighbour: { neighbours: 0.1 },
            dated: { date: 1 },
          },
        ),
      ],
      recallQuery,
      config,
    );
    assert.deepEqual(
      found.map(it => it.memory.id),
      ['close', 'neighbour', 'dated'],
    );
  });

  it('of nothing is nothing', () => {
    assert.deepEqual(mergeStoreResults([], recallQuery, config), []);
    assert.deepEqual(mergeStoreResults([answer(project, { words: 0, session: 0 }, {})], recallQuery, config), []);
  });

  it('keeps relevance in 0 to 1 and in the order of the scores, and adds up', () => {
    const feature = fc.float({ min: 0, max: 1, noNaN: true });
    const features = fc.array(feature, { minLength: featureNames.length, maxLength: featureNames.length });
    fc.assert(
      fc.property(fc.array(features, { minLength: 1, maxLength: 8 }), fc.nat(20), (lists, other) => {
        const hits = Object.fromEntries(
          lists.map((list, i) => [`m${i}`, Object.fromEntries(featureNames.map((name, f) => [name, list[f]!]))]),
        );
        const results = [
          answer(project, { words: 5, session: 5 }, hits),
          answer(global, { words: other, session: 1 }, hits),
        ];
        const found = [...mergeStoreResults(results, recallQuery, config)].sort((a, b) => b.score - a.score);
        for (const [i, it] of found.entries()) {
          const sum = featureNames.reduce((total, name) => total + learnedWeights[name] * (it.features[name] ?? 0), 0);
          assert.ok(Math.abs(sum - it.score) < 1e-4);
          assert.ok(it.relevance > 0 && it.relevance <= (found[i - 1]?.relevance ?? 1));
        }
        assert.ok(found.length === 0 || found[0]!.relevance === 1);
      }),
    );
  });
});
