import type { Config } from '../../engine/model/config.js';
import type { SecretName } from '../../engine/model/host.js';
import { secretIds } from '../contributions.js';

/** Variables of a process; null removes one. */
type Environment = Readonly<Record<string, string | number | null>>;

/** VS Code's secret storage. */
interface Secrets {
  get(id: string): PromiseLike<string | undefined>;
}

/** The key of an embedding endpoint belongs to its server: another address does not get it. */
export function embeddingKeyId(address: string): string {
  return `${secretIds.embeddingApiKey}:${URL.canParse(address) ? new URL(address).origin : ''}`;
}

/** @param origin of the server that a key is for; without one there is no key of an embedding endpoint */
export async function readSecret(secrets: Secrets, name: SecretName, origin?: string): Promise<string | undefined> {
  if (name !== 'embeddingApiKey') return secrets.get(secretIds[name]);
  return origin === undefined ? undefined : secrets.get(embeddingKeyId(origin));
}

/** The endpoint of the settings for the MCP server: the settings of VS Code do not reach it otherwise. */
export function endpointEnvironment({
  embeddings,
  embeddingEndpoint: endpoint,
}: Pick<Config, 'embeddings' | 'embeddingEndpoint'>): Record<string, string> {
  if (embeddings !== 'endpoint') return {};
  return {
    RECOLLECT_EMBEDDINGS_ADDRESS: endpoint.address,
    RECOLLECT_EMBEDDINGS_MODEL: endpoint.model,
    RECOLLECT_EMBEDDINGS_DIMENSIONS: String(endpoint.dimensions),
    RECOLLECT_EMBEDDINGS_DAILY_TOKENS: String(endpoint.dailyTokens),
  };
}

/** With the key of the endpoint that the variables name, which the settings may name no more. */
export async function withEndpointKey<E extends Environment>(env: E, secrets: Secrets): Promise<E> {
  const { RECOLLECT_EMBEDDINGS_ADDRESS: address } = env;
  if (typeof address !== 'string') return env;
  const key = await secrets.get(embeddingKeyId(address));
  return key === undefined ? env : { ...env, RECOLLECT_EMBEDDINGS_KEY: key };
}
