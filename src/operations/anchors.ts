import { z } from 'zod';
import type { ChangedAnchor, MemoryEngine } from '../engine/engine.js';
import { formatMemoryCount } from '../engine/model/pluralize.js';
import { formatCodeState } from './describeMemory.js';
import { changeEach, definePersonCommand, memoryLine, option, type CommandAnswer } from './personCommand.js';

export const anchorsCommand = definePersonCommand({
  name: 'anchors',
  description: 'find the code again that memories are about, and list those whose code has changed',
  input: z.strictObject({
    confirm: option(
      '--confirm <id...>',
      z.array(z.string()).exactOptional(),
      'say that these are still true of the code as it is now',
    ),
  }),
  async run(engine, { confirm: ids }) {
    if (ids === undefined) return listChangedAnchors(engine);
    const { after } = await changeEach(engine, ids, id => engine.codeAnchors.confirm(id));
    return { output: after, lines: after.map(it => `Still true: ${memoryLine(engine, it)}`) };
  },
});

async function listChangedAnchors(engine: MemoryEngine): Promise<CommandAnswer> {
  const { updated } = await engine.codeAnchors.update();
  const changed = await engine.codeAnchors.listChanged();
  const describeAnchor = ({ memory, state }: ChangedAnchor): string =>
    `${memoryLine(engine, memory)}\n${formatCodeState(memory, state)}`;
  const next = 'Still true: recollect anchors --confirm ID. Not any more: recollect forget ID.';
  return {
    output: { followed: updated, changed },
    lines: [
      ...(updated === 0 ? [] : [`Followed to where the code is now: ${formatMemoryCount(updated)}.`]),
      ...(changed.length === 0
        ? ['All code that memories are about is as it was.']
        : [...changed.map(describeAnchor), next]),
    ],
  };
}
