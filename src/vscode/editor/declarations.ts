import * as vscode from 'vscode';
import type { LineRange } from '../../engine/model/memory.js';

/** A named piece of code that memories can be anchored to. */
export interface Declaration {
  /** Qualified by its parent: `Timetable.canLeave`. */
  readonly name: string;
  readonly range: vscode.Range;
  /** The line of its name. */
  readonly line: number;
}

/** Without variables, fields and headings, which would put a CodeLens on every other line. */
const declarationKinds = new Set([
  vscode.SymbolKind.Class,
  vscode.SymbolKind.Interface,
  vscode.SymbolKind.Struct,
  vscode.SymbolKind.Enum,
  vscode.SymbolKind.Function,
  vscode.SymbolKind.Method,
  vscode.SymbolKind.Constructor,
]);
/** A class and its methods. */
const maxDepth = 2;

/** The declarations of a document by its symbol provider, in document order. */
export async function findDeclarations(document: vscode.TextDocument): Promise<Declaration[]> {
  const symbols = await vscode.commands.executeCommand<
    (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
  >('vscode.executeDocumentSymbolProvider', document.uri);
  return (symbols ?? []).flatMap(it => collectDeclarations(it, '', maxDepth));
}

/** The declaration with a name; of several, the nearest to a line. */
export async function findDeclarationByName(
  document: vscode.TextDocument,
  name: string,
  line: number,
): Promise<Declaration | undefined> {
  return nearestDeclaration(
    (await findDeclarations(document)).filter(it => it.name === name),
    line,
  );
}

export function nearestDeclaration(declarations: readonly Declaration[], line: number): Declaration | undefined {
  return [...declarations].sort((a, b) => Math.abs(a.line - line) - Math.abs(b.line - line))[0];
}

/** The innermost declaration that contains a range. */
export async function findEnclosingDeclaration(
  document: vscode.TextDocument,
  range: vscode.Range,
): Promise<Declaration | undefined> {
  return (await findDeclarations(document)).filter(it => it.range.contains(range)).at(-1);
}

/** Whole lines, end exclusive. */
export function toLineRange(range: vscode.Range): LineRange {
  const endsBeforeLine = range.end.character === 0 && range.end.line > range.start.line;
  return { startLine: range.start.line, endLine: range.end.line + (endsBeforeLine ? 0 : 1) };
}

export function textOfLines(document: vscode.TextDocument, { startLine, endLine }: LineRange): string {
  return document.getText(new vscode.Range(startLine, 0, endLine, 0));
}

function collectDeclarations(
  symbol: vscode.DocumentSymbol | vscode.SymbolInformation,
  parent: string,
  depth: number,
): Declaration[] {
  const name = parent === '' ? symbol.name : `${parent}.${symbol.name}`;
  // Older providers return a flat list of SymbolInformation.
  if (!('children' in symbol)) return toDeclarations(symbol);
  const { range, selectionRange, kind, children } = symbol;
  const inner = depth > 1 ? children.flatMap(it => collectDeclarations(it, name, depth - 1)) : [];
  return declarationKinds.has(kind) ? [{ name, range, line: selectionRange.start.line }, ...inner] : inner;
}

function toDeclarations({ name, kind, containerName, location }: vscode.SymbolInformation): Declaration[] {
  if (!declarationKinds.has(kind)) return [];
  const full = containerName === '' ? name : `${containerName}.${name}`;
  return [{ name: full, range: location.range, line: location.range.start.line }];
}
