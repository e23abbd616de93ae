import { createInterface } from 'node:readline/promises';
import { z } from 'zod';
import { EngineError } from '../../engine/base/errors.js';
import { classifyStatement } from '../../engine/engine.js';
import { argument, flag, option, written } from '../../operations/personCommand.js';
import { defineProgramCommand } from '../command.js';

/** `recollect classify`, which needs no store. */
export const classifyCommand = defineProgramCommand({
  name: 'classify',
  description: 'say as what a statement would be remembered (about, sort, how long); stores nothing',
  input: z.strictObject({
    words: argument(
      '[text...]',
      z.array(z.string()).default([]),
      'one statement; without it, or with --stdin, one a line from stdin',
    ),
    stdin: option('--stdin', flag, 'read one statement a line from stdin'),
  }),
  async answer(_program, { words, stdin }, caller) {
    const isGiven = words.length > 0 && stdin !== true;
    const statements = isGiven ? [words.join(' ')] : createInterface({ input: process.stdin });
    await caller.write(undefined, describeEach(statements, caller.isJson));
    return written();
  },
});

/** @throws EngineError invalidInput where there is no statement */
async function* describeEach(
  statements: AsyncIterable<string> | readonly string[],
  isJson: boolean,
): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const statement of statements) {
    isEmpty = false;
    const classification = classifyStatement(statement, new Date());
    const { gate, kind, confidence, dueAt, cues } = classification;
    const due = dueAt === undefined ? '' : ` · due ${dueAt}`;
    const text = `${gate} · ${kind} · ${confidence}%${due} · ${cues.join(', ') || 'no cue'}`;
    yield `${isJson ? JSON.stringify(classification) : text}\n`;
  }
  if (isEmpty) throw new EngineError('invalidInput', 'Stdin had no statement: give one as words, or one a line.');
}
