import { createHash, randomBytes } from 'node:crypto';
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import type { Checkpoint, CheckpointOrigin, RestoreResult } from '../../model/checkpoint.js';
import type { StoreKind } from '../../model/memory.js';
import type { CheckpointLabel, StoreCheckpoints } from '../store.js';
import { listBackups } from './backups.js';
import { damageMarkerFile, Database } from '../../database/database.js';
import { parseObject } from '../../database/jsonColumns.js';
import { updateContentHashes } from './contentHashes.js';
import { sqliteMigrations } from './migrations.js';
import { restoreCheckpoint } from './restoreCheckpoint.js';

/** A partial copy older than this was left by a process that died. */
const abandonedAfterMs = 60 * 60_000;
/** Attempts to restore while other processes write. */
const maxRestoreAttempts = 5;

/** Stored in the `meta` table of the copy. */
interface CheckpointMetadata {
  readonly reason: string;
  readonly at: string;
}

/** Checkpoints of one store: database files in a folder next to it. The list includes the daily backups. */
export class SqliteCheckpoints implements StoreCheckpoints {
  constructor(
    private readonly kind: StoreKind,
    private readonly database: Database,
    private readonly folders: { readonly checkpoints: string; readonly backups: string },
    private readonly options: {
      readonly maxCheckpoints: number;
      readonly now: () => Date;
      /** Called after a restore: files derived from the database may hold memories that no longer exist. */
      readonly onRestored: () => void;
    },
  ) {}

  async make({ reason, origin }: CheckpointLabel): Promise<Checkpoint> {
    return (await this.createCopy(reason, origin)).checkpoint;
  }

  async list(): Promise<Checkpoint[]> {
    const files = [...(await listBackups(this.folders.checkpoints)), ...(await listBackups(this.folders.backups))];
    const found: Checkpoint[] = [];
    for (const file of files) {
      const described = await this.describe(file);
      if (described !== undefined) found.push(described);
    }
    return found.sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1));
  }

  async restore(actor: string, id: string): Promise<RestoreResult> {
    const restored = await this.find(id);
    const source = await prepareSource(restored, `${restored.file}.${randomBytes(4).toString('hex')}.partial`);
    try {
      for (let attempt = 0; attempt < maxRestoreAttempts; attempt++) {
        const before = await this.createCopy(
          `before restoring the checkpoint of ${restored.at}`,
          'engine',
          restored.file,
        );
        const result = await this.database.writeWithAttached(source, sql =>
          restoreCheckpoint(sql, {
            kind: this.kind,
            actor,
            at: this.options.now().toISOString(),
            expectedRevision: before.revision,
            detail: { checkpoint: path.basename(restored.file), from: restored.at },
          }),
        );
        if (result === undefined) {
          // The copy lacks the latest writes, so it could not undo this restore.
          await rm(before.checkpoint.file, { force: true });
          continue;
        }
        this.options.onRestored();
        return { restored, before: before.checkpoint, ...result };
      }
    } finally {
      if (source !== restored.file) await rm(source, { force: true });
    }
    throw new EngineError(
      'storeBusy',
      message`The memory store ${this.database.file} is being written all the time, so the checkpoint was not restored. Try again in a moment; nothing was changed.`,
    );
  }

  async delete(id: string): Promise<Checkpoint> {
    const checkpoint = await this.find(id);
    if (checkpoint.origin === 'backup') {
      throw new EngineError(
        'invalidInput',
        message`${id} is a daily backup, which goes by itself when newer ones are there. Only checkpoints can be deleted.`,
      );
    }
    await rm(checkpoint.file, { force: true }).catch(storeErrorFor(checkpoint.file));
    return checkpoint;
  }

  /** Makes a complete copy or none, and deletes the oldest of its origin over the limit, except `keptFile`. */
  private async createCopy(
    reason: string,
    origin: CheckpointOrigin,
    keptFile?: string,
  ): Promise<{ readonly checkpoint: Checkpoint; readonly revision: number }> {
    const folder = this.folders.checkpoints;
    if (!this.database.readOnly) {
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch(storeErrorFor(folder));
      await removeAbandoned(folder);
    }
    const at = this.options.now().toISOString();
    const name = `${at.replaceAll(/[:.]/gu, '-')}-${randomBytes(3).toString('hex')}-${origin}.db`;
    const file = path.join(folder, name);
    const partial = `${file}.partial`;
    let revision: number;
    try {
      await this.database.execOutsideTransaction(`VACUUM INTO '${partial.replaceAll("'", "''")}'`);
      revision = await writeMetadata(partial, { reason, at });
      await rename(partial, file);
    } catch (error) {
      await rm(partial, { force: true }); // A partial file would waste space on a full disk.
      throw error;
    }
    const sameOrigin = (await listBackups(folder)).filter(
      it => originFromName(it) === origin && it !== file && it !== keptFile,
    );
    for (const old of sameOrigin.slice(Math.max(0, this.options.maxCheckpoints - 1))) await rm(old, { force: true });
    return { checkpoint: (await this.describe(file))!, revision };
  }

  private async find(id: string): Promise<Checkpoint> {
    const found = (await this.list()).find(it => it.id === id);
    if (found !== undefined) return found;
    throw new EngineError(
      'notFound',
      message`There is no checkpoint ${id.slice(0, 40)}. List them: recollect checkpoint list.`,
    );
  }

  /** Undefined if the file was just deleted. */
  private async describe(file: string): Promise<Checkpoint | undefined> {
    const stats = await stat(file).catch(() => undefined);
    if (stats === undefined) return undefined;
    const origin = path.dirname(file) === this.folders.backups ? 'backup' : originFromName(file);
    const basics = {
      id: createHash('sha256').update(file).digest('hex').slice(0, 8),
      store: this.kind,
      of: this.database.file,
      file,
      origin,
      bytes: stats.size,
    };
    const fromName = { at: timeFromName(file) ?? stats.mtime.toISOString(), reason: reasonFromName(file) };
    const read = await readMetadata(file).catch(() => undefined);
    await rm(damageMarkerFile(file), { force: true }).catch(() => undefined);
    return { ...basics, ...fromName, ...read?.label, memories: read?.memories };
  }
}

