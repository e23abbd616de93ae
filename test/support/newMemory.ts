import { newMemoryDefaults } from '../../src/engine/remember/prepareFact.js';
import type { NewMemory } from '../../src/engine/store/store.js';
import { hashContent } from '../../src/engine/store/contentHash.js';

/** A confirmed memory of the shared set that says something. @param at its times, ISO-8601 UTC */
export function newMemory(id: string, content: string, at: string, rest: Partial<NewMemory> = {}): NewMemory {
  return {
    id,
    content,
    summary: content,
    gate: 'epistemic',
    kind: 'context',
    lane: 'confirmed',
    decayClass: 'durable',
    confidence: 80,
    ...newMemoryDefaults,
    sequence: 1,
    contentHash: hashContent(content),
    provenance: { source: 'explicit' },
    createdAt: at,
    updatedAt: at,
    reinforcedAt: at,
    ...rest,
  };
}
