import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Message } from '../engine/base/message.js';
import { beginSearch } from '../engine/beginSearch.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { Log } from '../engine/model/host.js';
import { registerCapture } from './commands/capture.js';
import { registerCheckpoints } from './commands/checkpoints.js';
import { registerErasure } from './commands/erase.js';
import { registerCodeIndex } from './commands/codeIndex.js';
import { registerConsolidation } from './commands/consolidate.js';
import { registerCuration } from './commands/curate.js';
import { MaintenanceCommands } from './commands/maintain.js';
import { registerExplorer } from './commands/explorer.js';
import { registerLanguageModel } from './commands/languageModel.js';
import { registerInspector } from './commands/inspector.js';
import { registerModels } from './commands/models.js';
import { pickMemory } from './commands/pick.js';
import { registerPublish } from './commands/publish.js';
import { registerRecall } from './commands/recall.js';
import { Commands } from './commands/registry.js';
import { registerRemember } from './commands/remember.js';
import { registerStores } from './commands/stores.js';
import { registerSync } from './commands/sync.js';
import { registerTruth } from './commands/truth.js';
import { commandIds, settingKeys, settingsSection } from './contributions.js';
import { registerConnect } from './connect/connect.js';
import { Anchors } from './editor/anchors.js';
import { ChangedCode, registerConfirmCode } from './editor/changedCode.js';
import { MemoryCodeLens } from './editor/codeLens.js';
import { MemoryHover } from './editor/hover.js';
import { Renames } from './editor/renames.js';
import { translated, translatedText } from './engineWords.js';
import { ConfidenceBadges } from './explorer/confidenceBadges.js';
import { Explorer } from './explorer/explorer.js';
import { engineLog, LiveConfig, vscodeHost } from './host.js';
import { Inspector } from './inspector/inspector.js';
import { MaintenanceSchedule, readAutomatic } from './maintenanceSchedule.js';
import { registerMcpServer } from './mcpServer.js';
import { MemoryDocuments } from './memoryDocuments.js';
import { Notices } from './notices.js';
import { Pages } from './pages.js';
import { registerParticipant } from './participant/participant.js';
import { powerSource } from './power.js';
import { Previews } from './previews.js';
import { MemorySession } from './session.js';
import { StatusBar } from './statusBar.js';
import { registerTools } from './tools.js';

/**
 * Builds the extension: the only place where its parts meet. Opens nothing; the engine, its database driver and its
 * parsers are loaded with the first need of them.
 * @returns how to end it: writes what is buffered
 */
