import * as vscode from 'vscode';
import { codeKinds, kinds, type Memory } from '../../engine/model/memory.js';
import { shown } from '../explorer/content.js';
import type { Shown } from '../present.js';
import type { MemorySession } from '../session.js';
import { codeHash } from '../../engine/base/codeHash.js';
import { codeOf, declarationsOf, nearest, rangeText, type Declaration } from './declarations.js';

/** A memory at its place in a document as it is now. */
export interface Anchored extends Shown {
  readonly line: number;
  /** The code is no longer what it was when the memory was anchored. */
  readonly codeChanged: boolean;
}

/** A document's declarations and the memories that are anchored in it. */
export interface DocumentMemories {
  readonly declarations: readonly Declaration[];
  readonly anchored: readonly Anchored[];
}

/** Most memories of one document that are shown in it. */
const perDocument = 500;

/** Finds the memories of documents; what it found is kept until the document or a memory changes. */
export class Anchors implements vscode.Disposable {
  private readonly known = new Map<string, { readonly version: number; readonly found: Promise<DocumentMemories> }>();
  private readonly subscriptions: { dispose(): unknown }[];

  constructor(private readonly session: MemorySession) {
    this.subscriptions = [
      session.onDidChangeMemories(() => {
        this.known.clear();
      }),
      vscode.workspace.onDidCloseTextDocument(document => this.known.delete(document.uri.toString())),
    ];
  }

  of(document: vscode.TextDocument): Promise<DocumentMemories> {
    const key = document.uri.toString();
    const { version } = document;
    const known = this.known.get(key);
    if (known?.version === version) return known.found;
    const found = this.find(document);
    this.known.set(key, { version, found });
    // A failure, and a language that was not ready yet, are asked again.
    found.then(
      it => {
        if (it.declarations.length === 0) this.known.delete(key);
      },
      () => this.known.delete(key),
    );
    return found;
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  private async find(document: vscode.TextDocument): Promise<DocumentMemories> {
    const [declarations, engine] = await Promise.all([declarationsOf(document), this.session.engineForDisplay()]);
    if (engine === undefined) return { declarations, anchored: [] };
    const kindsOfPeople = kinds.filter(it => !codeKinds.includes(it));
    // What the code index says of a declaration stands in the code below.
    const memories = await engine.list({ uri: document.uri.toString(), kinds: kindsOfPeople, limit: perDocument });
    const anchored = memories.map(it => ({ ...shown(engine, it), ...place(document, declarations, it) }));
    return { declarations, anchored: anchored.sort((a, b) => a.line - b.line) };
  }
}

/** Where a memory belongs now: at its symbol wherever that has moved, else at the lines it was given. */
function place(
  document: vscode.TextDocument,
  declarations: readonly Declaration[],
  { provenance: { symbol, range, anchorHash } }: Memory,
): Pick<Anchored, 'line' | 'codeChanged'> {
  const given = range?.startLine ?? 0;
  const declaration = nearest(
    declarations.filter(it => it.name === symbol),
    given,
  );
  const changed = (code: string): boolean => anchorHash !== undefined && codeHash(code) !== anchorHash;
  if (declaration !== undefined) {
    return { line: declaration.line, codeChanged: changed(codeOf(document, declaration)) };
  }
  const line = Math.max(0, Math.min(given, document.lineCount - 1));
  // The symbol it was about is gone. (Without any declaration the language may just not be ready: then say nothing.)
  if (symbol !== undefined) return { line, codeChanged: declarations.length > 0 && anchorHash !== undefined };
  return { line, codeChanged: range !== undefined && changed(rangeText(document, range)) };
}