async function readMetadata(
  file: string,
): Promise<{ readonly label: CheckpointMetadata | undefined; readonly memories: number }> {
  const copy = await Database.open(file, { readOnly: true, wal: false });
  try {
    const row = await copy.read.get("SELECT value FROM meta WHERE key = 'checkpoint'");
    const count = await copy.read.get('SELECT count(*) AS memories FROM memories');
    return {
      label: parseObject(row?.value) as CheckpointMetadata | undefined,
      memories: count!.memories as number,
    };
  } finally {
    await copy.close();
  }
}

/**
 * Writes a copy's description into it.
 * @returns the revision of the copied store
 */
async function writeMetadata(file: string, metadata: CheckpointMetadata): Promise<number> {
  const copy = await Database.open(file, { readOnly: false, wal: false });
  try {
    return await copy.write(async sql => {
      await sql.run("INSERT OR REPLACE INTO meta VALUES ('checkpoint', ?)", JSON.stringify(metadata));
      return Number((await sql.get("SELECT value FROM meta WHERE key = 'revision'"))?.value);
    });
  } finally {
    await copy.close();
  }
}

/**
 * Verifies a checkpoint. One of an older version is copied to `temporary` and migrated there.
 * @returns the file to read
 * @throws EngineError storeDamaged | storeTooNew | storeFull | storeReadOnly | storeUnavailable
 */
async function prepareSource({ file, at }: Checkpoint, temporary: string): Promise<string> {
  let version: number;
  try {
    version = await readVerifiedVersion(file);
  } catch (error) {
    throw new EngineError(
      'storeDamaged',
      message`The checkpoint of ${at} is damaged and cannot be restored. Choose another one; nothing was changed.`,
      { cause: error },
    );
  } finally {
    // The marker is meant for opening a store; copies are verified at every use.
    await rm(damageMarkerFile(file), { force: true }).catch(() => undefined);
  }
  if (version > sqliteMigrations.length) {
    throw new EngineError(
      'storeTooNew',
      message`The checkpoint of ${at} was made by a newer Recollect. Update Recollect to restore it; nothing was changed.`,
    );
  }
  if (version === sqliteMigrations.length) return file;
  try {
    await copyFile(file, temporary).catch(storeErrorFor(temporary));
    const copy = await Database.open(temporary, { readOnly: false, wal: false });
    try {
      await copy.write(async sql => {
        for (const step of sqliteMigrations.slice(version)) await sql.exec(step);
        await updateContentHashes(sql);
      });
    } finally {
      await copy.close();
    }
    return temporary;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** @throws Error if a page of the file cannot be read */
async function readVerifiedVersion(file: string): Promise<number> {
  const copy = await Database.open(file, { readOnly: true, wal: false });
  try {
    const check = await copy.read.get('PRAGMA quick_check');
    if (check?.quick_check !== 'ok') throw new Error(String(check?.quick_check));
    await copy.read.get('SELECT count(*) FROM memories');
    return (await copy.read.get('PRAGMA user_version'))!.user_version as number;
  } finally {
    await copy.close();
  }
}

function originFromName(file: string): CheckpointOrigin {
  return file.endsWith('-person.db') ? 'person' : 'engine';
}

/** For names that start with the time. */
function timeFromName(file: string): string | undefined {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z/u.exec(path.basename(file));
  return match === null ? undefined : `${match[1]}T${match[2]}:${match[3]}:${match[4]}.${match[5]}Z`;
}

/** For files without metadata: the rest of a backup's name. */
function reasonFromName(file: string): string {
  const [, reason = 'unknown'] = /Z-(.+)\.db$/u.exec(path.basename(file)) ?? [];
  return reason === 'daily' ? 'daily backup' : reason.replaceAll('-', ' ');
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.includes('.partial')) continue;
    const file = path.join(folder, name);
    const modified = (await stat(file).catch(() => undefined))?.mtimeMs;
    if (modified !== undefined && Date.now() - modified > abandonedAfterMs) await rm(file, { force: true });
  }
}

/** Translates file system errors into engine errors. */
function storeErrorFor(target: string): (error: unknown) => never {
  return error => {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new EngineError(
        'storeFull',
        message`The disk that holds ${target} is full. Free some space and try again; nothing was changed.`,
        { cause: error },
      );
    }
    throw new EngineError(
      'storeReadOnly',
      message`${target} cannot be written (${code}). Check your rights to it and try again; nothing was changed.`,
      { cause: error },
    );
  };
}
