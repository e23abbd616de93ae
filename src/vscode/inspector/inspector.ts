import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { decayClasses, gates, kinds, lanes, storeKinds } from '../../engine/model/memory.js';
import type { FromWebview, RequestMessage, Start, Target, ToWebview, Words } from '../../protocol.js';
import { inspectorViewType } from '../contributions.js';
import { measureWords } from '../engineWords.js';
import { sentenceOf } from '../sentence.js';
import type { MemorySession } from '../session.js';
import { decayClassWord, gateWord, kindWord, laneWord, storeWord } from '../words.js';
import { answer, type Desk } from './answers.js';
import { pageHtml } from './page.js';

/** Changes that come this close together are told to the webview as one. */
const settleMs = 250;

export interface InspectorParts {
  readonly extensionUri: vscode.Uri;
  readonly session: MemorySession;
  readonly desk: Desk;
  /** For failures of requests, which the webview shows to the person. */
  readonly onFailure: (name: string, error: unknown) => void;
}

/** The Memory Inspector: one panel, opened by commands and by VS Code when a window comes back. */
export class Inspector implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private open: InspectorPanel | undefined;
  private readonly registration: vscode.Disposable;

  constructor(private readonly parts: InspectorParts) {
    this.registration = vscode.window.registerWebviewPanelSerializer(inspectorViewType, this);
  }

  /** Opens the inspector, or goes to it where it is open. */
  show(target?: Target): void {
    if (this.open === undefined) {
      const column = vscode.window.activeTextEditor?.viewColumn ?? vscode.ViewColumn.Active;
      this.adopt(vscode.window.createWebviewPanel(inspectorViewType, '', column), target);
    } else {
      this.open.show(target);
    }
  }

  /** What was shown, the webview knows itself. */
  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.adopt(panel, undefined);
    return Promise.resolve();
  }

  dispose(): void {
    this.registration.dispose();
    this.open?.dispose();
  }

  private adopt(panel: vscode.WebviewPanel, target: Target | undefined): void {
    const mine = new InspectorPanel(panel, target, this.parts);
    this.open = mine;
    panel.onDidDispose(() => {
      mine.dispose();
      if (this.open === mine) this.open = undefined;
    });
  }
}

/** One webview and what it is told. */
class InspectorPanel implements vscode.Disposable {
  private readonly subscriptions: { dispose(): unknown }[] = [];
  private settling: NodeJS.Timeout | undefined;
  /** The script listens; before, messages would be lost. */
  private ready = false;

  constructor(
    private readonly panel: vscode.WebviewPanel,
    private target: Target | undefined,
    private readonly parts: InspectorParts,
  ) {
    const { extensionUri, session } = parts;
    const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
    const { webview } = panel;
    panel.title = vscode.l10n.t('Memory Inspector');
    panel.iconPath = {
      light: vscode.Uri.joinPath(extensionUri, 'media', 'recollect.svg'),
      dark: vscode.Uri.joinPath(extensionUri, 'media', 'recollect-dark.svg'),
    };
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    this.subscriptions.push(
      webview.onDidReceiveMessage((message: FromWebview) => {
        this.receive(message);
      }),
      session.onDidChangeMemories(() => {
        this.tellChange();
      }),
    );
    webview.html = pageHtml({
      source: webview.cspSource,
      script: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'inspector.js')).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'inspector.css')).toString(),
      nonce: randomBytes(16).toString('base64url'),
      language: vscode.env.language,
    });
  }

  show(target: Target | undefined): void {
    this.panel.reveal();
    if (target === undefined) return;
    if (this.ready) this.send({ type: 'show', target });
    else this.target = target;
  }

  dispose(): void {
    clearTimeout(this.settling);
    for (const it of this.subscriptions.splice(0)) it.dispose();
    this.panel.dispose();
  }

  private receive(message: FromWebview): void {
    switch (message.type) {
      case 'ready':
        // Also after the panel was hidden, or moved to another window: its script has begun anew.
        this.ready = true;
        this.send({ type: 'start', start: start(this.target) });
        this.target = undefined;
        break;
      case 'request':
        void this.answer(message);
        break;
    }
  }

  /** Never rejects: a failure is the webview's to show, and the log's to keep. */
  private async answer(message: RequestMessage): Promise<void> {
    const { number } = message;
    try {
      const engine = await this.parts.session.engine();
      this.send({ type: 'answer', number, answer: await answer(engine, message, this.parts.desk) });
    } catch (error) {
      this.parts.onFailure(message.name, error);
      this.send({ type: 'failure', number, sentence: sentenceOf(error) });
    }
  }

  private tellChange(): void {
    this.settling ??= setTimeout(() => {
      this.settling = undefined;
      if (this.ready) this.send({ type: 'changed' });
    }, settleMs);
  }

  private send(message: ToWebview): void {
    // A hidden webview gets nothing and asks again when it comes back.
    void this.panel.webview.postMessage(message);
  }
}

function start(target: Target | undefined): Start {
  const { bundle } = vscode.l10n;
  return { bundle, language: vscode.env.language, words: words(), ...(target === undefined ? {} : { target }) };
}

function words(): Words {
  const each = <Key extends string>(keys: readonly Key[], word: (key: Key) => string): Record<Key, string> =>
    Object.fromEntries(keys.map(it => [it, word(it)])) as Record<Key, string>;
  return {
    gate: each(gates, gateWord),
    kind: each(kinds, kindWord),
    lane: each(lanes, laneWord),
    decayClass: each(decayClasses, decayClassWord),
    store: each(storeKinds, storeWord),
    measure: measureWords(),
  };
}
