import { z } from 'zod';
import { describeMemory } from './describeMemory.js';
import { definePersonCommand, flag, idArgument, option } from './personCommand.js';
import { showSensitive } from './sensitive.js';

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
    const keptUntil = engine.explainer.keptUntil(memory);
    const end = keptUntil === undefined ? { archivedAt: engine.explainer.fadesAt(memory) } : { keptUntil };
    return {
      output: {
        ...{ ...memory, effectiveConfidence },
        ...(aids === undefined ? {} : { aids }),
        ...(sharedId === undefined ? {} : { sharedId }),
      },
      lines: describeMemory(memory, { effectiveConfidence, aids, sharedId, end }),
    };
  },
});
