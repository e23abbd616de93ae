import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';
import type { IndexInput, MemoryEngine, SymbolSource } from '../../engine/engine.js';
import type { CodeSymbol, ExcludePattern, IndexReport, SymbolKind } from '../../engine/model/codeIndex.js';
import { commandIds, type CommandId } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import { countLabel, formatInteger } from '../l10n/labels.js';
import { openReport } from '../ui/report.js';
import { withProgress } from '../ui/progress.js';
import { requireTrust } from '../ui/workspaceFolders.js';
import type { CommandRegistry } from './commandRegistry.js';

/** A symbol provider that is slower is still starting, or stuck; the engine's own parsers are used instead. */
const symbolProviderTimeoutMs = 3_000;
const maxTimeoutsPerLanguage = 2;

/** "Index This File" and "Index Workspace". Both require a trusted workspace. */
export function registerCodeIndex(commands: CommandRegistry, engineHolder: EngineHolder): void {
  commands.register(commandIds.indexFile, async dropped => {
    requireTrustToIndex();
    if (Array.isArray(dropped)) {
      await indexAndNotify({ commands, engineHolder, id: commandIds.indexFile }, toFilePaths(dropped));
      return;
    }
    const document = vscode.window.activeTextEditor?.document;
    if (document?.uri.scheme !== 'file') {
      throw new EngineError('invalidInput', vscode.l10n.t('Open a file of the project first.'));
    }
    if (document.isDirty && !(await document.save())) return;
    await indexAndNotify({ commands, engineHolder, id: commandIds.indexFile }, [document.uri.fsPath]);
  });
  commands.register(commandIds.indexWorkspace, async () => {
    await indexAndNotify({ commands, engineHolder, id: commandIds.indexWorkspace }, undefined);
  });
}

/** Returns the paths of the resources that are files or folders on disk. */
function toFilePaths(dropped: readonly unknown[]): readonly string[] {
  const files = dropped.filter(it => it instanceof vscode.Uri && it.scheme === 'file') as readonly vscode.Uri[];
  if (files.length > 0) return files.map(it => it.fsPath);
  throw new EngineError('invalidInput', vscode.l10n.t('Only files and folders of the project can be indexed.'));
}

interface IndexCommandDependencies {
  readonly commands: CommandRegistry;
  readonly engineHolder: EngineHolder;
  readonly id: CommandId;
}

async function indexAndNotify(
  { commands, engineHolder, id }: IndexCommandDependencies,
  paths: readonly string[] | undefined,
): Promise<void> {
  const engine = await engineHolder.engine();
  const options = { title: vscode.l10n.t('Indexing code'), unit: formatInteger };
  const report = await withProgress(options, progressContext =>
    indexCode(engine, { ...(paths === undefined ? {} : { paths }), ...progressContext }),
  );
  const details = (): Promise<void> => openReport(failureReport(report));
  const actions = report.failed.length === 0 ? [] : [{ title: vscode.l10n.t('Details'), run: details }];
  commands.notify(id, { message: describeIndexReport(report), topic: 'indexed', actions });
}

/**
 * Indexes files of the workspace, or all of it, with the declarations that the editor's symbol providers report. A
 * cancelled run resumes the next time.
 * @throws EngineError invalidInput where the workspace is not trusted, and what the index throws
 */
export async function indexCode(
  engine: MemoryEngine,
  options: Pick<IndexInput, 'paths' | 'signal' | 'onProgress'>,
): Promise<IndexReport> {
  requireTrustToIndex();
  return engine.codeIndex.run({ ...options, symbols: createSymbolSource(), exclude: excludedFiles() });
}

function requireTrustToIndex(): void {
  requireTrust(vscode.l10n.t('This folder is not trusted, so its code is not indexed. Trust it first.'));
}

