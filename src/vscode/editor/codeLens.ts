import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';
import { commandIds, settingKeys, settingsSection } from '../contributions.js';
import type { MemorySession } from '../session.js';
import { counted } from '../words.js';
import type { Anchored, Anchors, DocumentMemories } from './anchors.js';

/**
 * When a document without declarations is looked at again, in milliseconds. A language whose extension is still
 * starting has no symbols yet, and VS Code asks for lenses again only when something has changed.
 */
const lookAgainMs = [500, 1_500, 4_000, 10_000];

/** VS Code shows the lenses of all extensions only once each has answered: what takes longer comes later. */
const answerWithinMs = 1_000;

/** "Remember this" over declarations, and "3 memories" where some are anchored. */
export class MemoryCodeLens implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: { dispose(): unknown }[];
  /** Document -> how often it was looked at in vain. */
  private readonly looks = new Map<string, number>();
  /** Document -> what was found in it last. */
  private readonly latest = new Map<string, DocumentMemories>();
  private readonly timers = new Set<NodeJS.Timeout>();

  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(
    session: MemorySession,
    private readonly anchors: Anchors,
  ) {
    this.subscriptions = [
      this.changed,
      session.onDidChangeMemories(() => {
        this.changed.fire();
      }),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration(`${settingsSection}.${settingKeys.codeLensEnabled}`)) this.changed.fire();
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.looks.delete(uri.toString());
        this.latest.delete(uri.toString());
      }),
      vscode.languages.registerCodeLensProvider({ scheme: 'file' }, this),
    ];
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const enabled = vscode.workspace.getConfiguration(settingsSection, document).get(settingKeys.codeLensEnabled);
    if (enabled === false) return [];
    const uri = document.uri.toString();
    const { declarations, anchored } = await this.findSoon(document);
    const lenses = [...byLine(anchored)].map(([line, here]) => countLens(line, here));
    for (const { name, line } of declarations) {
      lenses.push(
        new vscode.CodeLens(lineStart(line), {
          command: commandIds.rememberSymbol,
          title: vscode.l10n.t('Remember this'),
          tooltip: vscode.l10n.t('Keep a note about {0} in Recollect', name),
          arguments: [uri, name, line],
        }),
      );
    }
    return lenses;
  }

  dispose(): void {
    for (const it of this.timers) clearTimeout(it);
    for (const it of this.subscriptions) it.dispose();
  }

  /** What is in a document; what was in it last where that takes long: VS Code is told when it is found. */
  private async findSoon(document: vscode.TextDocument): Promise<DocumentMemories> {
    const uri = document.uri.toString();
    const keep = (found: DocumentMemories): void => {
      if (!document.isClosed) this.latest.set(uri, found);
      if (found.declarations.length === 0) this.lookAgain(uri);
    };
    const finding = this.anchors.of(document);
    const soon = await Promise.race([finding, pause(answerWithinMs)]);
    if (soon !== undefined) {
      keep(soon);
      return soon;
    }
    finding.then(
      late => {
        keep(late);
        if (late.declarations.length > 0) this.changed.fire();
      },
      // Asked again with the next change, as after any failure.
      () => undefined,
    );
    return this.latest.get(uri) ?? { declarations: [], anchored: [] };
  }

  private lookAgain(uri: string): void {
    const looks = this.looks.get(uri) ?? 0;
    this.looks.set(uri, looks + 1);
    const afterMs = lookAgainMs[looks];
    if (afterMs === undefined) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.changed.fire();
    }, afterMs);
    this.timers.add(timer);
  }
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
