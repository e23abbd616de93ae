import { toInt8Components } from '../../base/int8Vector.js';
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isUnsearchable, type ArchiveReason } from '../../model/memory.js';
import { aidTerms, memoryTerms, saidTerms } from '../../text/memoryTerms.js';
import { Database, type SqlRow } from '../../database/database.js';
import { comparedTerms, type TermCache } from '../neighbors/relatedMemories.js';
import { toFactInput } from '../neighbors/compareFacts.js';
import { MemoryIndex } from '../index/memoryIndex.js';
import { parseSaid, parseStringArray } from '../../database/jsonColumns.js';
import { loadReadState, type StoreReadState } from '../../database/storeState.js';
import { deleteSnapshot, openSnapshot, writeSnapshot, type SnapshotManifest } from '../index/indexSnapshot.js';
import { analyzerVersion } from '../index/analyzerVersion.js';

/** Memories read in one query while the index catches up. */
const readPageSize = 2_000;
/**
 * Changes that justify a new snapshot: one in a hundred memories, within bounds. A process that starts applies every
 * change that the snapshot lacks, and with cold code each one costs as much as serializing a hundred memories.
 */
const saveThreshold = { minChanges: 10, ratio: 0.01, maxChanges: 500 };
/** Idle time before a snapshot is written, by index size; a small one is written within milliseconds. */
const saveDebounceMs = { small: 200, large: 5_000 };
/** Memories up to which an index is small. */
const maxSmallIndexSize = 5_000;
/** Under constant load the snapshot is written after a delay that grows with the index. */
const maxSaveDelayPerMemoryMs = 0.2;

/** The state of the file, and the changes that are not applied yet. */
export interface PendingUpdate extends StoreReadState {
  /** Resolves when the index has caught up with that state. */
  readonly done: Promise<void>;
}

/** Keeps the index of one store up to date: from a snapshot, then from the rows that any process has changed since. */
export class IndexUpdater {
  index: MemoryIndex;
  /** Every change up to this revision is applied; -1 before the first. */
  revision = -1;
  /** The last update that was started, and the revision it reaches. */
  private inFlight: { readonly revision: number; readonly done: Promise<void> } | undefined;
  /** Changes that the snapshot lacks. */
  private changesSinceSave = 0;
  private saveTimer: NodeJS.Timeout | undefined;
  /** When the changes first justified a save. */
  private worthSavingSince: number | undefined;
  /** The index comes from a snapshot that was not checked against the file yet. */
  private unverified = false;
  private closing = false;

  private constructor(
    readonly database: Database,
    private readonly model: string | undefined,
    private readonly dimensions: number | undefined,
    private readonly termCache: TermCache,
  ) {
    this.index = new MemoryIndex(dimensions);
  }

  /** Opens the file and restores the snapshot, if there is a usable one. */
  static async open(
    file: string,
    model: string | undefined,
    dimensions: number | undefined,
    termCache: TermCache,
  ): Promise<IndexUpdater> {
    const updater = new IndexUpdater(await Database.openReader(file), model, dimensions, termCache);
    await updater.loadSnapshot();
    return updater;
  }

  /** Whether no change is known that is not applied; other processes may have written since. */
  get seemsUpToDate(): boolean {
    return this.revision >= 0 && this.inFlight === undefined;
  }

  /** Starts to apply every write that was acknowledged before this call, unless that is under way. */
  async catchUp(): Promise<PendingUpdate> {
    const state = await loadReadState(this.database.read, '', this.revision);
    if (this.inFlight === undefined && state.revision === this.revision) return { ...state, done: Promise.resolve() };
    return { ...state, done: this.applyChangesUpTo(state.revision) };
  }

  /** Applies the changes up to a revision. */
  async applyWritten(revision: number): Promise<void> {
    if (this.revision < revision) await this.applyChangesUpTo(revision);
  }

  /**
   * Schedules a save when enough has changed.
   * @param duringImport whether many changes follow: the save then waits for idle time, without a maximum delay
   */
  scheduleSave(duringImport = false): void {
    if (!this.isWorthSaving()) return;
    clearTimeout(this.saveTimer);
    const { documents } = this.index;
    const now = performance.now();
    this.worthSavingSince ??= now;
    const deadline = duringImport ? Infinity : this.worthSavingSince + documents * maxSaveDelayPerMemoryMs;
    this.saveTimer = setTimeout(
      () => {
        // Deletions first: deleted memories must not be written to the snapshot again.
        void this.catchUp()
          .then(({ done }) => done)
          .then(() => this.save())
          .catch(() => undefined);
      },
      Math.max(0, Math.min(saveDebounceMs[documents <= maxSmallIndexSize ? 'small' : 'large'], deadline - now)),
    );
  }

