import type { RememberOutcome } from '../engine/model/change.js';
import { handle } from '../engine/model/memory.js';
import { rememberInput } from './schemas.js';
import { defineTool } from './tool.js';

export const rememberTool = defineTool({
  name: 'recollect_remember',
  reference: 'remember',
  title: 'Remember',
  description:
    "Keeps facts in the user's long-term memory so that later conversations know them. Call it when the user asks you to remember something, corrects you, states a lasting preference, or a decision is made that holds beyond this change. Do not store what can be read off the code, small talk, guesses, or secrets such as passwords and keys (they are refused). Returns for each fact whether it was stored, reinforced because it was known, or refused and why, and which memories it contradicts.",
  readOnly: false,
  destructive: false,
  idempotent: true,
  input: rememberInput,
  progress: () => 'Remembering',
  confirm: (_engine, input) => Promise.resolve({ title: 'Remember this?', message: input.content }),
  async run(engine, input, caller) {
    const { file, ...rest } = input;
    const outcomes = await engine.remember({
      ...rest,
      ...(file === undefined ? {} : { uri: file }),
      ...(caller.session === undefined ? {} : { session: caller.session }),
      source: caller.source,
      lane: caller.confirmedByPerson ? 'confirmed' : 'note',
    });
    return { text: outcomes.map(sentence).join('\n'), structured: { outcomes } };
  },
});

function sentence(outcome: RememberOutcome): string {
  switch (outcome.outcome) {
    case 'stored':
      return `Stored #${handle(outcome)} (${outcome.store} memory): ${outcome.content}${contradictions(outcome)}`;
    case 'reinforced':
      return `Already known, reinforced #${handle(outcome)} (${outcome.store} memory): ${outcome.content}${contradictions(outcome)}`;
    case 'refused':
      return `Refused: ${outcome.reason}`;
  }
}

/** A line for each memory that says otherwise. */
function contradictions({ contradicts = [] }: Exclude<RememberOutcome, { outcome: 'refused' }>): string {
  return contradicts
    .map(it => {
      const standing = it.weakened ? 'weaker now' : 'unchanged; the user decides which one holds';
      return `\n  It contradicts #${handle(it)} (${standing}): ${it.content} Why: ${it.reason}`;
    })
    .join('');
}
