import { EngineError } from '../base/errors.js';
import { message } from '../base/message.js';
import type { ChatTurn, Log } from '../model/host.js';
import { jsonSchemaOf, readAnswer, repairText, systemText } from './answers.js';
import type { ModelBudget } from './budget.js';
import {
  addUsage,
  charactersPerToken,
  estimateInputTokens,
  maxPromptCharacters,
  noUsage,
  type Exchange,
  type LanguageModel,
  type ModelAnswer,
  type ModelProvider,
  type ModelRequest,
  type Reply,
} from './languageModel.js';

export interface CompletionParts {
  readonly provider: ModelProvider;
  readonly budget: ModelBudget;
  readonly log: Log;
  /** As the setting says now. */
  dailyTokens(): number;
  /** After each exchange, and when work waits until a time. */
  onUse(waitsUntil: Date | undefined): Promise<void>;
}

/** A provider's model with the budget around it: reserve, exchange, settle, read; once more when it cannot be read. */
export function completing(parts: CompletionParts): LanguageModel {
  const { provider, id } = parts.provider;
  return { provider, id, complete: request => complete(parts, request) };
}

async function complete<T>(parts: CompletionParts, request: ModelRequest<T>): Promise<ModelAnswer<T>> {
  const { prompt, schema, purpose, signal = new AbortController().signal, maxOutputTokens } = request;
  if (prompt.length > maxPromptCharacters) {
    throw new EngineError(
      'invalidInput',
      message`A prompt has ${prompt.length} characters where ${maxPromptCharacters} are allowed. Ask in several calls.`,
    );
  }
  const first: Exchange = {
    system: systemText(request.system),
    turns: [{ role: 'user', text: prompt }],
    schema: jsonSchemaOf(schema),
    maxOutputTokens,
    mayAsk: purpose === 'test',
    signal,
  };
  checkDay(tokensOf(first, parts.provider), parts.dailyTokens());
  const reply = await exchange(parts, first);
  if (reply.kind !== 'text') return ending(reply);
  const answer = readAnswer(reply.text, schema);
  if (answer.ok) return { outcome: 'answered', value: answer.value, usage: reply.usage };

  const repair: readonly ChatTurn[] = [
    // A turn must have a text, and what goes back must not cost more than an answer may.
    { role: 'assistant', text: reply.text.slice(0, maxOutputTokens * charactersPerToken).trim() || '(nothing)' },
    { role: 'user', text: repairText(answer.problem) },
  ];
  const second = await exchange(parts, { ...first, turns: [...first.turns, ...repair] });
  const usage = addUsage(reply.usage, second.usage);
  if (second.kind === 'failed' && second.error.code === 'aborted') throw second.error;
  // What was paid for is told, and asking for the same again may end the same way.
  if (second.kind !== 'text') return { outcome: 'unusable', reason: 'invalid', usage };
  const mended = readAnswer(second.text, schema);
  return mended.ok
    ? { outcome: 'answered', value: mended.value, usage }
    : { outcome: 'unusable', reason: 'invalid', usage };
}

/** Tokens that an exchange may take in all, estimated. */
const tokensOf = (it: Exchange, { thinkingTokens }: ModelProvider): number =>
  estimateInputTokens(it) + it.maxOutputTokens + thinkingTokens;

/** What no day has room for would wait for ever. @throws EngineError invalidInput */
function checkDay(tokens: number, dailyTokens: number): void {
  if (tokens <= dailyTokens) return;
  throw new EngineError(
    'invalidInput',
    message`A call takes about ${tokens} tokens, and a day has ${dailyTokens}. Raise the setting recollect.model.dailyTokens.`,
  );
}

type WithinBudget = Reply | { readonly kind: 'overBudget'; readonly until: Date; readonly usage: typeof noUsage };

async function exchange(parts: CompletionParts, it: Exchange): Promise<WithinBudget> {
  const { provider, budget } = parts;
  if (it.signal.aborted) throw new EngineError('aborted', 'The language model was not asked: it was cancelled before.');
  const reservation = await budget.reserve(tokensOf(it, provider), parts.dailyTokens());
  if (reservation === undefined) {
    await parts.onUse(budget.nextDay());
    return { kind: 'overBudget', until: budget.nextDay(), usage: noUsage };
  }
  const reply = await provider.exchange(it);
  await budget.settle(reservation, reply.usage).catch((error: unknown) => {
    // What was set aside stays so: the cap holds, and an answer that was paid for is not lost.
    parts.log.error('What a language model used could not be noted.', error);
  });
  await parts.onUse(reply.kind === 'busy' ? reply.until : undefined);
  return reply;
}

/** @throws EngineError what the provider failed with */
function ending(reply: Exclude<WithinBudget, { kind: 'text' }>): ModelAnswer<never> {
  switch (reply.kind) {
    case 'overBudget':
      return { outcome: 'waits', reason: 'budget', until: reply.until };
    case 'busy':
      return { outcome: 'waits', reason: 'busy', until: reply.until };
    case 'failed':
      throw reply.error;
    case 'refused':
    case 'cutOff':
      return { outcome: 'unusable', reason: reply.kind, usage: reply.usage };
  }
}
