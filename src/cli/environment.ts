import path from 'node:path';
import { EngineError } from '../engine/base/errors.js';
import { defaultConfig, modelProviders, type Config } from '../engine/model/config.js';
import type { SecretName } from '../engine/model/host.js';
import { readConfig } from '../engine/model/settings.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The model that finds by meaning: the option, else `RECOLLECT_EMBEDDINGS`, else the built-in one. What looks like a path
 * is one, from this folder on.
 * @throws EngineError invalidInput
 */
export function readEmbeddings(
  option: string | undefined,
  env: Environment = process.env,
  fallback: string = defaultConfig.embeddings,
): string {
  const value = option ?? env.RECOLLECT_EMBEDDINGS ?? '';
  if (value === '') return fallback;
  if (/[\\/]/u.test(value)) return path.resolve(value);
  if (/^\w[\w.-]*$/u.test(value)) return value;
  throw new EngineError(
    'invalidInput',
    `${value} is no embedding model. Say built-in, static, off, endpoint, the name of a downloaded model, or the path of a model's folder.`,
  );
}

const endpointVariables = {
  address: 'RECOLLECT_EMBEDDINGS_ADDRESS',
  model: 'RECOLLECT_EMBEDDINGS_MODEL',
  dimensions: 'RECOLLECT_EMBEDDINGS_DIMENSIONS',
  dailyTokens: 'RECOLLECT_EMBEDDINGS_DAILY_TOKENS',
} as const satisfies Record<keyof Config['embeddingEndpoint'], string>;

/**
 * The embedding endpoint: `RECOLLECT_EMBEDDINGS_ADDRESS`, `_MODEL`, `_DIMENSIONS` and `_DAILY_TOKENS`, else the settings
 * file.
 * @throws EngineError invalidInput
 */
export function readEndpointConfig(
  defaults: Config['embeddingEndpoint'],
  env: Environment = process.env,
): Config['embeddingEndpoint'] {
  const number = (text = ''): number | undefined => (text === '' ? undefined : Number(text));
  const merged: Readonly<Record<string, unknown>> = {
    'embeddingEndpoint.address': env[endpointVariables.address] ?? defaults.address,
    'embeddingEndpoint.model': env[endpointVariables.model] ?? defaults.model,
    'embeddingEndpoint.dimensions': number(env[endpointVariables.dimensions]) ?? defaults.dimensions,
    'embeddingEndpoint.dailyTokens': number(env[endpointVariables.dailyTokens]) ?? defaults.dailyTokens,
  };
  const { embeddingEndpoint } = readConfig(
    key => merged[key],
    // The settings file has been checked before, so the environment is wrong.
    problem => {
      const named = Object.entries(endpointVariables).reduce(
        (text, [key, variable]) => text.replace(`The setting recollect.embeddingEndpoint.${key} `, `${variable} `),
        problem,
      );
      throw new EngineError('invalidInput', named.replace(/; the default is used\.$/u, '.'));
    },
  );
  return embeddingEndpoint;
}

/**
 * The language model: the options, else `RECOLLECT_MODEL_PROVIDER`, `RECOLLECT_MODEL` and `RECOLLECT_MODEL_DAILY_TOKENS`,
 * else none.
 * @throws EngineError invalidInput
 */
export function readModelConfig(
  options: { readonly modelProvider?: string; readonly model?: string },
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

/** Reads the keys of the environment alone, as no file of ours holds keys, and only where what they are for was chosen. */
export function createSecretReader({ model, embeddings }: Config, env: Environment = process.env) {
  return (name: SecretName): Promise<string | undefined> => {
    if (name === 'anthropicApiKey' && model.provider === 'anthropic') return Promise.resolve(env.ANTHROPIC_API_KEY);
    const isEndpointKey = name === 'embeddingApiKey' && embeddings === 'endpoint';
    return Promise.resolve(isEndpointKey ? env.RECOLLECT_EMBEDDINGS_KEY : undefined);
  };
}
