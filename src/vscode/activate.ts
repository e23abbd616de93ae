import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { prewarmSearch } from '../engine/search/prewarmSearch.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { Log } from '../engine/model/host.js';
import { registerCapture } from './commands/capture.js';
import { registerCheckpoints } from './commands/checkpoints.js';
import { registerDeletion } from './commands/deleteForGood.js';
import { registerCodeIndex } from './commands/codeIndex.js';
import { registerConsolidation } from './commands/consolidate.js';
import { registerMemoryActions } from './commands/memoryActions.js';
import { MaintenanceCommands } from './commands/maintenance.js';
import { registerExplorer } from './commands/explorer.js';
import { registerLanguageModel } from './commands/languageModel.js';
import { registerInspector } from './commands/inspector.js';
import { registerEmbeddingEndpoint } from './commands/embeddingEndpoint.js';
import { registerEmbeddingModels } from './commands/embeddingModels.js';
import { pickMemory } from './ui/memoryPicker.js';
import { registerImport } from './commands/import.js';
import { registerIntakeReview } from './commands/intakeReview.js';
import { registerProjectHub, transferMemories } from './commands/projectHub.js';
import { offerGlobalReview, registerProjects } from './commands/projects.js';
import { registerPublish } from './commands/publish.js';
import { registerRecall } from './commands/recall.js';
import { CommandRegistry } from './commands/commandRegistry.js';
import { registerRemember } from './commands/remember.js';
import { registerSensitive } from './commands/sensitive.js';
import { registerRequests } from './commands/requests.js';
import { registerMenus } from './commands/menus.js';
import { registerUndo } from './commands/undo.js';
import { UndoHistory } from './undo/undoHistory.js';
import { registerStores } from './commands/stores.js';
import { registerSync } from './commands/sync.js';
import { registerClientRights } from './commands/clientRights.js';
import { registerConflicts } from './commands/conflicts.js';
import { registerPriority } from './commands/priority.js';
import { registerSets } from './commands/sets.js';
import { registerSearchWords } from './commands/searchWords.js';
import { commandIds, settingKeys, settingsSection } from './contributions.js';
import { AlertWatch } from './alertWatch.js';
import { AssistantConnections } from './connect/connect.js';
import { DocumentAnchors } from './editor/documentAnchors.js';
import { ChangedCodeActions, registerConfirmCode } from './editor/changedCodeActions.js';
import { MemoryCodeLens } from './editor/memoryCodeLens.js';
import { MemoryHover } from './editor/memoryHover.js';
import { AnchorUpdater } from './editor/anchorUpdater.js';
import { localize, localizeText } from './l10n/engineMessages.js';
import { DimmedRows } from './explorer/dimmedRows.js';
import { MemoryExplorer } from './explorer/explorer.js';
import { readNotedSettings } from '../engine/access/settingsFile.js';
import {
  createEngineLog,
  CachedConfig,
  createEngineHost,
  localWorkspaceFolders,
  readUserSettings,
} from './engineHost.js';
import { readBriefingView, switchMoment } from './inspector/briefingPreview.js';
import { copyDiagnostics } from './inspector/diagnostics.js';
import { Inspector } from './inspector/inspector.js';
import type { InspectorServices } from './inspector/requestHandler.js';
import { MaintenanceSchedule, parseAutomaticMaintenance } from './maintenanceSchedule.js';
import { registerMcpServerProvider } from './connect/mcpServerProvider.js';
import { MemoryDocuments, openAnchoredCode } from './ui/memoryDocuments.js';
import { Notifications } from './ui/notifications.js';
import { VirtualDocuments } from './ui/virtualDocuments.js';
import { registerChatDecisions } from './participant/chatDecisions.js';
import { registerParticipant } from './participant/participant.js';
import { readPowerSource } from './powerSource.js';
import { DiffPreviews } from './ui/diffPreview.js';
import { EngineHolder } from './engineHolder.js';
import { TargetProject } from './targetProject.js';
import { StatusBar } from './ui/statusBar.js';
import { registerTools } from './languageModelTools.js';
import { ServerReturnWatch } from './serverReturnWatch.js';
import { connectTeamWatch } from './teamStatusBar.js';
import { WalkthroughSteps } from './walkthroughSteps.js';
import { watchWelcome } from './welcome.js';

