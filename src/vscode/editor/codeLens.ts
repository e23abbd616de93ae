import * as vscode from 'vscode';
import { commandIds, settingKeys, settingsSection } from '../contributions.js';
import type { MemorySession } from '../session.js';
import { countWord } from '../words.js';
import type { Anchored, Anchors } from './anchors.js';

/** "Remember this" over declarations, and "3 memories" where some are anchored. */
export class MemoryCodeLens implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: { dispose(): unknown }[];

  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(
    session: MemorySession,
    private readonly anchors: Anchors,
  ) {
    this.subscriptions = [
      this.changed,
      session.onDidChangeMemories(() => {
        this.changed.fire();
      }),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration(`${settingsSection}.${settingKeys.codeLensEnabled}`)) this.changed.fire();
      }),
      vscode.languages.registerCodeLensProvider({ scheme: 'file' }, this),
    ];
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const enabled = vscode.workspace.getConfiguration(settingsSection, document).get(settingKeys.codeLensEnabled);
    if (enabled === false) return [];
    const { declarations, anchored } = await this.anchors.of(document);
    const uri = document.uri.toString();
    const lenses = [...byLine(anchored)].map(([line, here]) => countLens(line, here));
    for (const { name, line } of declarations) {
      lenses.push(
        new vscode.CodeLens(lineStart(line), {
          command: commandIds.rememberSymbol,
          title: vscode.l10n.t('Remember this'),
          tooltip: vscode.l10n.t('Keep a note about {0} in Recollect', name),
          arguments: [uri, name, line],
        }),
      );
    }
    return lenses;
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }
}

function countLens(line: number, here: readonly Anchored[]): vscode.CodeLens {
  const changed = here.some(it => it.codeChanged);
  const count = here.length === 1 ? vscode.l10n.t('1 memory') : vscode.l10n.t('{0} memories', countWord(here.length));
  return new vscode.CodeLens(lineStart(line), {
    command: commandIds.showAnchored,
    title: changed ? `$(warning) ${count} · ${vscode.l10n.t('code changed')}` : `$(bookmark) ${count}`,
    tooltip: changed
      ? vscode.l10n.t('The code has changed since: see whether they still hold')
      : vscode.l10n.t('Show what is remembered here'),
    arguments: [here.map(it => it.memory.id)],
  });
}

function byLine(anchored: readonly Anchored[]): Map<number, Anchored[]> {
  const lines = new Map<number, Anchored[]>();
  for (const it of anchored) lines.set(it.line, [...(lines.get(it.line) ?? []), it]);
  return lines;
}

function lineStart(line: number): vscode.Range {
  return new vscode.Range(line, 0, line, 0);
}
