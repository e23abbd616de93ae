import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';
import { commandIds, settingKeys, settingsSection } from '../contributions.js';
import type { MemorySession } from '../session.js';
import { counted } from '../words.js';
import type { Anchored, Anchors } from './anchors.js';

/**
 * When a document without declarations is looked at again, in milliseconds. A language whose extension is still
 * starting has no symbols yet, and VS Code asks for lenses again only when something has changed.
 */
const lookAgainMs = [500, 1_500, 4_000, 10_000];

/**
 * VS Code shows the lenses of all extensions only once each has answered: what takes longer comes later. A window that
 * starts needs a second or two.
 */
const answerWithinMs = 5_000;

/**
 * "Remember this" over declarations, and "3 memories" where some are anchored. VS Code is asked to ask again only if it
 * would get another answer: where it asks while another extension's lenses are being resolved, those may be left with
 * commands that are no longer there.
 */
export class MemoryCodeLens implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: { dispose(): unknown }[];
  /** Document -> how often it was looked at in vain. */
  private readonly looks = new Map<string, number>();
  private readonly timers = new Set<NodeJS.Timeout>();
  /** Document -> the lenses that VS Code waits for, or was given last. */
  private readonly answers = new Map<string, Promise<vscode.CodeLens[]>>();
  /** Document that is being looked at -> whether something has changed since. */
  private readonly looking = new Map<string, boolean>();

  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(
    session: MemorySession,
    private readonly anchors: Anchors,
  ) {
    this.subscriptions = [
      this.changed,
      session.onDidChangeMemories(() => {
        for (const it of visible()) if (this.answers.has(it.uri.toString())) this.look(it);
      }),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration(`${settingsSection}.${settingKeys.codeLensEnabled}`)) this.changed.fire();
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.looks.delete(uri.toString());
        this.answers.delete(uri.toString());
      }),
      vscode.languages.registerCodeLensProvider({ scheme: 'file' }, this),
    ];
  }

  provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const uri = document.uri.toString();
    const answer = this.answer(document, this.answers.get(uri));
    this.answers.set(uri, answer);
    return answer;
  }

  dispose(): void {
    for (const it of this.timers) clearTimeout(it);
    for (const it of this.subscriptions) it.dispose();
  }

  /** What is found in time; what was given before where that takes longer, and VS Code is told once it is found. */
  private async answer(document: vscode.TextDocument, before?: Promise<vscode.CodeLens[]>): Promise<vscode.CodeLens[]> {
    const found = await Promise.race([this.find(document), pause(answerWithinMs)]);
    if (found !== undefined) return found;
    this.look(document);
    return (await before?.catch(() => [])) ?? [];
  }

  /** Tells VS Code if what it was given is no longer what there is. */
  private look(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    if (this.looking.has(uri)) {
      this.looking.set(uri, true);
      return;
    }
    this.looking.set(uri, false);
    void this.compare(document).finally(() => {
      const isChanged = this.looking.get(uri);
      this.looking.delete(uri);
      if (isChanged === true) this.look(document);
    });
  }

  private async compare(document: vscode.TextDocument): Promise<void> {
    try {
      const lenses = await this.find(document);
      const answer = this.answers.get(document.uri.toString());
      if (answer === undefined) return; // It was closed meanwhile.
      const given = await answer.catch(() => []);
      if (visible().has(document) && nameOf(lenses) !== nameOf(given)) this.changed.fire();
    } catch {
      // Asked again with the next change, as after any failure.
    }
  }

  private async find(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const enabled = vscode.workspace.getConfiguration(settingsSection, document).get(settingKeys.codeLensEnabled);
    if (enabled === false) return [];
    const { declarations, anchored } = await this.anchors.of(document);
    if (declarations.length === 0) this.lookLater(document);
    const lenses = [...byLine(anchored)].map(([line, here]) => countLens(line, here));
    for (const { name, line } of declarations) {
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

  private lookLater(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    const looks = this.looks.get(uri) ?? 0;
    this.looks.set(uri, looks + 1);
    const afterMs = lookAgainMs[looks];
    if (afterMs === undefined) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.look(document);
    }, afterMs);
    this.timers.add(timer);
  }
}

/** VS Code asks by itself for what comes into view. */
function visible(): Set<vscode.TextDocument> {
  return new Set(vscode.window.visibleTextEditors.map(it => it.document));
}

function nameOf(lenses: readonly vscode.CodeLens[]): string {
  return JSON.stringify(lenses.map(it => [it.range.start.line, it.command]));
}

function countLens(line: number, here: readonly Anchored[]): vscode.CodeLens {
  const changed = here.some(it => it.codeChanged);
  const count = counted(here.length, 'memory');
  return new vscode.CodeLens(lineStart(line), {
    command: commandIds.showAnchored,
    // A no-break space: an ordinary one is swallowed after an icon.
    title: changed ? `$(warning)\u00a0${count} · ${vscode.l10n.t('code changed')}` : `$(bookmark)\u00a0${count}`,
    tooltip: changed
      ? vscode.l10n.t('The code has changed since: see whether they still hold')
      : vscode.l10n.t('Show what is remembered here'),
    arguments: [here.map(it => it.memory.id)],
  });
}

function byLine(anchored: readonly Anchored[]): Map<number, Anchored[]> {
  const lines = new Map<number, Anchored[]>();
  for (const it of anchored) lines.set(it.line, [...(lines.get(it.line) ?? []), it]);
  return lines;
}

function lineStart(line: number): vscode.Range {
  return new vscode.Range(line, 0, line, 0);
}