/**
 * The composition root of the extension. Opens nothing: the engine, its database driver and its parsers are loaded on
 * first use.
 * @returns a function that flushes buffered writes and closes the engine
 */
export function createExtension(context: vscode.ExtensionContext): () => Promise<void> {
  const register = <T extends { dispose(): unknown }>(disposable: T): T => {
    context.subscriptions.push(disposable);
    return disposable;
  };
  const logChannel = register(vscode.window.createOutputChannel('Recollect', { log: true }));
  const log = createEngineLog(logChannel);
  const config = register(new CachedConfig(log, context.globalStorageUri.fsPath));
  /** What `modelSettings` gave when the engine was opened: it reads them only then. */
  let openedModels: string | undefined;
  const engineHolder = new EngineHolder(async () => {
    openedModels = modelSettings(config);
    const host = createEngineHost(context, log, config);
    const searchWorker = prewarmSearch(host);
    const { defaultSessionFolders, openEngine } = await import('../engine/engine.js');
    const sessionFolders = {
      ...defaultSessionFolders(os.homedir(), process.env, process.platform),
      vscodeChat: chatSessionsFolder(context),
    };
    return openEngine({ ...host, sessionFolders }, { searchWorker });
  });
  const notifications = new Notifications(context.globalState);
  const history = new UndoHistory(path.join(context.globalStorageUri.fsPath, 'undo.json'));
  const commands = register(new CommandRegistry(log, notifications, history, () => engineHolder.reopen()));
  commands.register(commandIds.showNoticesAgain, () => notifications.unmuteAll());
  commands.registerFormerIds();
  const parts: ExtensionParts = { context, register, log, config, engineHolder, history, commands };
  const views = registerViews(parts);
  registerMemoryCommands(parts, views);
  const maintenance = registerPages(parts, views.connections, logChannel);
  registerFileCommands(parts, views);
  registerSchedule(parts, views, maintenance);
  registerModels(parts, views);
  watchEngine(parts, views, () => openedModels);
  return () => engineHolder.close();
}

/** Parts of the extension that its stages are given. */
interface ExtensionParts {
  readonly context: vscode.ExtensionContext;
  /** Disposes of something with the extension. */
  readonly register: <T extends { dispose(): unknown }>(disposable: T) => T;
  readonly log: Log;
  readonly config: CachedConfig;
  readonly engineHolder: EngineHolder;
  readonly history: UndoHistory;
  readonly commands: CommandRegistry;
}

interface Views {
  readonly explorer: MemoryExplorer;
  readonly documentAnchors: DocumentAnchors;
  readonly alertWatch: AlertWatch;
  readonly target: TargetProject;
  readonly statusBar: StatusBar;
  readonly diffPreviews: DiffPreviews;
  readonly connections: AssistantConnections;
}

/** The tree, the editor, the status bar, and what chats and assistants use. */
function registerViews({ context, register, log, config, engineHolder, history, commands }: ExtensionParts): Views {
  const steps = register(new WalkthroughSteps(context.globalState, commands.onDidRun));
  const explorer = register(new MemoryExplorer(engineHolder, { memento: context.globalState, history, steps }));
  register(new DimmedRows());
  register(new MemoryDocuments(engineHolder));
  const documentAnchors = register(new DocumentAnchors(engineHolder));
  register(new MemoryCodeLens(engineHolder, documentAnchors));
  register(new MemoryHover(documentAnchors));
  register(new ChangedCodeActions(documentAnchors));
  register(new AnchorUpdater(engineHolder, log));
  const alertWatch = register(new AlertWatch(engineHolder));
  commands.register(commandIds.confirmAlerts, () => alertWatch.confirm());
  const target = new TargetProject(context.workspaceState);
  const statusBar = register(new StatusBar(engineHolder, alertWatch, target));
  register(registerTools(engineHolder, log));
  register(registerParticipant({ engineHolder, log }, context.extensionUri));
  register(registerMcpServerProvider(context, config));
  const diffPreviews = register(new DiffPreviews());
  const connections = new AssistantConnections(commands, diffPreviews, context);
  return { explorer, documentAnchors, alertWatch, target, statusBar, diffPreviews, connections };
}

