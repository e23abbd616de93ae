import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';
import type { IndexInput, MemoryEngine, SymbolSource } from '../../engine/engine.js';
import type { CodeSymbol, ExcludePattern, IndexReport, SymbolKind } from '../../engine/model/codeIndex.js';
import { commandIds, type CommandId } from '../contributions.js';
import type { MemorySession } from '../session.js';
import { counted, countWord } from '../words.js';
import { withProgress } from './progress.js';
import type { Commands } from './registry.js';

/** A language's extension that has not answered by then is still starting, or stuck; the parsers are asked instead. */
const patienceMs = 3_000;
const mostMisses = 2;

/** "Index This File" and "Index Workspace…". Never in a folder that is not trusted. */
export function registerCodeIndex(commands: Commands, session: MemorySession): void {
  commands.register(commandIds.indexFile, async dropped => {
    checkTrust();
    if (Array.isArray(dropped)) {
      await index({ commands, session, id: commandIds.indexFile }, filesOf(dropped));
      return;
    }
    const document = vscode.window.activeTextEditor?.document;
    if (document?.uri.scheme !== 'file') {
      throw new EngineError('invalidInput', vscode.l10n.t('Open a file of the project first.'));
    }
    if (document.isDirty && !(await document.save())) return;
    await index({ commands, session, id: commandIds.indexFile }, [document.uri.fsPath]);
  });
  commands.register(commandIds.indexWorkspace, async () => {
    await index({ commands, session, id: commandIds.indexWorkspace }, undefined);
  });
}

/** @param dropped resources; @returns the paths of those that are files or folders on disk */
function filesOf(dropped: readonly unknown[]): readonly string[] {
  const files = dropped.filter(it => it instanceof vscode.Uri && it.scheme === 'file') as readonly vscode.Uri[];
  if (files.length > 0) return files.map(it => it.fsPath);
  throw new EngineError('invalidInput', vscode.l10n.t('Only files and folders of the project can be indexed.'));
}

interface Parts {
  readonly commands: Commands;
  readonly session: MemorySession;
  readonly id: CommandId;
}

async function index({ commands, session, id }: Parts, paths: readonly string[] | undefined): Promise<void> {
  const engine = await session.engine();
  const options = { title: vscode.l10n.t('Indexing code'), unit: countWord };
  const report = await withProgress(options, means =>
    indexCode(engine, { ...(paths === undefined ? {} : { paths }), ...means }),
  );
  commands.tell(id, { message: indexSentence(report), topic: 'indexed' });
}

/**
 * Indexes files of the workspace, or all of it, as the editor sees their declarations. Called off by the signal, it goes on
 * from there the next time.
 * @throws EngineError invalidInput where the folder is not trusted, and what the index throws
 */
export async function indexCode(
  engine: MemoryEngine,
  options: Pick<IndexInput, 'paths' | 'signal' | 'onProgress'>,
): Promise<IndexReport> {
  checkTrust();
  return engine.codeIndex.run({ ...options, symbols: documentSymbols(), exclude: hiddenFiles() });
}

function checkTrust(): void {
  if (vscode.workspace.isTrusted) return;
  throw new EngineError(
    'invalidInput',
    vscode.l10n.t('This folder is not trusted, so its code is not indexed. Trust it first.'),
  );
}

/** What an index run did, in one or two sentences. */
export function indexSentence({
  status,
  indexed,
  unchanged,
  removed,
  pairs,
  archived,
  leftOut,
  refused,
}: IndexReport): string {
  const left = Object.values(leftOut).reduce((sum, it) => sum + it, 0);
  const done =
    indexed + removed === 0
      ? vscode.l10n.t('The code index is up to date: {0}, {1} left out.', counted(unchanged, 'file'), countWord(left))
      : vscode.l10n.t(
          '{0} indexed: {1} made, {2} archived; {3} unchanged, {4} left out.',
          counted(indexed, 'file'),
          counted(pairs, 'description'),
          counted(archived, 'memory'),
          countWord(unchanged),
          countWord(left),
        );
  const secrets =
    refused === 0
      ? ''
      : ` ${vscode.l10n.t('Refused, for a secret or because you chose to forget it: {0}.', countWord(refused))}`;
  const off = status === 'done' ? '' : ` ${vscode.l10n.t('It was called off; index again to go on from there.')}`;
  return done + secrets + off;
}

