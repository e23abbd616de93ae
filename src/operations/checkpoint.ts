import { z } from 'zod';
import type { Checkpoint } from '../engine/model/checkpoint.js';
import { formatMemoryCount } from '../engine/model/pluralize.js';
import { argument, definePersonCommand, flag, option, requireYes, type PersonCommand } from './personCommand.js';

const checkpointId = argument('<id>', z.string(), 'one that `recollect checkpoint` lists');

const listCheckpoints = definePersonCommand({
  name: 'checkpoint',
  description: 'list the copies of the whole memory that you can go back to',
  input: z.strictObject({}),
  async run(engine) {
    const checkpoints = await engine.checkpoints.list();
    const hints = checkpoints.length === 0 ? ['There is no checkpoint. Make one: recollect checkpoint make'] : [];
    return { output: checkpoints, lines: checkpoints.map(describeCheckpoint), hints };
  },
});

/** Copies of whole stores. */
export const checkpointCommands: readonly PersonCommand[] = [
  listCheckpoints,
  { ...listCheckpoints, name: 'checkpoint list', description: 'list them, newest first' },
  definePersonCommand({
    name: 'checkpoint make',
    description: 'copy the memory of this project and the global one',
    input: z.strictObject({
      words: argument('[reason...]', z.array(z.string()).default([]), 'a name for it'),
    }),
    async run(engine, { words }) {
      const created = await engine.checkpoints.make(words.length > 0 ? words.join(' ') : undefined);
      return { output: created, lines: created.map(describeCheckpoint) };
    },
  }),
  definePersonCommand({
    name: 'checkpoint restore',
    description: 'go back to a copy, after asking; what was there before is copied first',
    input: z.strictObject({ id: checkpointId, yes: option('--yes', flag, 'do not ask') }),
    async run(engine, { id, yes }, caller) {
      const target = await engine.checkpoints.get(id);
      const question = `Replace everything in the ${target.store} store ${target.of} by its state of ${target.at} (${describeMemoryCount(target)})? What is there now becomes a checkpoint.`;
      await requireYes(caller, { yes, question, refusal: 'Nothing was restored.' });
      const result = await engine.checkpoints.restore(target.id);
      return {
        output: result,
        lines: [
          `Restored the ${target.store} store of ${target.at}: ${formatMemoryCount(result.back)} back, ${result.gone} gone, ${result.changed} as before.`,
          `Undo it with: recollect checkpoint restore ${result.before.id}`,
        ],
      };
    },
  }),
  definePersonCommand({
    name: 'checkpoint delete',
    description: 'delete a copy',
    input: z.strictObject({ id: checkpointId }),
    async run(engine, { id }) {
      const deleted = await engine.checkpoints.delete(id);
      return { output: deleted, lines: [`Deleted: ${describeCheckpoint(deleted)}`] };
    },
  }),
];

function describeMemoryCount({ memories }: Checkpoint): string {
  return memories === undefined ? 'cannot be read' : formatMemoryCount(memories);
}

function describeCheckpoint(checkpoint: Checkpoint): string {
  const { id, store, at, bytes, reason } = checkpoint;
  return `${id}  ${at}  ${store.padEnd(7)}  ${describeMemoryCount(checkpoint).padStart(14)}  ${(bytes / 1e6).toFixed(1).padStart(6)} MB  ${reason}`;
}
