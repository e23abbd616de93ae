import assert from 'node:assert/strict';
import { defaultConfig } from '../../../src/engine/model/config.js';
import type { RecallInput } from '../../../src/engine/model/query.js';
import type { TraceTime } from '../../../src/engine/model/trace.js';
import { storeMemory, TestHost } from '../../support/fixtures.js';

/** What was said when; the clock stands at 2 March 2026, a Monday. */
const told: readonly (readonly [content: string, at: string])[] = [
  ['The ferry was late.', '2026-02-25T10:00:00Z'],
  ['The ferry was cancelled.', '2026-02-10T10:00:00Z'],
  ['The ferry was early.', '2025-11-03T10:00:00Z'],
];

/** The answer in order, as numbers of what was told, and what the trace says of the time. */
function check(
  input: RecallInput,
  expected: readonly number[],
  time: Pick<TraceTime, 'phrase' | 'use'> | undefined,
): void {
  it(`${JSON.stringify(input)} → ${expected.join(' ')}, ${time?.use ?? 'no time'}`, async () => {
    const host = new TestHost();
    host.settings = { ...defaultConfig, embeddings: 'off' }; // By words all fit alike, so that only time decides.
    const engine = await host.open();
    // As code, which is not compared: what contradicts an answer would come along, whatever its time.
    for (const [content, at] of told) await storeMemory(engine, content, { at, gate: 'epistemic', kind: 'code' });
    const { hits, trace } = await engine.recall(input);
    assert.deepEqual(
      hits.map(it => told.findIndex(([content]) => content === it.memory.content)),
      expected,
    );
    assert.deepEqual(trace.time && { phrase: trace.time.phrase, use: trace.time.use }, time);
  });
}

describe('a time in the query', () => {
  const narrowed = (phrase: string): Pick<TraceTime, 'phrase' | 'use'> => ({ phrase, use: 'narrowed' });
  const preferred = (phrase: string): Pick<TraceTime, 'phrase' | 'use'> => ({ phrase, use: 'preferred' });

  check({ query: 'what did I say about the ferry last week' }, [0], narrowed('last week'));
  check({ query: 'what did I say last week' }, [0], narrowed('last week'));
  check({ query: 'notes from November about the ferry' }, [2], narrowed('from November'));
  check({ query: 'what have I said about the ferry since 1 February 2026' }, [0, 1], narrowed('since 2026-02-01'));
  check({ query: 'how was the ferry in November' }, [2, 0, 1], preferred('in November'));
  check({ query: 'how was the ferry on February 10' }, [1, 0, 2], preferred('on 2026-02-10'));
  check({ query: 'how was the ferry' }, [0, 1, 2], undefined);
  // Nothing was said then: better all than nothing.
  check({ query: 'what did I say about the ferry in June 2025' }, [0, 1, 2], {
    phrase: 'in June 2025',
    use: 'dropped',
  });
  // What the caller says plainly wins.
  check({ query: 'what did I say about the ferry last week', until: '2026-02-20' }, [1, 2], undefined);
});
