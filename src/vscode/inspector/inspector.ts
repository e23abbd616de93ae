import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import {
  archiveReasons,
  decayClasses,
  gates,
  kinds,
  lanes,
  memorySources,
  storeKinds,
} from '../../engine/model/memory.js';
import type {
  Draft,
  FromWebview,
  RequestMessage,
  InitialState,
  NavigationTarget,
  ToWebview,
  Labels,
} from '../../protocol.js';
import { inspectorViewType } from '../contributions.js';
import { featureDescriptions } from '../l10n/engineMessages.js';
import { localizedErrorMessage } from '../l10n/errorMessage.js';
import type { EngineHolder } from '../engineHolder.js';
import {
  decayClassLabel,
  gateLabel,
  kindLabel,
  laneLabel,
  sourceLabel,
  statusLabel,
  storeLabel,
} from '../l10n/labels.js';
import { handleInspectorRequest, type InspectorServices } from './requestHandler.js';
import { readWebviewMessage } from './webviewMessage.js';
import { renderInspectorHtml } from './inspectorHtml.js';

/** Coalesces changes into one message to the webview. */
const debounceMs = 250;

export interface InspectorDependencies {
  readonly extensionUri: vscode.Uri;
  readonly engineHolder: EngineHolder;
  readonly services: InspectorServices;
  /** Called for a failed request. The webview shows the failure itself. */
  readonly onFailure: (name: string, error: unknown) => void;
}

/** Texts that a person wrote in the inspector and has not saved. In this window's memory only. */
interface UnsavedTexts {
  drafts: readonly Draft[];
}

/** The Memory Inspector: at most one panel, opened by commands, or restored by VS Code with the window. */
export class Inspector implements vscode.WebviewPanelSerializer, vscode.Disposable {
  private openPanel: InspectorPanel | undefined;
  private readonly unsaved: UnsavedTexts = { drafts: [] };
  private readonly registration: vscode.Disposable;

  constructor(private readonly dependencies: InspectorDependencies) {
    this.registration = vscode.window.registerWebviewPanelSerializer(inspectorViewType, this);
  }

  /** Opens or reveals the panel. @param preserveFocus leaves the focus where it is, as for a row of the explorer */
  show(target?: NavigationTarget, preserveFocus = false): void {
    if (this.openPanel === undefined) {
      const viewColumn = vscode.window.activeTextEditor?.viewColumn ?? vscode.ViewColumn.Active;
      this.attachPanel(
        vscode.window.createWebviewPanel(
          inspectorViewType,
          '',
          { viewColumn, preserveFocus },
          { enableFindWidget: true },
        ),
        target,
      );
    } else {
      this.openPanel.show(target, preserveFocus);
    }
  }

  /** The webview restores its state itself. */
  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.attachPanel(panel, undefined);
    return Promise.resolve();
  }

  dispose(): void {
    this.registration.dispose();
    this.openPanel?.dispose();
  }

  private attachPanel(panel: vscode.WebviewPanel, target: NavigationTarget | undefined): void {
    const inspectorPanel = new InspectorPanel(panel, target, this.unsaved, this.dependencies);
    this.openPanel = inspectorPanel;
    panel.onDidDispose(() => {
      inspectorPanel.dispose();
      if (this.openPanel === inspectorPanel) this.openPanel = undefined;
    });
  }
}

/** The messages to and from one webview. */
class InspectorPanel implements vscode.Disposable {
  private readonly subscriptions: { dispose(): unknown }[] = [];
  private debounceTimer: NodeJS.Timeout | undefined;
  /** Whether the script listens; other messages would be lost. */
  private isReady = false;

