import * as vscode from 'vscode';
import { handle } from '../../engine/model/memory.js';
import { conflictsTool } from '../../tools/conflicts.js';
import { metricsTool } from '../../tools/metrics.js';
import { runTool } from '../../tools/tool.js';
import { indexCode, indexSentence } from '../commands/codeIndex.js';
import { commandIds } from '../contributions.js';
import { translated } from '../engineWords.js';
import { counted, countWord, kindWord, percent, storeWord } from '../words.js';
import type { Outcome, Turn } from './turn.js';

/** Proposals to merge that are listed; the command has them all. */
const proposalsShown = 5;
/** Progress is told in steps of this many percent: each is a line of the chat. */
const progressStep = 10;

/** `/index`: the attached files, or the whole workspace. */
export async function index({ engine, references, answer, caller }: Turn): Promise<Outcome> {
  const paths = references.flatMap(({ value }) => {
    const uri = value instanceof vscode.Location ? value.uri : value;
    return uri instanceof vscode.Uri && uri.scheme === 'file' ? [uri.fsPath] : [];
  });
  answer.progress(vscode.l10n.t('Indexing code'));
  const report = await indexCode(engine, {
    ...(paths.length === 0 ? {} : { paths }),
    signal: caller.signal,
    onProgress: inSteps((done, total) => {
      answer.progress(vscode.l10n.t('Indexing code: {0} of {1}', countWord(done), counted(total, 'file')));
    }),
  });
  answer.paragraph(indexSentence(report));
  return { next: [{ command: 'status', prompt: '', label: vscode.l10n.t('What is remembered now?') }] };
}

/** `/consolidate`: proposes what could be merged; a person looks at each and decides. */
export async function consolidate({ engine, answer, caller }: Turn): Promise<Outcome> {
  answer.progress(vscode.l10n.t('Looking for memories that say the same'));
  const { proposals, disagreements } = await engine.consolidation.propose({
    signal: caller.signal,
    onProgress: inSteps((done, total) => {
      answer.progress(vscode.l10n.t('Comparing memories: {0} of {1}', countWord(done), countWord(total)));
    }),
  });
  answer.paragraph(
    proposals.length === 0
      ? vscode.l10n.t('No memories say the same. There is nothing to merge.')
      : vscode.l10n.t('These could be merged. Nothing is until you have seen the difference and accepted it.'),
  );
  const shown = proposals.slice(0, proposalsShown);
  for (const [number, { content, originals, similarity, store }] of shown.entries()) {
    const about = [
      vscode.l10n.t('{0} alike', percent(similarity * 100)),
      kindWord(originals[0]!.kind),
      storeWord(store),
    ].join(' · ');
    answer.heading(`${number + 1}. ${content.replace(/\s+/gu, ' ')}`);
    answer.aside(vscode.l10n.t('It would stand for {0}: {1}', counted(originals.length, 'memory'), about));
    for (const it of originals) answer.row({ id: handle(it), content: it.content }, '');
    answer.endOfList();
  }
  for (const [number, { id }] of shown.entries()) {
    answer.button(vscode.l10n.t('Review {0}', number + 1), commandIds.consolidate, id);
  }
  if (proposals.length > shown.length) {
    answer.button(vscode.l10n.t('All {0}…', countWord(proposals.length)), commandIds.consolidate);
  }
  if (disagreements.length > 0) {
    const count = counted(disagreements.length, 'pair');
    answer.aside(vscode.l10n.t('Similar, but they disagree and stay apart: {0}.', count));
  }
  return {};
}

/** `/status`: how much there is, and what waits for a person. */
export async function status({ engine, answer, caller }: Turn): Promise<Outcome> {
  const [metrics, conflicts, revisits] = await Promise.all([
    runTool(metricsTool, engine, {}, caller),
    runTool(conflictsTool, engine, {}, caller),
    engine.revisits.list(),
  ]);
  answer.paragraph(metrics.text);
  const pairs = conflicts.structured.conflicts.length;
  if (pairs > 0)
    answer.paragraph(vscode.l10n.t('Contradicting each other, waiting for your word: {0}.', counted(pairs, 'pair')));
  if (revisits.length > 0) {
    answer.paragraph(vscode.l10n.t('Plans that are overdue or have faded: {0}.', countWord(revisits.length)));
  }
  for (const it of engine.notices) answer.aside(translated(it));
  if (pairs > 0) answer.button(vscode.l10n.t('Settle Conflict…'), commandIds.settleConflict);
  answer.button(vscode.l10n.t('Show Inspector'), commandIds.showInspector);
  return { next: [{ command: 'consolidate', prompt: '', label: vscode.l10n.t('What could be merged?') }] };
}

function inSteps(tell: (done: number, total: number) => void) {
  let told = 0;
  return ({ done, total }: { readonly done: number; readonly total: number }): void => {
    const step = total === 0 ? 0 : Math.floor((100 * done) / total / progressStep);
    if (step <= told) return;
    told = step;
    tell(done, total);
  };
}
