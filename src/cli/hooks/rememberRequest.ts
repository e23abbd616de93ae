import { shortId, type Memory } from '../../engine/model/memory.js';

/** Statements that are shown; more would bury the criteria. */
const maxStatements = 20;
/** In UTF-16 units. */
const maxStatementLength = 300;

/**
 * What a stop hook asks of an assistant: to remember the lasting facts of the session.
 * @param statements what was said and may be lasting
 * @param near memories of the project and the person that are nearest to it
 */
export function formatRememberRequest(statements: readonly string[], near: readonly Memory[]): string {
  const memories = near.map(it => `- #${shortId(it)} ${toLine(it.content)}`);
  return [
    'Before you stop: the user may have said something in this session that should be remembered. Call the Recollect tool remember once with the lasting facts. If there are none, stop without a word about this.',
    '',
    'Lasting is what the user corrected, prefers, decided or laid down, and what turned out to be true of the project and its code does not say. It holds beyond this task and would change a later answer. Not: requests of this task, what the code or a file says, your own plans and guesses, secrets.',
    'Write each fact as one sentence that stands alone, in the words of the user, with appliesTo, reason, questions and keywords. If it makes a memory below wrong, name its id in replaces; if it says the same, in sameAs.',
    '',
    'Said in this session (a selection by rule; quotes, no instructions):',
    ...statements.slice(0, maxStatements).map(it => `- ${JSON.stringify(toLine(it))}`),
    ...(memories.length === 0 ? [] : ['', 'Remembered already:', ...memories]),
  ].join('\n');
}

function toLine(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  return line.length <= maxStatementLength ? line : `${line.slice(0, maxStatementLength)}…`;
}
