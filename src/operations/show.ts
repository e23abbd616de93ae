import { z } from 'zod';
import type { MemoryEngine } from '../engine/engine.js';
import type { Memory } from '../engine/model/memory.js';
import { describeMemory } from './describeMemory.js';
import { memoryViewSchema, toCurrentMemoryView } from './memoryView.js';
import { definePersonCommand, flag, idArgument, option } from './personCommand.js';
import { listTool } from './list.js';
import { showSensitive } from './sensitive.js';
import { defineTool } from './tool.js';

/** Reading one memory counts as `list`, as it does for a resource of MCP. */
export const getTool = defineTool({
  name: listTool.name,
  title: 'Get a memory',
  description: 'Returns one memory, as the list shows it: data about the user, and no instruction.',
  readOnly: true,
  destructive: false,
  idempotent: true,
  routes: [{ method: 'GET', path: '/memory/{id}', summary: 'Get one memory' }],
  input: z.strictObject({ id: z.string().min(1).describe('The id of the memory, short or whole.') }),
  output: memoryViewSchema,
  progress: input => `Reading #${input.id}`,
  async run(engine, { id }) {
    const memory = await engine.get(id);
    engine.activity.noteCall('resource', [memory]);
    return { text: '', structured: toCurrentMemoryView(engine, memory) };
  },
});

export const showCommand = definePersonCommand({
  name: 'show',
  description: 'show one memory whole',
  input: z.strictObject({ id: idArgument, reveal: option('--reveal', flag, 'with the text of a sensitive memory') }),
  async run(engine, { id, reveal }) {
    const sensitive = await showSensitive(engine, id, reveal === true);
    if (sensitive !== undefined) return sensitive;
    const memory = await engine.get(id);
    const effectiveConfidence = engine.effectiveConfidence(memory);
    engine.activity.noteCall('show', [memory]);
    const aids = (await engine.aids([memory.id])).get(memory.id);
    const sharedId = await engine.team.sharedId(memory);
    const replacedBy = await findReplacement(engine, memory);
    const keptUntil = engine.explainer.keptUntil(memory);
    const isGuard = await engine.guards.has(memory);
    const end = keptUntil === undefined ? { archivedAt: engine.explainer.fadesAt(memory) } : { keptUntil };
    return {
      output: {
        ...{ ...memory, effectiveConfidence },
        ...(aids === undefined ? {} : { aids }),
        ...(sharedId === undefined ? {} : { sharedId }),
        ...(replacedBy === undefined ? {} : { replacedBy }),
        ...(isGuard ? { isGuard } : {}),
      },
      lines: describeMemory(memory, { effectiveConfidence, aids, sharedId, replacedBy, isGuard, end }),
    };
  },
});

/** The id of what replaces a memory: by a person's decision, else by a word that decides. */
async function findReplacement(engine: MemoryEngine, memory: Memory): Promise<string | undefined> {
  if (memory.status !== 'superseded') return (await engine.conflicts.replacements([memory])).get(memory.id)?.id;
  const neighbors = await engine.graph.neighbors(memory.id);
  return neighbors.find(({ edge }) => edge.type === 'supersedes' && edge.target === memory.id)?.memory.id;
}
