import { exportVersion } from '../../exchange/exporter.js';
import { defaultPriority } from '../../model/memory.js';
import type { MemberMemory } from './teamAdministration.js';

/** Confidence of what was confirmed and shared, and not measured since. */
const confidence = 80;

/**
 * Memories as an export: what the server does not keep (confidence, uses, history) has the values of a new memory.
 * @param at ISO-8601 UTC
 */
export function renderMemberExport(memories: readonly MemberMemory[], at: string): readonly string[] {
  const lines = memories.map(({ id, content, gate, kind, tags, saidAt, sharedAt, project }) => ({
    ...{ id, store: 'project', content, summary: content, gate, kind, lane: 'confirmed', decayClass: 'durable' },
    ...{ confidence, priority: defaultPriority, pinned: false, reinforcementCount: 1, accessCount: 0, usefulCount: 0 },
    ...{ feedback: 0, tags, status: 'active' },
    provenance: { source: 'import', reason: `shared in the project ${project}` },
    ...{ createdAt: saidAt, updatedAt: sharedAt, reinforcedAt: saidAt },
  }));
  return [{ recollect: 'export', version: exportVersion, at }, ...lines].map(it => `${JSON.stringify(it)}\n`);
}
