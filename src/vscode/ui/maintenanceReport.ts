import * as vscode from 'vscode';
import type {
  MaintenanceAction,
  MaintenanceDecision,
  MaintenanceRun,
  RuledKind,
  TakenBack,
} from '../../engine/model/maintenance.js';
import { maintenanceActions, ruledKinds } from '../../engine/model/maintenance.js';
import { shortId, type Memory, type Tier } from '../../engine/model/memory.js';
import { retentionSignals, type RetentionSignal } from '../../engine/model/retention.js';
import { escapeMarkdown, toTruncatedLine } from './markdown.js';
import { countLabel, formatInteger, formatPercent, storeLabel } from '../l10n/labels.js';

/** Characters of a memory's text in the table. */
const maxQuotedLength = 80;

/** Renders a dry run of maintenance as Markdown. @param memoriesById the memories of all decisions and of `nextToGo` */
export function renderMaintenanceReport(
  runs: readonly MaintenanceRun[],
  memoriesById: ReadonlyMap<string, Memory>,
): string {
  const storeSections = runs.map(it => renderStoreSection(it, memoriesById));
  return [`# ${vscode.l10n.t('What maintenance would do')}`, ...storeSections].join('\n\n') + '\n';
}

function renderStoreSection(run: MaintenanceRun, memoriesById: ReadonlyMap<string, Memory>): string {
  const { counts, inputs } = run;
  const archived = counts.faded + counts.expired + counts.quota;
  const name = storeLabel(run.store);
  return [
    `## ${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    vscode.l10n.t(
      'Of {0}, {1} would be forgotten and {2} deleted for good. What is forgotten can be restored, and a recall brings back what it finds of it.',
      countLabel(run.processed, 'memory'),
      formatInteger(archived),
      formatInteger(counts.pruned),
    ),
    vscode.l10n.t(
      'Decided by the profile `{0}` and the preset `{1}`, {2} and {3}.',
      inputs.profile,
      inputs.preset,
      countLabel(inputs.goals.length, 'goal'),
      countLabel(inputs.promises, 'promise'),
    ),
    ...run.warnings.map(it => `> ${escapeMarkdown(it)}`),
    ...(run.promisesToRevisit === 0
      ? []
      : [
          vscode.l10n.t(
            'Promises that have faded or are past due, and stay until you decide: {0}.',
            formatInteger(run.promisesToRevisit),
          ),
        ]),
    ...renderTakenBack(run, memoriesById),
    ...maintenanceActions.flatMap(it => renderActionSection(run, it, memoriesById)),
    renderTierTable(run),
    ...renderDecisionList(vscode.l10n.t('Next to go, if a quota were full'), run.nextToGo, 0, memoriesById),
  ].join('\n\n');
}

/** What rules of an earlier version gave, a line each. */
function renderTakenBack({ takenBack }: MaintenanceRun, memoriesById: ReadonlyMap<string, Memory>): string[] {
  if (takenBack === undefined) return [];
  const titles: Record<RuledKind, string> = {
    day: vscode.l10n.t('Days'),
    life: vscode.l10n.t('Short lives'),
    points: vscode.l10n.t('Confidence'),
    mark: vscode.l10n.t('Contradictions'),
  };
  const renderItem = ({ id, kind, from, to = '' }: TakenBack): string => {
    const text = escapeMarkdown(toTruncatedLine(memoriesById.get(id)?.content ?? '', maxQuotedLength));
    const was = kind === 'day' ? from.slice(0, 10) : kind === 'mark' ? shortId({ id: from }) : from;
    return `| ${shortId({ id })} | ${text} | ${was} | ${to} |`;
  };
  const headers = [vscode.l10n.t('Memory'), '', vscode.l10n.t('Now'), vscode.l10n.t('After')];
  return [
    `### ${vscode.l10n.t('Taken back: given by rules of an earlier version, by no person or assistant')}`,
    ...ruledKinds.flatMap(kind => {
      const items = takenBack.items.filter(it => it.kind === kind);
      const more = takenBack.counts[kind] - items.length;
      if (items.length === 0) return [];
      return [
        `${titles[kind]}: ${formatInteger(takenBack.counts[kind])}`,
        [`| ${headers.join(' | ')} |`, '| --- | --- | --- | --- |', ...items.map(renderItem)].join('\n'),
        ...(more === 0 ? [] : [vscode.l10n.t('And {0} more.', formatInteger(more))]),
      ];
    }),
  ];
}

