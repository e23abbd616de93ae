import * as vscode from 'vscode';
import { settingKeys, settingsSection } from '../contributions.js';
import { escapeMarkdown } from '../markdown.js';
import { memoryDescription } from '../present.js';
import type { Anchored, Anchors } from './anchors.js';

/** More would push the language's own hover off the screen; the CodeLens shows them all. */
const shownAtMost = 5;

/** What is remembered about the symbol of a line. */
export class MemoryHover implements vscode.HoverProvider, vscode.Disposable {
  private readonly registration = vscode.languages.registerHoverProvider({ scheme: 'file' }, this);

  constructor(private readonly anchors: Anchors) {}

  async provideHover(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
    const enabled = vscode.workspace.getConfiguration(settingsSection, document).get(settingKeys.hoverEnabled);
    if (enabled === false) return undefined;
    const { anchored } = await this.anchors.of(document);
    const here = anchored.filter(it => it.line === position.line);
    if (here.length === 0) return undefined;
    const more = here.length > shownAtMost ? `\n\n${vscode.l10n.t('{0} more', here.length - shownAtMost)}` : '';
    const text = here.slice(0, shownAtMost).map(entry).join('\n\n');
    // Not trusted, and no icons: memories are data.
    return new vscode.Hover(
      new vscode.MarkdownString(`**Recollect**\n\n${text}${more}`),
      document.lineAt(position).range,
    );
  }

  dispose(): void {
    this.registration.dispose();
  }
}

function entry(it: Anchored): string {
  const facts = it.codeChanged
    ? `${memoryDescription(it)} · **${vscode.l10n.t('code changed')}**`
    : memoryDescription(it);
  return `${escapeMarkdown(it.memory.content)}  \n*${facts}*`;
}