  async close(): Promise<void> {
    this.closing = true;
    clearTimeout(this.saveTimer);
    await this.inFlight?.done.catch(() => undefined);
    if (this.isWorthSaving()) await this.save();
    await this.database.close();
  }

  /** An update under way may not see what was written since it started; another one then follows it. */
  private applyChangesUpTo(revision: number): Promise<void> {
    const previous = this.inFlight;
    if (previous !== undefined && previous.revision >= revision) return previous.done;
    const done = (previous?.done ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => this.applyAndVerify(revision))
      .finally(() => {
        if (this.inFlight === current) this.inFlight = undefined;
      });
    // A caller that does not await this gets the failure from its next call.
    done.catch(() => undefined);
    const current = { revision, done };
    this.inFlight = current;
    return done;
  }

  private async applyAndVerify(revision: number): Promise<void> {
    if (this.revision < 0) await this.applyAllRows();
    else await this.applyChangedRows();
    if (this.closing) return;
    this.index.vacuum();
    this.revision = revision;
    if (!this.unverified) return;
    this.unverified = false;
    if (await this.hasAllMemories()) return;
    this.reset();
    await this.applyAllRows();
    this.revision = revision;
  }

  /** In the order of writing, which is the order of conversations. Rows written meanwhile are applied again next time. */
  private async applyAllRows(): Promise<void> {
    for (let after = 0; !this.closing;) {
      const rows = await this.database.read.all(
        `${selectRows} WHERE m.row > ? ORDER BY m.row LIMIT ?`,
        this.model ?? '',
        after,
        readPageSize,
      );
      for (const it of rows) this.applyRow(it);
      if (rows.length < readPageSize) return;
      after = rows.at(-1)!.row as number;
    }
  }

  /** Deletions first: another memory may have the deleted one's row by now. */
  private async applyChangedRows(): Promise<void> {
    // Both queries run concurrently; a memory that is deleted between them is removed by the next update.
    let nextPage = this.changedAfter(this.revision + 1, 0);
    nextPage.catch(() => undefined);
    this.removeRows(await this.database.read.all('SELECT row FROM removed WHERE change > ?', this.revision));
    while (!this.closing) {
      const rows = await nextPage;
      for (const it of rows) this.applyRow(it);
      if (rows.length < readPageSize) return;
      nextPage = this.changedAfter(rows.at(-1)!.change as number, rows.at(-1)!.row as number);
    }
  }

  private changedAfter(change: number, row: number): Promise<readonly SqlRow[]> {
    return this.database.read.all(
      `${selectRows} WHERE (m.change, m.row) > (?, ?) ORDER BY m.change, m.row LIMIT ?`,
      this.model ?? '',
      change,
      row,
      readPageSize,
    );
  }

  private removeRows(removed: readonly SqlRow[]): void {
    if (removed.length === 0) return;
    // Deleted memories must not stay on the disk.
    deleteSnapshot(this.database.file);
    this.changesSinceSave = Math.max(this.changesSinceSave, saveThreshold.maxChanges);
    for (const { row } of removed) this.index.remove(row as number);
  }

  private applyRow(row: SqlRow): void {
    this.changesSinceSave++;
    const rowNumber = row.row as number;
    const key = textKeyOf(row);
    const isExcluded = isUnsearchable((row.archive_reason as ArchiveReason | null) ?? undefined);
    const searchable = row.status !== 'superseded' && !isExcluded;
    const blob = row.vector as Uint8Array | null;
    const vector = blob === null ? undefined : toInt8Components(blob);
    const active = row.status === 'active';
    if (this.index.textKey(rowNumber) === key) {
      this.index.setStatus(rowNumber, { searchable, active });
      this.index.setVector(rowNumber, vector);
      return;
    }
    const fact = toFactInput(row);
    // Not added to the cache: indexing a large store would evict every text that is compared.
    const compared = this.termCache.get(fact) ?? comparedTerms(fact.content);
    const terms = memoryTerms(fact.content, parseStringArray(row.tags), compared);
    const aids = { questions: parseStringArray(row.questions), keywords: parseStringArray(row.keywords) };
    this.index.add({
      row: rowNumber,
      key,
      searchable,
      active,
      scopeId: row.scope_id as string,
      terms,
      aidTerms: [...aidTerms(aids), ...saidTerms(parseSaid(row.quoting), terms)],
      vector,
    });
  }

  /** Restores the snapshot, if it was made of this file with this model and this analyzer. */
  private async loadSnapshot(): Promise<void> {
    const snapshot = openSnapshot(this.database.file);
    if (snapshot === undefined) return;
    try {
      const { manifest, content } = snapshot;
      if (!(await this.matchesManifest(manifest))) return;
      if ((await loadReadState(this.database.read)).revision < manifest.revision) return;
      this.index.restore(content);
      this.revision = manifest.revision;
      this.unverified = true;
    } catch {
      this.reset();
    } finally {
      snapshot.close();
    }
  }

