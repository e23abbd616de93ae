import { z } from 'zod';
import type { Config } from '../model/config.js';
import type { EngineHost } from '../model/host.js';
import type { ModelStatus, ModelTest } from '../model/modelStatus.js';
import { anthropicProvider } from './anthropicProvider.js';
import { ModelBudget, type UsageLedger } from './modelBudget.js';
import { chatModelProvider } from './chatModelProvider.js';
import { createCompletionClient } from './completionClient.js';
import { noLanguageModel, type LanguageModel, type ModelProvider } from './languageModel.js';
import { defaultRetryPolicy, type RetryPolicy } from '../base/retryPolicy.js';

/** The configured language model and its budget. */
export class LanguageModels {
  private readonly budget: ModelBudget;
  private deferredUntil: Date | undefined;

  constructor(
    private readonly host: EngineHost,
    records: UsageLedger,
    private readonly onStatusChange: (status: ModelStatus) => void,
    private readonly retryPolicy: RetryPolicy = defaultRetryPolicy,
  ) {
    this.budget = new ModelBudget(records, () => host.now());
  }

  /** The model of the current settings; get it for each piece of work, so that changed settings take effect. */
  current(): LanguageModel {
    const provider = this.provider(this.host.config().model);
    if (provider === undefined) return noLanguageModel;
    return createCompletionClient({
      provider,
      budget: this.budget,
      log: this.host.log,
      dailyTokens: () => this.host.config().model.dailyTokens,
      onUse: async waitsUntil => {
        this.deferredUntil = waitsUntil;
        await this.announceStatus();
      },
    });
  }

  async status(): Promise<ModelStatus> {
    const { provider, dailyTokens } = this.host.config().model;
    const today = await this.budget.today();
    const isDeferred = this.deferredUntil !== undefined && this.deferredUntil > this.host.now();
    return {
      provider,
      name: this.current().id,
      today,
      dailyTokens,
      waitsUntil: isDeferred ? this.deferredUntil : undefined,
    };
  }

  /**
   * Checks provider, key and model with one small request that contains no memory.
   * @throws EngineError like LanguageModel.complete
   */
  async test(signal?: AbortSignal): Promise<ModelTest> {
    const model = this.current();
    const answer = await model.complete({ ...testRequest, ...(signal === undefined ? {} : { signal }) });
    if (answer.outcome !== 'answered') return answer;
    return { outcome: 'answered', name: model.id, ...answer.usage };
  }

  private provider({ provider, name }: Config['model']): ModelProvider | undefined {
    const { host, retryPolicy } = this;
    switch (provider) {
      case 'none':
        return undefined;
      case 'vscode':
        return chatModelProvider(host.chatModels, { model: name, timeoutMs: retryPolicy.timeoutMs });
      case 'anthropic':
        return anthropicProvider({
          key: async () => host.secret?.('anthropicApiKey'),
          model: name,
          url: host.messagesUrl,
          now: () => host.now(),
          retryPolicy,
        });
    }
  }

  private async announceStatus(): Promise<void> {
    try {
      this.onStatusChange(await this.status());
    } catch (error) {
      // A failed status display must not discard an answer.
      this.host.log.error('What language models used today could not be read.', error);
    }
  }
}

const testRequest = {
  purpose: 'test',
  system: 'You check that a connection works. Repeat the word of the message.',
  prompt: 'recollect',
  schema: z.object({ word: z.string().max(100) }),
  maxOutputTokens: 100,
} as const;
