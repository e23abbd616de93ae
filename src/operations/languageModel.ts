import { z } from 'zod';
import type { ModelStatus, ModelTest } from '../engine/model/modelStatus.js';
import { pluralize } from '../engine/model/pluralize.js';
import { sharedMessages } from '../engine/model/sharedMessages.js';
import { definePersonCommand, flag, option, requireYes, type PersonCommand } from './personCommand.js';

export const languageModelCommands: readonly PersonCommand[] = [
  definePersonCommand({
    name: 'language-model',
    description: 'say which language model is used, and what it used today',
    input: z.strictObject({}),
    async run(engine) {
      const status = await engine.modelStatus();
      return { output: status, lines: describeModelStatus(status) };
    },
  }),
  definePersonCommand({
    name: 'language-model test',
    description: 'send one small request, with no memory in it, after asking',
    input: z.strictObject({ yes: option('--yes', flag, 'do not ask') }),
    async run(engine, { yes }, caller) {
      const { provider, name } = await engine.modelStatus();
      const question = `Send one test request of about 200 tokens to ${name}?`;
      if (provider !== 'none') await requireYes(caller, { yes, question, refusal: 'Nothing was sent.' });
      const result = await engine.testModel();
      return {
        output: result,
        lines: [describeModelTest(result)],
        ending: result.outcome === 'answered' ? 'done' : 'failed',
      };
    },
  }),
];

function describeModelStatus({ provider, name, today, dailyTokens }: ModelStatus): readonly string[] {
  const usedTokens = today.inputTokens + today.outputTokens;
  return [
    provider === 'none' ? 'No language model: rules do the work.' : `${name} (${provider})`,
    `${today.day} (UTC): ${usedTokens} of ${dailyTokens} tokens, ${pluralize(today.calls, 'call')}, about $${today.costUsd.toFixed(4)}`,
  ];
}

export const noModelChosen =
  'No language model is chosen. Say --model-provider anthropic, with the key in ANTHROPIC_API_KEY.';

/** Sentence on why a language model is not asked, and until when. */
export function describeWait({ reason, until }: Extract<ModelTest, { readonly outcome: 'waits' }>): string {
  return reason === 'budget'
    ? `The daily budget is used up until ${until.toISOString()}.`
    : `The language model is overloaded. Try again at ${until.toISOString()}.`;
}

function describeModelTest(result: ModelTest): string {
  switch (result.outcome) {
    case 'answered':
      return `${result.name} answers. The test took ${result.inputTokens + result.outputTokens} tokens.`;
    case 'unusable':
      return String(sharedMessages.modelUnusable);
    case 'waits':
      return describeWait(result);
    case 'off':
      return noModelChosen;
  }
}
