import { engineSettingKeys } from '../engine/model/settings.js';
import type { SecretName } from '../engine/model/host.js';

/** Every id that package.json contributes. A unit test compares the two. */

export const commandIds = {
  remember: 'recollect.remember',
  rememberSelection: 'recollect.rememberSelection',
  rememberSymbol: 'recollect.rememberSymbol',
  chooseProject: 'recollect.chooseProject',
  getStarted: 'recollect.getStarted',
  recall: 'recollect.recall',
  pin: 'recollect.pin',
  unpin: 'recollect.unpin',
  askBefore: 'recollect.askBefore',
  forget: 'recollect.forget',
  restore: 'recollect.restore',
  undo: 'recollect.undo',
  decideInChat: 'recollect.decideInChat',
  promote: 'recollect.promote',
  markCritical: 'recollect.markCritical',
  settleConflict: 'recollect.settleConflict',
  keepNewer: 'recollect.keepNewer',
  keepBoth: 'recollect.keepBoth',
  keepNewerOfAll: 'recollect.keepNewerOfAll',
  setPriority: 'recollect.setPriority',
  moveToSet: 'recollect.moveToSet',
  showSet: 'recollect.showSet',
  editSearchWords: 'recollect.editSearchWords',
  editMemory: 'recollect.editMemory',
  copyMemory: 'recollect.copyMemory',
  keepSensitive: 'recollect.keepSensitive',
  encryptMemory: 'recollect.encryptMemory',
  showSensitive: 'recollect.showSensitive',
  withdrawSensitive: 'recollect.withdrawSensitive',
  copySensitiveKey: 'recollect.copySensitiveKey',
  bringSensitiveKey: 'recollect.bringSensitiveKey',
  acceptRequest: 'recollect.acceptRequest',
  dismissRequest: 'recollect.dismissRequest',
  clientRights: 'recollect.clientRights',
  revisitDone: 'recollect.revisitDone',
  revisitExtend: 'recollect.revisitExtend',
  revisitDrop: 'recollect.revisitDrop',
  openAnchor: 'recollect.openAnchor',
  showAnchored: 'recollect.showAnchored',
  confirmCode: 'recollect.confirmCode',
  indexFile: 'recollect.indexFile',
  indexWorkspace: 'recollect.indexWorkspace',
  publish: 'recollect.publish',
  publishUser: 'recollect.publishUser',
  unpublish: 'recollect.unpublish',
  writeDiff: 'recollect.writeDiff',
  cancelDiff: 'recollect.cancelDiff',
  keepLeft: 'recollect.keepLeft',
  keepRight: 'recollect.keepRight',
  export: 'recollect.export',
  import: 'recollect.import',
  sync: 'recollect.sync',
  shareWithTeam: 'recollect.shareWithTeam',
  connectTeam: 'recollect.connectTeam',
  syncTeam: 'recollect.syncTeam',
  team: 'recollect.team',
  moveStore: 'recollect.moveStore',
  verify: 'recollect.verify',
  purge: 'recollect.purge',
  reset: 'recollect.reset',
  captureSessions: 'recollect.captureSessions',
  reviewCandidates: 'recollect.reviewCandidates',
  reviewIntakes: 'recollect.reviewIntakes',
  consolidate: 'recollect.consolidate',
  acceptProposal: 'recollect.acceptProposal',
  editProposal: 'recollect.editProposal',
  rejectProposal: 'recollect.rejectProposal',
  undoConsolidation: 'recollect.undoConsolidation',
  moveToProject: 'recollect.moveToProject',
  moveToGlobal: 'recollect.moveToGlobal',
  showProjects: 'recollect.showProjects',
  reviewGlobal: 'recollect.reviewGlobal',
  linkProject: 'recollect.linkProject',
  unlinkProject: 'recollect.unlinkProject',
  backUp: 'recollect.backUp',
  restoreCheckpoint: 'recollect.restoreCheckpoint',
  showIdentity: 'recollect.showIdentity',
  runMaintenance: 'recollect.runMaintenance',
  previewMaintenance: 'recollect.previewMaintenance',
  downloadModel: 'recollect.downloadModel',
  setApiKey: 'recollect.setApiKey',
  testModel: 'recollect.testModel',
  embeddingEndpoint: 'recollect.embeddingEndpoint',
  connectClaudeCode: 'recollect.connectClaudeCode',
  connections: 'recollect.connections',
  showBriefing: 'recollect.showBriefing',
  connectVsCodeAgents: 'recollect.connectVsCodeAgents',
  showInspector: 'recollect.showInspector',
  showInInspector: 'recollect.showInInspector',
  explainLastAnswer: 'recollect.explainLastAnswer',
  showLog: 'recollect.showLog',
  confirmAlerts: 'recollect.confirmAlerts',
  showNoticesAgain: 'recollect.showNoticesAgain',
  groupByTopic: 'recollect.groupByTopic',
  groupByLasting: 'recollect.groupByLasting',
  filter: 'recollect.filter',
  clearFilter: 'recollect.clearFilter',
  publishMenu: 'recollect.publishMenu',
  connectMenu: 'recollect.connectMenu',
  upkeep: 'recollect.upkeep',
  help: 'recollect.help',
  refresh: 'recollect.refresh',
  collapseAll: 'recollect.collapseAll',
  retry: 'recollect.retry',
  showMore: 'recollect.showMore',
} as const;
/** Former ids that keybindings may have, and what does their work; hidden, and gone in the next release. */
export const formerCommandIds = {
  'recollect.groupByGate': commandIds.groupByTopic,
  'recollect.groupByTemperature': commandIds.groupByTopic,
  'recollect.groupByDecayClass': commandIds.groupByLasting,
  'recollect.leaveTeam': commandIds.team,
} as const satisfies Readonly<Record<string, string>>;
export type CommandId = (typeof commandIds)[keyof typeof commandIds];

