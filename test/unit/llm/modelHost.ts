import { z } from 'zod';
import type { UsageLedger } from '../../../src/engine/llm/modelBudget.js';
import type { ModelRequest } from '../../../src/engine/llm/languageModel.js';
import { LanguageModels } from '../../../src/engine/llm/languageModels.js';
import { defaultRetryPolicy, type RetryPolicy } from '../../../src/engine/base/retryPolicy.js';
import { defaultConfig, type Config } from '../../../src/engine/model/config.js';
import type { HostChatModels } from '../../../src/engine/model/host.js';
import type { ModelStatus } from '../../../src/engine/model/modelStatus.js';
import { TestHost } from '../../support/fixtures.js';
import { MessagesServer } from '../../support/messagesApiServer.js';

export const testKey = 'sk-ant-api03-test-0123456789';

/** A host whose language model is a local server. */
export class ModelHost extends TestHost {
  key: string | undefined = testKey;
  chatModels?: HostChatModels;
  messagesUrl = '';

  secret(): Promise<string | undefined> {
    return Promise.resolve(this.key);
  }

  set model(model: Partial<Config['model']>) {
    this.settings = { ...this.settings, model: { ...defaultConfig.model, provider: 'anthropic', ...model } };
  }
}

/** Server, host and models of one test, stopped after it. */
export interface ModelTestSetup {
  readonly server: MessagesServer;
  readonly host: ModelHost;
  readonly models: LanguageModels;
  /** Requested pauses in milliseconds; none is waited for. */
  readonly pauses: number[];
  readonly announced: ModelStatus[];
  readonly records: UsageLedger;
}

const servers: MessagesServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map(it => it.stop()));
});

export async function setUpModels(retryPolicy: Partial<RetryPolicy> = {}): Promise<ModelTestSetup> {
  const server = new MessagesServer();
  servers.push(server);
  await server.start();
  const host = new ModelHost();
  host.messagesUrl = server.url;
  host.model = {};
  const pauses: number[] = [];
  const announced: ModelStatus[] = [];
  const records = inMemoryUsageLedger();
  const sleep = (ms: number): Promise<void> => {
    pauses.push(ms);
    return Promise.resolve();
  };
  const models = new LanguageModels(host, records, it => announced.push(it), {
    ...defaultRetryPolicy,
    sleep,
    ...retryPolicy,
  });
  return { server, host, models, pauses, announced, records };
}

function inMemoryUsageLedger(): UsageLedger {
  const records = new Map<string, unknown>();
  return {
    read: day => Promise.resolve(records.get(day)),
    update: (day, change) => Promise.resolve(void records.set(day, change(records.get(day)))),
  };
}

export const factsSchema = z.object({
  facts: z.array(z.object({ content: z.string().min(1).max(200), gate: z.enum(['epistemic', 'behavioral']) })).max(5),
});
export type Facts = z.infer<typeof factsSchema>;

export const someFacts: Facts = { facts: [{ content: 'We deploy on Tuesdays.', gate: 'epistemic' }] };

export function modelRequest(rest: Partial<ModelRequest<Facts>> = {}): ModelRequest<Facts> {
  return {
    purpose: 'capture',
    system: 'Find the facts.',
    prompt: 'We deploy on Tuesdays.',
    schema: factsSchema,
    maxOutputTokens: 1000,
    ...rest,
  };
}
