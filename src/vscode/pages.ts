import * as vscode from 'vscode';
import { EngineError } from '../engine/base/errors.js';
import type { Proposal } from '../engine/model/consolidation.js';
import { pageScheme } from './contributions.js';
import type { MemorySession } from './session.js';

type Side = 'originals' | 'merged';

/** Read-only pages that the engine writes: the identity document, and the two sides of a proposed merge. */
export class Pages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly subscriptions: { dispose(): unknown }[];

  readonly onDidChange = this.changed.event;

  constructor(private readonly session: MemorySession) {
    this.subscriptions = [
      this.changed,
      session.onDidChangeMemories(() => {
        for (const { uri } of vscode.workspace.textDocuments) {
          if (uri.toString() === identityUri().toString()) this.changed.fire(uri);
        }
      }),
      vscode.workspace.registerTextDocumentContentProvider(pageScheme, this),
    ];
  }

  async openIdentity(): Promise<void> {
    // Made anew each time: fading moves it without any change.
    this.changed.fire(identityUri());
    await showPage(identityUri());
  }

  /** Shows the originals beside the text that would stand for them. */
  async compare({ id, originals }: Proposal): Promise<void> {
    const title = vscode.l10n.t('{0} Memories ↔ Merged', originals.length);
    await vscode.commands.executeCommand('vscode.diff', sideUri('originals', id), sideUri('merged', id), title, {
      preview: true,
    });
  }

  /** Closes every tab that shows a proposal. */
  async closeProposal(id: string): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap(it => it.tabs);
    const shown = tabs.filter(
      it => it.input instanceof vscode.TabInputTextDiff && proposalOf(it.input.modified) === id,
    );
    await vscode.window.tabGroups.close(shown);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const engine = await this.session.engine();
    const id = proposalOf(uri);
    if (id === undefined) return engine.identity();
    try {
      const { originals, content } = await engine.consolidation.get(id);
      return uri.query.startsWith('originals:') ? originals.map(it => `${it.content}\n`).join('') : `${content}\n`;
    } catch (error) {
      if (EngineError.is(error, 'notFound'))
        return vscode.l10n.t('This proposal is decided, or its memories have changed.');
      throw error;
    }
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }
}

/** The proposal that a page, or the diff that shows, is about. */
export function proposalOf(uri: unknown): string | undefined {
  const shown = uri instanceof vscode.Uri ? uri : shownUri();
  if (shown?.scheme !== pageScheme) return undefined;
  return /^(?:originals|merged):([0-9a-f]+)$/u.exec(shown.query)?.[1];
}

function shownUri(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
}

function identityUri(): vscode.Uri {
  return vscode.Uri.from({ scheme: pageScheme, path: `/${vscode.l10n.t('Identity')}.md`, query: 'identity' });
}

/** Markdown, because VS Code wraps its lines. */
function sideUri(side: Side, id: string): vscode.Uri {
  const name = side === 'originals' ? vscode.l10n.t('Memories') : vscode.l10n.t('Merged');
  return vscode.Uri.from({ scheme: pageScheme, path: `/${name}.md`, query: `${side}:${id}` });
}

/** Opens a document of Markdown to be read. */
export async function showPage(uri: vscode.Uri): Promise<void> {
  try {
    await vscode.commands.executeCommand('markdown.showPreview', uri);
  } catch {
    // The built-in Markdown extension is switched off.
    await vscode.window.showTextDocument(uri, { preview: true });
  }
}
