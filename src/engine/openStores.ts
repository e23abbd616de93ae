import { access } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from './base/errors.js';
import { builtInModelFolder } from './search/prewarmSearch.js';
import { clientKey } from './access/clientRights.js';
import { message, type LocalizableMessage } from './base/localizableMessage.js';
import type { OpenStore } from './context.js';
import { readChosenServer } from './database/postgres/chosenServer.js';
import { PostgresPool } from './database/postgres/postgresPool.js';
import { describeAddress } from './database/postgres/postgresSettings.js';
import { checkCrossEncoder, CrossEncoder } from './embeddings/crossEncoder.js';
import { EncoderEmbedder } from './embeddings/encoderEmbedder.js';
import { readGateWeights } from './embeddings/gateWeightsFile.js';
import { createNullEmbedder, type Embedder, type StaticModelRunner } from './embeddings/embedder.js';
import { parseEndpointAddress } from './embeddings/endpointAddress.js';
import type { EndpointEmbedder } from './embeddings/endpointEmbedder.js';
import type { EndpointRecords } from './embeddings/endpointRecords.js';
import { StaticModel } from './embeddings/staticModel.js';
import { readBuiltInModel, readModelFolder } from './embeddings/modelFolder.js';
import { OnnxEmbedder } from './embeddings/onnxEmbedder.js';
import { hasOnnxRuntime, requireOnnxRuntime } from './embeddings/onnxThread.js';
import { StaticEmbedder } from './embeddings/staticEmbedder.js';
import { staticModelFileName } from './embeddings/staticModelFile.js';
import type { UsageLedger } from './llm/modelBudget.js';
import type { EngineHost } from './model/host.js';
import { isPrivateText } from './secrets/personalData.js';
import type { SearchWorkerClient } from './search/worker/searchWorkerClient.js';
import { locateProject, recordProject, type ProjectLocation } from './store/locateProject.js';
import { requireMovedStore } from './store/move/movedStore.js';
import type { Store } from './store/store.js';
import { openPostgresStore } from './store/postgres/openPostgresStore.js';
import { openSqliteStore, openUnreachableStore, openWaitingStore } from './store/sqlite/openSqliteStore.js';
import { isOnServer, readStorePlacement, type StorePlacement } from './store/storePlacement.js';

/** Where downloaded models lie in a data folder, one folder each. */
export const modelsFolder = (dataDir: string): string => path.join(dataDir, 'models');

/** Where the built-in model is; a package without it is logged, and candidates are not read closely. */
export async function findBuiltInModel(host: EngineHost): Promise<string | undefined> {
  const folder = builtInModelFolder(host.modelsDir);
  try {
    await access(path.join(folder, staticModelFileName));
    return folder;
  } catch (error) {
    host.log.error('No built-in model: the best matches are not compared word by word.', error);
    return undefined;
  }
}

/** The embedder of the configuration; a model that cannot be read is reported, and search is lexical. */
export async function openEmbedder(
  host: EngineHost,
  thread: StaticModelRunner,
  { stores, notices }: { readonly stores: readonly OpenStore[]; readonly notices: LocalizableMessage[] },
): Promise<Embedder> {
  const { embeddings } = host.config();
  if (embeddings === 'off') return createNullEmbedder('embeddingsOff');
  try {
    if (embeddings === 'endpoint') return await openEndpoint(host, stores);
    if (embeddings === 'static') return await openStaticEmbedder(host, thread);
    if (embeddings === 'built-in') return await openBuiltInEmbedder(host, thread, notices);
    const folder = path.isAbsolute(embeddings) ? embeddings : path.join(modelsFolder(host.dataDir), embeddings);
    const model = await readModelFolder(folder);
    requireOnnxRuntime(host.bundleDir);
    return new OnnxEmbedder(model, host.bundleDir);
  } catch (error) {
    host.log.error('No embedding model: everything is found by words alone.', error);
    if (EngineError.is(error)) notices.push(error.localizable);
    return createNullEmbedder('modelUnusable');
  }
}

/** The encoder where ONNX Runtime is installed; elsewhere, and where the encoder does not run, the static model. */
async function openBuiltInEmbedder(
  host: EngineHost,
  thread: StaticModelRunner,
  notices: LocalizableMessage[],
): Promise<Embedder> {
  if (!hasOnnxRuntime(host.bundleDir)) return openStaticEmbedder(host, thread);
  const folder = path.join(host.modelsDir, 'encoder');
  try {
    const model = await readModelFolder(folder);
    const fallback = await openStaticEmbedder(host, thread).catch(() => undefined);
    const gateWeights = await readGateWeights(host.modelsDir, model.model.name).catch((error: unknown) => {
      host.log.error('The encoder decides on no gate: its weights cannot be used.', error);
      notices.push(
        message`The weights in ${path.join(host.modelsDir, 'gates.json')} are missing or damaged, so words alone decide what a memory is about. Install Recollect again.`,
      );
      return undefined;
    });
    return new EncoderEmbedder(model, host.bundleDir, { fallback, gateWeights });
  } catch (error) {
    const embedder = await openStaticEmbedder(host, thread);
    host.log.error('The encoder cannot be used: the static model finds by meaning.', error);
    notices.push(
      message`The embedding model in ${folder} is missing or damaged, so the smaller static model finds by meaning. Install Recollect again, or set recollect.embeddings to static.`,
    );
    return embedder;
  }
}

