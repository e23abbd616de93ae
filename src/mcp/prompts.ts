import type { GetPromptResult, InputRequiredResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { requestLimits } from '../engine/model/config.js';
import type { RequestContext } from './memoryServer.js';

/** What a person can start by name in their client. */
export function registerMcpPrompts(server: McpServer, requestContext: RequestContext): void {
  server.registerPrompt(
    'recall',
    {
      title: 'Recall',
      description: 'Puts what is remembered about a topic into the conversation.',
      argsSchema: z.strictObject({
        topic: z.string().trim().min(1).max(requestLimits.maxQueryLength).describe('What to recall.'),
      }),
    },
    async ({ topic }, ctx): Promise<GetPromptResult | InputRequiredResult> => {
      const rootsRequest = requestContext.rootsRequest(ctx.mcpReq);
      if (rootsRequest !== undefined) return rootsRequest;
      const { context } = await (
        await requestContext.engine(ctx.mcpReq, { tool: 'recall', readOnly: true })
      ).context({ query: topic });
      return userMessage(
        context === ''
          ? `Nothing is remembered about this: ${topic}`
          : `This is remembered about "${topic}". Take it into account where it applies.\n\n${context}`,
      );
    },
  );
  server.registerPrompt(
    'remember-session',
    {
      title: 'Remember this session',
      description: 'Has the assistant keep what this conversation brought that later ones should know.',
    },
    () =>
      userMessage(
        'Look back over this conversation. Pick what later conversations should know: what I corrected, preferences I stated, decisions we made and why, facts about the project that the code does not say, plans with their dates. For each, call recall to see whether it is known, and remember with one standalone sentence if it is not. Leave out small talk, guesses, secrets, and what can be read in the code. Then list what you kept.',
      ),
  );
}

function userMessage(text: string): GetPromptResult {
  return { messages: [{ role: 'user', content: { type: 'text', text } }] };
}
