import { AgingClock } from './store/agingClock.js';
import type { LocalizableMessage } from './base/localizableMessage.js';
import type { MovedStores, OpenStore } from './context.js';
import type { CrossEncoder } from './embeddings/crossEncoder.js';
import type { Embedder } from './embeddings/embedder.js';
import type { EngineHost } from './model/host.js';
import {
  findBuiltInModel,
  locateProjects,
  openCrossEncoder,
  openEmbedder,
  openProjectStore,
  openStores,
  openWaiting,
} from './openStores.js';
import { SearchWorkerClient } from './search/worker/searchWorkerClient.js';
import { guardHost } from './secrets/guardHost.js';
import type { ProjectLocation } from './store/locateProject.js';
import type { Store } from './store/store.js';
import { countMergeGroups } from './consolidation/mergeCandidates.js';
import { changedImportAlerts } from './exchange/followedFiles.js';
import type { MaintenanceParts } from './maintenance/maintenance.js';
import { pruneCandidateDecisions } from './remember/intakeLog.js';
import { followedMirrorAlerts } from './sync/followedMirrors.js';

/** How an engine begins. */
export interface OpenOptions {
  /** A search or a write follows at once: what that needs is read while the stores are opened. */
  readonly prewarm?: boolean;
  /** Whether what follows compares meanings: the encoder is loaded, too, if it prewarms. Default: true. */
  readonly comparesMeaning?: boolean;
  /** The program makes one call, of a person, who waits until the encoder is loaded. */
  readonly isOneCall?: boolean;
  /** A thread that was started before (`beginSearch`). It ends with the engine, or where that cannot be opened. */
  readonly searchWorker?: SearchWorkerClient | undefined;
  /** How long a server that has a project's memories may take to open them. */
  readonly serverDeadlineMs?: number;
}

/** Parts that are open for a host. */
export interface EngineParts {
  readonly host: EngineHost;
  /** The global store among them, whether or not the client may read it. */
  readonly stores: readonly OpenStore[];
  readonly projects: readonly ProjectLocation[];
  readonly embedder: Embedder;
  readonly crossEncoder: CrossEncoder | undefined;
  readonly searchWorker: SearchWorkerClient;
  readonly notices: readonly LocalizableMessage[];
  readonly movedStores: MovedStores;
  readonly aging: AgingClock;
  /** Opens the store of a project that the host has no folder of. */
  readonly openProject: (key: string) => Promise<Store>;
}

/** Opens the stores and what searches them. @throws EngineError as openEngine does */
export async function openParts(
  givenHost: EngineHost,
  {
    prewarm = false,
    comparesMeaning = true,
    isOneCall = false,
    searchWorker: prewarmed,
    serverDeadlineMs,
  }: OpenOptions,
): Promise<EngineParts> {
  const host = guardHost(givenHost);
  const modelDir = await findBuiltInModel(host);
  const searchWorker = prewarmed ?? new SearchWorkerClient(host.bundleDir, { modelDir });
  try {
    if (prewarm) searchWorker.start();
    const notices: LocalizableMessage[] = [];
    const serverNotices: LocalizableMessage[] = [];
    const projects = await locateProjects(host);
    const stores = await openStores(host, searchWorker, projects, { serverNotices, serverDeadlineMs });
    const embedder = await openEmbedder(host, searchWorker, { stores, notices });
    const crossEncoder = await openCrossEncoder(host, notices);
    if (prewarm && comparesMeaning) embedder.prewarm?.(isOneCall);
    if (prewarm) for (const { store } of stores) store.prepareSearch(embedder.model);
    const { store: globalStore } = stores.find(it => it.store.kind === 'global')!;
    const aging = new AgingClock(
      host,
      globalStore,
      stores.map(it => it.store),
    );
    await aging.observe();
    const openProject = (key: string): Promise<Store> => openProjectStore(host, searchWorker, key);
    const movedStores: MovedStores = {
      notices: serverNotices,
      openWaiting: key => openWaiting(host, searchWorker, key),
    };
    return { host, stores, projects, embedder, crossEncoder, searchWorker, notices, movedStores, aging, openProject };
  } catch (error) {
    await searchWorker.close();
    throw error;
  }
}

/** Closes what is open. Nothing else may use it any more. */
export async function closeParts({
  embedder,
  crossEncoder,
  stores,
  searchWorker,
}: Pick<EngineParts, 'embedder' | 'crossEncoder' | 'stores' | 'searchWorker'>): Promise<void> {
  // It may still have to record in the stores what it used.
  await embedder.close();
  await crossEncoder?.close();
  await Promise.all(stores.map(it => it.store.close()));
  await searchWorker.close();
}

/** Parts of maintenance that other features have. */
export const upkeepParts: MaintenanceParts = {
  countCandidates: countMergeGroups,
  pruneDecisions: pruneCandidateDecisions,
  otherAlerts: [changedImportAlerts, followedMirrorAlerts],
};