  /** Whether index and file hold the same number of memories; they differ when the file was replaced by a backup by hand. */
  private async hasAllMemories(): Promise<boolean> {
    const row = await this.database.read.get(
      "SELECT value AS revision, (SELECT count(*) FROM memories) AS memories FROM meta WHERE key = 'revision'",
    );
    return Number(row?.revision) !== this.revision || row?.memories === this.index.documents;
  }

  private isWorthSaving(): boolean {
    return this.changesSinceSave >= this.minChangesToSave();
  }

  private minChangesToSave(): number {
    const { minChanges, ratio, maxChanges } = saveThreshold;
    return Math.min(maxChanges, Math.max(minChanges, this.index.documents * ratio));
  }

  private reset(): void {
    this.index = new MemoryIndex(this.dimensions);
    this.revision = -1;
    this.unverified = false;
  }

  /** Writes a snapshot. On a read-only disk there is none, and each process builds its index from the rows. */
  private async save(): Promise<void> {
    if (this.revision < 0) return;
    this.worthSavingSince = undefined;
    const savedChanges = this.changesSinceSave;
    // Another process may have written a snapshot; changes applied during the query still count.
    this.changesSinceSave += (await this.changesMissingInSnapshot()) - savedChanges;
    if (!this.isWorthSaving()) return;
    this.changesSinceSave = 0;
    const manifest = await this.createManifest(this.revision);
    this.index.vacuum();
    try {
      writeSnapshot(this.database.file, manifest, this.index.serialize());
    } catch {
      // A read-only or full disk.
    }
  }

  /** Counts the changes that the snapshot on disk lacks, up to the number that justifies a new one. */
  private async changesMissingInSnapshot(): Promise<number> {
    const maxCount = this.minChangesToSave();
    const snapshot = openSnapshot(this.database.file);
    snapshot?.close();
    if (snapshot === undefined || !(await this.matchesManifest(snapshot.manifest))) return maxCount;
    const row = await this.database.read.get(
      'SELECT count(*) AS count FROM (SELECT 1 FROM memories WHERE change > ? LIMIT ?)',
      snapshot.manifest.revision,
      Math.ceil(maxCount),
    );
    return row!.count as number;
  }

  /** Whether a snapshot belongs to this file's history and was built with this model and analyzer. */
  private async matchesManifest(manifest: SnapshotManifest): Promise<boolean> {
    return isDeepStrictEqual(manifest, await this.createManifest(manifest.revision, manifest.audit.seq));
  }

  /** @param auditSeq the audit entry that identifies the file's history; default the last one */
  private async createManifest(revision: number, auditSeq?: number): Promise<SnapshotManifest> {
    const last = await this.database.read.get(
      `SELECT seq, hash FROM audit ${auditSeq === undefined ? '' : 'WHERE seq = ?'} ORDER BY seq DESC LIMIT 1`,
      ...(auditSeq === undefined ? [] : [auditSeq]),
    );
    return {
      model: this.model ?? '',
      dimensions: this.dimensions ?? 0,
      // The Unicode version decides which characters are letters.
      analyzer: `${analyzerVersion} ${process.versions.unicode ?? ''}`,
      revision,
      audit: { seq: (last?.seq as number | undefined) ?? 0, hash: (last?.hash as string | undefined) ?? '' },
    };
  }
}

const selectRows = `
  SELECT m.row, m.id, m.change, m.kind, m.status, m.archive_reason, m.scope_id,
         m.reinforced_at, m.content, m.tags, m.content_hash, a.questions, a.keywords, v.vector,
         iif(instr(m.provenance, '"said":') > 0, m.provenance, NULL) AS quoting
  FROM memories m LEFT JOIN aids a ON a.row = m.row LEFT JOIN vectors v ON v.row = m.row AND v.model = (SELECT number FROM models WHERE id = ?)`;

/** A 48-bit hash of the text, the tags, the search aids, the words kept with it and the set of a memory. */
function textKeyOf({ content_hash: hash, tags, questions, keywords, scope_id: scopeId, quoting }: SqlRow): number {
  const said = parseSaid(quoting);
  const name =
    tags === '[]' && questions === null && scopeId === '' && said === undefined
      ? (hash as string)
      : createHash('sha256')
          .update(JSON.stringify([hash, tags, questions, keywords, scopeId, said]))
          .digest('base64url');
  return Buffer.from(name.slice(0, 8), 'base64url').readUIntBE(0, 6);
}
