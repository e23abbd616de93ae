import assert from 'node:assert/strict';
import { plantSecrets } from '../bench/kit/secretEntrances.js';
import { temporaryFolder } from '../support/fixtures.js';

describe('a secret', () => {
  it('reaches no byte through any entrance', async () => {
    const { entrances, leaks, memories } = await plantSecrets(temporaryFolder());
    assert.deepEqual(leaks, []);
    assert.ok(entrances.length >= 75 && memories >= 10, `${entrances.length} entrances, ${memories} memories`);
  });
});
