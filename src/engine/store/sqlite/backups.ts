import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../../model/host.js';
import type { Database } from '../../database/database.js';

const backupIntervalMs = 24 * 60 * 60 * 1000;

/** Copies of one store's file, newest first in name order; a whole copy or none, never half of one. */
export class BackupPolicy {
  /** Undefined until looked up. */
  private lastBackupAt: number | undefined;

  constructor(
    private readonly database: Database,
    private readonly folder: string,
    private readonly maxBackups: number,
    private readonly now: () => Date,
    private readonly log: Log,
  ) {}

  /** Before the first write of a day, the state of the day before is kept. A failed copy is logged and stops nothing. */
  async beforeWrite(): Promise<void> {
    if (this.database.readOnly) return;
    const now = this.now().getTime();
    this.lastBackupAt ??= await newestBackupTime(this.folder, now);
    // A clock that was set back makes none less: at worst one more copy is made.
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

  /** Makes a copy now and drops the oldest ones over the limit. Returns its path. */
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
      await rm(partial, { force: true }); // On a full disk half a copy takes room and helps nobody.
      throw error;
    }
    for (const old of (await listBackups(this.folder)).slice(this.maxBackups)) await rm(old, { force: true });
    return file;
  }
}

/** Paths of a folder's whole backups, newest first. */
export async function listBackups(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter(it => it.endsWith('.db'))
    .sort()
    .reverse()
    .map(it => path.join(folder, it));
}

/** When the newest copy was made that is not from the future (a clock was wrong then); 0 when there is none. */
async function newestBackupTime(folder: string, now: number): Promise<number> {
  const times = (await listBackups(folder)).map(it => {
    const [, day, hour, minute, second] = /^(.{10})T(\d\d)-(\d\d)-(\d\d)/u.exec(path.basename(it)) ?? [];
    return Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  });
  return Math.max(0, ...times.filter(it => it <= now));
}
