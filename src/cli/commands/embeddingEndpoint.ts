import { z } from 'zod';
import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Config } from '../../engine/model/config.js';
import type { EndpointStatus } from '../../engine/model/embeddingStatus.js';
import { formatMemoryCount, formatNumber, pluralize } from '../../engine/model/pluralize.js';
import { flag, option, requireYes, type CommandAnswer, type CommandCaller } from '../../operations/personCommand.js';
import { defineProgramCommand } from '../command.js';

/** `recollect models endpoint`. */
export const endpointCommand = defineProgramCommand({
  name: 'models endpoint',
  description: 'use the embedding server of the settings: ask, measure its model, embed what has no vector',
  input: z.strictObject({
    yes: option('--yes', flag, 'do not ask'),
    status: option('--status', flag, 'say what is used and how much, and how the last request failed; send nothing'),
    forbid: option(
      '--forbid [address]',
      z.union([z.string(), z.literal(true)]).exactOptional(),
      'send no text to this address any more (default: the one of the settings)',
    ),
  }),
  answer({ config }, { yes, status, forbid }, caller) {
    if (forbid !== undefined) return Promise.resolve(engine => forbidEndpoint(engine, forbid, config));
    assertChosen(config());
    return Promise.resolve(engine => useEndpoint(engine, { yes, isStatus: status === true }, caller));
  },
});

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

async function useEndpoint(
  engine: MemoryEngine,
  { yes, isStatus }: { readonly yes: true | undefined; readonly isStatus: boolean },
  caller: CommandCaller,
): Promise<CommandAnswer> {
  const { embeddingEndpoint: endpoint } = engine;
  if (endpoint === undefined) throw new EngineError('notAllowed', 'The embedding endpoint could not be opened.');
  const before = await endpoint.status();
  if (isStatus) return { output: toJson(before), lines: describeEndpoint(before) };
  if (!before.isAllowed) {
    await requireYes(caller, { yes, question: describeConsent(before), refusal: 'Nothing was sent.' });
    await endpoint.setAllowed(true);
  }
  const embedded = await caller.interruptible(async signal => {
    await endpoint.check(signal);
    return engine.embedMissing({ signal, isPatient: false });
  });
  const status = await endpoint.status();
  return {
    output: { ...toJson(status), ...embedded },
    lines: [
      ...describeEndpoint(status),
      `With a vector from this model: ${formatNumber(embedded.embedded)} of ${formatMemoryCount(embedded.total)}.`,
    ],
  };
}

/** @param named an address, or true: that of the settings */
async function forbidEndpoint(
  { endpointConsents }: MemoryEngine,
  named: string | true,
  config: () => Config,
): Promise<CommandAnswer> {
  const address = named === true ? config().embeddingEndpoint.address : named;
  const url = await endpointConsents.forbid(address);
  const allowed = await endpointConsents.list();
  const output = { forbidden: url ?? null, allowed };
  if (url !== undefined)
    return {
      output,
      lines: [`No text is sent to ${url} any more.`, ...(allowed.length === 0 ? [] : [describeAllowed(allowed)])],
    };
  if (allowed.length === 0)
    return {
      output,
      lines: ['No text may be sent to any address of another machine: there is nothing to take back.'],
    };
  throw named === true
    ? new EngineError('invalidInput', `Say which address: --forbid ADDRESS. ${describeAllowed(allowed)}`)
    : new EngineError('notFound', `No text may be sent to ${address} as it is. ${describeAllowed(allowed)}`);
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
