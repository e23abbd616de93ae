import { z } from 'zod';
import { shellWord } from '../engine/base/shellWord.js';
import { shortId, type Memory } from '../engine/model/memory.js';
import { formatMemoryCount } from '../engine/model/pluralize.js';
import type { MemorySet } from '../engine/model/query.js';
import { movesAnswer } from './move.js';
import {
  definePersonCommand,
  idsArgument,
  memoryLine,
  option,
  type CommandGroup,
  type PersonCommand,
} from './personCommand.js';

/** Isolated sets, and putting memories into one. */
export const setCommands: readonly (PersonCommand | CommandGroup)[] = [
  {
    name: 'set',
    description:
      'sets: memories apart from all others, which only a call with the name of their set (--scope-id) finds',
  },
  definePersonCommand({
    name: 'set list',
    isDefault: true,
    description: 'list the sets and how many memories each has; this is the default',
    input: z.strictObject({}),
    async run(engine) {
      const sets = await engine.sets.list();
      const hints =
        sets.length === 0 ? ['There is no set. Put a memory into one: recollect set move ID --scope-id NAME'] : [];
      return { output: sets, lines: sets.map(describeSet), hints };
    },
  }),
  definePersonCommand({
    name: 'set move',
    description: 'put memories into a set, which is made where there is none of that name, or back among all others',
    input: z.strictObject({
      ids: idsArgument,
      scopeId: option(
        '--scope-id <id>',
        z.string().exactOptional(),
        'the name of the set (default: none, so that every recall finds them)',
      ),
    }),
    async run(engine, { ids, scopeId }) {
      const before: Memory[] = [];
      for (const id of ids) before.push(await engine.get(id));
      const moves = await engine.sets.move(ids, scopeId);
      const { moved, refused } = moves;
      return movesAnswer(moves, [
        ...moved.map(it => memoryLine(engine, it)),
        ...(moved.length === 0 ? [] : [describeMove(moved)]),
        ...(moved.length === 0 && refused.length === 0 ? ['Nothing to move: they are there already.'] : []),
        ...undoCommands(before.filter(it => moved.some(({ id }) => id === it.id))),
      ]);
    },
  }),
];

function describeSet({ scopeId, active, archived }: MemorySet): string {
  return `${scopeId} · ${formatMemoryCount(active)}${archived === 0 ? '' : `, ${archived} forgotten`}`;
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
