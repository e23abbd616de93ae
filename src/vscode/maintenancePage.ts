import * as vscode from 'vscode';
import type { MaintenanceAction, MaintenanceDecision, MaintenanceRun } from '../engine/model/maintenance.js';
import { maintenanceActions } from '../engine/model/maintenance.js';
import { handle, type Memory, type Tier } from '../engine/model/memory.js';
import { retentionSignals, type RetentionSignal } from '../engine/model/retention.js';
import { escapeMarkdown, oneLine } from './markdown.js';
import { counted, countWord, percent, storeWord } from './words.js';

/** Of a memory's text in the table. */
const quotedCharacters = 80;

/** What maintenance would do, as a page in Markdown. @param texts by id, those of the memories that go or are next */
export function maintenancePage(runs: readonly MaintenanceRun[], texts: ReadonlyMap<string, Memory>): string {
  const stores = runs.map(it => storePart(it, texts));
  return [`# ${vscode.l10n.t('What maintenance would do')}`, ...stores].join('\n\n') + '\n';
}

function storePart(run: MaintenanceRun, texts: ReadonlyMap<string, Memory>): string {
  const { counts, inputs } = run;
  const archived = counts.faded + counts.expired + counts.quota;
  const name = storeWord(run.store);
  return [
    `## ${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    vscode.l10n.t(
      'Of {0}, {1} would be archived and {2} deleted. The archive can be undone, and a recall brings back what it finds there.',
      counted(run.processed, 'memory'),
      countWord(archived),
      countWord(counts.pruned),
    ),
    vscode.l10n.t(
      'Decided by the profile `{0}` and the preset `{1}`, {2} and {3}.',
      inputs.profile,
      inputs.preset,
      counted(inputs.goals.length, 'goal'),
      counted(inputs.promises, 'promise'),
    ),
    ...run.warnings.map(it => `> ${escapeMarkdown(it)}`),
    ...(run.promisesToRevisit === 0
      ? []
      : [
          vscode.l10n.t(
            'Promises that have faded or are past due, and stay until you decide: {0}.',
            countWord(run.promisesToRevisit),
          ),
        ]),
    ...maintenanceActions.flatMap(it => actionPart(run, it, texts)),
    tierTable(run),
    ...listPart(vscode.l10n.t('Next to go, if a quota were full'), run.nextToGo, 0, texts),
  ].join('\n\n');
}

function actionPart(run: MaintenanceRun, action: MaintenanceAction, texts: ReadonlyMap<string, Memory>): string[] {
  const titles: Record<MaintenanceAction, string> = {
    faded: vscode.l10n.t('Faded'),
    expired: vscode.l10n.t('Notes whose time is over'),
    quota: vscode.l10n.t('Over quota'),
    pruned: vscode.l10n.t('Deleted from the archive'),
  };
  return listPart(titles[action], run.decisions[action], run.more[action], texts);
}

function listPart(
  title: string,
  decisions: readonly MaintenanceDecision[],
  more: number,
  texts: ReadonlyMap<string, Memory>,
): string[] {
  if (decisions.length === 0) return [];
  const rows = decisions.map(it => {
    const text = escapeMarkdown(oneLine(texts.get(it.id)?.content ?? '', quotedCharacters));
    return `| ${handle(it)} | ${text} | ${percent(it.effective)} | ${it.score?.toFixed(2) ?? ''} | ${reasons(it)} |`;
  });
  const head = [
    vscode.l10n.t('Memory'),
    '',
    vscode.l10n.t('Confidence left'),
    vscode.l10n.t('Score'),
    vscode.l10n.t('Made of'),
  ];
  return [
    `### ${title}`,
    [`| ${head.join(' | ')} |`, '| --- | --- | ---: | ---: | --- |', ...rows].join('\n'),
    ...(more === 0 ? [] : [vscode.l10n.t('And {0} more.', countWord(more))]),
  ];
}

function reasons({ signals }: MaintenanceDecision): string {
  if (signals === undefined) return '';
  const words: Record<RetentionSignal, string> = {
    relevanceToGoals: vscode.l10n.t('goals'),
    emotionalWeight: vscode.l10n.t('thumbs and emphasis'),
    predictiveValue: vscode.l10n.t('usefulness'),
    recencyFrequency: vscode.l10n.t('use'),
  };
  return retentionSignals.map(it => `${words[it]} ${signals[it].toFixed(2)}`).join(', ');
}

function tierTable({ tiers }: MaintenanceRun): string {
  const words: Record<Tier, string> = {
    'short-term': vscode.l10n.t('Short-term'),
    'long-term': vscode.l10n.t('Long-term'),
    permanent: vscode.l10n.t('Permanent'),
  };
  const kilobytes = (bytes: number): string => vscode.l10n.t('{0} KB', (bytes / 1024).toFixed(1));
  const rows = Object.entries(tiers).map(
    ([tier, it]) =>
      `| ${words[tier as Tier]} | ${kilobytes(it.before)} | ${kilobytes(it.after)} | ${kilobytes(it.quota)} |`,
  );
  const head = [vscode.l10n.t('Tier'), vscode.l10n.t('Now'), vscode.l10n.t('After'), vscode.l10n.t('Quota')];
  return [`| ${head.join(' | ')} |`, '| --- | ---: | ---: | ---: |', ...rows].join('\n');
}
