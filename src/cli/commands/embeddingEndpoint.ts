import type { Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Config } from '../../engine/model/config.js';
import type { EndpointStatus } from '../../engine/model/embeddingStatus.js';
import { formatMemoryCount, formatNumber, pluralize } from '../../engine/model/pluralize.js';
import { confirm, exitCodes, print, withSigint, type ExitCode, type ProgramContext } from '../command.js';

/** `recollect models endpoint`. */
export function registerEndpointCommand(models: Command, { config, withEngine }: ProgramContext): void {
  models
    .command('endpoint')
    .description('use the embedding server of the settings: ask, measure its model, embed what has no vector')
    .option('--yes', 'do not ask')
    .option('--status', 'say what is used and how much, and how the last request failed; send nothing')
    .option('--forbid [address]', 'send no text to this address any more (default: the one of the settings)')
    .action(({ forbid, ...options }: EndpointOptions) => {
      if (forbid === undefined) assertChosen(config());
      return withEngine((engine, json) =>
        forbid === undefined
          ? runEndpointCommand(engine, json, options)
          : forbidEndpoint(
              engine,
              json,
              forbid === true ? config().embeddingEndpoint.address : forbid,
              forbid !== true,
            ),
      );
    });
}

interface EndpointOptions {
  readonly yes?: true;
  readonly status?: true;
  readonly forbid?: true | string;
}

/** Before anything is opened, which would say the same in other words. */
function assertChosen({ embeddings, embeddingEndpoint: { address, model } }: Config): void {
  const steps = [
    ...(address === '' ? ['recollect config embeddingEndpoint.address http://127.0.0.1:11434/v1'] : []),
    ...(model === '' ? ['recollect config embeddingEndpoint.model NAME'] : []),
    ...(embeddings === 'endpoint' ? [] : ['recollect config embeddings endpoint']),
  ];
  if (steps.length > 0)
    throw new EngineError('notAllowed', `No embedding endpoint is in use. To use one: ${steps.join(', then ')}`);
}

async function runEndpointCommand(
  engine: MemoryEngine,
  json: boolean,
  options: Pick<EndpointOptions, 'yes' | 'status'>,
): Promise<ExitCode> {
  const { embeddingEndpoint: endpoint } = engine;
  if (endpoint === undefined) throw new EngineError('notAllowed', 'The embedding endpoint could not be opened.');
  const before = await endpoint.status();
  if (options.status === true) {
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
    `With a vector from this model: ${formatNumber(embedded.embedded)} of ${formatMemoryCount(embedded.total)}.`,
  ]);
  return exitCodes.ok;
}

/** @param isNamed whether the person named the address, which else is that of the settings */
async function forbidEndpoint(
  engine: MemoryEngine,
  json: boolean,
  address: string,
  isNamed: boolean,
): Promise<ExitCode> {
  const { endpointConsents } = engine;
  const url = await endpointConsents.forbid(address);
  const allowed = await endpointConsents.list();
  if (url !== undefined || allowed.length === 0) {
    print(json, { forbidden: url ?? null, allowed }, () =>
      url === undefined
        ? ['No text may be sent to any address of another machine: there is nothing to take back.']
        : [`No text is sent to ${url} any more.`, ...(allowed.length === 0 ? [] : [describeAllowed(allowed)])],
    );
    return exitCodes.ok;
  }
  throw isNamed
    ? new EngineError('notFound', `No text may be sent to ${address} as it is. ${describeAllowed(allowed)}`)
    : new EngineError('invalidInput', `Say which address: --forbid ADDRESS. ${describeAllowed(allowed)}`);
}

const describeAllowed = (urls: readonly string[]): string => `Allowed: ${urls.join(', ')}`;

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
  lastFailure,
}: EndpointStatus): readonly string[] {
  const where = isLoopback ? 'on this machine' : isAllowed ? 'allowed' : 'not allowed: nothing is sent';
  return [
    `${model} at ${url} (${where})${dimensions === undefined ? '' : `, ${dimensions} dimensions`}`,
    `${today.day} (UTC): ${formatNumber(today.tokens)} of ${formatNumber(dailyTokens)} tokens, ${pluralize(today.calls, 'call')}`,
    ...(waits === undefined ? [] : [`Words alone until ${waits.until.toISOString()}: ${String(waits.problem)}.`]),
    ...(waits !== undefined || lastFailure === undefined
      ? []
      : [`The last request failed at ${lastFailure.at}: ${lastFailure.problem}. Test it: recollect models endpoint`]),
    ...(isAllowed && dimensions === undefined && waits === undefined && lastFailure === undefined
      ? ['Its model was not measured yet, so words alone find memories: recollect models endpoint']
      : []),
  ];
}
