import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';
import { commandIds, settingKeys, settingsSection } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import { countLabel } from '../l10n/labels.js';
import type { Declaration } from './declarations.js';
import type { MemoryInDocument, DocumentAnchors } from './documentAnchors.js';

/**
 * Retries for a document without declarations. A language whose extension is still starting has no symbols yet, and
 * VS Code requests lenses again only after a change event.
 */
const retryDelaysMs = [500, 1_500, 4_000, 10_000];

/**
 * VS Code shows no lenses before every extension has provided its own. Lenses that take longer are added later by a
 * change event. A starting window needs a second or two.
 */
const responseTimeoutMs = 5_000;

/** The cursor rests this long before the lens follows it, in milliseconds: lines move where lenses come and go. */
const cursorRestMs = 250;

/** Which declarations have "Remember this": the one around the cursor, or all. */
type CodeLensMode = 'cursor' | 'all' | 'off';

/**
 * "Remember this" over the declaration around the cursor or all declarations, and "3 memories" where some are anchored. Fires a change event only when the
 * lenses differ: a request while VS Code resolves another extension's lenses may leave those with commands that no
 * longer exist.
 */
export class MemoryCodeLens implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changeEmitter = new vscode.EventEmitter<void>();
  private readonly subscriptions: { dispose(): unknown }[];
  /** Document -> number of retries. */
  private readonly retryCounts = new Map<string, number>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private cursorTimer: NodeJS.Timeout | undefined;
  /** Document -> the lenses that VS Code awaits, or got last. */
  private readonly provided = new Map<string, Promise<vscode.CodeLens[]>>();
  /** Document with a check in progress -> whether another check was requested meanwhile. */
  private readonly pendingChecks = new Map<string, boolean>();

  readonly onDidChangeCodeLenses = this.changeEmitter.event;

  constructor(
    engineHolder: EngineHolder,
    private readonly documentAnchors: DocumentAnchors,
  ) {
    this.subscriptions = [
      this.changeEmitter,
      engineHolder.onDidChangeMemories(() => {
        for (const it of visibleDocuments()) if (this.provided.has(it.uri.toString())) this.checkForChanges(it);
      }),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration(`${settingsSection}.${settingKeys.codeLens}`)) this.changeEmitter.fire();
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        this.followCursor(textEditor.document);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.retryCounts.delete(uri.toString());
        this.provided.delete(uri.toString());
      }),
      vscode.languages.registerCodeLensProvider({ scheme: 'file' }, this),
    ];
  }

  provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const uri = document.uri.toString();
    const answer = this.provideInTime(document, this.provided.get(uri));
    this.provided.set(uri, answer);
    return answer;
  }

  dispose(): void {
    for (const it of this.timers) clearTimeout(it);
    clearTimeout(this.cursorTimer);
    for (const it of this.subscriptions) it.dispose();
  }

  /** The lenses, or after the timeout the previous ones; then a change event follows once the lenses are found. */
  private async provideInTime(
    document: vscode.TextDocument,
    previousLenses?: Promise<vscode.CodeLens[]>,
  ): Promise<vscode.CodeLens[]> {
    const lenses = await Promise.race([this.createLenses(document), pause(responseTimeoutMs)]);
    if (lenses !== undefined) return lenses;
    this.checkForChanges(document);
    return (await previousLenses?.catch(() => [])) ?? [];
  }

  /** Fires a change event if the lenses differ from those that VS Code got. */
  private checkForChanges(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    if (this.pendingChecks.has(uri)) {
      this.pendingChecks.set(uri, true);
      return;
    }
    this.pendingChecks.set(uri, false);
    void this.fireIfChanged(document).finally(() => {
      const isChanged = this.pendingChecks.get(uri);
      this.pendingChecks.delete(uri);
      if (isChanged === true) this.checkForChanges(document);
    });
  }

  private async fireIfChanged(document: vscode.TextDocument): Promise<void> {
    try {
      const lenses = await this.createLenses(document);
      const providedLenses = this.provided.get(document.uri.toString());
      if (providedLenses === undefined) return; // The document was closed meanwhile.
      const previousLenses = await providedLenses.catch(() => []);
      if (visibleDocuments().has(document) && lensesKey(lenses) !== lensesKey(previousLenses))
        this.changeEmitter.fire();
    } catch {
      // The next change triggers another check.
    }
  }

  private followCursor(document: vscode.TextDocument): void {
    if (!this.provided.has(document.uri.toString()) || modeFor(document) !== 'cursor') return;
    clearTimeout(this.cursorTimer);
    this.cursorTimer = setTimeout(() => {
      this.checkForChanges(document);
    }, cursorRestMs);
  }

  private async createLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const mode = modeFor(document);
    if (mode === 'off') return [];
    const { declarations, anchored } = await this.documentAnchors.memoriesIn(document);
    if (declarations.length === 0) this.scheduleRetry(document);
    const lenses = [...groupByLine(anchored)].map(([line, memoriesOnLine]) => createCountLens(line, memoriesOnLine));
    const offered = mode === 'all' ? declarations : declarationsAtCursor(document, declarations);
    for (const { name, line } of offered) {
      lenses.push(
        new vscode.CodeLens(lineStart(line), {
          command: commandIds.rememberSymbol,
          title: vscode.l10n.t('Remember this'),
          tooltip: vscode.l10n.t('Keep a note about {0} in Recollect', name),
          arguments: [document.uri.toString(), name, line],
        }),
      );
    }
    return lenses;
  }

  private scheduleRetry(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    const retries = this.retryCounts.get(uri) ?? 0;
    this.retryCounts.set(uri, retries + 1);
    const delayMs = retryDelaysMs[retries];
    if (delayMs === undefined) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.checkForChanges(document);
    }, delayMs);
    this.timers.add(timer);
  }
}

