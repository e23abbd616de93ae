import * as vscode from 'vscode';
import { forgetTool } from '../../tools/forget.js';
import { rememberTool } from '../../tools/remember.js';
import { parseInput, runTool } from '../../tools/tool.js';
import { commandIds } from '../contributions.js';
import { oneLine } from '../markdown.js';
import { readReference } from './reference.js';
import type { Outcome, Turn } from './turn.js';

/** Of a memory's text in a question that asks for it. */
const askedCharacters = 80;

/** `/remember`: keeps a note; a button confirms it. */
export async function remember({ engine, prompt, answer, caller }: Turn): Promise<Outcome> {
  if (prompt === '') {
    answer.example(vscode.l10n.t('Say what to remember, such as'), '@recollect /remember We deploy on Fridays.');
    return {};
  }
  answer.progress(vscode.l10n.t('Remembering'));
  const { text, structured } = await runTool(rememberTool, engine, { content: prompt }, caller);
  const kept = structured.outcomes.flatMap(it => (it.outcome === 'refused' ? [] : [it]));
  const others = kept.flatMap(it => (it.outcome === 'stored' ? (it.contradicts ?? []) : []));
  answer.linked(text, [...kept, ...others]);
  const memories = await Promise.all(kept.map(it => engine.get(it.id)));
  const notes = memories.filter(it => it.lane === 'note').map(it => it.id);
  if (notes.length > 0) {
    answer.aside(vscode.l10n.t('A note until you confirm it: notes weigh less, and expire.'));
    answer.button(vscode.l10n.t('Confirm'), commandIds.promote, notes);
    answer.button(vscode.l10n.t('Forget'), commandIds.forget, notes);
  }
  const [first] = kept;
  if (first === undefined) return {};
  const query = oneLine(first.content, askedCharacters);
  return { next: [{ command: 'recall', prompt: query, label: vscode.l10n.t('What else is known about it?') }] };
}

/** `/forget`: says what could be meant. What is forgotten, a person says with a button. */
export async function forget({ engine, prompt, answer, caller }: Turn): Promise<Outcome> {
  if (prompt === '') {
    answer.example(
      vscode.l10n.t('Say what to forget, or the id of a memory, such as'),
      '@recollect /forget the old deployment day',
    );
    return {};
  }
  const input = parseInput(forgetTool, readReference(prompt));
  if (input.id !== undefined) {
    const { id } = input;
    const confirmation = await forgetTool.confirm!(engine, input);
    answer.heading(confirmation!.title);
    answer.row({ id: id.slice(-8), content: confirmation!.message }, vscode.l10n.t('It can be restored later.'));
    answer.endOfList();
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
  for (const it of proposals) answer.row(it, '');
  answer.endOfList();
  for (const { id } of proposals) answer.button(vscode.l10n.t('Forget {0}', `#${id}`), commandIds.forget, id);
  return {};
}
