import { createInterface, type Interface } from 'node:readline';
import { z } from 'zod';
import { EngineError } from '../../engine/base/errors.js';
import { readRegularText } from '../../engine/base/regularFile.js';
import type { MemoryEngine } from '../../engine/engine.js';
import type { AnswerJudgment } from '../../engine/model/answerJudgment.js';
import { pluralize } from '../../engine/model/pluralize.js';
import { describeWait, noModelChosen } from '../../operations/languageModel.js';
import {
  argument,
  definePersonCommand,
  flag,
  option,
  refuseUnused,
  requireYes,
  written,
  type CommandAnswer,
  type CommandCaller,
} from '../../operations/personCommand.js';

/** Answers to one prompt. */
interface AnswerPair {
  readonly with: string;
  readonly without: string;
  readonly memories: number;
  readonly tokens: AnswerJudgment['tokens'];
}

/** Does memory help with a person's own prompts? A conversation at the terminal, so that it is here and not among the operations. */
export const abCommand = definePersonCommand({
  name: 'ab',
  description: 'have your own prompts answered with and without memory, and judge the answers blind',
  input: z.strictObject({
    prompts: argument('[prompt...]', z.array(z.string()).default([]), 'prompts, each in quotes'),
    file: option('--file <file>', z.string().exactOptional(), 'a file with a prompt on each line'),
    results: option('--results', flag, 'what you have judged so far'),
    yes: option('--yes', flag, 'send without asking; your judgments are read from stdin'),
  }),
  async run(engine, { prompts, file, results, yes }, caller) {
    if (results === true) {
      refuseUnused({ PROMPT: prompts[0], '--file': file, '--yes': yes }, 'not with --results, which sends nothing.');
      return judgedSoFar(engine);
    }
    return compare(engine, [...prompts, ...(await readPrompts(file))], { caller, yes });
  },
});

async function readPrompts(file: string | undefined): Promise<string[]> {
  if (file === undefined) return [];
  let text: string;
  try {
    text = await readRegularText(file);
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const text = `${file} cannot be read. Name a text file with a prompt on each line.`;
    throw new EngineError(isMissing ? 'notFound' : 'unsupportedFile', text, { cause });
  }
  return text.split(/\r?\n/u);
}

async function compare(
  engine: MemoryEngine,
  given: readonly string[],
  { caller, yes }: { readonly caller: CommandCaller; readonly yes: true | undefined },
): Promise<CommandAnswer> {
  const prompts = given.map(it => it.trim()).filter(it => it !== '');
  if (prompts.length === 0)
    throw new EngineError('invalidInput', 'There is no prompt. Write one in quotes, or name a file with --file.');
  const { provider, name } = await engine.modelStatus();
  if (provider === 'none') throw new EngineError('invalidInput', noModelChosen);
  const count = pluralize(prompts.length, 'prompt', 'prompts');
  const question = `Send ${count} to ${name}, twice each: alone, and with what is remembered?`;
  await requireYes(caller, { yes, question, refusal: 'Nothing was sent.' });
  const terminal = createInterface({ input: process.stdin });
  try {
    const lines = new LineReader(terminal);
    let judged = 0;
    for (const [index, prompt] of prompts.entries()) {
      process.stdout.write(`\n${index + 1} of ${prompts.length}: ${prompt}\n`);
      const pair = await answerBoth(engine, prompt);
      if (typeof pair === 'string') {
        process.stdout.write(`${pair}\n`);
        continue;
      }
      const better = await judge(pair, lines);
      if (better === 'end') break;
      if (better === 'pass') continue;
      const { memories, tokens } = pair;
      await engine.answerComparison.note({ at: new Date().toISOString(), model: name, better, memories, tokens });
      judged++;
    }
    process.stdout.write(`\n${pluralize(judged, 'pair', 'pairs')} judged. All of them: recollect ab --results\n`);
    return written();
  } finally {
    terminal.close();
  }
}

/**
 * @returns both answers, or a sentence that says why there is nothing to judge
 * @throws EngineError modelUnavailable where the model waits, and so would at every other prompt
 */
