import { z } from 'zod';
import { escapeMemoryText } from '../engine/model/contextEnvelope.js';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import { requestLimits } from '../engine/model/config.js';
import { isReferenceTo } from '../engine/model/memory.js';
import type { Trace } from '../engine/model/trace.js';
import { shortIdOf } from './memoryView.js';
import { argument, definePersonCommand, option, count, type CommandAnswer } from './personCommand.js';
import { defineTool } from './tool.js';

const defaultTraceLimit = 10;

const tracesInput = z.strictObject({
  id: z.string().min(1).exactOptional().describe('The id of one trace, to see why each memory was returned or not.'),
  limit: z
    .int()
    .min(1)
    .max(requestLimits.maxHits)
    .exactOptional()
    .describe(`Traces at most; default ${defaultTraceLimit}.`),
});

const candidateSchema = z.strictObject({
  id: z.string(),
  outcome: z.string().describe('returned, or why it was left out.'),
  rank: z.number(),
  relevance: z.number().describe('0-1.'),
});

const traceViewSchema = z.strictObject({
  id: z.string(),
  at: z.string().describe('ISO 8601, UTC.'),
  client: z.string(),
  query: z.string(),
  cache: z.enum(['hit', 'miss']),
  ms: z.number().describe('Time it took, in milliseconds.'),
  tokens: z.int(),
  returned: z.array(z.string()).describe('Ids, best first.'),
  candidateCount: z.int(),
  degraded: z.array(z.string()).describe('What the search had to do without.'),
  candidates: z.array(candidateSchema).exactOptional().describe('Best first; with an id only.'),
});

/** A UUID; what is longer is none, and need not be repeated whole. */
const maxShownIdLength = 36;

export const tracesTool = defineTool({
  name: 'traces',
  title: 'Traces of recalls',
  description:
    'Shows the records of past recalls, newest first: what was asked, what was returned, how long it took. With the id of one, shows why each memory was returned or left out. Call it when the user asks why something was or was not recalled.',
  readOnly: true,
  destructive: false,
  idempotent: true,
  routes: [{ method: 'GET', path: '/v1/traces', summary: 'Records of past searches' }],
  input: tracesInput,
  output: z.strictObject({ traces: z.array(traceViewSchema) }),
  progress: () => 'Reading the records of past recalls',
  async run(engine, { id, limit = defaultTraceLimit }) {
    if (id === undefined) {
      const traces = (await engine.traces(limit)).map(it => toTraceView(it));
      return { text: traces.map(formatTrace).join('\n') || 'Nothing was recalled yet.', structured: { traces } };
    }
    const trace = await findTrace(engine, id, 'List the traces first.');
    const candidates = trace.candidates.map(({ id: memory, outcome, factors }) => ({
      id: shortIdOf(memory),
      outcome,
      rank: roundToThousandths(factors.rank),
      relevance: roundToThousandths(factors.relevance),
    }));
    const view = { ...toTraceView(trace), candidates };
    const lines = candidates.map(it => `- #${it.id} ${it.outcome}: rank ${it.rank}, relevance ${it.relevance}`);
    return { text: [formatTrace(view), ...lines].join('\n'), structured: { traces: [view] } };
  },
});

/** @param next what to do where there is none @throws EngineError notFound */
async function findTrace(engine: MemoryEngine, reference: string, next: string): Promise<Trace> {
  const traces = await engine.traces(requestLimits.maxPageSize);
  const found = traces.find(it => isReferenceTo(it, reference));
  if (found !== undefined) return found;
  throw new EngineError(
    'notFound',
    `There is no recall "${reference.slice(0, maxShownIdLength)}" in the record. ${next}`,
  );
}

function toTraceView(trace: Trace): z.infer<typeof traceViewSchema> {
  const { id, at, client, query, cache, tokens, candidateCount, degraded, candidates, stages } = trace;
  const returned = candidates.filter(it => it.outcome === 'returned').map(it => shortIdOf(it.id));
  const ms = roundToThousandths(stages.reduce((sum, it) => sum + it.ms, 0));
  return { id, at, client, query, cache, ms, tokens, returned, candidateCount, degraded: [...degraded] };
}

function formatTrace(trace: z.infer<typeof traceViewSchema>): string {
  const ids = trace.returned.map(handle => `#${handle}`).join(' ') || 'nothing';
  return `- ${trace.id} ${trace.at} ${trace.client}: "${escapeMemoryText(trace.query)}" returned ${ids} of ${trace.candidateCount} in ${trace.ms} ms`;
}

const roundToThousandths = (value: number): number => Math.round(value * 1000) / 1000;

export const tracesCommand = definePersonCommand({
  name: 'traces',
  description:
    'list what was asked and answered, newest first; with the id of an answer, why each memory is in it or not',
  input: z.strictObject({
    id: argument('[id]', z.string().exactOptional(), 'the id of a recall, or the last eight digits of it'),
    limit: option('--limit <n>', count.default(defaultTraceLimit), 'recalls at most'),
  }),
  async run(engine, { id, limit }) {
    if (id !== undefined) return explainTrace(engine, id);
    const traces = await engine.traces(limit);
    return {
      output: traces,
      lines: traces.map(describeTrace),
      remarks: traces.length === 0 ? ['Nothing was recalled yet.'] : [],
    };
  },
});

async function explainTrace(engine: MemoryEngine, id: string): Promise<CommandAnswer> {
  const found = await findTrace(
    engine,
    id,
    'List those that are: recollect traces. The record of an old one goes with maintenance.',
  );
  const { trace, memories } = await engine.explainer.explainTrace(found.id);
  const byId = new Map(memories.map(it => [it.id, it]));
  return {
    output: trace,
    lines: [
      describeTrace(trace),
      ...(trace.remarks ?? []).map(it => `  ${it}`),
      ...trace.candidates.map(it => {
        const rank = it.factors.rank.toFixed(3);
        return `  ${it.outcome}  rank ${rank}  #${shortIdOf(it.id)}  ${byId.get(it.id)?.summary ?? '(deleted)'}`;
      }),
    ],
  };
}

function describeTrace({ id, at, client, query, candidates, cache, stages }: Trace): string {
  const returned = candidates.filter(it => it.outcome === 'returned').map(it => `#${shortIdOf(it.id)}`);
  const ms = Math.round(stages.reduce((sum, it) => sum + it.ms, 0));
  const answer = returned.length === 0 ? 'nothing' : returned.join(' ');
  return `${id}  ${at}  ${client}  "${query}"  ${answer}  ${ms} ms${cache === 'hit' ? ', from the cache' : ''}`;
}
