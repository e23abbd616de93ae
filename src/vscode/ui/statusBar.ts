import * as vscode from 'vscode';
import { commandIds, explorerViewId, settingKeys, settingsSection } from '../contributions.js';
import type { MemoryEngine } from '../../engine/engine.js';
import type { EmbeddingProgress } from '../../engine/model/storeReport.js';
import type { TraceSummary } from '../../engine/model/trace.js';
import type { ModelStatus } from '../../engine/model/modelStatus.js';
import type { EngineHolder } from '../engineHolder.js';
import { formatCost, countLabel, formatInteger, formatPercent, storeLabel } from '../l10n/labels.js';
import { localize } from '../l10n/engineMessages.js';
import type { TargetProject } from '../targetProject.js';
import type { AlertWatch, WindowAlert } from '../alertWatch.js';
import { describeEndpoint } from './endpointStatus.js';
import { escapeMarkdown } from './markdown.js';

/** Argument of "Sync Markdown" that opens its conflicts at once. */
export const toDecide = 'decide';
const openExplorerCommand = `${explorerViewId}.focus`;

/** Settings whose change requires a render. */
const displaySettings = [
  settingKeys.statusBarEnabled,
  settingKeys.modelProvider,
  settingKeys.modelName,
  settingKeys.modelDailyTokens,
  settingKeys.embeddingEndpointDailyTokens,
];

/**
 * The number of active memories in the status bar; once a chat was answered, of those that the last answer used, which a click
 * shows. Hidden until something else has opened the engine.
 */
