import * as vscode from 'vscode';
import { codeKinds, kinds, type Anchor, type Memory } from '../../engine/model/memory.js';
import { shown } from '../explorer/content.js';
import type { Shown } from '../present.js';
import type { MemorySession } from '../session.js';
import { codeHash, findCode } from '../../engine/base/codeHash.js';
import { declarationsOf, linesOf, nearest, rangeText, type Declaration } from './declarations.js';

/** A memory at its place in a document as it is now. */
export interface Anchored extends Shown {
  readonly line: number;
  /** The code is no longer what it was when the memory was anchored. */
  readonly codeChanged: boolean;
  /** Its code as it is now: what it is compared with once a person says that it holds. */
  readonly now: Anchor;
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

/** Where a memory belongs now: at its symbol wherever that has moved, else where its code is, else at its lines. */
function place(
  document: vscode.TextDocument,
  declarations: readonly Declaration[],
  { provenance: { symbol, range, anchorHash } }: Memory,
): Pick<Anchored, 'line' | 'codeChanged' | 'now'> {
  const given = range?.startLine ?? 0;
  const declaration = nearest(
    declarations.filter(it => it.name === symbol),
    given,
  );
  const lineCount = range === undefined ? 0 : range.endLine - range.startLine;
  const found =
    anchorHash === undefined
      ? undefined
      : findCode(document.getText(), { hash: anchorHash, startLine: given, lineCount });
  const line = declaration?.line ?? found ?? Math.max(0, Math.min(given, document.lineCount - 1));
  const same = found === undefined ? undefined : { startLine: found, endLine: found + lineCount };
  const lines = same ?? (declaration && linesOf(declaration.range)) ?? { startLine: line, endLine: line + lineCount };
  const endLine = Math.max(line + 1, Math.min(lines.endLine, document.lineCount));
  const now = { startLine: Math.min(lines.startLine, line), endLine };
  // Without any declaration the language may just not be ready: then a symbol that is not found says nothing.
  const isKnown = range !== undefined && (symbol === undefined || declarations.length > 0);
  return {
    line,
    codeChanged: anchorHash !== undefined && isKnown && found === undefined,
    now: { uri: document.uri.toString(), range: now, anchorHash: codeHash(rangeText(document, now)) },
  };
}