async function answerBoth(engine: MemoryEngine, prompt: string): Promise<AnswerPair | string> {
  const { hits, context } = await engine.recall({ query: prompt, asker: 'person' });
  if (hits.length === 0)
    return 'Nothing is remembered about this, so both answers would be the same. Nothing was sent.';
  const [without, withMemory] = [
    await engine.answerComparison.ask(prompt, ''),
    await engine.answerComparison.ask(prompt, context),
  ];
  const waits = [without, withMemory].find(it => it.outcome === 'waits');
  if (waits !== undefined) throw new EngineError('modelUnavailable', `${describeWait(waits)} What was judged is kept.`);
  if (without.outcome !== 'answered' || withMemory.outcome !== 'answered')
    return 'The language model did not answer in a way that can be shown. Go on with the next prompt.';
  const total = ({ usage }: typeof without): number => usage.inputTokens + usage.outputTokens;
  return {
    with: withMemory.value.answer,
    without: without.value.answer,
    memories: hits.length,
    tokens: { with: total(withMemory), without: total(without) },
  };
}

/** Shows the answers in an order that chance decides, and asks which one is better. */
async function judge(pair: AnswerPair, lines: LineReader): Promise<AnswerJudgment['better'] | 'pass' | 'end'> {
  const order = Math.random() < 0.5 ? (['with', 'without'] as const) : (['without', 'with'] as const);
  process.stdout.write(`\n--- A\n${pair[order[0]]}\n\n--- B\n${pair[order[1]]}\n\n`);
  for (;;) {
    process.stdout.write('Which one is better? [a/b, s = the same, p = pass] ');
    const line = (await lines.next())?.trim().toLowerCase();
    if (line === undefined) return 'end';
    if (line === 'a' || line === 'b') return order[line === 'a' ? 0 : 1];
    if (line === 's') return 'same';
    if (line === 'p') return 'pass';
  }
}

/** Lines of stdin, also those that came before they were asked for. */
class LineReader {
  private readonly lines: string[] = [];
  private isClosed = false;
  private waiting: (() => void) | undefined;

  constructor(terminal: Interface) {
    terminal.on('line', line => {
      this.lines.push(line);
      this.waiting?.();
    });
    terminal.on('close', () => {
      this.isClosed = true;
      this.waiting?.();
    });
  }

  /** @returns undefined at the end */
  async next(): Promise<string | undefined> {
    if (this.lines.length === 0 && !this.isClosed) await new Promise<void>(resolve => (this.waiting = resolve));
    return this.lines.shift();
  }
}

async function judgedSoFar(engine: MemoryEngine): Promise<CommandAnswer> {
  const judgments = await engine.answerComparison.judgments();
  const count = (better: AnswerJudgment['better']): number => judgments.filter(it => it.better === better).length;
  const sum = (side: 'with' | 'without'): number => judgments.reduce((total, it) => total + it.tokens[side], 0);
  const counts = { with: count('with'), without: count('without'), same: count('same') };
  const results = {
    judged: judgments.length,
    ...counts,
    chance: chanceOf(counts.with, counts.without),
    tokens: { with: sum('with'), without: sum('without') },
    models: [...new Set(judgments.map(it => it.model))],
  };
  return { output: results, lines: describeResults(results) };
}

interface AbResults {
  readonly judged: number;
  readonly with: number;
  readonly without: number;
  readonly same: number;
  /** 0-1. */
  readonly chance: number;
  readonly tokens: AnswerJudgment['tokens'];
  readonly models: readonly string[];
}

function describeResults({ judged, same, chance, tokens, models, ...better }: AbResults): readonly string[] {
  if (judged === 0) return ['No answers were judged yet. Begin with: recollect ab "a prompt of yours"'];
  return [
    `${pluralize(judged, 'pair', 'pairs')} judged blind, answered by ${models.join(', ')}.`,
    `Better with memory: ${better.with}. Better without: ${better.without}. The same: ${same}.`,
    `If memory made no difference, chance alone would give so clear a result in ${Math.round(chance * 100)} of 100 cases.`,
    `Tokens: ${tokens.with} with memory, ${tokens.without} without.`,
  ];
}

/** The two-sided sign test: how likely a split as uneven as this is where both sides are equally good. 0-1. */
function chanceOf(a: number, b: number): number {
  const n = a + b;
  let [tail, term] = [0, 0.5 ** n];
  for (let k = 0; k <= Math.min(a, b); k++) {
    tail += term;
    term *= (n - k) / (k + 1);
  }
  return Math.min(1, 2 * tail);
}
