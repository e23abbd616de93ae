import type { Command } from 'commander';
import { shellWord } from '../../engine/base/shellWord.js';
import { shortId, type Memory } from '../../engine/model/memory.js';
import { formatMemoryCount } from '../../engine/model/pluralize.js';
import type { MemorySet } from '../../engine/model/query.js';
import { exitCodes, print, type WithEngine } from '../command.js';
import { formatMemoryLine } from '../output/describeMemory.js';

/** Isolated sets, and putting memories into one. */
export function registerSetCommands(program: Command, withEngine: WithEngine): void {
  const set = program
    .command('set')
    .description('isolated sets: memories that only a call with the name of their set (--scope-id) finds');
  set
    .command('list', { isDefault: true })
    .description('list the sets and how many memories each has; this is the default')
    .action(() =>
      withEngine(async (engine, json) => {
        const sets = await engine.sets.list();
        print(json, sets, () => sets.map(describeSet));
        if (sets.length === 0 && !json)
          console.error('There is no set. Put a memory into one: recollect set move ID --scope-id NAME');
        return exitCodes.ok;
      }),
    );
  set
    .command('move')
    .description('put memories into a set, which is made where there is none of that name, or back among all others')
    .argument('<id...>', 'ids, or the last eight digits of them')
    .option('--scope-id <id>', 'the name of the set (default: none, so that every recall finds them)')
    .action((ids: string[], { scopeId }: { readonly scopeId?: string }) =>
      withEngine(async (engine, json) => {
        const before: Memory[] = [];
        for (const id of ids) before.push(await engine.get(id));
        const { moved, refused } = await engine.sets.move(ids, scopeId);
        print(json, { moved, refused: refused.map(it => ({ id: it.memory.id, reason: String(it.reason) })) }, () => [
          ...moved.map(it => formatMemoryLine(it, engine.effectiveConfidence(it))),
          ...(moved.length === 0 ? [] : [describeMove(moved)]),
          ...(moved.length === 0 && refused.length === 0 ? ['Nothing to move: they are there already.'] : []),
          ...undoCommands(before.filter(it => moved.some(({ id }) => id === it.id))),
        ]);
        for (const { memory, reason } of refused) console.error(`#${shortId(memory)} was not moved. ${String(reason)}`);
        return refused.length === 0 ? exitCodes.ok : exitCodes.failed;
      }),
    );
}

function describeSet({ scopeId, active, archived }: MemorySet): string {
  return `${scopeId} · ${formatMemoryCount(active)}${archived === 0 ? '' : `, ${archived} archived`}`;
}

/** @param moved into one set, or out of theirs; at least one */
function describeMove(moved: readonly Memory[]): string {
  const { scopeId } = moved[0]!;
  return `${scopeId === undefined ? 'Among all others, in no set' : `In the set ${scopeId}`} now: ${formatMemoryCount(moved.length)}.`;
}

/** A command for each set that memories were in before. */
function undoCommands(before: readonly Memory[]): string[] {
  return [...new Set(before.map(it => it.scopeId))].map(scopeId => {
    const ids = before.filter(it => it.scopeId === scopeId).map(shortId);
    const option = scopeId === undefined ? '' : ` --scope-id ${shellWord(scopeId)}`;
    return `Undo: recollect set move ${ids.join(' ')}${option}`;
  });
}
