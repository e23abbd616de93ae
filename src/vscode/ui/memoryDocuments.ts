import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';
import type { Memory } from '../../engine/model/memory.js';
import { memoryDocumentScheme } from '../contributions.js';
import { withEffectiveConfidence } from '../memoryWithConfidence.js';
import { toTruncatedLine } from './markdown.js';
import { renderMemoryDocument } from './memoryPresentation.js';
import type { EngineHolder } from '../engineHolder.js';

/** Characters of a memory's summary in the title of its tab. */
const maxTitleLength = 30;

/** Read-only documents about one memory each, to which answers in the chat refer; updated when memories change. */
export class MemoryDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changeEmitter = new vscode.EventEmitter<vscode.Uri>();
  private readonly subscriptions: { dispose(): unknown }[];

  readonly onDidChange = this.changeEmitter.event;

  constructor(private readonly engineHolder: EngineHolder) {
    this.subscriptions = [
      this.changeEmitter,
      engineHolder.onDidChangeMemories(() => {
        for (const { uri } of vscode.workspace.textDocuments)
          if (uri.scheme === memoryDocumentScheme) this.changeEmitter.fire(uri);
      }),
      vscode.workspace.registerTextDocumentContentProvider(memoryDocumentScheme, this),
    ];
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const engine = await this.engineHolder.engine();
    try {
      const memory = await engine.get(uri.query);
      const aids = (await engine.aids([memory.id])).get(memory.id);
      return renderMemoryDocument(withEffectiveConfidence(engine, memory), aids);
    } catch (error) {
      if (EngineError.is(error, 'notFound')) return vscode.l10n.t('This memory is no longer there.');
      throw error;
    }
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }
}

/** Opens the code that a memory is anchored to. */
export async function openAnchoredCode({ provenance: { uri, range } }: Memory): Promise<void> {
  if (uri === undefined) return;
  const target = vscode.Uri.parse(uri);
  if (target.scheme !== 'file') return;
  const line = range?.startLine ?? 0;
  await vscode.window.showTextDocument(target, { selection: new vscode.Range(line, 0, line, 0), preview: true });
}

/** The URI of the document about a memory. The summary becomes the title of its tab. */
export function memoryDocumentUri({ id, summary }: Pick<Memory, 'id' | 'summary'>): vscode.Uri {
  const title = toTruncatedLine(summary, maxTitleLength)
    .replace(/[/\\?#:*"<>|%]/gu, ' ')
    .trim();
  return vscode.Uri.from({ scheme: memoryDocumentScheme, path: `/${title}.md`, query: id });
}
