import type { Command } from 'commander';
import { EngineError } from '../engine/base/errors.js';
import type { Checkpoint } from '../engine/model/checkpoint.js';
import { formatMemoryCount } from '../engine/model/pluralize.js';
import { agreesTo, exitCodes, print, type WithEngine } from './command.js';

/** `recollect checkpoint`: copies of whole stores. */
export function addCheckpoint(program: Command, withEngine: WithEngine): void {
  const checkpoint = program
    .command('checkpoint')
    .description('list the copies of whole stores that one can go back to')
    .action(() => list(withEngine));
  checkpoint
    .command('list')
    .description('list them, newest first')
    .action(() => list(withEngine));
  checkpoint
    .command('make')
    .description('copy every store')
    .argument('[reason...]', 'why, to tell it from others')
    .action((words: string[]) =>
      withEngine(async (engine, json) => {
        const made = await engine.checkpoints.make(words.length > 0 ? words.join(' ') : undefined);
        print(json, made, () => made.map(checkpointLine));
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
        const wanted = await engine.checkpoints.get(id);
        if (yes !== true && !(await agrees(wanted))) throw new EngineError('aborted', 'Nothing was restored.');
        const done = await engine.checkpoints.restore(wanted.id);
        print(json, done, () => [
          `Restored the ${wanted.store} store of ${wanted.at}: ${formatMemoryCount(done.back)} back, ${done.gone} gone, ${done.changed} as before.`,
          `Undo it with: recollect checkpoint restore ${done.before.id}`,
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
        print(json, deleted, () => [`Deleted: ${checkpointLine(deleted)}`]);
        return exitCodes.ok;
      }),
    );
}

function list(withEngine: WithEngine): Promise<void> {
  return withEngine(async (engine, json) => {
    const all = await engine.checkpoints.list();
    print(json, all, () => all.map(checkpointLine));
    return exitCodes.ok;
  });
}

function memoriesOf({ memories }: Checkpoint): string {
  return memories === undefined ? 'cannot be read' : formatMemoryCount(memories);
}

function checkpointLine(it: Checkpoint): string {
  const { id, store, at, bytes, reason } = it;
  return `${id}  ${at}  ${store.padEnd(7)}  ${memoriesOf(it).padStart(14)}  ${(bytes / 1e6).toFixed(1).padStart(6)} MB  ${reason}`;
}

function agrees(it: Checkpoint): Promise<boolean> {
  return agreesTo(
    `Replace everything in the ${it.store} store ${it.of} by its state of ${it.at} (${memoriesOf(it)})? What is there now becomes a checkpoint.`,
  );
}
