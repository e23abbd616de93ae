import * as vscode from 'vscode';
import { commandIds } from '../contributions.js';
import { oneLine } from '../markdown.js';
import type { Commands } from '../commands/registry.js';
import type { MemorySession } from '../session.js';
import type { Anchors } from './anchors.js';

/** Of a memory's text in a quick fix and in the status bar. */
const quotedCharacters = 60;
/** Long enough to be read once. */
const statusMs = 4_000;

/** Quick fixes where the code of a memory has changed: it still holds, or it is forgotten. */
export class ChangedCode implements vscode.CodeActionProvider, vscode.Disposable {
  private readonly registration = vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, this, {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
  });

  constructor(private readonly anchors: Anchors) {}

  async provideCodeActions(document: vscode.TextDocument, range: vscode.Range): Promise<vscode.CodeAction[]> {
    const { anchored } = await this.anchors.of(document);
    const here = anchored.filter(it => it.codeChanged && range.start.line <= it.line && it.line <= range.end.line);
    return here.flatMap(({ memory: { id, content } }) => {
      const text = oneLine(content, quotedCharacters);
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

/** What the first quick fix does: from here on the memory is compared with the code as it is now. */
export function registerConfirmCode(commands: Commands, session: MemorySession, anchors: Anchors): void {
  commands.register(commandIds.confirmCode, async id => {
    if (typeof id !== 'string') return;
    const engine = await session.engine();
    const { content, provenance } = await engine.get(id);
    const uri = provenance.uri === undefined ? undefined : vscode.Uri.parse(provenance.uri);
    const document = vscode.workspace.textDocuments.find(it => it.uri.toString() === uri?.toString());
    // The open document may know more than the file, and the language more than our parsers.
    const place =
      document === undefined ? undefined : (await anchors.of(document)).anchored.find(it => it.memory.id === id)?.now;
    await engine.anchors.confirm(id, place);
    const text = oneLine(content, quotedCharacters);
    vscode.window.setStatusBarMessage(vscode.l10n.t('Still true: {0}', text), statusMs);
  });
}
