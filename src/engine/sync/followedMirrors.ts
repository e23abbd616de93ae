// Folders of Markdown that a person has synced once, and that follow by themselves since.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { message } from '../base/localizableMessage.js';
import type { Context } from '../context.js';
import type { Alert } from '../model/maintenance.js';
import { followedMirrorsId, type FollowedMirrors, type SyncReport } from '../model/sync.js';
import type { MirrorTarget } from './mirrorTarget.js';

/** Notes that a folder was synced, and how much of it waits for a person. */
export async function noteMirror({ host }: Context, { store, root }: MirrorTarget, report: SyncReport): Promise<void> {
  const waiting = report.conflicts.length + (report.held ?? 0) + (report.missing?.memories ?? 0);
  await store.write(host.client, async tx => {
    const known = (await tx.record<FollowedMirrors>('state', followedMirrorsId))?.body.mirrors ?? [];
    const before = known.find(it => it.root === root);
    if (before?.waiting === waiting) return;
    const mirrors = [...known.filter(it => it.root !== root), { root, waiting }];
    await tx.putRecord('state', followedMirrorsId, { mirrors } satisfies FollowedMirrors);
    if (before !== undefined) await tx.announce();
  });
}

/** Absolute folders that were synced with the memory of a project, below one of its folders. */
export async function listFollowedMirrors(ctx: Context, folder: string): Promise<readonly string[]> {
  const store = ctx.stores.find(it => it.store.kind === 'project' && it.folders.includes(folder))?.store;
  if (store === undefined || store.readOnly) return [];
  const mirrors = (await store.record<FollowedMirrors>('state', followedMirrorsId))?.body.mirrors ?? [];
  // The folder of another checkout follows where that is open.
  const roots = mirrors.map(it => it.root).filter(it => !path.relative(folder, it).startsWith('..') && existsSync(it));
  return [...new Set(roots)];
}

/** An alert for each synced folder of which something waits for a person. */
export async function followedMirrorAlerts(ctx: Context): Promise<readonly Alert[]> {
  const records = await Promise.all(
    ctx.stores.map(async ({ store }) => ({
      store: store.kind,
      mirrors: (await store.record<FollowedMirrors>('state', followedMirrorsId))?.body.mirrors ?? [],
    })),
  );
  return records.flatMap(({ store, mirrors }) =>
    mirrors
      .filter(it => it.waiting > 0)
      .map(({ root, waiting }): Alert => ({
        kind: 'syncWaits',
        store,
        text: message`Changes in ${path.basename(path.dirname(root))}/${path.basename(root)} that wait for your decision: ${waiting}.`,
      })),
  );
}