function registerMemoryCommands(
  { context, config, engineHolder, history, commands }: ExtensionParts,
  { explorer, documentAnchors, target }: Views,
): void {
  registerChatDecisions(commands);
  registerRemember({ commands, engineHolder, config, target });
  registerMenus(commands, engineHolder);
  registerUndo(commands, engineHolder, history);
  registerRecall(commands, engineHolder);
  registerConfirmCode(commands, engineHolder, documentAnchors);
  registerMemoryActions(commands, engineHolder, () => explorer.selection());
  registerProjects(commands, engineHolder, () => explorer.selection());
  registerConflicts(commands, engineHolder);
  registerPriority(commands, engineHolder, () => explorer.selection());
  registerSets(commands, engineHolder, explorer);
  registerRequests(commands, engineHolder);
  registerSensitive({ commands, engineHolder, secrets: context.secrets });
  registerClientRights(commands, engineHolder, context.globalStorageUri.fsPath);
  registerSearchWords(commands, engineHolder);
  registerExplorer({ commands, engineHolder, explorer, extensionId: context.extension.id });
}

/** The inspector, and the maintenance that it shows and runs. */
function registerPages(
  parts: ExtensionParts,
  connections: AssistantConnections,
  logChannel: vscode.LogOutputChannel,
): MaintenanceCommands {
  const { context, register, engineHolder, commands, config, history } = parts;
  const maintenance = new MaintenanceCommands(commands, engineHolder);
  const inspector = register(
    createInspector(context, { engineHolder, commands, config, maintenance, connections, history }),
  );
  registerInspector(commands, engineHolder, inspector);
  registerProjectHub(commands, inspector);
  registerStores(commands, engineHolder, logChannel);
  registerIntakeReview(commands, engineHolder, inspector);
  return maintenance;
}

/** Commands that read and write files: publishing, sync, imports. */
function registerFileCommands(
  { context, register, log, engineHolder, commands }: ExtensionParts,
  { explorer, diffPreviews, connections }: Views,
): void {
  registerConsolidation({ commands, engineHolder, virtualDocuments: register(new VirtualDocuments(engineHolder)) });
  registerCodeIndex(commands, engineHolder);
  register(registerCapture({ commands, engineHolder }));
  registerPublish({ commands, engineHolder, diffPreviews });
  registerImport(commands, engineHolder);
  register(registerSync({ commands, engineHolder, diffPreviews }));
  register(
    watchWelcome({
      wantsClaudeCode: () => connections.isWaiting('claude-code'),
      onDidConnect: connections.onDidChange,
      onFailure: error => {
        commands.logFailure('welcome', error);
      },
    }),
  );
  register(
    connectTeamWatch({ commands, engineHolder, log, secrets: context.secrets, selection: () => explorer.selection() }),
  );
  register(new ServerReturnWatch(engineHolder));
  registerCheckpoints(commands, engineHolder);
  registerDeletion(commands, engineHolder);
}

function registerSchedule(
  { register, log, engineHolder }: ExtensionParts,
  { alertWatch }: Views,
  maintenance: MaintenanceCommands,
): void {
  register(
    new MaintenanceSchedule({
      engineHolder,
      log,
      readAutomaticSetting: () =>
        parseAutomaticMaintenance(
          vscode.workspace.getConfiguration(settingsSection).get(settingKeys.maintenanceAutomatic),
        ),
      isTrusted: () => vscode.workspace.isTrusted,
      readPowerSource,
      onArchived: runs => {
        maintenance.reportRuns(runs);
      },
      onFailed: () => void alertWatch.look(),
    }),
  );
}

