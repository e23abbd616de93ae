import { z } from 'zod';
import { shortId } from '../engine/model/memory.js';
import {
  argument,
  decidedAnswer,
  definePersonCommand,
  flag,
  idArgument,
  option,
  refuseUnused,
} from './personCommand.js';

/** `recollect edit ID TEXT`: a person's other wording of one memory. */
export const editCommand = definePersonCommand({
  name: 'edit',
  description: 'give a memory another text, which is your own word then; its links and search words stay',
  input: z.strictObject({
    id: idArgument,
    words: argument('[text...]', z.array(z.string()).default([]), 'the text, whole; - or nothing reads it from stdin'),
    undo: option('--undo', flag, 'take the last edit of it back'),
  }),
  async run(engine, { id, words, undo }, caller) {
    if (undo === true) {
      refuseUnused({ TEXT: words[0] }, 'not with --undo, which brings back the text before.');
      return decidedAnswer(engine, [await engine.textEdits.undo(id)]);
    }
    const before = await engine.get(id);
    const after = await engine.editText(id, { content: await caller.readText(words), before: before.content });
    const answer = await decidedAnswer(engine, [after]);
    if (after.content === before.content) return { ...answer, remarks: ['It has this text already.'] };
    return { ...answer, lines: [...answer.lines, `Undo: recollect edit ${shortId(after)} --undo`] };
  },
});
