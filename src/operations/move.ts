import { z } from 'zod';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import { shortId, storeKinds, type Memory } from '../engine/model/memory.js';
import { sharedMessages } from '../engine/model/sharedMessages.js';
import {
  argument,
  definePersonCommand,
  flag,
  memoriesAnswer,
  memoryLine,
  option,
  refuseUnused,
  type CommandAnswer,
} from './personCommand.js';

export const moveCommand = definePersonCommand({
  name: 'move',
  description: "move memories between this project's memory and the global one; --suggest lists what may belong here",
  input: z.strictObject({
    ids: argument('[id...]', z.array(z.string()).default([]), 'ids, or the last eight digits of them'),
    to: option('--to <store>', z.enum(storeKinds).exactOptional(), 'where they go'),
    suggest: option('--suggest', flag, "list global memories that look like a project's; moves nothing"),
  }),
  async run(engine, { ids, to, suggest }) {
    if (suggest === true) {
      refuseUnused({ ID: ids[0], '--to': to }, 'not with --suggest, which moves nothing.');
      return listCandidates(engine);
    }
    if (ids.length === 0 || to === undefined)
      throw new EngineError('invalidInput', 'Name the memories and where they go: recollect move ID --to project.');
    const moves = await engine.moves.move(ids, to);
    const { moved } = moves;
    const back = to === 'project' ? 'global' : 'project';
    return movesAnswer(moves, [
      ...moved.map(it => memoryLine(engine, it)),
      ...(moved.length === 0 ? [] : [`Undo: recollect move ${moved.map(shortId).join(' ')} --to ${back}`]),
    ]);
  },
});

async function listCandidates(engine: MemoryEngine): Promise<CommandAnswer> {
  const memories = await engine.moves.candidates();
  const next =
    memories.length === 0
      ? String(sharedMessages.nothingMisplaced)
      : 'Every project reads these. To move one to this project: recollect move ID --to project';
  return { ...memoriesAnswer(engine, memories), hints: [next] };
}

interface Moves {
  readonly moved: readonly Memory[];
  readonly refused: readonly { readonly memory: Memory; readonly reason: unknown }[];
}

/** Memories that were moved, and a remark for each that was not. */
export function movesAnswer({ moved, refused }: Moves, lines: readonly string[]): CommandAnswer {
  return {
    output: { moved, refused: refused.map(it => ({ id: it.memory.id, reason: String(it.reason) })) },
    lines: moved.length === 0 && refused.length === 0 ? ['Nothing to move: they are there already.'] : lines,
    remarks: refused.map(it => `#${shortId(it.memory)} was not moved. ${String(it.reason)}`),
    ending: refused.length === 0 ? 'done' : 'failed',
  };
}