export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('recollect', vscode.StatusBarAlignment.Right, 50);
  private readonly subscriptions: { dispose(): unknown }[];
  private embeddingProgress: EmbeddingProgress | undefined;
  private lastAnswer: TraceSummary | undefined;

  constructor(
    private readonly engineHolder: EngineHolder,
    private readonly alertWatch: AlertWatch,
    private readonly target: TargetProject,
  ) {
    this.item.name = 'Recollect';
    this.subscriptions = [
      this.item,
      engineHolder.onDidChangeMemories(() => {
        this.scheduleRender();
      }),
      alertWatch.onDidChange(() => {
        this.scheduleRender();
      }),
      target.onDidChange(() => {
        this.scheduleRender();
      }),
      engineHolder.onDidUseModel(() => {
        this.scheduleRender();
      }),
      engineHolder.onDidChangeState(() => {
        this.lastAnswer = undefined;
        this.scheduleRender();
      }),
      engineHolder.onDidAnswer(() => {
        // A failure leaves the answer before; nothing hangs on it.
        this.showLastAnswer().catch(() => undefined);
      }),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (displaySettings.some(it => event.affectsConfiguration(`${settingsSection}.${it}`))) this.scheduleRender();
      }),
    ];
  }

  showEmbeddingProgress(progress: EmbeddingProgress): void {
    const isDone = progress.embedded >= progress.total;
    if (isDone && this.embeddingProgress === undefined) return;
    this.embeddingProgress = isDone ? undefined : progress;
    this.scheduleRender();
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  private async showLastAnswer(): Promise<void> {
    const { state } = this.engineHolder;
    if (state.kind !== 'open') return;
    [this.lastAnswer] = await state.engine.explainer.listTraces({ limit: 1 });
    await this.render();
  }

  private scheduleRender(): void {
    // A failure leaves the last count; it is reported where the user acts.
    this.render().catch(() => undefined);
  }

  private async render(): Promise<void> {
    const enabled = vscode.workspace.getConfiguration(settingsSection).get(settingKeys.statusBarEnabled) !== false;
    const { state } = this.engineHolder;
    const { alerts } = this.alertWatch;
    if (!enabled || (state.kind !== 'open' && alerts.length === 0)) {
      this.item.hide();
      return;
    }
    if (state.kind !== 'open') {
      this.renderFailure(alerts);
      return;
    }
    const [groups, model, endpoint] = await Promise.all([
      state.engine.groups(),
      state.engine.modelStatus(),
      state.engine.embeddingEndpoint?.status(),
    ]);
    const active = groups.reduce((sum, it) => sum + (it.status === 'active' ? it.count : 0), 0);
    this.renderText(active, model.waitsUntil !== undefined || endpoint?.waits !== undefined);
    const hints = await this.hints(state.engine);
    this.item.tooltip = trustedTooltip([
      `**Recollect**: ${countLabel(active, 'memory')}`,
      ...alertLines(alerts),
      ...this.answerLines(),
      ...this.progressLines(),
      ...modelUsageLines(model),
      ...(endpoint === undefined ? [] : [escapeMarkdown(describeEndpoint(endpoint))]),
      ...hints,
      ...this.targetLines(),
      describeStores(state.engine),
      // The click then shows the answer, or opens a decision.
      ...(this.lastAnswer === undefined && decisionOf(alerts) === undefined
        ? []
        : [`[${vscode.l10n.t('Show all memories')}](command:${openExplorerCommand})`]),
    ]);
    this.item.show();
  }

  /** The text in the bar, the command of a click, and what a screen reader says. @param waits whether a model waits */
  private renderText(active: number, waits: boolean): void {
    const { embeddingProgress, lastAnswer } = this;
    const { alerts } = this.alertWatch;
    const { name: project } = this.target;
    const title = vscode.l10n.t('Show What the Last Answer Used');
    this.item.command =
      decisionOf(alerts) ??
      (lastAnswer === undefined
        ? openExplorerCommand
        : { command: commandIds.explainLastAnswer, title, arguments: [lastAnswer.id] });
    const progressLabel =
      embeddingProgress && formatPercent(Math.floor((100 * embeddingProgress.embedded) / embeddingProgress.total));
    const marks = [
      ...(project === undefined ? [] : [project]),
      ...(progressLabel === undefined ? [] : ['·', progressLabel]),
      ...(waits ? ['$(watch)'] : []),
      ...(alerts.length === 0 ? [] : ['$(warning)']),
    ];
    const used = lastAnswer && vscode.l10n.t('{0} used', formatInteger(lastAnswer.hits));
    this.item.text = ['$(thinking)', used ?? formatInteger(active), ...marks].join(' ');
    const [summary = countLabel(active, 'memory')] = this.answerLines();
    const spoken = [summary, ...alerts.map(it => localize(it.text))].join(' ');
    this.item.accessibilityInformation = { label: `Recollect: ${spoken}` };
  }

  private answerLines(): readonly string[] {
    if (this.lastAnswer === undefined) return [];
    const used = countLabel(this.lastAnswer.hits, 'memory');
    if (decisionOf(this.alertWatch.alerts) === undefined)
      return [vscode.l10n.t('The last answer used {0}. A click shows which.', used)];
    const show = link(vscode.l10n.t('Show Which'), commandIds.explainLastAnswer, this.lastAnswer.id);
    return [`${vscode.l10n.t('The last answer used {0}.', used)} ${show}`];
  }

  private progressLines(): readonly string[] {
    if (this.embeddingProgress === undefined) return [];
    const { embedded, total } = this.embeddingProgress;
    return [
      vscode.l10n.t('Learning the meaning of memories: {0} of {1}', formatInteger(embedded), formatInteger(total)),
    ];
  }

  private targetLines(): readonly string[] {
    const { name } = this.target;
    if (name === undefined) return [];
    const change = link(vscode.l10n.t('Change…'), commandIds.chooseProject);
    return [`${vscode.l10n.t('New memories go to {0}.', escapeMarkdown(name))} ${change}`];
  }

  /** The memory could not be opened: the explorer says what to do. */
  private renderFailure(alerts: readonly WindowAlert[]): void {
    this.item.command = openExplorerCommand;
    this.item.text = '$(thinking) $(warning)';
    this.item.accessibilityInformation = {
      label: `Recollect: ${alerts.map(it => localize(it.text)).join(' ')}`,
    };
    this.item.tooltip = trustedTooltip(['**Recollect**', ...alertLines(alerts)]);
    this.item.show();
  }

  /** Links to suggested commands. */
  private async hints(engine: MemoryEngine): Promise<string[]> {
    if (!(await engine.consolidation.isDue())) return [];
    const text = vscode.l10n.t('Look for memories that say the same');
    return [`[${text}](command:${commandIds.consolidate})`];
  }
}

