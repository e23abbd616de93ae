import * as vscode from 'vscode';
import { forgetTool } from '../../tools/forget.js';
import { rememberTool } from '../../tools/remember.js';
import { parseInput, runTool } from '../../tools/tool.js';
import { commandIds } from '../contributions.js';
import { shortId } from '../../engine/model/memory.js';
import { toTruncatedLine } from '../ui/markdown.js';
import { parseMemoryReference } from './citations.js';
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
  answer.progress(vscode.l10n.t('Remembering'));
  const { text, structured } = await runTool(rememberTool, engine, { content: prompt }, caller);
  const accepted = structured.outcomes.flatMap(it => (it.outcome === 'refused' ? [] : [it]));
  const memories = await Promise.all(accepted.map(it => engine.get(it.id)));
  const replaced = accepted.flatMap(it => it.replaces ?? []);
  answer.linkedParagraph(text, [...memories.map(it => ({ id: shortId(it), content: it.content })), ...replaced]);
  const noteIds = memories.filter(it => it.lane === 'note').map(it => it.id);
  if (noteIds.length > 0) {
    answer.remark(vscode.l10n.t('A note until you confirm it: notes weigh less, and expire.'));
    answer.button(vscode.l10n.t('Confirm'), commandIds.promote, noteIds);
    answer.button(vscode.l10n.t('Forget'), commandIds.forget, noteIds);
  }
  const [first] = memories;
  if (first === undefined) return {};
  const query = toTruncatedLine(first.content, maxQueryLength);
  return { next: [{ command: 'recall', prompt: query, label: vscode.l10n.t('What else is known about it?') }] };
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
  const input = parseInput(forgetTool, parseMemoryReference(prompt));
  if (input.id !== undefined) {
    const { id } = input;
    const confirmation = await forgetTool.confirm!(engine, input);
    answer.heading(confirmation!.title);
    answer.listItem({ id: id.slice(-8), content: confirmation!.message }, vscode.l10n.t('It can be restored later.'));
    answer.endList();
    answer.button(vscode.l10n.t('Forget'), commandIds.forget, id);
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
  for (const { id } of proposals) answer.button(vscode.l10n.t('Forget {0}', `#${id}`), commandIds.forget, id);
  return {};
}
