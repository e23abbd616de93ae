import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { readRegularText } from '../../base/regularFile.js';
import type { Sql } from '../../database/database.js';
import { readMeta } from '../../database/storeState.js';
import { sqliteDialect } from './sqliteDialect.js';
import { StoreLogs } from '../sql/storeLogs.js';

/** How long after a write the head is renewed, and how often by a process that goes on writing. */
const renewDelayMs = 1_000;

/**
 * The head of a store's audit log, kept outside the store's folder: a store that was replaced by an older copy does not hold
 * it. It may lag behind the store, never run ahead of it.
 */
export class OutsideHead {
  private isStale = false;
  private hasWritten = false;
  private timer: NodeJS.Timeout | undefined;
  /** Settles with the renewals so far: one after another, so that none puts an older head over a newer one. */
  private last = Promise.resolve();

  /** @param storeFolder below the data folder */
  constructor(
    private readonly dataDir: string,
    private readonly storeFolder: string,
    private readonly sql: Sql,
  ) {}

  private get file(): string {
    const name = path.relative(this.dataDir, this.storeFolder).replaceAll(/[\\/]/gu, '-');
    return path.join(this.dataDir, 'heads', `${name}.txt`);
  }

  /** The head as last written; undefined if there is none. */
  async read(): Promise<string | undefined> {
    const text = await readRegularText(this.file).catch(() => undefined);
    return text === undefined || !/^\d+:/u.test(text) ? undefined : text.trim();
  }

  /**
   * Call it after a commit. The first write of a process renews the head at once, each later one within a second: a process
   * may be killed at any time.
   */
  async afterWrite(): Promise<void> {
    this.isStale = true;
    if (this.hasWritten) {
      this.timer ??= setTimeout(() => void this.flush(), renewDelayMs).unref();
    } else {
      this.hasWritten = true;
      await this.flush();
    }
  }

  /** Writes the head of now, if something was written since. A failure is no failure of the store. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.last = this.last.then(() => this.writeIfStale());
    return this.last;
  }

  /** Writes the head of now, whatever was there: after a reset, with which the log begins again, and when a person asks. */
  renew(): Promise<void> {
    this.last = this.last.then(() => this.write());
    return this.last;
  }

  private async writeIfStale(): Promise<void> {
    if (!this.isStale) return;
    const before = await this.read();
    // Kept as the proof of a store that was replaced, until a person has confirmed it.
    if (before === undefined || (await new StoreLogs(this.sql, sqliteDialect).hasAuditHead(before).catch(() => false)))
      await this.write();
  }

  private async write(): Promise<void> {
    this.isStale = false;
    const draft = `${this.file}.${randomBytes(4).toString('hex')}.tmp`;
    try {
      const head = await readMeta(this.sql, 'auditHead');
      if (head === '') {
        await this.forget();
        return;
      }
      await mkdir(path.dirname(this.file), { recursive: true, mode: 0o700 });
      await writeFile(draft, `${head}\n`, { mode: 0o600 });
      await rename(draft, this.file);
    } catch {
      await rm(draft, { force: true }).catch(() => undefined);
    }
  }

  /** Before a reset, which may be interrupted after the log started again. */
  async forget(): Promise<void> {
    await rm(this.file, { force: true }).catch(() => undefined);
  }
}