/**
 * Commands that package.json does not list: links, buttons and the menus of menus.ts run them, and keybindings may. The palette
 * stays short for it.
 */
export const unlistedCommands: readonly CommandId[] = [
  commandIds.rememberSymbol,
  commandIds.decideInChat,
  commandIds.chooseProject,
  commandIds.confirmCode,
  commandIds.showAnchored,
  commandIds.showMore,
  commandIds.confirmAlerts,
  commandIds.retry,
  commandIds.refresh,
  commandIds.collapseAll,
  commandIds.keepBoth,
  commandIds.publishUser,
  commandIds.unpublish,
  commandIds.connectTeam,
  commandIds.moveStore,
  commandIds.verify,
  commandIds.clientRights,
  commandIds.undoConsolidation,
  commandIds.backUp,
  commandIds.restoreCheckpoint,
  commandIds.downloadModel,
  commandIds.setApiKey,
  commandIds.testModel,
  commandIds.embeddingEndpoint,
  commandIds.connectClaudeCode,
  commandIds.connectVsCodeAgents,
  commandIds.keepSensitive,
  commandIds.copySensitiveKey,
  commandIds.bringSensitiveKey,
  commandIds.linkProject,
  commandIds.unlinkProject,
  commandIds.reviewGlobal,
  commandIds.previewMaintenance,
  commandIds.reset,
  commandIds.showLog,
  commandIds.showNoticesAgain,
  commandIds.getStarted,
  commandIds.showSet,
  commandIds.reviewCandidates,
  commandIds.syncTeam,
  commandIds.consolidate,
  commandIds.sync,
  commandIds.export,
  commandIds.connections,
  commandIds.showIdentity,
  commandIds.publish,
];

export const viewContainerId = 'recollect';
export const explorerViewId = 'recollect.explorer';
export const walkthroughId = 'start';
export const inspectorViewType = 'recollect.inspector';