  constructor(
    private readonly panel: vscode.WebviewPanel,
    private pendingTarget: NavigationTarget | undefined,
    private readonly unsaved: UnsavedTexts,
    private readonly dependencies: InspectorDependencies,
  ) {
    const { extensionUri, engineHolder } = dependencies;
    const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
    const { webview } = panel;
    panel.title = vscode.l10n.t('Memory Inspector');
    panel.iconPath = {
      light: vscode.Uri.joinPath(extensionUri, 'media', 'recollect.svg'),
      dark: vscode.Uri.joinPath(extensionUri, 'media', 'recollect-dark.svg'),
    };
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    this.subscriptions.push(
      webview.onDidReceiveMessage((message: unknown) => {
        const read = readWebviewMessage(message);
        if (read !== undefined) this.receive(read);
      }),
      engineHolder.onDidChangeMemories(() => {
        this.scheduleChangeMessage();
      }),
      panel.onDidChangeViewState(() => {
        // VS Code ends the script of a hidden panel, and loses what is sent before the next one listens.
        if (!panel.visible) this.isReady = false;
      }),
    );
    webview.html = renderInspectorHtml({
      cspSource: webview.cspSource,
      scriptUri: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'inspector.js')).toString(),
      styleUri: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'inspector.css')).toString(),
      nonce: randomBytes(16).toString('base64url'),
      language: vscode.env.language,
    });
  }

  show(target: NavigationTarget | undefined, preserveFocus: boolean): void {
    this.panel.reveal(undefined, preserveFocus);
    if (target === undefined) return;
    if (this.isReady) this.send({ type: 'navigate', target });
    else this.pendingTarget = target;
  }

  dispose(): void {
    clearTimeout(this.debounceTimer);
    for (const it of this.subscriptions.splice(0)) it.dispose();
    this.panel.dispose();
  }

  private receive(message: FromWebview): void {
    switch (message.type) {
      case 'ready':
        // Also sent when the script restarts: after the panel was hidden, or moved to another window.
        this.isReady = true;
        this.send({ type: 'initialize', initialState: createInitialState(this.pendingTarget, this.unsaved) });
        this.pendingTarget = undefined;
        break;
      case 'drafts':
        // An edit in which nothing was typed is none once its tab is closed.
        this.unsaved.drafts = message.drafts.filter(it => it.text !== it.before);
        break;
      case 'request':
        void this.respond(message);
        break;
    }
  }

  /** Never rejects: failures are logged and sent to the webview. */
  private async respond(message: RequestMessage): Promise<void> {
    const { requestId } = message;
    try {
      const engine = await this.dependencies.engineHolder.engine();
      this.send({
        type: 'response',
        requestId,
        result: await handleInspectorRequest(engine, message, this.dependencies.services),
      });
    } catch (error) {
      this.dependencies.onFailure(message.name, error);
      this.send({ type: 'failure', requestId, message: localizedErrorMessage(error) });
    }
  }

  private scheduleChangeMessage(): void {
    this.debounceTimer ??= setTimeout(() => {
      this.debounceTimer = undefined;
      if (this.isReady) this.send({ type: 'changed' });
    }, debounceMs);
  }

  private send(message: ToWebview): void {
    // A hidden webview loses the message, and requests all that it shows once it is shown again.
    void this.panel.webview.postMessage(message);
  }
}

function createInitialState(target: NavigationTarget | undefined, { drafts }: UnsavedTexts): InitialState {
  const { bundle } = vscode.l10n;
  const { language } = vscode.env;
  return { bundle, language, labels: createLabels(), drafts, ...(target === undefined ? {} : { target }) };
}

function createLabels(): Labels {
  const labelsFor = <Key extends string>(keys: readonly Key[], labelOf: (key: Key) => string): Record<Key, string> =>
    Object.fromEntries(keys.map(it => [it, labelOf(it)])) as Record<Key, string>;
  return {
    gate: labelsFor(gates, gateLabel),
    kind: labelsFor(kinds, kindLabel),
    lane: labelsFor(lanes, laneLabel),
    decayClass: labelsFor(decayClasses, decayClassLabel),
    store: labelsFor(storeKinds, storeLabel),
    source: labelsFor(memorySources, sourceLabel),
    inactive: {
      ...labelsFor(archiveReasons, it => statusLabel('archived', it)),
      archived: statusLabel('archived', undefined),
      superseded: statusLabel('superseded', undefined),
    },
    feature: featureDescriptions(),
  };
}
