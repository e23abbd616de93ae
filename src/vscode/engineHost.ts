import * as vscode from 'vscode';
import type { Config } from '../engine/model/config.js';
import type { EngineHost, Log } from '../engine/model/host.js';
import { readSecret } from './connect/endpointEnvironment.js';
import { settingsSection, unlistedSettings } from './contributions.js';
import { createChatModels } from './chatModels.js';
import { engineSettingKeys, readConfig } from '../engine/model/settings.js';
import { readSettingsFile } from '../engine/access/settingsFile.js';

/**
 * The engine's configuration from the current settings, cached until one of them changes. What is not set in VS Code comes
 * from the settings file of the data folder, as it was when the window opened.
 */
export class CachedConfig implements vscode.Disposable {
  private config: Config | undefined;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly log: Log,
    private readonly dataDir: string,
  ) {
    this.subscription = vscode.workspace.onDidChangeConfiguration(event => {
      if (event.affectsConfiguration(settingsSection)) this.config = undefined;
    });
  }

  get(): Config {
    const warn = (message: string): void => {
      this.log.warn(message);
    };
    if (this.config === undefined) {
      const file = readSettingsFile(this.dataDir, warn);
      const settings = vscode.workspace.getConfiguration(settingsSection);
      this.config = readConfig(key => readSetting(settings, key) ?? file[key], warn);
    }
    return this.config;
  }

  dispose(): void {
    this.subscription.dispose();
  }
}

/**
 * A setting as set, undefined where it is not. One that package.json does not list counts in the user's own settings alone,
 * because VS Code restricts only listed ones in a workspace that is not trusted.
 */
function readSetting(settings: vscode.WorkspaceConfiguration, key: string): unknown {
  const setting = settings.inspect(key);
  if (unlistedSettings.some(it => it === key)) return setting?.globalValue;
  const values = [setting?.globalValue, setting?.workspaceValue, setting?.workspaceFolderValue];
  return values.some(it => it !== undefined) ? settings.get(key) : undefined;
}

/** The engine's settings in the user's own settings, by name: they hold in every window, unlike those of a workspace. */
export function readUserSettings(): Readonly<Record<string, unknown>> {
  const settings = vscode.workspace.getConfiguration(settingsSection);
  return Object.fromEntries(Object.values(engineSettingKeys).map(it => [it, settings.inspect(it)?.globalValue]));
}

/** The engine's host in VS Code, for the folders that are open now. */
export function createEngineHost(context: vscode.ExtensionContext, log: Log, config: CachedConfig): EngineHost {
  return {
    dataDir: context.globalStorageUri.fsPath,
    bundleDir: context.asAbsolutePath('dist'),
    modelsDir: context.asAbsolutePath('dist/models'),
    workspaceFolders: localWorkspaceFolders(),
    isTrusted: () => vscode.workspace.isTrusted,
    client: 'vscode',
    log,
    config: () => config.get(),
    secret: (name, origin) => readSecret(context.secrets, name, origin),
    chatModels: createChatModels(context.languageModelAccessInformation),
    now: () => new Date(),
  };
}

/**
 * Paths of the open folders on disk. A virtual folder has no path to identify a project by; its memories are global.
 */
export function localWorkspaceFolders(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(it => it.uri.scheme === 'file').map(it => it.uri.fsPath);
}

/**
 * Adapts the output channel to the engine's log. Errors are logged with code and stack, which contain no memory text.
 */
export function createEngineLog(channel: vscode.LogOutputChannel): Log {
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
