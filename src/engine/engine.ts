import { defaultSessionFolders } from './capture/sources/registry.js';
import { EngineError } from './base/errors.js';
import { classify } from './classify/classify.js';
import { type ChangedAnchor } from './codeIndex/anchorTracker.js';
import { type IndexInput, type SymbolSource } from './codeIndex/indexRun.js';
import { downloadSizeOf, modelCatalog, type CatalogModel } from './embeddings/modelCatalog.js';
import { downloadModel, installedModels } from './embeddings/downloadModel.js';
import { type MaintenanceOptions } from './maintenance/maintenance.js';
import { findPersonalData, type PersonalDataMatch } from './secrets/personalData.js';
import type { EngineHost } from './model/host.js';
import type { Classification } from './model/memory.js';
import { exportFormats, type ExportFormat } from './exchange/exporter.js';
import { modelsFolder } from './openStores.js';
import { openParts, type OpenOptions } from './openParts.js';
import { readAuditAnchorFile, writeAuditAnchorFile } from './lifecycle/verification.js';
import { MemoryEngine } from './memoryEngine.js';

export type { SearchWorkerHandle } from './search/prewarmSearch.js';

export type { MemoryEngine, OpenOptions };
export {
  modelsFolder,
  defaultSessionFolders,
  readAuditAnchorFile,
  writeAuditAnchorFile,
  exportFormats,
  type ChangedAnchor,
  type ExportFormat,
  type IndexInput,
  type MaintenanceOptions,
  type SymbolSource,
};
export { namesAction } from './lifecycle/guards.js';
export { findRefusal } from './remember/prepareFact.js';
export { createSensitiveKey, parseSensitiveKeys } from './sensitive/keyRing.js';
export { downloadSizeOf, modelCatalog, downloadModel, installedModels, type CatalogModel };

/** What `remember` would make of a statement; needs no store. Relative dates count from `now`. */
export const classifyStatement: (statement: string, now: Date) => Classification = classify;

/** The first personal data of the usual kinds in a text: a hint for a person, who may want it encrypted. */
export const findPersonalDataIn: (text: string) => PersonalDataMatch | undefined = findPersonalData;

/**
 * Opens the global store and the store of each of the host's folders. The engine's only wiring.
 * @throws EngineError storeUnavailable | storeReadOnly | storeFull | storeTooNew | storeBusy
 */
export async function openEngine(givenHost: EngineHost, options: OpenOptions = {}): Promise<MemoryEngine> {
  const { host, stores, ...parts } = await openParts(givenHost, options);
  const engine = new MemoryEngine(host, stores, parts);
  engine.team.store.bringWaiting().catch((error: unknown) => {
    if (!EngineError.is(error, 'closed')) host.log.error('What waits for a server could not be taken there.', error);
  });
  return engine;
}
