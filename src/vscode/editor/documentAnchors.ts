import * as vscode from 'vscode';
import { codeKinds, kinds, type Anchor, type Memory } from '../../engine/model/memory.js';
import { withEffectiveConfidence } from '../memoryWithConfidence.js';
import type { MemoryWithConfidence } from '../../engine/model/conflict.js';
import type { EngineHolder } from '../engineHolder.js';
import { codeHash, findCode } from '../../engine/base/codeHash.js';
import { findDeclarations, toLineRange, nearestDeclaration, textOfLines, type Declaration } from './declarations.js';

/** A memory located in the current text of a document. */
export interface MemoryInDocument extends MemoryWithConfidence {
  readonly line: number;
  /** Whether the code differs from the code that the memory was anchored to. */
  readonly codeChanged: boolean;
  /** The anchor to the current code, which replaces the stored one once the user confirms the memory. */
  readonly currentAnchor: Anchor;
}

/** A document's declarations and the memories that are anchored in it. */
export interface DocumentMemories {
  readonly declarations: readonly Declaration[];
  readonly anchored: readonly MemoryInDocument[];
}

const maxMemoriesPerDocument = 500;

/** Locates memories in documents. Results are cached until the document or a memory changes. */
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
    // Not cached after a failure, or while the symbol provider may still be starting.
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
    // Memories of the code index only describe the code that is shown anyway.
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

/** Locates a memory: at its symbol wherever that has moved, else at its code, else at its stored lines. */
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
  // Without any declaration the symbol provider may not be ready, so a missing symbol proves nothing.
  const isComparable = range !== undefined && (symbol === undefined || declarations.length > 0);
  return {
    line,
    codeChanged: anchorHash !== undefined && isComparable && matchedLine === undefined,
    currentAnchor: { uri: document.uri.toString(), range: now, anchorHash: codeHash(textOfLines(document, now)) },
  };
}
