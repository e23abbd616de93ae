import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CountedEmbedder } from './embeddings/countedEmbedder.js';
import type { LanguageModels } from './llm/models.js';
import type { Host } from './model/host.js';
import type { Scope, StoreKind } from './model/memory.js';
import type { AnswerCache } from './recall/cache.js';
import type { UsageBuffer } from './recall/usage.js';
import type { Store } from './store/store.js';

/** A store that is open in this session; a project's store knows the folders it was opened for. */
export interface OpenStore {
  readonly store: Store;
  readonly folders: readonly string[];
}

/** What a verb needs. */
export interface Context {
  readonly host: Host;
  /** The projects' stores in the order of the host's folders, then the global store; always at least the global one. */
  readonly stores: readonly OpenStore[];
  readonly usage: UsageBuffer;
  readonly embedder: CountedEmbedder;
  readonly cache: AnswerCache;
  readonly models: LanguageModels;
}

/** The stores that a scope reads, project first. With no folder open every scope reads what there is: the global store. */
export function storesOf(ctx: Context, scope: Scope): Store[] {
  const wanted = ctx.stores.filter(
    it => scope === 'project-then-global' || it.store.kind === (scope === 'project-only' ? 'project' : 'global'),
  );
  return (wanted.length > 0 ? wanted : ctx.stores).map(it => it.store);
}

/** The store that takes a new memory: of the folder its document lies in, else of the first folder, else global. */
export function storeForWrite(ctx: Context, kind: StoreKind, uri: string | undefined): Store {
  const global = ctx.stores.find(it => it.store.kind === 'global')!.store;
  if (kind === 'global') return global;
  const projects = ctx.stores.filter(it => it.store.kind === 'project');
  const around = uri === undefined ? undefined : projects.find(it => it.folders.some(folder => isInside(uri, folder)));
  return (around ?? projects[0])?.store ?? global;
}

function isInside(uri: string, folder: string): boolean {
  if (!uri.startsWith('file:')) return false;
  let file: string;
  try {
    file = fileURLToPath(uri);
  } catch {
    return false; // A model may send any text; `file://host/x` is no path here.
  }
  const relative = path.relative(folder, file);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}