export const settingsSection = 'recollect';
const { hookMoments: _, ...engineSettings } = engineSettingKeys;
/** Without the prefix `recollect.`. */
export const settingKeys = {
  ...engineSettings,
  maintenanceAutomatic: 'maintenance.automatic',
  mcpEnabled: 'mcp.enabled',
  captureSources: 'capture.sources',
  codeLens: 'codeLens',
  hoverEnabled: 'hover.enabled',
  statusBarEnabled: 'statusBar.enabled',
} as const;
export type SettingKey = (typeof settingKeys)[keyof typeof settingKeys];

/** Settings that package.json does not list, because few need them: only a person's own settings file has them. */
export const unlistedSettings: readonly SettingKey[] = [
  settingKeys.kindHalfLives,
  settingKeys.maintenanceWeights,
  settingKeys.maintenanceKilobytesPerRun,
  settingKeys.statusBarEnabled,
];

/** Keys in VS Code's secret storage. */
export const secretIds = {
  anthropicApiKey: 'recollect.anthropicApiKey',
  /** Followed by the scheme, host and port that the key is for (embeddingKeyId). */
  embeddingApiKey: 'recollect.embeddingApiKey',
  sensitiveKeys: 'recollect.sensitiveKeys',
  teamConnection: 'recollect.teamConnection',
} as const satisfies Record<SecretName, string>;

/** Context keys that the when-clauses of package.json use. */
export const contextKeys = {
  /** The kind of the EngineHolderState: `closed`, `open` or `failed`. */
  state: 'recollect.state',
  /** The EngineErrorCode of the failure; empty otherwise. */
  failure: 'recollect.failure',
  /** True when no memory is active; false until they were counted. */
  empty: 'recollect.empty',
  /** True for a moment, which ticks a step of the walkthrough that was done (WalkthroughSteps): a memory was active. */
  remembers: 'recollect.remembers',
  hasRecalled: 'recollect.hasRecalled',
  hasSeenTree: 'recollect.hasSeenTree',
  hasSeenInspector: 'recollect.hasSeenInspector',
  /** True when no memory is archived; false until they were counted. */
  nothingArchived: 'recollect.nothingArchived',
  filtered: 'recollect.filtered',
  /** How the tree groups memories: `topic` or `lasting`. */
  grouping: 'recollect.grouping',
  /** True when a language model answers in the chat. */
  hasChatModel: 'recollect.hasChatModel',
  /** True when a folder has a file with rules for assistants. */
  hasRuleFile: 'recollect.hasRuleFile',
  /** True when Claude Code is on this machine, and does not reach the memory yet. */
  wantsClaudeCode: 'recollect.wantsClaudeCode',
  /** True when any topic of notifications is muted. */
  muted: 'recollect.muted',
} as const;

/** Prefixes the names of src/operations, because all extensions share one namespace of chat tools. */
export const toolPrefix = 'recollect_';
/** In the order in which a chat lists them. Implemented in src/operations. */
export const toolNames = ['recollect_recall', 'recollect_remember', 'recollect_revise', 'recollect_forget'] as const;
export type ToolName = (typeof toolNames)[number];

/** `@recollect` in the chat. */
export const participantId = 'recollect.chat';
/**
 * The slash commands of the participant, in the order in which the chat lists them. Without one, a prompt is a
 * question.
 */
export const chatCommands = ['recall', 'remember', 'forget', 'index', 'consolidate', 'status', 'why'] as const;
export type ChatCommand = (typeof chatCommands)[number];

/** Id of the provider of the MCP server that VS Code's agents can start. */
export const mcpProviderId = 'recollect.mcp';

/** Scheme of the read-only documents about one memory, which package.json opens in the Markdown preview. */
export const memoryDocumentScheme = 'recollect-memory';
/** Scheme of the read-only documents that the engine writes, used in when-clauses of package.json. */
export const virtualDocumentScheme = 'recollect-page';
/** Scheme of both sides of a diff that previews a write. */
export const diffPreviewScheme = 'recollect-preview';
/** Scheme of the resource URIs by which rows of notes are dimmed. */
export const rowScheme = 'recollect-row';
