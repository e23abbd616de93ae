import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { ChatTurn, Log } from '../model/host.js';
import { toJsonSchema, parseAnswer, repairPrompt, buildSystemPrompt } from './structuredOutput.js';
import type { ModelBudget } from './modelBudget.js';
import {
  addUsage,
  estimatedCharactersPerToken,
  estimateInputTokens,
  maxPromptCharacters,
  zeroUsage,
  type ModelCall,
  type LanguageModel,
  type ModelAnswer,
  type ModelProvider,
  type ModelRequest,
  type ModelReply,
} from './languageModel.js';

export interface CompletionClientOptions {
  readonly provider: ModelProvider;
  readonly budget: ModelBudget;
  readonly log: Log;
  /** The current value of the setting. */
  dailyTokens(): number;
  /** Called after each call; `waitsUntil` is set if work is deferred. */
  onUse(waitsUntil: Date | undefined): Promise<void>;
}

/** A language model that reserves budget, calls the provider, commits the usage and parses the answer, with one repair. */
export function createCompletionClient(parts: CompletionClientOptions): LanguageModel {
  const { provider, id } = parts.provider;
  return { provider, id, complete: request => complete(parts, request) };
}

async function complete<T>(parts: CompletionClientOptions, request: ModelRequest<T>): Promise<ModelAnswer<T>> {
  const { prompt, schema, purpose, signal = new AbortController().signal, maxOutputTokens } = request;
  if (prompt.length > maxPromptCharacters) {
    throw new EngineError(
      'invalidInput',
      message`A prompt has ${prompt.length} characters where ${maxPromptCharacters} are allowed. Ask in several calls.`,
    );
  }
  const first: ModelCall = {
    system: buildSystemPrompt(request.system),
    turns: [{ role: 'user', text: prompt }],
    schema: toJsonSchema(schema),
    maxOutputTokens,
    mayPromptForConsent: purpose === 'test' || purpose === 'answer',
    signal,
  };
  checkDailyLimit(estimateTotalTokens(first, parts.provider), parts.dailyTokens());
  const reply = await sendWithinBudget(parts, first);
  if (reply.kind !== 'text') return toModelAnswer(reply);
  const answer = parseAnswer(reply.text, schema);
  if (answer.ok) return { outcome: 'answered', value: answer.value, usage: reply.usage };

  const repair: readonly ChatTurn[] = [
    // A turn must not be empty, and the returned answer must not exceed the length of an answer.
    {
      role: 'assistant',
      text: reply.text.slice(0, maxOutputTokens * estimatedCharactersPerToken).trim() || '(nothing)',
    },
    { role: 'user', text: repairPrompt(answer.problem) },
  ];
  const second = await sendWithinBudget(parts, { ...first, turns: [...first.turns, ...repair] });
  const usage = addUsage(reply.usage, second.usage);
  if (second.kind === 'failed' && second.error.code === 'aborted') throw second.error;
  // Not thrown, because the usage must be reported and a retry may fail in the same way.
  if (second.kind !== 'text') return { outcome: 'unusable', reason: 'invalid', usage };
  const repaired = parseAnswer(second.text, schema);
  return repaired.ok
    ? { outcome: 'answered', value: repaired.value, usage }
    : { outcome: 'unusable', reason: 'invalid', usage };
}

/** Estimated maximum of tokens of a call, in and out. */
const estimateTotalTokens = (it: ModelCall, { thinkingTokens }: ModelProvider): number =>
  estimateInputTokens(it) + it.maxOutputTokens + thinkingTokens;

/** Rejects calls that exceed a whole day's budget. @throws EngineError invalidInput */
function checkDailyLimit(tokens: number, dailyTokens: number): void {
  if (tokens <= dailyTokens) return;
  throw new EngineError(
    'invalidInput',
    message`A call takes about ${tokens} tokens, and a day has ${dailyTokens}. Raise the setting recollect.model.dailyTokens.`,
  );
}

type BudgetedReply =
  ModelReply | { readonly kind: 'overBudget'; readonly until: Date; readonly usage: typeof zeroUsage };

async function sendWithinBudget(parts: CompletionClientOptions, call: ModelCall): Promise<BudgetedReply> {
  const { provider, budget } = parts;
  if (call.signal.aborted)
    throw new EngineError('aborted', 'The language model was not asked: it was cancelled before.');
  const reservation = await budget.reserve(estimateTotalTokens(call, provider), parts.dailyTokens());
  if (reservation === undefined) {
    await parts.onUse(budget.nextDay());
    return { kind: 'overBudget', until: budget.nextDay(), usage: zeroUsage };
  }
  const reply = await provider.send(call);
  await budget.commit(reservation, reply.usage).catch((error: unknown) => {
    // The reservation stays, so the budget holds and the answer is not lost.
    parts.log.error('What a language model used could not be noted.', error);
  });
  await parts.onUse(reply.kind === 'busy' ? reply.until : undefined);
  return reply;
}

/** @throws EngineError the provider's failure */
function toModelAnswer(reply: Exclude<BudgetedReply, { kind: 'text' }>): ModelAnswer<never> {
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
