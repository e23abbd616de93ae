import assert from 'node:assert/strict';
import type { Labels, MemoryCard, MemoryPageView } from '../../../src/protocol.js';
import { Formatter } from '../../../webview-ui/formatter.js';
import { memoryStory } from '../../../webview-ui/pages/memoryStory.js';

const dayMs = 86_400_000;
const inDays = (days: number): string => new Date(Date.now() + days * dayMs).toISOString();

describe('the story of a memory', () => {
  const formatter = new Formatter('en');
  const app = { formatter, labels: { inactive: { forgotten: 'forgotten' } } as unknown as Labels };
  const storyOf = (memory: Partial<MemoryCard>, fadesAt?: string): string => {
    const now = new Date().toISOString();
    const stored = { status: 'active', lane: 'confirmed', gate: 'epistemic', decayClass: 'durable', pinned: false };
    const card = {
      ...stored,
      createdAt: inDays(-3),
      updatedAt: inDays(-3),
      provenance: { source: 'explicit' },
      ...memory,
    };
    const view = { memory: card, place: { id: 'p', name: 'harbour' }, now, fadesAt };
    return memoryStory(app, view as unknown as MemoryPageView);
  };

  it('says whose word it is, where it is kept and until when', () => {
    assert.equal(
      storyOf({}, inDays(90)),
      'You said it, 3 days ago. Kept for harbour. Fades in 3 months unless it is used.',
    );
  });

  it('says the last day of a note, which use does not move', () => {
    const keptUntil = inDays(30);
    const note: Partial<MemoryCard> = { lane: 'note', provenance: { source: 'mcp', client: 'mcp:codex' }, keptUntil };
    assert.equal(
      storyOf(note, inDays(90)),
      `Noted by codex, 3 days ago. Kept for harbour. A note until you confirm it. Kept until ${formatter.date(keptUntil)}.`,
    );
  });

  const ends: readonly (readonly [string, Partial<MemoryCard>, fadesAt: string | undefined, end: string])[] = [
    ['pinned', { pinned: true }, inDays(90), 'Pinned: does not fade.'],
    ['kept for good', { decayClass: 'permanent' }, undefined, 'Kept for good.'],
    ['a plan', { gate: 'promissory' }, undefined, 'Kept until it is decided.'],
    ['faded', {}, inDays(-1), 'Faded: the next maintenance forgets it.'],
    ['a faded plan', { gate: 'promissory' }, inDays(-1), 'Faded, and kept until it is decided.'],
    ['of the code', { provenance: { source: 'code-index' } }, undefined, 'Kept as long as its code.'],
    [
      'forgotten',
      { status: 'archived', archiveReason: 'forgotten', archivedAt: inDays(-2) },
      undefined,
      'No longer used (forgotten, 2 days ago); can be restored.',
    ],
  ];
  for (const [state, memory, fadesAt, end] of ends) {
    it(`ends for one that is ${state} with "${end}"`, () => {
      assert.ok(storyOf(memory, fadesAt).endsWith(` ${end}`), storyOf(memory, fadesAt));
    });
  }
});
