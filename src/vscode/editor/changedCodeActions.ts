import * as vscode from 'vscode';
import { commandIds } from '../contributions.js';
import { toTruncatedLine } from '../ui/markdown.js';
import { statusMessageMs } from '../ui/notifications.js';
import type { CommandRegistry } from '../commands/commandRegistry.js';
import type { EngineHolder } from '../engineHolder.js';
import type { DocumentAnchors } from './documentAnchors.js';
import { showStatusMessage } from '../ui/messages.js';

/** Characters of a memory's text in a quick fix and in the status bar. */
const maxQuotedLength = 60;

/** Quick fixes for memories whose code has changed: confirm the memory, or forget it. */
export class ChangedCodeActions implements vscode.CodeActionProvider, vscode.Disposable {
  private readonly registration = vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, this, {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
  });

  constructor(private readonly documentAnchors: DocumentAnchors) {}

  async provideCodeActions(document: vscode.TextDocument, range: vscode.Range): Promise<vscode.CodeAction[]> {
    const { anchored } = await this.documentAnchors.memoriesIn(document);
    const changedMemories = anchored.filter(
      it => it.codeChanged && range.start.line <= it.line && it.line <= range.end.line,
    );
    return changedMemories.flatMap(({ memory: { id, content } }) => {
      const text = toTruncatedLine(content, maxQuotedLength);
      return [
        quickFix(vscode.l10n.t('Still true for the changed code: {0}', text), commandIds.confirmCode, id),
        quickFix(vscode.l10n.t('Forget: {0}', text), commandIds.forget, id),
      ];
    });
  }

  dispose(): void {
    this.registration.dispose();
  }
}

function quickFix(title: string, command: string, id: string): vscode.CodeAction {
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.command = { command, title, arguments: [id] };
  return action;
}

/** The command of the first quick fix: anchors the memory to the code as it is now. */
export function registerConfirmCode(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  documentAnchors: DocumentAnchors,
): void {
  commands.register(commandIds.confirmCode, async id => {
    if (typeof id !== 'string') return;
    const engine = await engineHolder.engine();
    const { content, provenance } = await engine.get(id);
    const uri = provenance.uri === undefined ? undefined : vscode.Uri.parse(provenance.uri);
    const document = vscode.workspace.textDocuments.find(it => it.uri.toString() === uri?.toString());
    // An open document may be newer than its file, and its symbol provider better than our parsers.
    const currentAnchor =
      document === undefined
        ? undefined
        : (await documentAnchors.memoriesIn(document)).anchored.find(it => it.memory.id === id)?.currentAnchor;
    await engine.codeAnchors.confirm(id, currentAnchor);
    const text = toTruncatedLine(content, maxQuotedLength);
    showStatusMessage(vscode.l10n.t('Still true: {0}', text), statusMessageMs);
  });
}
