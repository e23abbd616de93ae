import * as vscode from 'vscode';
import { codeKinds, kinds, type Anchor, type Memory } from '../../engine/model/memory.js';
import { withEffectiveConfidence } from '../memoryWithConfidence.js';
import type { MemoryWithConfidence } from '../../engine/model/conflict.js';
import type { EngineHolder } from '../engineHolder.js';
import { codeHash, findCode } from '../../engine/base/codeHash.js';
import { findDeclarations, toLineRange, nearestDeclaration, textOfLines, type Declaration } from './declarations.js';

/** A memory at its place in a document as it is now. */
export interface MemoryInDocument extends MemoryWithConfidence {
  readonly line: number;
  /** The code is no longer what it was when the memory was anchored. */
  readonly codeChanged: boolean;
  /** Its code as it is now: what it is compared with once a person says that it holds. */
  readonly currentAnchor: Anchor;
}

/** A document's declarations and the memories that are anchored in it. */
export interface DocumentMemories {
  readonly declarations: readonly Declaration[];
  readonly anchored: readonly MemoryInDocument[];
}

/** Most memories of one document that are shown in it. */
const maxMemoriesPerDocument = 500;

/** Finds the memories of documents; what it found is kept until the document or a memory changes. */
export class DocumentAnchors implements vscode.Disposable {
  private readonly cache = new Map<string, { readonly version: number; readonly pending: Promise<DocumentMemories> }>();
  private readonly subscriptions: { dispose(): unknown }[];

  constructor(private readonly engineHolder: EngineHolder) {
    this.subscriptions = [
      engineHolder.onDidChangeMemories(() => {
        this.cache.clear();
      }),
      vscode.workspace.onDidCloseTextDocument(document => this.cache.delete(document.uri.toString())),
    ];
  }

  memoriesIn(document: vscode.TextDocument): Promise<DocumentMemories> {
    const key = document.uri.toString();
    const { version } = document;
    const cached = this.cache.get(key);
    if (cached?.version === version) return cached.pending;
    const pending = this.load(document);
    this.cache.set(key, { version, pending });
    // A failure, and a language that was not ready yet, are asked again.
    pending.then(
      it => {
        if (it.declarations.length === 0) this.cache.delete(key);
      },
      () => this.cache.delete(key),
    );
    return pending;
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  private async load(document: vscode.TextDocument): Promise<DocumentMemories> {
    const [declarations, engine] = await Promise.all([
      findDeclarations(document),
      this.engineHolder.engineIfAvailable(),
    ]);
    if (engine === undefined) return { declarations, anchored: [] };
    const nonCodeKinds = kinds.filter(it => !codeKinds.includes(it));
    // What the code index says of a declaration stands in the code below.
    const memories = await engine.list({
      uri: document.uri.toString(),
      kinds: nonCodeKinds,
      limit: maxMemoriesPerDocument,
    });
    const anchored = memories.map(it => ({
      ...withEffectiveConfidence(engine, it),
      ...locateMemory(document, declarations, it),
    }));
    return { declarations, anchored: anchored.sort((a, b) => a.line - b.line) };
  }
}

/** Where a memory belongs now: at its symbol wherever that has moved, else where its code is, else at its lines. */
function locateMemory(
  document: vscode.TextDocument,
  declarations: readonly Declaration[],
  { provenance: { symbol, range, anchorHash } }: Memory,
): Pick<MemoryInDocument, 'line' | 'codeChanged' | 'currentAnchor'> {
  const storedLine = range?.startLine ?? 0;
  const declaration = nearestDeclaration(
    declarations.filter(it => it.name === symbol),
    storedLine,
  );
  const lineCount = range === undefined ? 0 : range.endLine - range.startLine;
  const matchedLine =
    anchorHash === undefined
      ? undefined
      : findCode(document.getText(), { hash: anchorHash, startLine: storedLine, lineCount });
  const line = declaration?.line ?? matchedLine ?? Math.max(0, Math.min(storedLine, document.lineCount - 1));
  const matchedRange =
    matchedLine === undefined ? undefined : { startLine: matchedLine, endLine: matchedLine + lineCount };
  const codeRange = matchedRange ??
    (declaration && toLineRange(declaration.range)) ?? { startLine: line, endLine: line + lineCount };
  const endLine = Math.max(line + 1, Math.min(codeRange.endLine, document.lineCount));
  const now = { startLine: Math.min(codeRange.startLine, line), endLine };
  // Without any declaration the language may just not be ready: then a symbol that is not found says nothing.
  const isComparable = range !== undefined && (symbol === undefined || declarations.length > 0);
  return {
    line,
    codeChanged: anchorHash !== undefined && isComparable && matchedLine === undefined,
    currentAnchor: { uri: document.uri.toString(), range: now, anchorHash: codeHash(textOfLines(document, now)) },
  };
}
