import * as vscode from 'vscode';
import { forgetTool } from '../../operations/forget.js';
import { rememberTool } from '../../operations/remember.js';
import { parseInput, runTool } from '../../operations/tool.js';
import { commandIds } from '../contributions.js';
import { shortId, type Memory } from '../../engine/model/memory.js';
import { localize } from '../l10n/engineMessages.js';
import { toTruncatedLine } from '../ui/markdown.js';
import type { ChatAnswer } from './chatAnswer.js';
import type { ChatDecision } from './chatDecisions.js';
import { parseMemoryReference, parseMemoryReferences } from './citations.js';
import type { ChatAnswerMetadata, ChatRequestContext } from './chatContext.js';

/** Characters of a memory's text in a suggested query. */
const maxQueryLength = 80;

/** `/remember`: stores a note, with a button to confirm it. */
export async function handleRemember({
  engine,
  prompt,
  answer,
  caller,
}: ChatRequestContext): Promise<ChatAnswerMetadata> {
  if (prompt === '') {
    answer.example(vscode.l10n.t('Say what to remember, such as'), '@recollect /remember We deploy on Fridays.');
    return {};
  }
  const named = parseMemoryReferences(prompt);
  if (named.length > 0) {
    answerState(answer, await Promise.all(named.map(it => engine.get(it))));
    return {};
  }
  answer.progress(vscode.l10n.t('Remembering'));
  const { text, structured } = await runTool(rememberTool, engine, { content: prompt }, caller);
  const accepted = structured.outcomes.flatMap(it => (it.outcome === 'refused' ? [] : [it]));
  const memories = await Promise.all(accepted.map(it => engine.get(it.id)));
  const replaced = accepted.flatMap(it => it.replaces ?? []);
  answer.linkedParagraph(text, [...memories.map(it => ({ id: shortId(it), content: it.content })), ...replaced]);
  offerToConfirm(answer, memories);
  const [first] = memories;
  if (first === undefined) return {};
  const query = toTruncatedLine(first.content, maxQueryLength);
  return { next: [{ command: 'recall', prompt: query, label: vscode.l10n.t('What else is known about it?') }] };
}

/** How memories are now, after a button was pressed: it changes nothing itself. */
function answerState(answer: ChatAnswer, memories: readonly Memory[]): void {
  const list = (heading: string, listed: readonly Memory[]): void => {
    if (listed.length === 0) return;
    answer.heading(heading);
    for (const it of listed) answer.listItem({ id: shortId(it), content: it.content }, '');
    answer.endList();
  };
  const active = memories.filter(it => it.status === 'active');
  const gone = memories.filter(it => it.status !== 'active');
  list(
    vscode.l10n.t('Confirmed: it counts as your word, and outranks notes.'),
    active.filter(it => it.lane === 'confirmed'),
  );
  list(
    vscode.l10n.t('Still a note'),
    active.filter(it => it.lane === 'note'),
  );
  offerToConfirm(answer, active);
  list(vscode.l10n.t('Forgotten: assistants no longer get it.'), gone);
  if (gone.length > 0) decisionButton(answer, vscode.l10n.t('Restore'), 'restore', gone);
}

function offerToConfirm(answer: ChatAnswer, memories: readonly Memory[]): void {
  const notes = memories.filter(it => it.lane === 'note');
  if (notes.length === 0) return;
  answer.remark(vscode.l10n.t('A note until you confirm it: notes weigh less.'));
  decisionButton(answer, vscode.l10n.t('Confirm'), 'confirm', notes);
  decisionButton(answer, vscode.l10n.t('Forget'), 'forget', notes);
}

function decisionButton(
  answer: ChatAnswer,
  title: string,
  decision: ChatDecision,
  memories: readonly Pick<Memory, 'id'>[],
): void {
  answer.button(
    title,
    commandIds.decideInChat,
    decision,
    memories.map(it => it.id),
  );
}

/** `/forget`: lists the memories that match. Only the buttons forget one. */
export async function handleForget({
  engine,
  prompt,
  answer,
  caller,
}: ChatRequestContext): Promise<ChatAnswerMetadata> {
  if (prompt === '') {
    answer.example(
      vscode.l10n.t('Say what to forget, or the id of a memory, such as'),
      '@recollect /forget the old deployment day',
    );
    return {};
  }
  const named = await Promise.all(parseMemoryReferences(prompt).map(it => engine.get(it)));
  if (named.length > 0 && named.every(it => it.status !== 'active')) {
    answerState(answer, named);
    return {};
  }
  const input = parseInput(forgetTool, parseMemoryReference(prompt));
  if (input.id !== undefined) {
    const { id } = input;
    const confirmation = await forgetTool.confirm!(engine, input);
    answer.heading(localize(confirmation!.title));
    answer.listItem(
      { id: id.slice(-8), content: localize(confirmation!.message) },
      vscode.l10n.t('It can be restored later.'),
    );
    answer.endList();
    decisionButton(answer, vscode.l10n.t('Forget'), 'forget', [{ id }]);
    return {};
  }
  const { text, structured } = await runTool(forgetTool, engine, input, caller);
  const proposals = structured.proposals ?? [];
  if (proposals.length === 0) {
    answer.paragraph(text);
    return {};
  }
  answer.paragraph(vscode.l10n.t('Nothing was forgotten yet. Which one is meant?'));
  for (const it of proposals) answer.listItem(it, '');
  answer.endList();
  for (const { id } of proposals) decisionButton(answer, vscode.l10n.t('Forget {0}', `#${id}`), 'forget', [{ id }]);
  return {};
}