function modeFor(document: vscode.TextDocument): CodeLensMode {
  return vscode.workspace.getConfiguration(settingsSection, document).get<CodeLensMode>(settingKeys.codeLens, 'cursor');
}

/** The innermost declaration around the cursor of each visible editor of a document. */
function declarationsAtCursor(
  document: vscode.TextDocument,
  declarations: readonly Declaration[],
): ReadonlySet<Declaration> {
  const editors = vscode.window.visibleTextEditors.filter(it => it.document === document);
  const innermost = editors.map(({ selection }) =>
    declarations.findLast(
      ({ range }) => range.start.line <= selection.active.line && selection.active.line <= range.end.line,
    ),
  );
  return new Set(innermost.filter(it => it !== undefined));
}

/** Only visible documents need a change event: VS Code requests lenses when a document becomes visible. */
function visibleDocuments(): Set<vscode.TextDocument> {
  return new Set(vscode.window.visibleTextEditors.map(it => it.document));
}

function lensesKey(lenses: readonly vscode.CodeLens[]): string {
  return JSON.stringify(lenses.map(it => [it.range.start.line, it.command]));
}

function createCountLens(line: number, memories: readonly MemoryInDocument[]): vscode.CodeLens {
  const changed = memories.some(it => it.codeChanged);
  const count = countLabel(memories.length, 'memory');
  return new vscode.CodeLens(lineStart(line), {
    command: commandIds.showAnchored,
    // VS Code swallows an ordinary space after an icon.
    title: changed ? `$(warning)\u00a0${count} · ${vscode.l10n.t('code changed')}` : `$(bookmark)\u00a0${count}`,
    tooltip: changed
      ? vscode.l10n.t('The code has changed since: see whether they still hold')
      : vscode.l10n.t('Show what is remembered here'),
    arguments: [memories.map(it => it.memory.id)],
  });
}

function groupByLine(anchored: readonly MemoryInDocument[]): Map<number, MemoryInDocument[]> {
  const lines = new Map<number, MemoryInDocument[]>();
  for (const it of anchored) lines.set(it.line, [...(lines.get(it.line) ?? []), it]);
  return lines;
}

function lineStart(line: number): vscode.Range {
  return new vscode.Range(line, 0, line, 0);
}