/** Summarizes an index run in a few sentences. */
export function describeIndexReport({
  status,
  indexed,
  unchanged,
  removed,
  pairs,
  archived,
  leftOut,
  refused,
  failed,
  describedByModel,
  waitingForModel = 0,
}: IndexReport): string {
  const skippedCount = Object.values(leftOut).reduce((sum, it) => sum + it, 0);
  const summary =
    indexed + removed === 0
      ? vscode.l10n.t(
          'The code index is up to date: {0}, {1} left out.',
          countLabel(unchanged, 'file'),
          formatInteger(skippedCount),
        )
      : vscode.l10n.t(
          '{0} indexed: {1} made, {2} forgotten; {3} unchanged, {4} left out.',
          countLabel(indexed, 'file'),
          countLabel(pairs, 'description'),
          countLabel(archived, 'memory'),
          formatInteger(unchanged),
          formatInteger(skippedCount),
        );
  return [
    summary,
    ...(failed.length === 0
      ? []
      : [vscode.l10n.t('Skipped, because they could not be described: {0}.', formatInteger(failed.length))]),
    ...(refused === 0
      ? []
      : [vscode.l10n.t('Refused, for a secret or because you chose to forget it: {0}.', formatInteger(refused))]),
    ...(describedByModel === undefined
      ? []
      : [vscode.l10n.t('Described by the language model: {0}.', countLabel(describedByModel, 'declaration'))]),
    ...(waitingForModel === 0
      ? []
      : [vscode.l10n.t('{0} wait for the next run.', countLabel(waitingForModel, 'declaration'))]),
    ...(status === 'done' ? [] : [vscode.l10n.t('It was cancelled; index again to go on from there.')]),
  ].join(' ');
}

/** The files and declarations that could not be described, with the problem. */
function failureReport({ failed }: IndexReport): string {
  const title = vscode.l10n.t('Skipped, because they could not be described: {0}.', formatInteger(failed.length));
  const lines = failed.map(({ file, symbol, problem }) =>
    symbol === undefined ? `- \`${file}\`: ${problem}` : `- \`${file}\`, \`${symbol}\`: ${problem}`,
  );
  return `# ${title}\n\n${lines.join('\n')}\n`;
}

/** The patterns of the setting `files.exclude`. */
function excludedFiles(): ExcludePattern[] {
  const patterns = vscode.workspace.getConfiguration('files').get<Readonly<Record<string, unknown>>>('exclude') ?? {};
  return Object.entries(patterns).flatMap(([pattern, value]) => {
    if (value === true) return [{ pattern }];
    const when = typeof value === 'object' && value !== null && 'when' in value ? value.when : undefined;
    return typeof when === 'string' ? [{ pattern, when }] : [];
  });
}

/**
 * Declarations from the symbol providers of the editor. A language that has timed out twice is skipped for the rest of
 * the run, because thousands of files would wait for it.
 */
function createSymbolSource(): SymbolSource {
  const timeoutsByLanguage = new Map<string, number>();
  return async ({ file, text }) => {
    const language = file.slice(file.lastIndexOf('.'));
    const timeouts = timeoutsByLanguage.get(language) ?? 0;
    if (timeouts >= maxTimeoutsPerLanguage) return undefined;
    const symbols = await requestSymbols(file, text);
    if (symbols === 'timedOut') timeoutsByLanguage.set(language, timeouts + 1);
    return symbols === 'timedOut' ? undefined : symbols;
  };
}

async function requestSymbols(file: string, text: string): Promise<readonly CodeSymbol[] | 'timedOut' | undefined> {
  let document: vscode.TextDocument;
  try {
    document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  } catch {
    return undefined; // The editor cannot open files of this encoding or size.
  }
  // The text on disk is indexed, so symbols of an edited document do not fit.
  if (document.isDirty || document.lineCount !== text.split(/\r\n?|\n/u).length) return undefined;
  const request = vscode.commands.executeCommand<(vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    document.uri,
  );
  const response = await Promise.race([
    Promise.resolve(request).catch(() => undefined),
    new Promise<'timedOut'>(resolve => setTimeout(resolve, symbolProviderTimeoutMs, 'timedOut')),
  ]);
  if (response === 'timedOut') return 'timedOut';
  // A flat list of SymbolInformation lacks the nesting.
  const symbols = (response ?? []).flatMap(it => ('children' in it ? collectSymbols(it, '', maxSymbolDepth) : []));
  return symbols.length === 0 ? undefined : symbols;
}

/** Namespace, class, method. */
const maxSymbolDepth = 3;
const symbolKinds: Readonly<Partial<Record<vscode.SymbolKind, SymbolKind>>> = {
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

function collectSymbols(symbol: vscode.DocumentSymbol, parent: string, depth: number): CodeSymbol[] {
  const kind = symbolKinds[symbol.kind];
  if (kind === undefined) return [];
  const name = parent === '' ? symbol.name : `${parent}.${symbol.name}`;
  const { start, end } = symbol.range;
  const codeSymbol: CodeSymbol = {
    name,
    kind,
    startLine: start.line,
    startCharacter: start.character,
    endLine: end.line,
    endCharacter: end.character,
  };
  // Declarations inside a function are not indexed.
  const isCode = kind === 'function' || kind === 'method' || kind === 'constructor';
  if (isCode || depth <= 1) return [codeSymbol];
  return [codeSymbol, ...symbol.children.flatMap(it => collectSymbols(it, name, depth - 1))];
}
