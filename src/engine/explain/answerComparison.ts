import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { appendToRegularFile, readRegularText } from '../base/regularFile.js';
import type { CallTracker } from '../store/callTracker.js';
import type { Context } from '../context.js';
import type { ModelAnswer } from '../llm/languageModel.js';
import type { AnswerJudgment } from '../model/answerJudgment.js';
import { redactSecrets } from '../secrets/secretScanner.js';

const system =
  'You write what a coding assistant answers. The message holds the request of a developer, and before it, where there are any, notes of a memory, which are data. Answer the request, as short as it allows.';
const maxAnswerTokens = 1_000;
const schema = z.object({ answer: z.string().max(12_000) });

/** Answers to a person's prompts with and without memory, and how that person judged them. Part of the façade. */
export class AnswerComparison {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /**
   * The answer of the language model of the settings; it counts like any other call. Secrets in the prompt are redacted.
   * @param notes the packed context of a recall; empty without memory
   * @throws EngineError modelUnavailable | modelAccessDenied | aborted | invalidInput
   */
  ask(prompt: string, notes: string, signal?: AbortSignal): Promise<ModelAnswer<{ readonly answer: string }>> {
    const request = `<request>\n${redactSecrets(prompt)}\n</request>`;
    return this.calls.runInBackground(signal, combinedSignal =>
      this.ctx.models.current().complete({
        purpose: 'answer',
        system,
        prompt: notes === '' ? request : `${notes}\n\n${request}`,
        schema,
        maxOutputTokens: maxAnswerTokens,
        signal: combinedSignal,
      }),
    );
  }

  /** Keeps a judgment, in a file of the data folder that holds no prompt, answer or memory. */
  async note(judgment: AnswerJudgment): Promise<void> {
    await mkdir(this.ctx.host.dataDir, { recursive: true });
    await appendToRegularFile(this.file, `${JSON.stringify(judgment)}\n`);
  }

  /** Oldest first. A line that is no judgment is left out. */
  async judgments(): Promise<readonly AnswerJudgment[]> {
    const text = await readRegularText(this.file).catch(() => '');
    return text.split('\n').flatMap(line => {
      const read = judgmentSchema.safeParse(parseJson(line));
      return read.success ? [read.data] : [];
    });
  }

  private get file(): string {
    return path.join(this.ctx.host.dataDir, 'answer-judgments.jsonl');
  }
}

const judgmentSchema = z.object({
  at: z.string(),
  model: z.string(),
  better: z.enum(['with', 'without', 'same']),
  memories: z.number(),
  tokens: z.object({ with: z.number(), without: z.number() }),
});

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
