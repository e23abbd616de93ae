import type { Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Config } from '../../engine/model/config.js';
import type { EndpointStatus } from '../../engine/model/embeddingStatus.js';
import { pluralize } from '../../engine/model/pluralize.js';
import { readConfig } from '../../engine/model/settings.js';
import { confirm, exitCodes, print, withSigint, type ExitCode, type WithEngine } from '../command.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The key of an embedding endpoint: of the environment alone, as no file of ours holds keys. */
export const embeddingKeyVariable = 'RECOLLECT_EMBEDDINGS_KEY';

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
    'embeddingEndpoint.address': env.RECOLLECT_EMBEDDINGS_ADDRESS ?? defaults.address,
    'embeddingEndpoint.model': env.RECOLLECT_EMBEDDINGS_MODEL ?? defaults.model,
    'embeddingEndpoint.dimensions': number(env.RECOLLECT_EMBEDDINGS_DIMENSIONS) ?? defaults.dimensions,
    'embeddingEndpoint.dailyTokens': number(env.RECOLLECT_EMBEDDINGS_DAILY_TOKENS) ?? defaults.dailyTokens,
  };
  const { embeddingEndpoint } = readConfig(
    key => merged[key],
    problem => {
      const reason = problem.replace(/; the default is used\.$/u, '.');
      throw new EngineError('invalidInput', `In the environment, RECOLLECT_EMBEDDINGS_ADDRESS and so on: ${reason}`);
    },
  );
  return embeddingEndpoint;
}

/** `recollect models endpoint`. */
export function registerEndpointCommand(models: Command, withEngine: WithEngine): void {
  models
    .command('endpoint')
    .description('use the embedding server of the settings: ask, measure its model, embed what has no vector')
    .option('--yes', 'do not ask')
    .option('--status', 'say what is used and how much, and send nothing')
    .option('--forbid', 'take the consent back: no text is sent to its address any more')
    .action((options: EndpointOptions) => withEngine((engine, json) => runEndpointCommand(engine, json, options)));
}

interface EndpointOptions {
  readonly yes?: true;
  readonly status?: true;
  readonly forbid?: true;
}

async function runEndpointCommand(engine: MemoryEngine, json: boolean, options: EndpointOptions): Promise<ExitCode> {
  const { embeddingEndpoint: endpoint } = engine;
  if (endpoint === undefined)
    throw new EngineError(
      'notAllowed',
      'No embedding endpoint is in use. Set its address and model, then: recollect config embeddings endpoint.',
    );
  if (options.forbid === true) await endpoint.setAllowed(false);
  const before = await endpoint.status();
  if (options.forbid === true || options.status === true) {
    print(json, toJson(before), () => describeEndpoint(before));
    return exitCodes.ok;
  }
  if (!before.isAllowed) {
    if (options.yes !== true && !(await confirm(describeConsent(before))))
      throw new EngineError('aborted', 'Nothing was sent.');
    await endpoint.setAllowed(true);
  }
  const embedded = await withSigint(async signal => {
    await endpoint.check(signal);
    return engine.embedMissing({ signal, isPatient: false });
  });
  const status = await endpoint.status();
  print(json, { ...toJson(status), ...embedded }, () => [
    ...describeEndpoint(status),
    `${embedded.embedded} of ${pluralize(embedded.total, 'memory')} have a vector of it.`,
  ]);
  return exitCodes.ok;
}

function describeConsent({ url, model }: EndpointStatus): string {
  const plain = url.startsWith('http:') ? ' The address is not encrypted: others on the way can read it.' : '';
  return `Send the text of memories (of indexed code too) and of questions to ${url}, to be embedded by ${model}? Texts with secrets or personal data stay here.${plain}`;
}

function toJson({ waits, ...status }: EndpointStatus): object {
  return {
    ...status,
    ...(waits === undefined ? {} : { waits: { problem: String(waits.problem), until: waits.until.toISOString() } }),
  };
}

function describeEndpoint({
  url,
  model,
  isLoopback,
  isAllowed,
  dimensions,
  today,
  dailyTokens,
  waits,
}: EndpointStatus): readonly string[] {
  const where = isLoopback ? 'on this machine' : isAllowed ? 'allowed' : 'not allowed: nothing is sent';
  return [
    `${model} at ${url} (${where})${dimensions === undefined ? '' : `, ${dimensions} dimensions`}`,
    `${today.day} (UTC): ${today.tokens} of ${dailyTokens} tokens, ${pluralize(today.calls, 'call')}`,
    ...(waits === undefined ? [] : [`Words alone until ${waits.until.toISOString()}: ${String(waits.problem)}.`]),
  ];
}