async function openStaticEmbedder(host: EngineHost, thread: StaticModelRunner): Promise<StaticEmbedder> {
  return new StaticEmbedder(await readBuiltInModel(builtInModelFolder(host.modelsDir)), thread);
}

/** The cross-encoder that the settings name; one that cannot be used is reported. */
export async function openCrossEncoder(
  host: EngineHost,
  notices: LocalizableMessage[],
): Promise<CrossEncoder | undefined> {
  const { rerankModel } = host.config().recall;
  if (rerankModel === '') return undefined;
  try {
    await checkCrossEncoder(rerankModel);
    requireOnnxRuntime(host.bundleDir);
    return new CrossEncoder(rerankModel, host.bundleDir);
  } catch (error) {
    host.log.error('No cross-encoder: answers keep their order.', error);
    if (EngineError.is(error)) notices.push(error.localizable);
    return undefined;
  }
}

/** @throws EngineError embedderUnavailable where the settings name no endpoint */
async function openEndpoint(host: EngineHost, stores: readonly OpenStore[]): Promise<EndpointEmbedder> {
  const { embeddingEndpoint: settings } = host.config();
  const address = parseEndpointAddress(settings.address);
  if (address === undefined || settings.model === '')
    throw new EngineError(
      'embedderUnavailable',
      message`No embedding endpoint is named, so everything is found by words alone. Set recollect.embeddingEndpoint.address (such as http://127.0.0.1:11434/v1) and recollect.embeddingEndpoint.model.`,
    );
  const records = createEndpointRecords(stores, host);
  // A process for one prompt asks no server, and does not load what reads its answers.
  const { EndpointEmbedder } = await import('./embeddings/endpointEmbedder.js');
  const embedder = new EndpointEmbedder({ host, address, settings, records, isPrivate: isPrivateText });
  // Only reads what is known: a question does not measure a model.
  await embedder.prepare('query');
  return embedder;
}

/**
 * Finds the projects of the host's folders, and records what the folders show. A disk that cannot be written is logged: the
 * projects are found without it.
 */
export async function locateProjects(host: EngineHost): Promise<readonly ProjectLocation[]> {
  const locations: ProjectLocation[] = [];
  if (host.onlyStore === 'global') return locations;
  if (host.onlyStore === 'project' && host.workspaceFolders.length === 0)
    throw new EngineError(
      'notAllowed',
      message`The user lets ${clientKey(host.client)} use the memories of projects only, and it works in no project here.`,
    );
  for (const folder of host.workspaceFolders) {
    const location = await locateProject(host.dataDir, folder);
    locations.push(location);
    await recordProject(host.dataDir, location, host.now().toISOString()).catch((error: unknown) => {
      host.log.error('What is known of a project could not be recorded.', error);
    });
  }
  return locations;
}

interface ServerOpening {
  /** Gets a sentence for each store whose server cannot be used now. */
  readonly serverNotices?: LocalizableMessage[];
  readonly serverDeadlineMs?: number | undefined;
}

/**
 * The store of one project, by its key: in the data folder, or on the server that it was moved to.
 * @returns where the server cannot be used now, a store that shows and takes what is remembered meanwhile, and no other write
 */
export async function openProjectStore(
  host: EngineHost,
  searchWorker: SearchWorkerClient,
  key: string,
  { serverNotices = [], serverDeadlineMs }: ServerOpening = {},
): Promise<Store> {
  const folder = projectFolder(host, key);
  if (!isOnServer(folder)) return openSqliteStore('project', folder, host, searchWorker);
  try {
    const placement = await readStorePlacement(folder);
    // It came back meanwhile.
    if (placement === undefined) return await openSqliteStore('project', folder, host, searchWorker);
    return await openServerStore(host, placement, serverDeadlineMs);
  } catch (error) {
    // The other stores go on without it.
    if (!EngineError.is(error)) throw error;
    host.log.error('The memories of a project are on a server that cannot be used now.', error);
    const reason = unreachableError(error);
    serverNotices.push(reason.localizable);
    return openUnreachableStore(folder, reason, host, searchWorker);
  }
}

/** Memories from the time when the server of a project's store could not be used. @throws as openSqliteStore */
export function openWaiting(
  host: EngineHost,
  searchWorker: SearchWorkerClient,
  key: string,
): Promise<Store | undefined> {
  return openWaitingStore(projectFolder(host, key), host, searchWorker);
}

