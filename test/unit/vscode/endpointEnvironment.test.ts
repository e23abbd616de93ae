import assert from 'node:assert/strict';
import { readEndpointConfig } from '../../../src/cli/environment.js';
import { defaultConfig } from '../../../src/engine/model/config.js';
import {
  embeddingKeyId,
  endpointEnvironment,
  readSecret,
  withEndpointKey,
} from '../../../src/vscode/connect/endpointEnvironment.js';

const [one, two] = ['http://127.0.0.1:1234/v1', 'https://two.example/v1'];
const keys = new Map([
  [embeddingKeyId(one), 'key-of-one'],
  [embeddingKeyId(two), 'key-of-two'],
]);
const secrets = { get: (id: string): Promise<string | undefined> => Promise.resolve(keys.get(id)) };

describe('the embedding endpoint of VS Code', () => {
  it('is whole for the MCP server: every setting of it arrives, the limit of the day too', () => {
    const embeddingEndpoint = { address: one, model: 'tiny', dimensions: 128, dailyTokens: 5_000 };
    const env = endpointEnvironment({ embeddings: 'endpoint', embeddingEndpoint });
    assert.deepEqual(readEndpointConfig(defaultConfig.embeddingEndpoint, env), embeddingEndpoint);
    assert.deepEqual(endpointEnvironment({ embeddings: 'built-in', embeddingEndpoint }), {});
  });

  it('gets the key of its own server, whatever the settings say by now', async () => {
    assert.equal(await readSecret(secrets, 'embeddingApiKey', new URL(one).origin), 'key-of-one');
    assert.equal(await readSecret(secrets, 'embeddingApiKey', new URL(two).origin), 'key-of-two');
    assert.equal(await readSecret(secrets, 'embeddingApiKey'), undefined);
  });

  it('of a definition gets the key of the address in it, and a definition without one gets none', async () => {
    const env = { RECOLLECT_EMBEDDINGS_ADDRESS: one };
    assert.deepEqual(await withEndpointKey(env, secrets), { ...env, RECOLLECT_EMBEDDINGS_KEY: 'key-of-one' });
    const other = { RECOLLECT_EMBEDDINGS_ADDRESS: 'http://127.0.0.1:4321/v1' };
    assert.deepEqual(await withEndpointKey(other, secrets), other);
    assert.deepEqual(await withEndpointKey({ HOME: '/home/user' }, secrets), { HOME: '/home/user' });
  });
});
