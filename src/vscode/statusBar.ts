import * as vscode from 'vscode';
import { explorerViewId, settingKeys, settingsSection } from './contributions.js';
import type { EmbeddingProgress } from '../engine/model/change.js';
import type { MemorySession } from './session.js';
import { countWord, storeWord } from './words.js';
import { escapeMarkdown } from './markdown.js';

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
      session.onDidChangeState(() => {
        this.update();
      }),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration(`${settingsSection}.${settingKeys.statusBarEnabled}`)) this.update();
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
    const groups = await state.engine.groups();
    const active = groups.reduce((sum, it) => sum + (it.status === 'active' ? it.count : 0), 0);
    const count = active === 1 ? vscode.l10n.t('1 memory') : vscode.l10n.t('{0} memories', countWord(active));
    const { embedding } = this;
    const percent = embedding && Math.floor((100 * embedding.embedded) / embedding.total);
    this.item.text = `$(thinking) ${countWord(active)}${percent === undefined ? '' : ` · ${percent} %`}`;
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
    const lines = [`**Recollect**: ${count}`, ...underWay, stores.join('\n')];
    this.item.tooltip = new vscode.MarkdownString(lines.join('\n\n'));
    this.item.show();
  }
}