export function compose(context: vscode.ExtensionContext): () => Promise<void> {
  const owned = <T extends { dispose(): unknown }>(it: T): T => {
    context.subscriptions.push(it);
    return it;
  };
  const channel = owned(vscode.window.createOutputChannel('Recollect', { log: true }));
  const log = engineLog(channel);
  const config = owned(new LiveConfig(log));
  /** What the engine was opened with; the one setting that is read at opening. */
  let embeddings: string | undefined;
  const session = new MemorySession(async () => {
    ({ embeddings } = config.get());
    const host = vscodeHost(context, log, config);
    const indexes = beginSearch(host);
    const { claudeCodeSessions, openEngine } = await import('../engine/engine.js');
    const sessionFolders = {
      claudeCode: claudeCodeSessions(os.homedir(), process.env),
      vscodeChat: chatFolder(context),
    };
    return openEngine({ ...host, sessionFolders }, { indexes });
  });
  const notices = new Notices(context.globalState);
  const commands = owned(new Commands(log, notices));
  commands.register(commandIds.showNoticesAgain, () => notices.showAgain());

  const explorer = owned(new Explorer(session));
  owned(new ConfidenceBadges());
  const documents = owned(new MemoryDocuments(session));
  const anchors = owned(new Anchors(session));
  owned(new MemoryCodeLens(session, anchors));
  owned(new MemoryHover(anchors));
  owned(new ChangedCode(anchors));
  owned(new Renames(session, log));
  const statusBar = owned(new StatusBar(session));
  owned(registerTools(session, log));
  owned(registerParticipant({ session, log }, context.extensionUri));
  owned(registerMcpServer(context, config));
  registerRemember({ commands, session, config });
  registerRecall(commands, session, documents);
  registerConfirmCode(commands, session, anchors);
  registerCuration(commands, session, () => explorer.selection());
  registerTruth(commands, session);
  registerExplorer({ commands, session, explorer, documents, extensionId: context.extension.id });
  const maintenance = owned(new MaintenanceCommands(commands, session));
  const inspector = owned(openInspector(context, { session, commands, documents, config, maintenance }));
  registerInspector(commands, session, inspector);
  registerStores(commands, session, channel);
  registerConsolidation({ commands, session, pages: owned(new Pages(session)) });
  registerCodeIndex(commands, session);
  owned(registerCapture({ commands, session }));
  const previews = owned(new Previews());
  registerPublish({ commands, session, previews });
  registerSync({ commands, session, previews });
  registerCheckpoints(commands, session);
  registerErasure(commands, session);
  owned(
    new MaintenanceSchedule({
      session,
      log,
      automatic: () =>
        readAutomatic(vscode.workspace.getConfiguration(settingsSection).get(settingKeys.maintenanceAutomatic)),
      isTrusted: () => vscode.workspace.isTrusted,
      power: powerSource,
      onDone: runs => {
        maintenance.tell(runs);
      },
    }),
  );
  registerModels(commands, context.globalStorageUri.fsPath);
  owned(registerConnect(commands, context));
  registerLanguageModel({ commands, session, config, secrets: context.secrets });

  owned(
    session.onDidChangeState(state => {
      if (state.kind === 'open') {
        for (const notice of state.engine.notices) showNotice(commands, notice);
        embedInBackground(state.engine, statusBar, log);
      }
      if (state.kind === 'failed') log.error('The memory could not be opened.', state.error);
    }),
  );
  owned(
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      commands.inBackground('reopen', session.reopen());
    }),
  );
  owned(
    vscode.workspace.onDidChangeConfiguration(() => {
      if (embeddings === undefined || config.get().embeddings === embeddings) return;
      commands.inBackground('reopen', session.reopen());
    }),
  );
  return () => session.close();
}

/** Where VS Code keeps the chats of this window: beside what it keeps for extensions. */
function chatFolder({ storageUri, globalStorageUri }: vscode.ExtensionContext): string {
  return storageUri === undefined
    ? path.join(globalStorageUri.fsPath, '..', 'emptyWindowChatSessions')
    : path.join(storageUri.fsPath, '..', 'chatSessions');
}

interface InspectorNeeds {
  readonly session: MemorySession;
  readonly commands: Commands;
  readonly documents: MemoryDocuments;
  readonly config: LiveConfig;
  readonly maintenance: MaintenanceCommands;
}

function openInspector(
  { extensionUri }: vscode.ExtensionContext,
  { session, commands, documents, config, maintenance }: InspectorNeeds,
): Inspector {
  return new Inspector({
    extensionUri,
    session,
    desk: {
      say: translatedText,
      pick: async engine => {
        const title = vscode.l10n.t('Inspect Memory');
        const placeholder = vscode.l10n.t('Type what it is about; #tag, @pinned, @note and @confirmed narrow');
        const onError = (error: unknown): void => {
          commands.report(commandIds.showInspector, error);
        };
        return (await pickMemory(engine, { title, placeholder, onError }))?.memory.id;
      },
      remember: async () => {
        await vscode.commands.executeCommand(commandIds.remember);
      },
      recall: async () => {
        await vscode.commands.executeCommand(commandIds.recall);
      },
      openMemory: id => documents.open(id),
      embeddings: () => config.get().embeddings,
      maintain: (engine, preview) => maintenance.agreeAndRun(engine, preview),
    },
    onFailure: (name, error) => {
      commands.log(`inspector: ${name}`, error);
    },
  });
}

/** Memories that have no vector yet get one while nothing else is asked. Without it they are found by words alone. */
function embedInBackground(engine: MemoryEngine, statusBar: StatusBar, log: Log): void {
  engine
    .embedMissing({
      onProgress: progress => {
        statusBar.showEmbedding(progress);
      },
    })
    .catch((error: unknown) => {
      log.error('Memories could not be embedded in the background.', error);
    });
}

/** What happened to a store and must be known, such as a damaged file that was replaced. */
function showNotice(commands: Commands, notice: Message): void {
  const title = vscode.l10n.t('Show Log');
  const run = (): Thenable<unknown> => vscode.commands.executeCommand(commandIds.showLog);
  commands.tell('notice', { message: translated(notice), severity: 'warning', actions: [{ title, run }] });
}