function registerModels(
  { context, register, log, config, engineHolder, commands }: ExtensionParts,
  { statusBar }: Views,
): void {
  registerEmbeddingModels(commands, context.globalStorageUri.fsPath);
  registerLanguageModel({ commands, engineHolder, config, secrets: context.secrets });
  register(
    registerEmbeddingEndpoint({
      commands,
      engineHolder,
      secrets: context.secrets,
      embedInBackground: engine => {
        embedInBackground(engine, statusBar, log);
      },
    }),
  );
}

/** @param openedModels what `modelSettings` gave when the engine was opened */
function watchEngine(
  { context, register, log, config, engineHolder, commands }: ExtensionParts,
  { statusBar }: Views,
  openedModels: () => string | undefined,
): void {
  const noteSettings = (engine: MemoryEngine): void => {
    const note = async (): Promise<void> => {
      await engine.activity.noteSettings('editor', readUserSettings());
      const file = readNotedSettings(context.globalStorageUri.fsPath);
      if (file !== undefined) await engine.activity.noteSettings('file', file);
    };
    note().catch((error: unknown) => {
      commands.logFailure('noteSettings', error);
    });
  };
  register(
    engineHolder.onDidChangeState(state => {
      if (state.kind === 'open') {
        showStoreNotices(commands, state.engine);
        commands.runInBackground('offerGlobalReview', offerGlobalReview(commands, state.engine));
        embedInBackground(state.engine, statusBar, log);
        state.engine.missingAids.schedule();
        noteSettings(state.engine);
      }
      if (state.kind === 'failed') log.error('The memory could not be opened.', state.error);
    }),
  );
  register(
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      commands.runInBackground('reopen', engineHolder.reopen());
    }),
  );
  register(
    vscode.workspace.onDidChangeConfiguration(event => {
      const opened = openedModels();
      if (opened !== undefined && modelSettings(config) !== opened) {
        // What is opened notes the settings.
        commands.runInBackground('reopen', engineHolder.reopen());
        return;
      }
      const { state } = engineHolder;
      if (state.kind === 'open' && event.affectsConfiguration(settingsSection)) noteSettings(state.engine);
    }),
  );
}

/** Which models embed texts and order answers, comparable. */
function modelSettings(config: CachedConfig): string {
  const { embeddings, embeddingEndpoint, recall } = config.get();
  const { address, model, dimensions } = embeddingEndpoint;
  return JSON.stringify([
    recall.rerankModel,
    embeddings,
    ...(embeddings === 'endpoint' ? [address, model, dimensions] : []),
  ]);
}

/** VS Code's folder for the chat sessions of this window, a sibling of the extension's storage folder. */
function chatSessionsFolder({ storageUri, globalStorageUri }: vscode.ExtensionContext): string {
  return storageUri === undefined
    ? path.join(globalStorageUri.fsPath, '..', 'emptyWindowChatSessions')
    : path.join(storageUri.fsPath, '..', 'chatSessions');
}

interface InspectorDependencies extends Omit<ExtensionParts, 'context' | 'register' | 'log'> {
  readonly maintenance: MaintenanceCommands;
  readonly connections: AssistantConnections;
}

function createInspector(context: vscode.ExtensionContext, dependencies: InspectorDependencies): Inspector {
  const { engineHolder, commands } = dependencies;
  return new Inspector({
    extensionUri: context.extensionUri,
    engineHolder,
    services: createInspectorServices(context, dependencies),
    onFailure: (name, error) => {
      commands.logFailure(`inspector: ${name}`, error);
    },
  });
}

