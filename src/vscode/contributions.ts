import type { SecretName } from '../engine/model/host.js';

/** Every id that package.json contributes, once. A unit test proves that both say the same. */

export const commandIds = {
  remember: 'recollect.remember',
  rememberSelection: 'recollect.rememberSelection',
  rememberSymbol: 'recollect.rememberSymbol',
  getStarted: 'recollect.getStarted',
  recall: 'recollect.recall',
  pin: 'recollect.pin',
  unpin: 'recollect.unpin',
  forget: 'recollect.forget',
  restore: 'recollect.restore',
  promote: 'recollect.promote',
  markCritical: 'recollect.markCritical',
  settleConflict: 'recollect.settleConflict',
  revisitDone: 'recollect.revisitDone',
  revisitExtend: 'recollect.revisitExtend',
  revisitDrop: 'recollect.revisitDrop',
  openMemory: 'recollect.openMemory',
  openAnchor: 'recollect.openAnchor',
  showAnchored: 'recollect.showAnchored',
  confirmCode: 'recollect.confirmCode',
  indexFile: 'recollect.indexFile',
  indexWorkspace: 'recollect.indexWorkspace',
  publish: 'recollect.publish',
  publishUser: 'recollect.publishUser',
  export: 'recollect.export',
  import: 'recollect.import',
  sync: 'recollect.sync',
  verify: 'recollect.verify',
  purge: 'recollect.purge',
  reset: 'recollect.reset',
  captureSessions: 'recollect.captureSessions',
  consolidate: 'recollect.consolidate',
  acceptProposal: 'recollect.acceptProposal',
  editProposal: 'recollect.editProposal',
  rejectProposal: 'recollect.rejectProposal',
  undoConsolidation: 'recollect.undoConsolidation',
  backUp: 'recollect.backUp',
  restoreCheckpoint: 'recollect.restoreCheckpoint',
  showIdentity: 'recollect.showIdentity',
  runMaintenance: 'recollect.runMaintenance',
  previewMaintenance: 'recollect.previewMaintenance',
  downloadModel: 'recollect.downloadModel',
  setApiKey: 'recollect.setApiKey',
  testModel: 'recollect.testModel',
  connectClaudeCode: 'recollect.connectClaudeCode',
  connectVsCodeAgents: 'recollect.connectVsCodeAgents',
  showInspector: 'recollect.showInspector',
  showInInspector: 'recollect.showInInspector',
  explainLastAnswer: 'recollect.explainLastAnswer',
  showLog: 'recollect.showLog',
  showNoticesAgain: 'recollect.showNoticesAgain',
  groupByGate: 'recollect.groupByGate',
  groupByDecayClass: 'recollect.groupByDecayClass',
  filter: 'recollect.filter',
  clearFilter: 'recollect.clearFilter',
  refresh: 'recollect.refresh',
  collapseAll: 'recollect.collapseAll',
  retry: 'recollect.retry',
  showMore: 'recollect.showMore',
} as const;
export type CommandId = (typeof commandIds)[keyof typeof commandIds];

export const viewContainerId = 'recollect';
export const explorerViewId = 'recollect.explorer';
export const walkthroughId = 'start';
export const inspectorViewType = 'recollect.inspector';

export const settingsSection = 'recollect';
/** Below `recollect.`. */
export const settingKeys = {
  embeddings: 'embeddings',
  // Not `embeddings.model`: VS Code drops a setting whose name continues that of another one with a plain value.
  embeddingModel: 'embeddingModel',
  decayProfile: 'decayProfile',
  recallLimit: 'recall.limit',
  recallTokenBudget: 'recall.tokenBudget',
  recallLambda: 'recall.lambda',
  recallNoteWeight: 'recall.noteWeight',
  recallGateWeights: 'recall.gateWeights',
  notesLifetimeDays: 'notes.lifetimeDays',
  tracesKeep: 'traces.keep',
  maintenanceAutomatic: 'maintenance.automatic',
  maintenanceIntervalDays: 'maintenance.intervalDays',
  maintenancePreset: 'maintenance.preset',
  maintenanceWeights: 'maintenance.weights',
  maintenanceQuotas: 'maintenance.quotas',
  maintenanceKilobytesPerRun: 'maintenance.kilobytesPerRun',
  maintenancePruneAfterDays: 'maintenance.pruneAfterDays',
  publishTargets: 'publish.targets',
  modelProvider: 'model.provider',
  modelName: 'model.name',
  modelDailyTokens: 'model.dailyTokens',
  mcpEnabled: 'mcp.enabled',
  captureClaudeCode: 'capture.claudeCode',
  captureVscodeChat: 'capture.vscodeChat',
  codeLensEnabled: 'codeLens.enabled',
  hoverEnabled: 'hover.enabled',
  statusBarEnabled: 'statusBar.enabled',
  explorerGroupBy: 'explorer.groupBy',
} as const;
export type SettingKey = (typeof settingKeys)[keyof typeof settingKeys];

/** Names in VS Code's secret storage. */
export const secretIds = { anthropicApiKey: 'recollect.anthropicApiKey' } as const satisfies Record<SecretName, string>;

/** Context keys that when-clauses of package.json ask for. */
export const contextKeys = {
  /** `closed`, `open` or `failed`: see MemorySession. */
  state: 'recollect.state',
  /** The EngineErrorCode of the failure; empty otherwise. */
  failure: 'recollect.failure',
  /** True once it is known that no memory is active. */
  empty: 'recollect.empty',
  /** True once it is known that no memory is archived. */
  nothingArchived: 'recollect.nothingArchived',
  filtered: 'recollect.filtered',
  /** True where a person wants some notifications no more. */
  muted: 'recollect.muted',
} as const;

/** By effective confidence; a theme may change them. */
export const colorIds = {
  high: 'recollect.confidenceHigh',
  medium: 'recollect.confidenceMedium',
  low: 'recollect.confidenceLow',
} as const;

/** Before the names of src/tools: those of a chat are shared by all extensions. */
export const toolPrefix = 'recollect_';
/** In the order in which a chat lists them; what they do is in src/tools. */
export const toolNames = ['recollect_recall', 'recollect_remember', 'recollect_forget', 'recollect_feedback'] as const;
export type ToolName = (typeof toolNames)[number];

/** `@recollect` in the chat. */
export const participantId = 'recollect.chat';
/** What may follow it, behind a slash; no command is a question. In the order in which the chat lists them. */
export const chatCommands = ['recall', 'remember', 'forget', 'index', 'consolidate', 'status', 'why'] as const;
export type ChatCommand = (typeof chatCommands)[number];

/** Of the MCP server that VS Code's agents can start. */
export const mcpProviderId = 'recollect.mcp';

/** Scheme of the read-only documents that show one memory; package.json has them open as pages. */
export const memoryDocumentScheme = 'recollect-memory';
/** Scheme of the read-only pages that the engine writes; package.json names it in when-clauses. */
export const virtualDocumentScheme = 'recollect-page';
/** Scheme of the page that shows what maintenance would do. */
export const maintenanceReportScheme = 'recollect-maintenance';
/** Scheme of both sides of a diff that is shown before something is written. */
export const diffPreviewScheme = 'recollect-preview';
/** Scheme of the resources that give rows of the explorer their badge. */
export const confidenceBadgeScheme = 'recollect-confidence';
