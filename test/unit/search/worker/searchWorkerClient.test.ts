import assert from 'node:assert/strict';
import path from 'node:path';
import { SearchWorkerClient } from '../../../../src/engine/search/worker/searchWorkerClient.js';
import { weighTerms } from '../../../../src/engine/text/queryTerms.js';
import { analyzeQuestion } from '../../../../src/engine/text/questionAnalysis.js';
import { storeMemory, TestHost } from '../../../support/fixtures.js';

describe('SearchWorkerClient', () => {
  it('reports the shortlist of a search before its answer, with the same rows', async () => {
    const host = new TestHost();
    const engine = await host.open();
    for (const port of ['Oslo', 'Bergen', 'Tromsø', 'Bodø']) {
      await storeMemory(engine, `The ferry to ${port} is called ${port} Star.`);
    }
    const client = new SearchWorkerClient(host.bundleDir, { modelDir: path.join(host.modelsDir, 'built-in') });
    try {
      const shortlists: (readonly number[])[] = [];
      const answer = await client.search(
        {
          file: host.globalFile,
          model: undefined,
          dimensions: undefined,
          query: {
            terms: weighTerms(analyzeQuestion('the ferry to Bergen'), {}),
            vectors: undefined,
            scopeId: '',
            limit: 3,
          },
          textsToEmbed: [],
          filter: undefined,
          refreshFirst: true,
        },
        rows => shortlists.push(rows),
      );
      assert.ok('rows' in answer);
      assert.equal(answer.rows.length, 3);
      assert.deepEqual(
        shortlists.map(it => [...it].sort()),
        [[...answer.rows].sort()],
      );
    } finally {
      await client.close();
    }
  });

  it('answers pending requests before it closes', async () => {
    const host = new TestHost();
    const client = new SearchWorkerClient(host.bundleDir, { modelDir: path.join(host.modelsDir, 'built-in') });
    const pending = client.embed(['The ferry to Bergen leaves at noon.']);
    await client.close();
    assert.equal((await pending).length, 384);
  });
});
