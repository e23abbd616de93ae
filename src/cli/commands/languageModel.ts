import type { Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import { defaultConfig, modelProviders, type Config } from '../../engine/model/config.js';
import { pluralize } from '../../engine/model/pluralize.js';
import type { SecretName } from '../../engine/model/host.js';
import type { ModelStatus, ModelTest } from '../../engine/model/modelStatus.js';
import { embeddingKeyVariable } from './embeddingEndpoint.js';
import { confirm, exitCodes, print, type ExitCode, type WithEngine } from '../command.js';

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

/** `recollect language-model`, and `recollect language-model test`. */
export function registerLanguageModelCommands(program: Command, withEngine: WithEngine): void {
  const command = program
    .command('language-model')
    .description('say which language model is used, and what it used today')
    .action(() =>
      withEngine(async (engine, json) => {
        const status = await engine.modelStatus();
        print(json, status, () => describeModelStatus(status));
        return exitCodes.ok;
      }),
    );
  command
    .command('test')
    .description('send one small request, with no memory in it, after asking')
    .option('--yes', 'do not ask')
    .action(({ yes }: { readonly yes?: true }) => withEngine((engine, json) => testModel(engine, json, yes === true)));
}

async function testModel(engine: MemoryEngine, json: boolean, isConfirmed: boolean): Promise<ExitCode> {
  const { provider, name } = await engine.modelStatus();
  if (provider !== 'none' && !isConfirmed && !(await confirmTestRequest(name))) {
    throw new EngineError('aborted', 'Nothing was sent.');
  }
  const result = await engine.testModel();
  print(json, result, () => [describeModelTest(result)]);
  return result.outcome === 'answered' ? exitCodes.ok : exitCodes.failed;
}

function confirmTestRequest(model: string): Promise<boolean> {
  return confirm(`Send one test request of about 200 tokens to ${model}?`);
}

function describeModelStatus({ provider, name, today, dailyTokens }: ModelStatus): readonly string[] {
  const usedTokens = today.inputTokens + today.outputTokens;
  return [
    provider === 'none' ? 'No language model: rules do the work.' : `${name} (${provider})`,
    `${today.day} (UTC): ${usedTokens} of ${dailyTokens} tokens, ${pluralize(today.calls, 'call')}, about $${today.costUsd.toFixed(4)}`,
  ];
}

function describeModelTest(result: ModelTest): string {
  switch (result.outcome) {
    case 'answered':
      return `${result.name} answers. The test took ${result.inputTokens + result.outputTokens} tokens.`;
    case 'unusable':
      return 'The language model answered, but not as it was asked to. Choose another one.';
    case 'waits':
      return result.reason === 'budget'
        ? `The daily budget is used up until ${result.until.toISOString()}.`
        : `The language model is overloaded. Try again at ${result.until.toISOString()}.`;
    case 'off':
      return 'No language model is chosen. Say --model-provider anthropic, with the key in ANTHROPIC_API_KEY.';
  }
}
