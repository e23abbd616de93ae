import * as vscode from 'vscode';
import { commandIds, explorerViewId, settingKeys, settingsSection } from '../contributions.js';
import type { MemoryEngine } from '../../engine/engine.js';
import type { EmbeddingProgress } from '../../engine/model/storeReport.js';
import type { ModelStatus } from '../../engine/model/modelStatus.js';
import type { EngineHolder } from '../engineHolder.js';
import { formatCost, countLabel, formatInteger, formatPercent, storeLabel } from '../l10n/labels.js';
import { escapeMarkdown } from './markdown.js';

/** Settings whose change requires a render. */
const displaySettings = [
  settingKeys.statusBarEnabled,
  settingKeys.modelProvider,
  settingKeys.modelName,
  settingKeys.modelDailyTokens,
];

/** The number of active memories in the status bar. Hidden until something else has opened the engine. */
export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('recollect', vscode.StatusBarAlignment.Right, 50);
  private readonly subscriptions: { dispose(): unknown }[];
  private embeddingProgress: EmbeddingProgress | undefined;

  constructor(private readonly engineHolder: EngineHolder) {
    this.item.name = 'Recollect';
    this.item.command = `${explorerViewId}.focus`;
    this.subscriptions = [
      this.item,
      engineHolder.onDidChangeMemories(() => {
        this.scheduleRender();
      }),
      engineHolder.onDidUseModel(() => {
        this.scheduleRender();
      }),
      engineHolder.onDidChangeState(() => {
        this.scheduleRender();
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

  private scheduleRender(): void {
    // A failure leaves the last count; it is reported where the user acts.
    this.render().catch(() => undefined);
  }

  private async render(): Promise<void> {
    const enabled = vscode.workspace.getConfiguration(settingsSection).get(settingKeys.statusBarEnabled) !== false;
    const { state } = this.engineHolder;
    if (!enabled || state.kind !== 'open') {
      this.item.hide();
      return;
    }
    const [groups, model] = await Promise.all([state.engine.groups(), state.engine.modelStatus()]);
    const active = groups.reduce((sum, it) => sum + (it.status === 'active' ? it.count : 0), 0);
    const count = countLabel(active, 'memory');
    const { embeddingProgress } = this;
    const progressLabel =
      embeddingProgress && formatPercent(Math.floor((100 * embeddingProgress.embedded) / embeddingProgress.total));
    this.item.text = `$(thinking) ${formatInteger(active)}${progressLabel === undefined ? '' : ` · ${progressLabel}`}${model.waitsUntil === undefined ? '' : ' $(watch)'}`;
    this.item.accessibilityInformation = { label: `Recollect: ${count}` };
    const stores = state.engine.stores.map(
      it => `- ${storeLabel(it.kind)}${it.readOnly ? vscode.l10n.t(', read-only') : ''}: ${escapeMarkdown(it.file)}`,
    );
    const progressLines =
      embeddingProgress === undefined
        ? []
        : [
            vscode.l10n.t(
              'Learning the meaning of memories: {0} of {1}',
              formatInteger(embeddingProgress.embedded),
              formatInteger(embeddingProgress.total),
            ),
          ];
    const hints = await this.hints(state.engine);
    const lines = [`**Recollect**: ${count}`, ...progressLines, ...modelUsageLines(model), ...hints, stores.join('\n')];
    const tooltip = new vscode.MarkdownString(lines.join('\n\n'));
    tooltip.isTrusted = { enabledCommands: [commandIds.consolidate] };
    this.item.tooltip = tooltip;
    this.item.show();
  }

  /** Links to suggested commands. */
  private async hints(engine: MemoryEngine): Promise<string[]> {
    if (!(await engine.consolidation.isDue())) return [];
    const text = vscode.l10n.t('Look for memories that say the same');
    return [`[${text}](command:${commandIds.consolidate})`];
  }
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
