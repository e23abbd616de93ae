import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';
import type { MergeProposal } from '../../engine/model/consolidation.js';
import { virtualDocumentScheme } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';

type MergeSide = 'originals' | 'merged';

/** Read-only documents of the engine: the identity document, and the two sides of a merge proposal. */
export class VirtualDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changeEmitter = new vscode.EventEmitter<vscode.Uri>();
  private readonly subscriptions: { dispose(): unknown }[];

  readonly onDidChange = this.changeEmitter.event;

  constructor(private readonly engineHolder: EngineHolder) {
    this.subscriptions = [
      this.changeEmitter,
      engineHolder.onDidChangeMemories(() => {
        for (const { uri } of vscode.workspace.textDocuments) {
          if (uri.toString() === identityUri().toString()) this.changeEmitter.fire(uri);
        }
      }),
      vscode.workspace.registerTextDocumentContentProvider(virtualDocumentScheme, this),
    ];
  }

  async openIdentity(): Promise<void> {
    // Fading changes the document without a change event.
    this.changeEmitter.fire(identityUri());
    await showMarkdownPreview(identityUri());
  }

  /** Shows the originals and the merged text as a diff. */
  async showMergeDiff({ id, originals }: MergeProposal): Promise<void> {
    const title = vscode.l10n.t('{0} Memories ↔ Merged', originals.length);
    await vscode.commands.executeCommand(
      'vscode.diff',
      mergeSideUri('originals', id),
      mergeSideUri('merged', id),
      title,
      {
        preview: true,
      },
    );
  }

  /** Closes every diff of a proposal. */
  async closeMergeDiff(id: string): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap(it => it.tabs);
    const proposalTabs = tabs.filter(
      it => it.input instanceof vscode.TabInputTextDiff && proposalIdOf(it.input.modified) === id,
    );
    await vscode.window.tabGroups.close(proposalTabs);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const engine = await this.engineHolder.engine();
    const id = proposalIdOf(uri);
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

/** The id of the proposal of a document, or of the active diff when `uri` is no URI. */
export function proposalIdOf(uri: unknown): string | undefined {
  const documentUri = uri instanceof vscode.Uri ? uri : activeDiffUri();
  if (documentUri?.scheme !== virtualDocumentScheme) return undefined;
  return /^(?:originals|merged):([0-9a-f]+)$/u.exec(documentUri.query)?.[1];
}

function activeDiffUri(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
}

function identityUri(): vscode.Uri {
  return vscode.Uri.from({
    scheme: virtualDocumentScheme,
    path: `/${vscode.l10n.t('Identity')}.md`,
    query: 'identity',
  });
}

/** A Markdown file, because VS Code wraps its lines. */
function mergeSideUri(side: MergeSide, id: string): vscode.Uri {
  const name = side === 'originals' ? vscode.l10n.t('Memories') : vscode.l10n.t('Merged');
  return vscode.Uri.from({ scheme: virtualDocumentScheme, path: `/${name}.md`, query: `${side}:${id}` });
}

export async function showMarkdownPreview(uri: vscode.Uri): Promise<void> {
  try {
    await vscode.commands.executeCommand('markdown.showPreview', uri);
  } catch {
    // The built-in Markdown extension is disabled.
    await vscode.window.showTextDocument(uri, { preview: true });
  }
}
