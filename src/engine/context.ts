import { fileURLToPath } from 'node:url';
import { EngineError } from './base/errors.js';
import type { LocalizableMessage } from './base/localizableMessage.js';
import { isInside } from './base/paths.js';
import type { AgingClock } from './store/agingClock.js';
import type { CrossEncoder } from './embeddings/crossEncoder.js';
import type { InstrumentedEmbedder } from './embeddings/instrumentedEmbedder.js';
import type { LanguageModels } from './llm/languageModels.js';
import type { EngineHost } from './model/host.js';
import type { StoreScope, StoreKind } from './model/memory.js';
import type { AnswerCache } from './recall/answerCache.js';
import type { UsageBuffer } from './recall/usageBuffer.js';
import type { ProjectLocation } from './store/locateProject.js';
import type { Store } from './store/store.js';

/** A store that is open in this session; a project's store knows the folders it was opened for. */
export interface OpenStore {
  readonly store: Store;
  readonly folders: readonly string[];
  /** Of the project; absent for the global store. */
  readonly key?: string;
}

/** Dependencies of a recall. */
export interface RecallContext {
  readonly host: EngineHost;
  /** The time by which memories age; timestamps use `host.now()`. */
  readonly aging: AgingClock;
  /** Stores that the client may use: the projects' in the order of the host's folders, then the global store. */
  readonly stores: readonly OpenStore[];
  readonly usage: UsageBuffer;
  readonly embedder: InstrumentedEmbedder;
  /** Orders the best candidates once more; undefined unless the settings name one. */
  readonly crossEncoder: CrossEncoder | undefined;
  readonly cache: AnswerCache;
}

/** Stores of projects that were moved to a server. */
export interface MovedStores {
  /** Of those whose server could not be used when they were opened. */
  readonly notices: readonly LocalizableMessage[];
  /** Memories from the time when the server of a project's store could not be used, by the project's key; undefined for nothing. */
  readonly openWaiting: (key: string) => Promise<Store | undefined>;
}

/** Dependencies of every other verb. */
export interface Context extends RecallContext {
  /** The global store, for what belongs to no memory; whether or not the client may read it. */
  readonly globalStore: Store;
  /** Of the host's folders. */
  readonly projects: readonly ProjectLocation[];
  readonly movedStores: MovedStores;
  readonly models: LanguageModels;
}

/** The same, with what waits for a server that cannot be used now in place of a store that takes no writes. */
export function withWaitingStores(ctx: Context): Context {
  return { ...ctx, stores: ctx.stores.map(it => ({ ...it, store: it.store.waiting ?? it.store })) };
}

/** For what must see all memories of a store. @throws EngineError storeUnavailable where its server cannot be used now */
export function requireReachable(ctx: Context, store: Store): void {
  const [notice] = ctx.movedStores.notices;
  if (store.waiting !== undefined && notice !== undefined) throw new EngineError('storeUnavailable', notice);
}

/** Name of the project whose memory an open store has; undefined for the global one. */
export function projectName(ctx: Context, store: Store): string | undefined {
  const key = ctx.stores.find(it => it.store === store)?.key;
  if (key === undefined) return undefined;
  const location = ctx.projects.find(it => it.storeKeys.includes(key));
  return location && nameOfProject(location, key);
}

/** Name of the project of a folder. @param key of its store */
export function nameOfProject({ projects, keys, storeKeys }: ProjectLocation, key = storeKeys[0]): string {
  return projects.find(it => it.key === key)?.name ?? keys.name;
}

/** The stores that a scope reads, project first; none where it asks for a project's and none is open. */
export function storesInScope(ctx: RecallContext, scope: StoreScope): Store[] {
  return ctx.stores
    .map(it => it.store)
    .filter(it => scope === 'project-then-global' || it.kind === (scope === 'project-only' ? 'project' : 'global'));
}

/**
 * The requested folder of the workspace, the first one by default.
 * @throws EngineError invalidInput where the workspace has no such folder
 */
export function requireWorkspaceFolder(ctx: Context, requested: string | undefined): string {
  const folders = ctx.host.workspaceFolders;
  const folder = requested === undefined ? folders[0] : folders.find(it => it === requested);
  if (folder !== undefined) return folder;
  throw new EngineError('invalidInput', 'No project is open here. Open its folder first.');
}

/** The store of a workspace folder; the global store for undefined. */
export function storeOfFolder(ctx: Context, folder: string | undefined): Store {
  return ctx.stores.find(it => (folder === undefined ? it.store.kind === 'global' : it.folders.includes(folder)))!
    .store;
}

/** The store that takes a new memory: of the folder its document lies in, else of the named or the first folder, else global. */
export function storeForWrite(ctx: Context, kind: StoreKind, uri: string | undefined, named?: string): Store {
  const global = ctx.stores.find(it => it.store.kind === 'global')?.store;
  if (kind === 'global' && global !== undefined) return global;
  const projects = ctx.stores.filter(it => it.store.kind === 'project');
  const containing =
    uri === undefined ? undefined : projects.find(it => it.folders.some(folder => isUriInside(uri, folder)));
  const chosen = projects.find(it => named !== undefined && it.folders.includes(named));
  return (containing ?? chosen ?? projects[0])?.store ?? global!;
}

/** The folder of an open store that a document lies in, else its first one; undefined where it has none. */
export function folderForWrite(ctx: RecallContext, store: Store, uri: string | undefined): string | undefined {
  const folders = ctx.stores.find(it => it.store === store)?.folders ?? [];
  return (uri === undefined ? undefined : folders.find(it => isUriInside(uri, it))) ?? folders[0];
}

function isUriInside(uri: string, folder: string): boolean {
  if (!uri.startsWith('file:')) return false;
  let file: string;
  try {
    file = fileURLToPath(uri);
  } catch {
    return false; // A model may send any text; `file://host/x` is no path here.
  }
  return isInside(folder, file);
}
