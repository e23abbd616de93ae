import type { Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import type { Checkpoint } from '../../engine/model/checkpoint.js';
import { formatMemoryCount } from '../../engine/model/pluralize.js';
import { confirm, exitCodes, print, type WithEngine } from '../command.js';

/** `recollect checkpoint`: copies of whole stores. */
export function registerCheckpointCommands(program: Command, withEngine: WithEngine): void {
  const checkpoint = program
    .command('checkpoint')
    .description('list the copies of whole stores that one can go back to')
    .action(() => listCheckpoints(withEngine));
  checkpoint
    .command('list')
    .description('list them, newest first')
    .action(() => listCheckpoints(withEngine));
  checkpoint
    .command('make')
    .description('copy every store')
    .argument('[reason...]', 'why, to tell it from others')
    .action((words: string[]) =>
      withEngine(async (engine, json) => {
        const created = await engine.checkpoints.make(words.length > 0 ? words.join(' ') : undefined);
        print(json, created, () => created.map(describeCheckpoint));
        return exitCodes.ok;
      }),
    );
  checkpoint
    .command('restore')
    .description('make a store what it was, after asking; restoring the state before undoes it')
    .argument('<id>', 'one that `recollect checkpoint` lists')
    .option('--yes', 'do not ask')
    .action((id: string, { yes }: { readonly yes?: true }) =>
      withEngine(async (engine, json) => {
        const target = await engine.checkpoints.get(id);
        if (yes !== true && !(await confirmRestore(target))) throw new EngineError('aborted', 'Nothing was restored.');
        const result = await engine.checkpoints.restore(target.id);
        print(json, result, () => [
          `Restored the ${target.store} store of ${target.at}: ${formatMemoryCount(result.back)} back, ${result.gone} gone, ${result.changed} as before.`,
          `Undo it with: recollect checkpoint restore ${result.before.id}`,
        ]);
        return exitCodes.ok;
      }),
    );
  checkpoint
    .command('delete')
    .description('delete one')
    .argument('<id>', 'one that `recollect checkpoint` lists')
    .action((id: string) =>
      withEngine(async (engine, json) => {
        const deleted = await engine.checkpoints.delete(id);
        print(json, deleted, () => [`Deleted: ${describeCheckpoint(deleted)}`]);
        return exitCodes.ok;
      }),
    );
}

function listCheckpoints(withEngine: WithEngine): Promise<void> {
  return withEngine(async (engine, json) => {
    const checkpoints = await engine.checkpoints.list();
    print(json, checkpoints, () => checkpoints.map(describeCheckpoint));
    if (checkpoints.length === 0 && !json) console.error('There is no checkpoint. Make one: recollect checkpoint make');
    return exitCodes.ok;
  });
}

function describeMemoryCount({ memories }: Checkpoint): string {
  return memories === undefined ? 'cannot be read' : formatMemoryCount(memories);
}

function describeCheckpoint(checkpoint: Checkpoint): string {
  const { id, store, at, bytes, reason } = checkpoint;
  return `${id}  ${at}  ${store.padEnd(7)}  ${describeMemoryCount(checkpoint).padStart(14)}  ${(bytes / 1e6).toFixed(1).padStart(6)} MB  ${reason}`;
}

function confirmRestore(checkpoint: Checkpoint): Promise<boolean> {
  return confirm(
    `Replace everything in the ${checkpoint.store} store ${checkpoint.of} by its state of ${checkpoint.at} (${describeMemoryCount(checkpoint)})? What is there now becomes a checkpoint.`,
  );
}