const projectFolder = ({ dataDir }: EngineHost, key: string): string => path.join(dataDir, 'projects', key);

/** @throws EngineError as requireMovedStore and openPostgresStore do, and invalidInput where no server is named */
async function openServerStore(
  host: EngineHost,
  placement: StorePlacement,
  deadlineMs = defaultServerDeadlineMs,
): Promise<Store> {
  const settings = await readChosenServer(host);
  const pool = await PostgresPool.open(settings, placement.schema, poolConnections, deadlineMs);
  const opening = openMovedStore(host, pool, placement);
  let timer: NodeJS.Timeout | undefined;
  // Nothing waits long for a server: what is here is usable without it.
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      opening.then(
        it => it.close(),
        () => undefined,
      );
      reject(new EngineError('storeUnavailable', message`${describeAddress(settings)} does not answer.`));
    }, deadlineMs);
  });
  try {
    return await Promise.race([opening, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
const defaultServerDeadlineMs = 3_000;
/** Of one store; its writes take one. */
const poolConnections = 4;

/** The pool is closed where that fails. */
async function openMovedStore(host: EngineHost, pool: PostgresPool, placement: StorePlacement): Promise<Store> {
  try {
    await requireMovedStore(pool, placement);
  } catch (error) {
    await pool.close();
    throw error;
  }
  return openPostgresStore('project', pool, {
    now: () => host.now(),
    log: host.log,
    keepCheckpoints: () => host.config().checkpoints.keep,
    openBuiltInModel: () => StaticModel.open(builtInModelFolder(host.modelsDir)),
  });
}

function unreachableError(cause: EngineError): EngineError {
  return new EngineError(
    cause.code,
    message`The memories of this project are on a server and missing here until it can be used. What is remembered meanwhile waits on this machine, and goes there by itself. ${cause.localizable}`,
    { cause },
  );
}

/** The stores of the projects, and the global one; all of them or none. */
export async function openStores(
  host: EngineHost,
  searchWorker: SearchWorkerClient,
  projects: readonly ProjectLocation[],
  server: ServerOpening,
): Promise<readonly OpenStore[]> {
  const foldersByKey = new Map<string, string[]>();
  const add = (key: string, folder: string): void => {
    foldersByKey.set(key, [...(foldersByKey.get(key) ?? []), folder]);
  };
  // Stores that take writes come first.
  for (const { folder, storeKeys } of projects) add(storeKeys[0], folder);
  for (const { folder, storeKeys } of projects) for (const key of storeKeys.slice(1)) add(key, folder);
  const openProject = async (key: string, folders: readonly string[]): Promise<OpenStore> => {
    const store = await openProjectStore(host, searchWorker, key, server);
    return { store, folders, key };
  };
  const openGlobal = async (): Promise<OpenStore> => {
    const store = await openSqliteStore('global', path.join(host.dataDir, 'global'), host, searchWorker);
    return { store, folders: [] };
  };
  const results = await Promise.allSettled([
    ...[...foldersByKey].map(([key, folders]) => openProject(key, folders)),
    openGlobal(),
  ]);
  const stores = results.flatMap(it => (it.status === 'fulfilled' ? [it.value] : []));
  const failed = results.find(it => it.status === 'rejected');
  if (failed === undefined) return stores;
  await Promise.allSettled(stores.map(it => it.store.close()));
  throw failed.reason;
}

/** Records and usage of embedding endpoints: in the global store, as for language models. */
export function createEndpointRecords(stores: readonly OpenStore[], host: EngineHost): EndpointRecords {
  const { store } = stores.find(it => it.store.kind === 'global')!;
  const useId = (day: string): string => `embeddings:${day}`;
  return {
    readState: async () => (await store.record('state', endpointStateId))?.body,
    updateState: (change, consent) =>
      store.write(host.client, async tx => {
        await tx.putRecord('state', endpointStateId, change((await tx.record('state', endpointStateId))?.body));
        if (consent !== undefined) await tx.log('consent', { embeddings: consent.url, isAllowed: consent.isAllowed });
      }),
    readUse: async day => (await store.record('modelUse', useId(day)))?.body,
    updateUse: (day, change) =>
      store.write(host.client, async tx => {
        await tx.putRecord('modelUse', useId(day), change((await tx.record('modelUse', useId(day)))?.body));
      }),
  };
}

const endpointStateId = 'embeddingEndpoint';

/** Usage of language models, in the global store: the one that every program on the data folder opens. */
export function createUsageLedger(stores: readonly OpenStore[], host: EngineHost): UsageLedger {
  const { store } = stores.find(it => it.store.kind === 'global')!;
  return {
    read: async day => (await store.record('modelUse', day))?.body,
    update: (day, change) =>
      store.write(host.client, async tx => {
        await tx.putRecord('modelUse', day, change((await tx.record('modelUse', day))?.body));
      }),
  };
}
