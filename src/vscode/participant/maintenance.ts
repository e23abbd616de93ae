import * as vscode from 'vscode';
import { shortId } from '../../engine/model/memory.js';
import { conflictsTool } from '../../operations/conflicts.js';
import { metricsTool } from '../../operations/metrics.js';
import { runTool } from '../../operations/tool.js';
import { indexCode, describeIndexReport } from '../commands/codeIndex.js';
import { commandIds } from '../contributions.js';
import { localize } from '../l10n/engineMessages.js';
import { countLabel, formatInteger, kindLabel, formatPercent, storeLabel } from '../l10n/labels.js';
import type { ChatAnswerMetadata, ChatRequestContext } from './chatContext.js';

/** Merge proposals that are listed; the command shows all. */
const maxProposalsShown = 5;
/** Each report of progress is a line of the chat, so only these steps are reported. */
const progressStepPercent = 10;

/** `/index`: the attached files, or the whole workspace. */
export async function handleIndex({
  engine,
  references,
  answer,
  caller,
}: ChatRequestContext): Promise<ChatAnswerMetadata> {
  const paths = references.flatMap(({ value }) => {
    const uri = value instanceof vscode.Location ? value.uri : value;
    return uri instanceof vscode.Uri && uri.scheme === 'file' ? [uri.fsPath] : [];
  });
  answer.progress(vscode.l10n.t('Indexing code'));
  const report = await indexCode(engine, {
    ...(paths.length === 0 ? {} : { paths }),
    signal: caller.signal,
    onProgress: throttleProgress((done, total) => {
      answer.progress(vscode.l10n.t('Indexing code: {0} of {1}', formatInteger(done), countLabel(total, 'file')));
    }),
  });
  answer.paragraph(describeIndexReport(report));
  return { next: [{ command: 'status', prompt: '', label: vscode.l10n.t('What is remembered now?') }] };
}

/** `/consolidate`: lists merge proposals, which the user reviews one by one. */
export async function handleConsolidate({ engine, answer, caller }: ChatRequestContext): Promise<ChatAnswerMetadata> {
  answer.progress(vscode.l10n.t('Looking for memories that say the same'));
  const { proposals, disagreements } = await engine.consolidation.propose({
    signal: caller.signal,
    onProgress: throttleProgress((done, total) => {
      answer.progress(vscode.l10n.t('Comparing memories: {0} of {1}', formatInteger(done), formatInteger(total)));
    }),
  });
  answer.paragraph(
    proposals.length === 0
      ? vscode.l10n.t('No memories say the same. There is nothing to merge.')
      : vscode.l10n.t('These could be merged. Nothing is until you have seen the difference and accepted it.'),
  );
  const shown = proposals.slice(0, maxProposalsShown);
  for (const [number, { content, originals, similarity, store }] of shown.entries()) {
    const descriptionParts = [
      vscode.l10n.t('{0} alike', formatPercent(similarity * 100)),
      kindLabel(originals[0]!.kind),
      storeLabel(store),
    ].join(' · ');
    answer.heading(`${number + 1}. ${content.replace(/\s+/gu, ' ')}`);
    answer.remark(
      vscode.l10n.t('It would stand for {0}: {1}', countLabel(originals.length, 'memory'), descriptionParts),
    );
    for (const it of originals) answer.listItem({ id: shortId(it), content: it.content }, '');
    answer.endList();
  }
  for (const [number, { id }] of shown.entries()) {
    answer.button(vscode.l10n.t('Review {0}', number + 1), commandIds.consolidate, id);
  }
  if (proposals.length > shown.length) {
    answer.button(vscode.l10n.t('All {0}…', formatInteger(proposals.length)), commandIds.consolidate);
  }
  if (disagreements.length > 0) {
    const count = countLabel(disagreements.length, 'pair');
    answer.remark(vscode.l10n.t('Similar, but they disagree and stay apart: {0}.', count));
  }
  return {};
}

/** `/status`: metrics of the stores, and what waits for a decision of the user. */
export async function handleStatus({ engine, answer, caller }: ChatRequestContext): Promise<ChatAnswerMetadata> {
  const [metrics, conflicts, plansToReview] = await Promise.all([
    runTool(metricsTool, engine, {}, caller),
    runTool(conflictsTool, engine, {}, caller),
    engine.planReview.list(),
  ]);
  answer.paragraph(metrics.text);
  const conflictCount = conflicts.structured.conflicts.length;
  if (conflictCount > 0)
    answer.paragraph(
      vscode.l10n.t('Contradicting each other, waiting for your word: {0}.', countLabel(conflictCount, 'pair')),
    );
  if (plansToReview.length > 0) {
    answer.paragraph(vscode.l10n.t('Plans that are overdue or have faded: {0}.', formatInteger(plansToReview.length)));
  }
  for (const it of engine.notices) answer.remark(localize(it));
  if (conflictCount > 0) answer.button(vscode.l10n.t('Settle Conflict…'), commandIds.settleConflict);
  answer.button(vscode.l10n.t('Show Inspector'), commandIds.showInspector);
  return { next: [{ command: 'consolidate', prompt: '', label: vscode.l10n.t('What could be merged?') }] };
}

function throttleProgress(report: (done: number, total: number) => void) {
  let reportedStep = 0;
  return ({ done, total }: { readonly done: number; readonly total: number }): void => {
    const step = total === 0 ? 0 : Math.floor((100 * done) / total / progressStepPercent);
    if (step <= reportedStep) return;
    reportedStep = step;
    report(done, total);
  };
}