/** `files.exclude` of the window. */
function hiddenFiles(): ExcludePattern[] {
  const patterns = vscode.workspace.getConfiguration('files').get<Readonly<Record<string, unknown>>>('exclude') ?? {};
  return Object.entries(patterns).flatMap(([pattern, value]) => {
    if (value === true) return [{ pattern }];
    const when = typeof value === 'object' && value !== null && 'when' in value ? value.when : undefined;
    return typeof when === 'string' ? [{ pattern, when }] : [];
  });
}

/**
 * The declarations as the document's own language sees them. One that was too slow twice is not asked again in this run:
 * thousands of files would wait for it.
 */
function documentSymbols(): SymbolSource {
  const slow = new Map<string, number>();
  return async ({ file, text }) => {
    const language = file.slice(file.lastIndexOf('.'));
    const misses = slow.get(language) ?? 0;
    if (misses >= mostMisses) return undefined;
    const found = await askedSymbols(file, text);
    if (found === 'slow') slow.set(language, misses + 1);
    return found === 'slow' ? undefined : found;
  };
}

async function askedSymbols(file: string, text: string): Promise<readonly CodeSymbol[] | 'slow' | undefined> {
  let document: vscode.TextDocument;
  try {
    document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  } catch {
    return undefined; // The editor takes no file of this encoding or size.
  }
  // What somebody is typing is not what is indexed.
  if (document.isDirty || document.lineCount !== text.split(/\r\n?|\n/u).length) return undefined;
  const asked = vscode.commands.executeCommand<(vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    document.uri,
  );
  const found = await Promise.race([
    Promise.resolve(asked).catch(() => undefined),
    new Promise<'slow'>(resolve => setTimeout(resolve, patienceMs, 'slow')),
  ]);
  if (found === 'slow') return 'slow';
  // A flat list does not say what is in what.
  const symbols = (found ?? []).flatMap(it => ('children' in it ? symbolsIn(it, '', deepest) : []));
  return symbols.length === 0 ? undefined : symbols;
}

/** Namespace, class, method. */
const deepest = 3;
const kinds: Readonly<Partial<Record<vscode.SymbolKind, SymbolKind>>> = {
  [vscode.SymbolKind.Class]: 'class',
  [vscode.SymbolKind.Interface]: 'interface',
  [vscode.SymbolKind.Struct]: 'struct',
  [vscode.SymbolKind.Enum]: 'enum',
  [vscode.SymbolKind.Function]: 'function',
  [vscode.SymbolKind.Method]: 'method',
  [vscode.SymbolKind.Constructor]: 'constructor',
  [vscode.SymbolKind.Module]: 'module',
  [vscode.SymbolKind.Namespace]: 'module',
};

function symbolsIn(symbol: vscode.DocumentSymbol, parent: string, depth: number): CodeSymbol[] {
  const kind = kinds[symbol.kind];
  if (kind === undefined) return [];
  const name = parent === '' ? symbol.name : `${parent}.${symbol.name}`;
  const { start, end } = symbol.range;
  const own: CodeSymbol = {
    name,
    kind,
    startLine: start.line,
    startCharacter: start.character,
    endLine: end.line,
    endCharacter: end.character,
  };
  // What is inside of a function is detail.
  const isCode = kind === 'function' || kind === 'method' || kind === 'constructor';
  if (isCode || depth <= 1) return [own];
  return [own, ...symbol.children.flatMap(it => symbolsIn(it, name, depth - 1))];
}
