import * as vscode from 'vscode';
import type { Config } from '../engine/model/config.js';
import type { Host, Log } from '../engine/model/host.js';
import { secretIds, settingsSection } from './contributions.js';
import { vscodeChatModels } from './languageModel.js';
import { readConfig } from './settings.js';

/** The engine's configuration as the settings say now; read once and again after every change. */
export class LiveConfig implements vscode.Disposable {
  private config: Config | undefined;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly log: Log) {
    this.subscription = vscode.workspace.onDidChangeConfiguration(event => {
      if (event.affectsConfiguration(settingsSection)) this.config = undefined;
    });
  }

  get(): Config {
    return (this.config ??= readConfig(
      key => vscode.workspace.getConfiguration(settingsSection).get(key),
      message => {
        this.log.warn(message);
      },
    ));
  }

  dispose(): void {
    this.subscription.dispose();
  }
}

/** What the engine gets of VS Code, for the folders that are open now. */
export function vscodeHost(context: vscode.ExtensionContext, log: Log, config: LiveConfig): Host {
  return {
    dataDir: context.globalStorageUri.fsPath,
    bundleDir: context.asAbsolutePath('dist'),
    modelsDir: context.asAbsolutePath('media/models'),
    workspaceFolders: localFolders(),
    client: 'vscode',
    log,
    config: () => config.get(),
    secret: async name => context.secrets.get(secretIds[name]),
    chatModels: vscodeChatModels(context.languageModelAccessInformation),
    now: () => new Date(),
  };
}

/** Folders on this machine's disk. A virtual one has no path to name a project by; its memories are global. */
export function localFolders(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(it => it.uri.scheme === 'file').map(it => it.uri.fsPath);
}

/** The extension's log as the engine sees it. An error is logged with its code and stack, which hold no memory text. */
export function engineLog(channel: vscode.LogOutputChannel): Log {
  return {
    info: message => {
      channel.info(message);
    },
    warn: message => {
      channel.warn(message);
    },
    error: (message, error) => {
      if (error === undefined) channel.error(message);
      else channel.error(message, error);
    },
  };
}
