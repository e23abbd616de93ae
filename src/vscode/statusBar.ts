import * as vscode from 'vscode';
import { commandIds, explorerViewId, settingKeys, settingsSection } from './contributions.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { EmbeddingProgress } from '../engine/model/change.js';
import type { ModelStatus } from '../engine/model/modelStatus.js';
import type { MemorySession } from './session.js';
import { costWord, counted, countWord, percent, storeWord } from './words.js';
import { escapeMarkdown } from './markdown.js';

/** What is shown differently as soon as one of them changes. */
const shownSettings = [
  settingKeys.statusBarEnabled,
  settingKeys.modelProvider,
  settingKeys.modelName,
  settingKeys.modelDailyTokens,
];

/** How many memories there are. Quiet: it appears once something else has opened the memory. */
export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('recollect', vscode.StatusBarAlignment.Right, 50);
  private readonly subscriptions: { dispose(): unknown }[];
  private embedding: EmbeddingProgress | undefined;

  constructor(private readonly session: MemorySession) {
    this.item.name = 'Recollect';
    this.item.command = `${explorerViewId}.focus`;
    this.subscriptions = [
      this.item,
      session.onDidChangeMemories(() => {
        this.update();
      }),
      session.onDidUseModel(() => {
        this.update();
      }),
      session.onDidChangeState(() => {
        this.update();
      }),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (shownSettings.some(it => event.affectsConfiguration(`${settingsSection}.${it}`))) this.update();
      }),
    ];
  }

  /** How far the embedding of memories in the background is. */
  showEmbedding(progress: EmbeddingProgress): void {
    const isDone = progress.embedded >= progress.total;
    if (isDone && this.embedding === undefined) return;
    this.embedding = isDone ? undefined : progress;
    this.update();
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  private update(): void {
    // Counting that fails leaves the last count; whatever is wrong shows where it matters.
    this.show().catch(() => undefined);
  }

  private async show(): Promise<void> {
    const enabled = vscode.workspace.getConfiguration(settingsSection).get(settingKeys.statusBarEnabled) !== false;
    const { state } = this.session;
    if (!enabled || state.kind !== 'open') {
      this.item.hide();
      return;
    }
    const [groups, model] = await Promise.all([state.engine.groups(), state.engine.modelStatus()]);
    const active = groups.reduce((sum, it) => sum + (it.status === 'active' ? it.count : 0), 0);
    const count = counted(active, 'memory');
    const { embedding } = this;
    const done = embedding && percent(Math.floor((100 * embedding.embedded) / embedding.total));
    this.item.text = `$(thinking) ${countWord(active)}${done === undefined ? '' : ` · ${done}`}${model.waitsUntil === undefined ? '' : ' $(watch)'}`;
    this.item.accessibilityInformation = { label: `Recollect: ${count}` };
    const stores = state.engine.stores.map(
      it => `- ${storeWord(it.kind)}${it.readOnly ? vscode.l10n.t(', read-only') : ''}: ${escapeMarkdown(it.file)}`,
    );
    const underWay =
      embedding === undefined
        ? []
        : [
            vscode.l10n.t(
              'Learning the meaning of memories: {0} of {1}',
              countWord(embedding.embedded),
              countWord(embedding.total),
            ),
          ];
    const hints = await this.hints(state.engine);
    const lines = [`**Recollect**: ${count}`, ...underWay, ...modelLines(model), ...hints, stores.join('\n')];
    const tooltip = new vscode.MarkdownString(lines.join('\n\n'));
    tooltip.isTrusted = { enabledCommands: [commandIds.consolidate] };
    this.item.tooltip = tooltip;
    this.item.show();
  }

  /** What a person may want to do; it waits here until they look. */
  private async hints(engine: MemoryEngine): Promise<string[]> {
    if (!(await engine.consolidation.isDue())) return [];
    const text = vscode.l10n.t('Look for memories that say the same');
    return [`[${text}](command:${commandIds.consolidate})`];
  }
}

/** What the language model used today; nothing where there is none. */
function modelLines({ provider, name, today, dailyTokens, waitsUntil }: ModelStatus): readonly string[] {
  if (provider === 'none') return [];
  const model = name === '' ? vscode.l10n.t('chat model of VS Code') : escapeMarkdown(name);
  const used = countWord(today.inputTokens + today.outputTokens);
  const cost = today.costUsd > 0 ? `, ${costWord(today.costUsd)}` : '';
  const calls = counted(today.calls, 'call');
  return [
    vscode.l10n.t('Language model {0}: {1} of {2} tokens today, {3}', model, used, countWord(dailyTokens), calls) +
      cost,
    ...(waitsUntil === undefined ? [] : [vscode.l10n.t('Its work waits until {0}.', waitsUntil.toLocaleString())]),
  ];
}
