import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import type { RankingFile } from '../../../src/engine/recall/rankingWeights.js';
import { bundlePaths } from '../../support/bundlePaths.js';
import { waitForEncoder } from '../../support/encoderHost.js';
import { storeMemory, temporaryFolder, TestHost } from '../../support/fixtures.js';

const contents = async (engine: MemoryEngine, query: string): Promise<readonly string[]> =>
  (await engine.recall({ query, isUntracked: true })).hits.map(it => it.memory.content);

describe('the ranker', () => {
  waitForEncoder();
  for (const embeddings of ['built-in', 'off'] as const) {
    it(`finds a memory among many that have the project's own name, with embeddings ${embeddings}`, async () => {
      const host = new TestHost();
      host.settings = { ...host.settings, embeddings };
      const engine = await host.open();
      const limiter = 'The ecommerce-api limits requests with express-rate-limit, 100 per minute and client.';
      const parts = [
        'cart',
        'checkout',
        'catalog',
        'invoice',
        'refund',
        'coupon',
        'wishlist',
        'search',
        'login',
        'mail',
      ];
      for (const it of parts)
        await storeMemory(engine, `The ${it} module of the ecommerce-api is written in TypeScript.`);
      await storeMemory(engine, limiter);
      for (const it of parts) await storeMemory(engine, `The ecommerce-api logs every ${it} to its own stream.`);
      const [first] = await contents(engine, 'What rate limiting library is used in the ecommerce-api?');
      assert.equal(first, limiter);
    });
  }

  it('judges a memory by what is known of it: its search aids, and the words that the caller gives', async () => {
    const aids = { questions: ['When can ships land?'], keywords: ['dock'] };
    const situations = async (rest: Partial<RememberInput>): Promise<readonly (string | undefined)[]> => {
      const engine = await new TestHost().open();
      await storeMemory(engine, 'The quay opens at six.', rest);
      const asked = [[], ['opens']].map(keywords => engine.recall({ query: 'quay', keywords, isUntracked: true }));
      return (await Promise.all(asked)).map(({ trace }) => trace.candidates[0]?.relevance?.situation);
    };
    assert.deepEqual(
      [await situations({}), await situations({ aids })],
      [
        ['alone', 'expanded'],
        ['searched', 'assisted'],
      ],
    );
  });

  it('puts a pinned memory before others that are as probable', async () => {
    const host = new TestHost();
    host.settings = { ...host.settings, embeddings: 'off' };
    const engine = await host.open();
    const ids = [];
    const at = '2026-02-25T10:00:00Z';
    for (const it of ['Anna', 'Berta', 'Cilla'])
      ids.push(await storeMemory(engine, `The buoy of ${it} is green.`, { at }));
    await engine.pin(ids[1]!);
    assert.equal((await engine.recall({ query: 'green buoy' })).hits[0]?.memory.id, ids[1]);
  });

  it('takes other weights from RECOLLECT_RANKING', async () => {
    const shipped = JSON.parse(readFileSync(path.join(bundlePaths.modelsDir, 'ranking.json'), 'utf8')) as RankingFile;
    const file = path.join(temporaryFolder(), 'ranking.json');
    const zero = { ...shipped.weights.static.alone, weights: shipped.weights.static.alone.weights.map(() => 0) };
    const all = { alone: zero, searched: zero, expanded: zero, assisted: zero };
    writeFileSync(file, JSON.stringify({ ...shipped, weights: { words: all, static: all, encoder: all } }));
    const engine = await new TestHost().open();
    await storeMemory(engine, 'The quay opens at six.');
    process.env.RECOLLECT_RANKING = file;
    try {
      const { trace } = await engine.recall({ query: 'quay' });
      assert.deepEqual(
        trace.candidates.map(it => it.factors.relevance),
        [0.5],
      );
    } finally {
      delete process.env.RECOLLECT_RANKING;
    }
  });

  const unusable: readonly (readonly [how: string, write: (file: string, shipped: string) => void])[] = [
    ['is missing', () => undefined],
    [
      'is cut',
      (file, shipped) => {
        writeFileSync(file, shipped.slice(0, 1_000));
      },
    ],
    [
      'is no object',
      file => {
        writeFileSync(file, 'null');
      },
    ],
    [
      'has other features',
      (file, shipped) => {
        writeFileSync(file, shipped.replace('"wordsShare"', '"wordShare"'));
      },
    ],
    [
      'lacks an embedder',
      (file, shipped) => {
        writeFileSync(file, shipped.replace('"static"', '"dynamic"'));
      },
    ],
  ];
  for (const [how, write] of unusable) {
    it(`says in one line that the file of RECOLLECT_RANKING ${how}`, async () => {
      const file = path.join(temporaryFolder(), 'ranking.json');
      write(file, readFileSync(path.join(bundlePaths.modelsDir, 'ranking.json'), 'utf8'));
      const engine = await new TestHost().open();
      await storeMemory(engine, 'The quay opens at six.');
      process.env.RECOLLECT_RANKING = file;
      try {
        await assert.rejects(engine.recall({ query: 'quay' }), {
          code: 'unsupportedFile',
          message: `${JSON.stringify(file)} does not hold the weights that this version ranks by. Install Recollect again, or clear RECOLLECT_RANKING.`,
        });
      } finally {
        delete process.env.RECOLLECT_RANKING;
      }
    });
  }
});
