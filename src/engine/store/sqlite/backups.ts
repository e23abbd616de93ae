import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../../model/host.js';
import { dayMs } from '../../model/duration.js';
import type { Database } from '../../database/database.js';

const backupIntervalMs = dayMs;

/** Daily backups of one store. A backup is complete or missing, never partial. File names sort by time. */
export class BackupPolicy {
  /** Undefined until first needed. */
  private lastBackupAt: number | undefined;

  constructor(
    private readonly database: Database,
    private readonly folder: string,
    /** None for 0. */
    private readonly maxBackups: number,
    private readonly now: () => Date,
    private readonly log: Log,
  ) {}

  /** Backs up the store before the first write of a day. A failed backup is logged and does not stop the write. */
  async beforeWrite(): Promise<void> {
    if (this.database.readOnly || this.maxBackups === 0) return;
    const now = this.now().getTime();
    this.lastBackupAt ??= await newestBackupTime(this.folder, now);
    // If the clock was set back, at worst one extra backup is made.
    if (now >= this.lastBackupAt && now - this.lastBackupAt < backupIntervalMs) return;
    this.lastBackupAt = now;
    const row = await this.database.read.get('SELECT EXISTS (SELECT 1 FROM memories) AS any');
    if (row?.any !== 1) return;
    try {
      await this.createBackup('daily');
    } catch (error) {
      this.log.error(`No backup of ${this.database.file} could be made; its memories are written all the same.`, error);
    }
  }

  /**
   * Makes a backup now and deletes the oldest ones over the limit.
   * @returns its path
   */
  async createBackup(reason: string): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    const stamp = this.now().toISOString().replaceAll(/[:.]/gu, '-');
    const file = path.join(this.folder, `${stamp}-${reason}.db`);
    const partial = `${file}.partial`;
    await rm(partial, { force: true });
    try {
      await this.database.execOutsideTransaction(`VACUUM INTO '${partial.replaceAll("'", "''")}'`);
      await rename(partial, file);
    } catch (error) {
      await rm(partial, { force: true }); // A partial file would waste space on a full disk.
      throw error;
    }
    for (const old of (await listBackups(this.folder)).slice(this.maxBackups)) await rm(old, { force: true });
    return file;
  }
}

/** Paths of the complete backups in a folder, newest first. */
export async function listBackups(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter(it => it.endsWith('.db'))
    .sort()
    .reverse()
    .map(it => path.join(folder, it));
}

/** Time of the newest backup; 0 if there is none. Ignores backups from the future, made while the clock was wrong. */
async function newestBackupTime(folder: string, now: number): Promise<number> {
  const times = (await listBackups(folder)).map(it => {
    const [, day, hour, minute, second] = /^(.{10})T(\d\d)-(\d\d)-(\d\d)/u.exec(path.basename(it)) ?? [];
    return Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  });
  return Math.max(0, ...times.filter(it => it <= now));
}
