import { EngineError } from '../../engine/base/errors.js';
import { defaultConfig, modelProviders, type Config } from '../../engine/model/config.js';
import type { SecretName } from '../../engine/model/host.js';
import { embeddingKeyVariable } from './embeddingEndpoint.js';

export interface LanguageModelOptions {
  readonly modelProvider?: string;
  readonly model?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The language model: the options, else `RECOLLECT_MODEL_PROVIDER`, `RECOLLECT_MODEL` and `RECOLLECT_MODEL_DAILY_TOKENS`,
 * else none.
 * @throws EngineError invalidInput
 */
export function readModelConfig(
  options: LanguageModelOptions,
  env: Environment = process.env,
  defaults: Config['model'] = defaultConfig.model,
): Config['model'] {
  const firstGiven = (option: string | undefined, name: string): string => option ?? env[name] ?? '';
  // Chat models of VS Code are there in its windows only.
  const defaultProvider = defaults.provider === 'vscode' ? 'none' : defaults.provider;
  const requestedProvider = firstGiven(options.modelProvider, 'RECOLLECT_MODEL_PROVIDER') || defaultProvider;
  const provider = modelProviders.find(it => it === requestedProvider);
  if (provider === undefined || provider === 'vscode') {
    throw new EngineError(
      'invalidInput',
      `${requestedProvider} is no language model of the command line. Say none or anthropic.`,
    );
  }
  const tokens = env.RECOLLECT_MODEL_DAILY_TOKENS ?? '';
  const dailyTokens = tokens === '' ? defaults.dailyTokens : Number(tokens);
  if (!Number.isInteger(dailyTokens) || dailyTokens < 0) {
    throw new EngineError('invalidInput', 'RECOLLECT_MODEL_DAILY_TOKENS must be a whole number.');
  }
  return { provider, name: firstGiven(options.model, 'RECOLLECT_MODEL') || defaults.name, dailyTokens };
}

/** The keys of the environment, and only where what they are for was chosen. */
export function createSecretReader({ model, embeddings }: Config, env: Environment = process.env) {
  return (name: SecretName): Promise<string | undefined> => {
    if (name === 'anthropicApiKey' && model.provider === 'anthropic') return Promise.resolve(env.ANTHROPIC_API_KEY);
    const isEndpointKey = name === 'embeddingApiKey' && embeddings === 'endpoint';
    return Promise.resolve(isEndpointKey ? env[embeddingKeyVariable] : undefined);
  };
}
