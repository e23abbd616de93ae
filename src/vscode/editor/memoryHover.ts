import * as vscode from 'vscode';
import { settingKeys, settingsSection } from '../contributions.js';
import { escapeMarkdown } from '../ui/markdown.js';
import { memoryRemark } from '../ui/memoryPresentation.js';
import type { MemoryInDocument, DocumentAnchors } from './documentAnchors.js';

/** More would push the language's own hover off the screen; the CodeLens shows them all. */
const maxMemoriesShown = 5;

/** Shows the memories of a line. */
export class MemoryHover implements vscode.HoverProvider, vscode.Disposable {
  private readonly registration = vscode.languages.registerHoverProvider({ scheme: 'file' }, this);

  constructor(private readonly documentAnchors: DocumentAnchors) {}

  async provideHover(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
    const enabled = vscode.workspace.getConfiguration(settingsSection, document).get(settingKeys.hoverEnabled);
    if (enabled === false) return undefined;
    const { anchored } = await this.documentAnchors.memoriesIn(document);
    const memoriesOnLine = anchored.filter(it => it.line === position.line);
    if (memoriesOnLine.length === 0) return undefined;
    const omittedNote =
      memoriesOnLine.length > maxMemoriesShown
        ? `\n\n${vscode.l10n.t('{0} more', memoriesOnLine.length - maxMemoriesShown)}`
        : '';
    const text = memoriesOnLine.slice(0, maxMemoriesShown).map(renderEntry).join('\n\n');
    // Neither isTrusted nor supportThemeIcons: memory text is untrusted.
    return new vscode.Hover(
      new vscode.MarkdownString(`**Recollect**\n\n${text}${omittedNote}`),
      document.lineAt(position).range,
    );
  }

  dispose(): void {
    this.registration.dispose();
  }
}

function renderEntry(anchored: MemoryInDocument): string {
  const facts = anchored.codeChanged
    ? `${memoryRemark(anchored)} · **${vscode.l10n.t('code changed')}**`
    : memoryRemark(anchored);
  return `${escapeMarkdown(anchored.memory.content)}  \n*${facts}*`;
}
