import { createHash } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { requireWorkspaceFolder, storeOfFolder, type Context } from '../context.js';
import { readLerimConfig } from '../exchange/formats/lerimConfig.js';
import { formatMessage } from '../model/engineMessages.js';
import type { SyncInput } from '../model/sync.js';
import type { Store } from '../store/store.js';
import type { FileOrigin } from './syncedFields.js';

/** The two sides of a sync. */
export interface MirrorTarget extends FileOrigin {
  readonly store: Store;
  /** The absolute folder of the Markdown. */
  readonly root: string;
  /** Meaning of the settings of a lerim folder; sentences for the person. */
  readonly notes: readonly string[];
}

const lerimFolder = '.lerim';

/**
 * The store and the folder of a sync. A folder named `.lerim` has its Markdown in `memory`, and its `config.toml` is read and
 * never written.
 * @throws EngineError invalidInput where the folder is none of its own, holds what another open store wrote, or is of the
 * global memory by its `config.toml` and the project's was wanted
 */
export async function findMirrorTarget(ctx: Context, input: SyncInput): Promise<MirrorTarget> {
  const { store, root, repository } = input.globalFolder === undefined ? ofProject(ctx, input) : ofPerson(ctx, input);
  const { scope, notes } = isLerimRoot(root)
    ? await readLerimConfig(path.dirname(root))
    : { scope: undefined, notes: [] };
  if (store.kind === 'project' && scope === 'global_only')
    throw new EngineError(
      'invalidInput',
      message`memory.scope in ${path.join(path.dirname(root), 'config.toml')} is global_only: no memory of a project belongs there. Nothing was done; name another folder, or change the scope.`,
    );
  for (const { store: other } of ctx.stores) {
    if (other === store) continue;
    const records = await other.records('syncedFile', Number.MAX_SAFE_INTEGER);
    if (records.some(it => it.id.startsWith(mirrorRecordPrefix(root))))
      throw new EngineError(
        'invalidInput',
        message`${root} holds the Markdown of another memory: project and global memories never share a folder. Nothing was done; name another one.`,
      );
  }
  const isUnread = store.kind === 'global' && scope === 'project_only';
  return {
    store,
    root,
    repository,
    notes: isUnread ? [...notes, formatMessage('settingsUnread', 'config.toml')] : notes,
  };
}

/** Whether the Markdown lies in a folder of lerim's layout, `.lerim/memory`. */
export function isLerimRoot(root: string): boolean {
  return path.basename(path.dirname(root)) === lerimFolder;
}

/** Prefix of the ids of all records of a mirror. */
export function mirrorRecordPrefix(root: string): string {
  return `${createHash('sha256').update(root).digest('hex').slice(0, 12)}:`;
}

function ofProject(ctx: Context, input: SyncInput): Omit<MirrorTarget, 'notes'> {
  const folder = requireWorkspaceFolder(ctx, input.folder);
  const named = path.resolve(folder, input.mirror ?? path.join('.recollect', 'memory'));
  if (named === path.resolve(folder))
    throw new EngineError('invalidInput', 'Name a folder of its own for the Markdown, not the project itself.');
  return { store: storeOfFolder(ctx, folder), root: inLayout(named), repository: path.basename(folder) };
}

function ofPerson(ctx: Context, { mirror, globalFolder = '' }: SyncInput): Omit<MirrorTarget, 'notes'> {
  if (mirror !== undefined)
    throw new EngineError(
      'invalidInput',
      "Name the folder of the project's memory or that of the global one, not both in one sync.",
    );
  const store = ctx.stores.find(it => it.store.kind === 'global')?.store;
  if (store === undefined) throw new EngineError('invalidInput', 'The global memory is not open here.');
  const named = path.resolve(globalFolder);
  const taken = [os.homedir(), ctx.host.dataDir, path.parse(named).root, ...ctx.host.workspaceFolders];
  if (!path.isAbsolute(globalFolder) || taken.some(it => path.resolve(it) === named))
    throw new EngineError(
      'invalidInput',
      'Name a folder of its own for the Markdown of the global memory, not a project, your home folder or the memory itself.',
    );
  return { store, root: inLayout(named), repository: undefined };
}

function inLayout(folder: string): string {
  return path.basename(folder) === lerimFolder ? path.join(folder, 'memory') : folder;
}
