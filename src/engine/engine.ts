import { AgingClock } from './agingClock.js';
import { type LocalizableMessage } from './base/localizableMessage.js';
import { defaultClaudeSessionsFolder } from './capture/sources/claudeCode.js';
import { classify } from './classify/classify.js';
import { type ChangedAnchor } from './codeIndex/anchorTracker.js';
import { type IndexInput, type SymbolSource } from './codeIndex/codeIndex.js';
import { downloadSizeOf, modelCatalog, type CatalogModel } from './embeddings/modelCatalog.js';
import { downloadModel, installedModels } from './embeddings/downloadModel.js';
import { type MaintenanceOptions } from './maintenance/maintenance.js';
import { guardHost } from './secrets/guardHost.js';
import { findPersonalData, type PersonalDataMatch } from './secrets/personalData.js';
import type { EngineHost } from './model/host.js';
import type { Classification } from './model/memory.js';
import { exportFormats, type ExportFormat } from './exchange/exporter.js';
import { SearchWorkerClient } from './search/worker/searchWorkerClient.js';
import {
  findBuiltInModel,
  modelsFolder,
  openEmbedder,
  locateProjects,
  openProjectStore,
  openStores,
} from './openStores.js';
import type { Store } from './store/store.js';
import { readAuditAnchorFile, writeAuditAnchorFile } from './lifecycle/verification.js';
import { MemoryEngine } from './memoryEngine.js';

export type { MemoryEngine };
export {
  modelsFolder,
  defaultClaudeSessionsFolder,
  readAuditAnchorFile,
  writeAuditAnchorFile,
  exportFormats,
  type ChangedAnchor,
  type ExportFormat,
  type IndexInput,
  type MaintenanceOptions,
  type SymbolSource,
};
export { createSensitiveKey, parseSensitiveKeys } from './sensitive/keyRing.js';
export { downloadSizeOf, modelCatalog, downloadModel, installedModels, type CatalogModel };

/** What `remember` would make of a statement; needs no store. Relative dates count from `now`. */
export const classifyStatement: (statement: string, now: Date) => Classification = classify;

/** The first personal data of the usual kinds in a text: a hint for a person, who may want it encrypted. */
export const findPersonalDataIn: (text: string) => PersonalDataMatch | undefined = findPersonalData;

/** How an engine begins. */
export interface OpenOptions {
  /** A search or a write follows at once: what that needs is read while the stores are opened. */
  readonly prewarm?: boolean;
  /** A thread that was begun before (`beginSearch`). It ends with the engine, or where that cannot be opened. */
  readonly searchWorker?: SearchWorkerClient | undefined;
}

/**
 * Opens the global store and the store of each of the host's folders. The engine's only wiring.
 * @throws EngineError storeUnavailable | storeReadOnly | storeFull | storeTooNew | storeBusy
 */
export async function openEngine(
  givenHost: EngineHost,
  { prewarm = false, searchWorker: prewarmed }: OpenOptions = {},
): Promise<MemoryEngine> {
  const host = guardHost(givenHost);
  const modelDir = await findBuiltInModel(host);
  const searchWorker = prewarmed ?? new SearchWorkerClient(host.bundleDir, { modelDir });
  try {
    if (prewarm) searchWorker.start();
    const notices: LocalizableMessage[] = [];
    const projects = await locateProjects(host);
    const stores = await openStores(host, searchWorker, projects);
    const embedder = await openEmbedder(host, searchWorker, { stores, notices });
    if (prewarm) for (const { store } of stores) store.prepareSearch(embedder.model);
    const { store: globalStore } = stores.find(it => it.store.kind === 'global')!;
    const aging = new AgingClock(
      host,
      globalStore,
      stores.map(it => it.store),
    );
    await aging.observe();
    const openProject = (key: string): Promise<Store> => openProjectStore(host, searchWorker, key);
    return new MemoryEngine(host, stores, { projects, embedder, searchWorker, notices, aging, openProject });
  } catch (error) {
    await searchWorker.close();
    throw error;
  }
}
