import * as vscode from 'vscode';
import { EngineError } from '../engine/base/errors.js';
import type { Memory } from '../engine/model/memory.js';
import { memoryScheme } from './contributions.js';
import { shown } from './explorer/content.js';
import { oneLine } from './markdown.js';
import { showPage } from './pages.js';
import { memoryDocument } from './present.js';
import type { MemorySession } from './session.js';

/** Of a memory's text in the title of its tab. */
const titleCharacters = 30;

/** Read-only documents, each about one memory and always up to date. */
export class MemoryDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly subscriptions: { dispose(): unknown }[];

  readonly onDidChange = this.changed.event;

  constructor(private readonly session: MemorySession) {
    this.subscriptions = [
      this.changed,
      session.onDidChangeMemories(() => {
        for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === memoryScheme) this.changed.fire(uri);
      }),
      vscode.workspace.registerTextDocumentContentProvider(memoryScheme, this),
    ];
  }

  /** Shows a memory as a page. */
  async open(id: string): Promise<void> {
    const memory = await (await this.session.engine()).get(id);
    await showPage(memoryUri(memory));
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const engine = await this.session.engine();
    try {
      return memoryDocument(shown(engine, await engine.get(uri.query)));
    } catch (error) {
      if (EngineError.is(error, 'notFound')) return vscode.l10n.t('This memory is no longer there.');
      throw error;
    }
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }
}

/** Goes to the code that a memory is anchored to. */
export async function openAnchor({ provenance: { uri, range } }: Memory): Promise<void> {
  if (uri === undefined) return;
  const target = vscode.Uri.parse(uri);
  if (target.scheme !== 'file') return;
  const line = range?.startLine ?? 0;
  await vscode.window.showTextDocument(target, { selection: new vscode.Range(line, 0, line, 0), preview: true });
}

/** The page of a memory. @param id in full or short; `summary` is the title of its tab */
export function memoryUri({ id, summary }: Pick<Memory, 'id' | 'summary'>): vscode.Uri {
  const title = oneLine(summary, titleCharacters)
    .replace(/[/\\?#:*"<>|%]/gu, ' ')
    .trim();
  return vscode.Uri.from({ scheme: memoryScheme, path: `/${title}.md`, query: id });
}
