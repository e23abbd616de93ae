import { z } from 'zod';
import { escapeMemoryText } from '../engine/model/contextEnvelope.js';
import { EngineError } from '../engine/base/errors.js';
import { requestLimits } from '../engine/model/config.js';
import type { Trace } from '../engine/model/trace.js';
import { shortHandle } from './memoryView.js';
import { tracesInput } from './schemas.js';
import { defineTool } from './tool.js';

const shownByDefault = 10;

const candidate = z.strictObject({
  id: z.string(),
  outcome: z.string().describe('returned, or why it was left out.'),
  rank: z.number(),
  relevance: z.number().describe('0-1.'),
  standing: z.number().describe('0-1.'),
});

const traceView = z.strictObject({
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
  candidates: z.array(candidate).exactOptional().describe('Best first; with an id only.'),
});

export const tracesTool = defineTool({
  name: 'traces',
  title: 'Traces of recalls',
  description:
    'Shows the records of past recalls, newest first: what was asked, what was returned, how long it took. With the id of one, shows why each memory was returned or left out. Call it when the user asks why something was or was not recalled.',
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: tracesInput,
  output: z.strictObject({ traces: z.array(traceView) }),
  progress: () => 'Reading the records of past recalls',
  async run(engine, { id, limit = shownByDefault }) {
    if (id === undefined) {
      const traces = (await engine.traces(limit)).map(it => viewOf(it));
      return { text: traces.map(line).join('\n') || 'Nothing was recalled yet.', structured: { traces } };
    }
    const trace = (await engine.traces(requestLimits.maxPageSize)).find(it => it.id === id);
    if (trace === undefined) throw new EngineError('notFound', `There is no trace "${id}". List the traces first.`);
    const candidates = trace.candidates.map(({ id: memory, outcome, factors }) => ({
      id: shortHandle(memory),
      outcome,
      rank: rounded(factors.rank),
      relevance: rounded(factors.relevance),
      standing: rounded(factors.standing),
    }));
    const view = { ...viewOf(trace), candidates };
    const lines = candidates.map(
      it => `- #${it.id} ${it.outcome}: rank ${it.rank}, relevance ${it.relevance}, standing ${it.standing}`,
    );
    return { text: [line(view), ...lines].join('\n'), structured: { traces: [view] } };
  },
});

function viewOf(trace: Trace): z.infer<typeof traceView> {
  const { id, at, client, query, cache, tokens, candidateCount, degraded, candidates, stages } = trace;
  const returned = candidates.filter(it => it.outcome === 'returned').map(it => shortHandle(it.id));
  const ms = rounded(stages.reduce((sum, it) => sum + it.ms, 0));
  return { id, at, client, query, cache, ms, tokens, returned, candidateCount, degraded: [...degraded] };
}

function line(it: z.infer<typeof traceView>): string {
  const ids = it.returned.map(handle => `#${handle}`).join(' ') || 'nothing';
  return `- ${it.id} ${it.at} ${it.client}: "${escapeMemoryText(it.query)}" returned ${ids} of ${it.candidateCount} in ${it.ms} ms`;
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
