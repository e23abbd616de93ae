import { copyFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Memory } from '../../model/memory.js';
import { deleteSnapshot } from '../../search/index/indexSnapshot.js';
import type { Store, StoreTransaction } from '../store.js';
import { listBackups } from './backups.js';
import { damageMarkerFile, Database } from '../../database/database.js';
import { decodeMemory, memoryJsonSql } from './memoryRows.js';

/** Renames a damaged file within its folder and puts a copy of the newest intact backup in its place. */
export async function quarantine(
  file: string,
  folder: string,
  backups: string,
  now: Date,
): Promise<{ readonly quarantined: string; readonly backup: string | undefined }> {
  const quarantined = path.join(folder, `memory.damaged-${now.toISOString().replaceAll(/[:.]/gu, '-')}.db`);
  const backup = await newestIntactBackup(backups);
  const replacement = `${file}.replacement`;
  if (backup !== undefined) await copyFile(backup, replacement);
  // While the marker exists, no other process opens or creates the file.
  await writeFile(damageMarkerFile(file), '');
  deleteSnapshot(file);
  for (const suffix of ['', '-wal', '-shm']) {
    await rename(file + suffix, quarantined + suffix).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
  }
  if (backup !== undefined) await rename(replacement, file);
  return { quarantined, backup };
}

async function newestIntactBackup(folder: string): Promise<string | undefined> {
  for (const file of await listBackups(folder)) {
    try {
      const backup = await Database.open(file, { readOnly: true, wal: false });
      const check = await backup.read.get('PRAGMA quick_check').finally(() => backup.close());
      if (check?.quick_check === 'ok') return file;
    } catch {
      // Damaged: try the previous one.
      await rm(damageMarkerFile(file), { force: true });
    }
  }
  return undefined;
}

/**
 * Copies every readable row of a damaged file, row by row.
 * @returns the number of added memories
 */
export async function salvage(damaged: string, into: Store): Promise<number> {
  const readable = await readableMemories(damaged);
  await rm(damageMarkerFile(damaged), { force: true });
  let saved = 0;
  await into.write('recovery', async tx => {
    for (const memory of readable) if (await salvageMemory(tx, memory)) saved++;
  });
  return saved;
}

async function salvageMemory(tx: StoreTransaction, memory: Memory): Promise<boolean> {
  const known = (await tx.get(memory.id)) ?? (await tx.findByHash([memory.contentHash], memory.scopeId ?? ''))[0];
  if (known === undefined) {
    await tx.insertMany([{ ...memory, sequence: await tx.nextSequence(memory.scopeId ?? '') }]);
    return true;
  }
  // The damaged file is newer than any backup: it has the latest pins, deletions and reinforcements.
  const isSame = known.id === memory.id && known.contentHash === memory.contentHash && known.content === memory.content;
  if (isSame && JSON.stringify({ ...known, centrality: memory.centrality }) !== JSON.stringify(memory))
    await tx.update(memory, 'edit', { because: 'recovered' });
  return false;
}

// 0: files of versions without the in-degree column are readable as well.
const salvageSql = `SELECT ${memoryJsonSql('0')} AS memory FROM memories WHERE row = ?`;

async function readableMemories(damaged: string): Promise<Memory[]> {
  const readable: Memory[] = [];
  let source: Database;
  try {
    source = await Database.open(damaged, { readOnly: true, wal: false });
  } catch {
    return readable;
  }
  try {
    const last = ((await source.read.get('SELECT max(row) AS last FROM memories'))?.last as number | null) ?? 0;
    for (let row = 1; row <= last; row++) {
      try {
        const found = await source.read.get(salvageSql, row);
        if (found !== undefined) readable.push(decodeMemory(found, 'global'));
      } catch {
        // This row is damaged.
      }
    }
  } catch {
    // The whole table is unreadable.
  }
  await source.close();
  return readable;
}