function createInspectorServices(
  { extensionUri, globalStorageUri, extension }: vscode.ExtensionContext,
  { commands, config, maintenance, connections, history }: InspectorDependencies,
): InspectorServices {
  const storage = globalStorageUri.fsPath;
  const run = async (id: string, ...args: readonly unknown[]): Promise<void> => {
    await vscode.commands.executeCommand(id, ...args);
  };
  return {
    translate: localizeText,
    pickMemory: async (engine, text) => {
      const title = vscode.l10n.t('Inspect Memory');
      const placeholder = vscode.l10n.t('Type what it is about; #tag, @pinned, @note, @confirmed and @set:ID narrow');
      const onError = (error: unknown): void => {
        commands.report(commandIds.showInspector, error);
      };
      return (await pickMemory(engine, { title, placeholder, onError, ...(text === undefined ? {} : { text }) }))
        ?.memory.id;
    },
    promptToRemember: () => run(commandIds.remember),
    promptToRecall: () => run(commandIds.recall),
    promptForAids: id => run(commandIds.editSearchWords, id),
    openCode: openAnchoredCode,
    share: id => run(commandIds.shareWithTeam, id),
    embeddingsSetting: () => config.get().embeddings,
    transfer: (engine, sources) => transferMemories(commands, engine, sources),
    briefing: async program =>
      readBriefingView(storage, program, {
        installed: await connections.installedPrograms(),
        modelsDir: path.join(extensionUri.fsPath, 'dist', 'models'),
        folder: localWorkspaceFolders()[0],
        localize,
      }),
    copyText: text => Promise.resolve(vscode.env.clipboard.writeText(text)),
    copyDiagnostics: engine =>
      copyDiagnostics(engine, (extension.packageJSON as { readonly version: string }).version, config.get().embeddings),
    runCommand: name => run(name === 'rights' ? commandIds.clientRights : commandIds.consolidate),
    noteChange: (engine, change) => history.note(engine, change),
    noteFinalChange: engine => history.clear(engine),
    noteTakenBack: (engine, change) => history.noteTakenBack(engine, change),
    setMoment: (engine, moment, on) => switchMoment(storage, engine, { moment, on }),
    listAssistants: () => connections.list(),
    setConnected: (id, connected) => connections.setConnected(id, connected),
    confirmAndRunMaintenance: engine => maintenance.confirmAndRun(engine),
  };
}

/** Embeds the memories that have no vector yet, which until then only the lexical search finds. */
function embedInBackground(engine: MemoryEngine, statusBar: StatusBar, log: Log): void {
  engine
    .embedMissing({
      onProgress: progress => {
        statusBar.showEmbeddingProgress(progress);
      },
    })
    .catch((error: unknown) => {
      log.error('Memories could not be embedded in the background.', error);
    });
}

/** Shows the notices of the stores. Those about damage come back at each opening until a person has confirmed them. */
function showStoreNotices(commands: CommandRegistry, engine: MemoryEngine): void {
  const showLog = {
    title: vscode.l10n.t('Show Log'),
    run: (): Thenable<unknown> => vscode.commands.executeCommand(commandIds.showLog),
  };
  const confirm = { title: vscode.l10n.t('I Have Read It'), run: (): Promise<void> => engine.confirmDamage() };
  // These come with buttons of their own.
  const apart = new Set([...engine.clockNotices, engine.embeddingEndpoint?.consentNotice].map(String));
  const others = engine.notices.filter(it => !apart.has(String(it)));
  const changeConnection = {
    title: vscode.l10n.t('Change the Connection…'),
    run: (): Thenable<unknown> => vscode.commands.executeCommand(commandIds.moveStore),
  };
  for (const notice of others) {
    const actions = engine.damageNotices.includes(notice)
      ? [confirm, showLog]
      : engine.team.store.notices.includes(notice)
        ? [changeConnection, showLog]
        : [showLog];
    commands.notify('notice', { message: localize(notice), severity: 'warning', actions });
  }
  const confirmClock = {
    title: vscode.l10n.t('The Date Is Right'),
    run: (): Promise<void> => engine.maintenance.confirmClock(),
  };
  for (const notice of engine.clockNotices)
    commands.notify('notice', { message: localize(notice), actions: [confirmClock] });
}
