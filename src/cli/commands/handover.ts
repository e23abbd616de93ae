import { z } from 'zod';
import { EngineError } from '../../engine/base/errors.js';
import { handoverDays, handoverTag, maxHandoverLength, type BriefingLine } from '../../engine/model/briefing.js';
import { shortId } from '../../engine/model/memory.js';
import type { MemoryEngine } from '../../engine/engine.js';
import { describeRememberOutcome } from '../../operations/describeMemory.js';
import { argument, flag, option, type CommandAnswer } from '../../operations/personCommand.js';
import { defineProgramCommand, type ProgramContext } from '../command.js';
import { readBriefing } from './briefing.js';

/** `recollect handover`: writes, shows or takes back the note that the next session of an assistant here is given first. */
export const handoverCommand = defineProgramCommand({
  name: 'handover',
  description: 'write what the next session of an assistant here is given first, once; without a text, show what waits',
  input: z.strictObject({
    words: argument('[text...]', z.array(z.string()).default([]), 'what is done, open and next; - reads it from stdin'),
    undo: option('--undo', flag, 'take back what waits'),
  }),
  async answer(program, { words, undo }, caller) {
    if (words.length > 0) {
      if (undo === true) throw new EngineError('invalidInput', 'With --undo there is no text.');
      if (program.projects().length === 0)
        throw new EngineError('invalidInput', 'There is no project here. Name its folder: --project FOLDER');
      return async engine => write(engine, await caller.readText(words));
    }
    const waiting = await findWaiting(program);
    if (waiting === undefined) {
      const hint = 'Nothing is handed over here. Hand over: recollect handover TEXT';
      return { output: null, lines: [], hints: [hint], ending: 'notFound' };
    }
    const { memory, text } = waiting;
    if (undo !== true) return { output: memory, lines: [text] };
    return async engine => {
      const forgotten = await engine.forget(memory.id);
      return { output: forgotten, lines: [`Taken back. Undo: recollect restore ${shortId(memory)}`] };
    };
  },
});

async function write(engine: MemoryEngine, text: string): Promise<CommandAnswer> {
  const content = text.trim();
  if (content.length > maxHandoverLength)
    throw new EngineError(
      'invalidInput',
      `A hand-over has at most ${maxHandoverLength} characters, and this one has ${content.length}. Keep what lasts with recollect remember.`,
    );
  const outcomes = await engine.remember({
    content,
    source: 'explicit',
    store: 'project',
    kind: 'progress',
    gate: 'promissory',
    decayClass: 'session',
    tags: [handoverTag],
    whole: true,
    readsDay: false,
  });
  const isRefused = outcomes.some(it => it.outcome === 'refused');
  const next = `The next session here is given it once, within ${handoverDays} days. Take it back: recollect handover --undo`;
  return {
    output: { outcomes },
    lines: [...outcomes.map(describeRememberOutcome), ...(isRefused ? [] : [next])],
    ending: isRefused ? 'failed' : 'done',
  };
}

/** What the next session of this project and branch would be given. */
async function findWaiting(context: ProgramContext): Promise<BriefingLine | undefined> {
  const given = { program: 'claude-code', config: context.config(), withHandover: true } as const;
  const { lines } = await readBriefing(context, given);
  return lines.find(it => it.block === 'handover');
}