function describeStores({ stores }: MemoryEngine): string {
  const lines = stores.map(
    it => `- ${storeLabel(it.kind)}${it.readOnly ? vscode.l10n.t(', read-only') : ''}: ${escapeMarkdown(it.file)}`,
  );
  return lines.join('\n');
}

/** What each link of a tooltip runs, and nothing else. */
function trustedTooltip(lines: readonly string[]): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString(lines.join('\n\n'), true);
  tooltip.isTrusted = {
    enabledCommands: [
      commandIds.consolidate,
      commandIds.previewMaintenance,
      commandIds.showInspector,
      commandIds.showLog,
      commandIds.retry,
      commandIds.confirmAlerts,
      commandIds.chooseProject,
      commandIds.import,
      commandIds.sync,
      commandIds.explainLastAnswer,
      openExplorerCommand,
    ],
  };
  return tooltip;
}

/** The click where an alert waits for a decision, which nothing else shows. */
function decisionOf(alerts: readonly WindowAlert[]): vscode.Command | undefined {
  const title = vscode.l10n.t('Decide…');
  for (const { kind } of alerts) {
    if (kind === 'syncWaits') return { command: commandIds.sync, title, arguments: [toDecide] };
    if (kind === 'importChanged') return { command: commandIds.import, title, arguments: ['changes'] };
  }
  return undefined;
}

/** Each alert with its next step, and one link for those that go once they were seen. */
function alertLines(alerts: readonly WindowAlert[]): readonly string[] {
  const lines = alerts.map(({ kind, store, text }) => {
    const place = store === undefined ? '' : `${storeLabel(store)}: `;
    return `$(warning) ${place}${escapeMarkdown(localize(text))}${nextStep(kind)}`;
  });
  const canBeSeen = alerts.some(
    ({ kind }) => !['overQuota', 'embeddingFailed', 'importChanged', 'syncWaits', 'notOpen'].includes(kind),
  );
  return canBeSeen ? [...lines, link(vscode.l10n.t('I Have Seen It'), commandIds.confirmAlerts)] : lines;
}

function nextStep(kind: WindowAlert['kind']): string {
  switch (kind) {
    case 'overQuota':
      return ` ${link(vscode.l10n.t('Preview Maintenance'), commandIds.previewMaintenance)}`;
    case 'manyRemoved':
      return ` ${link(vscode.l10n.t('Show the Runs'), commandIds.showInspector, 'health')}`;
    case 'importChanged':
      return ` ${link(vscode.l10n.t('Look'), commandIds.import, 'changes')}`;
    case 'syncWaits':
      return ` ${link(vscode.l10n.t('Decide…'), commandIds.sync, toDecide)}`;
    case 'notOpen':
      return ` ${link(vscode.l10n.t('Try Again'), commandIds.retry)} ${link(vscode.l10n.t('Show Log'), commandIds.showLog)}`;
    case 'storeDamaged':
    case 'writeFailed':
    case 'maintenanceFailed':
    case 'embeddingFailed':
      return ` ${link(vscode.l10n.t('Show Log'), commandIds.showLog)}`;
  }
}

function link(title: string, command: string, argument?: string): string {
  const query = argument === undefined ? '' : `?${encodeURIComponent(JSON.stringify([argument]))}`;
  return `[${title}](command:${command}${query})`;
}

/** Today's usage of the language model; empty where none is configured. */
function modelUsageLines({ provider, name, today, dailyTokens, waitsUntil }: ModelStatus): readonly string[] {
  if (provider === 'none') return [];
  const model = name === '' ? vscode.l10n.t('chat model of VS Code') : escapeMarkdown(name);
  const used = formatInteger(today.inputTokens + today.outputTokens);
  const cost = today.costUsd > 0 ? `, ${formatCost(today.costUsd)}` : '';
  const calls = countLabel(today.calls, 'call');
  return [
    vscode.l10n.t('Language model {0}: {1} of {2} tokens today, {3}', model, used, formatInteger(dailyTokens), calls) +
      cost,
    ...(waitsUntil === undefined ? [] : [vscode.l10n.t('Its work waits until {0}.', waitsUntil.toLocaleString())]),
  ];
}