function renderActionSection(
  run: MaintenanceRun,
  action: MaintenanceAction,
  memoriesById: ReadonlyMap<string, Memory>,
): string[] {
  const titles: Record<MaintenanceAction, string> = {
    faded: vscode.l10n.t('Faded'),
    expired: vscode.l10n.t('Notes whose time is over'),
    quota: vscode.l10n.t('Over quota'),
    pruned: vscode.l10n.t('Deleted for good'),
  };
  return renderDecisionList(titles[action], run.decisions[action], run.more[action], memoriesById);
}

function renderDecisionList(
  title: string,
  decisions: readonly MaintenanceDecision[],
  omittedCount: number,
  memoriesById: ReadonlyMap<string, Memory>,
): string[] {
  if (decisions.length === 0) return [];
  const rows = decisions.map(it => {
    const text = escapeMarkdown(toTruncatedLine(memoriesById.get(it.id)?.content ?? '', maxQuotedLength));
    return `| ${shortId(it)} | ${text} | ${formatPercent(it.effective)} | ${it.score?.toFixed(2) ?? ''} | ${scoreBreakdown(it)} |`;
  });
  const headers = [
    vscode.l10n.t('Memory'),
    '',
    vscode.l10n.t('Confidence left'),
    vscode.l10n.t('Score'),
    vscode.l10n.t('Made of'),
  ];
  return [
    `### ${title}`,
    [`| ${headers.join(' | ')} |`, '| --- | --- | ---: | ---: | --- |', ...rows].join('\n'),
    ...(omittedCount === 0 ? [] : [vscode.l10n.t('And {0} more.', formatInteger(omittedCount))]),
  ];
}

function scoreBreakdown({ signals }: MaintenanceDecision): string {
  if (signals === undefined) return '';
  const signalLabels: Record<RetentionSignal, string> = {
    relevanceToGoals: vscode.l10n.t('goals'),
    emotionalWeight: vscode.l10n.t('thumbs and emphasis'),
    predictiveValue: vscode.l10n.t('usefulness'),
    recencyFrequency: vscode.l10n.t('use'),
  };
  return retentionSignals.map(it => `${signalLabels[it]} ${signals[it].toFixed(2)}`).join(', ');
}

function renderTierTable({ tiers }: MaintenanceRun): string {
  const tierLabels: Record<Tier, string> = {
    imported: vscode.l10n.t('Imported'),
    shared: vscode.l10n.t('Shared'),
    'short-term': vscode.l10n.t('Short-term'),
    'long-term': vscode.l10n.t('Long-term'),
    permanent: vscode.l10n.t('Permanent'),
  };
  const formatKilobytes = (bytes: number): string => vscode.l10n.t('{0} KB', (bytes / 1024).toFixed(1));
  const rows = Object.entries(tiers).map(
    ([tier, it]) =>
      `| ${tierLabels[tier as Tier]} | ${formatKilobytes(it.before)} | ${formatKilobytes(it.after)} | ${formatKilobytes(it.quota)} |`,
  );
  const headers = [vscode.l10n.t('Tier'), vscode.l10n.t('Now'), vscode.l10n.t('After'), vscode.l10n.t('Quota')];
  return [`| ${headers.join(' | ')} |`, '| --- | ---: | ---: | ---: |', ...rows].join('\n');
}
