import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { codeKinds, isUnsearchable, type ArchiveReason, type Kind } from '../../model/memory.js';
import { isStopWord, analyzeText } from '../../text/analyzer.js';
import { stripSpeaker, extractTextFeatures } from '../../text/textFeatures.js';
import { Database, type SqlRow } from '../../database/database.js';
import { toFactInput, type FactCache } from '../neighbors/factCache.js';
import { MemoryIndex } from '../index/memoryIndex.js';
import { parseStringArray } from '../../database/jsonColumns.js';
import { loadReadState, type StoreReadState } from '../../database/storeState.js';
import { deleteSnapshot, openSnapshot, writeSnapshot, type SnapshotManifest } from '../index/indexSnapshot.js';
import { analyzerVersion } from '../index/analyzerVersion.js';

/** Memories read at once while the index catches up. */
const readPageSize = 2_000;
/**
 * Changes that are worth a new snapshot: one in a hundred memories, within these bounds. Whoever starts reads again what
 * the snapshot does not have, and while his code is cold, each of these takes him as long as packing a hundred.
 */
const saveThreshold = { minChanges: 10, ratio: 0.01, maxChanges: 500 };
/** How long nobody asks before the snapshot is written; a small one is there within milliseconds. */
const saveDebounceMs = { small: 200, large: 5_000 };
/** Memories up to which an index is small. */
const maxSmallIndexSize = 5_000;
/** Who is asked all the time writes it all the same, after a time that grows with what is to be written. */
const maxSaveDelayPerMemoryMs = 0.2;

/** What tells the tokens of a text. */
export interface TextTokenizer {
  /** Another one has another id. */
  readonly id: string;
  tokens(text: string): readonly number[];
}

/** What is left to take in. */
export interface PendingUpdate extends StoreReadState {
  /** Until all of it is. */
  readonly done: Promise<void>;
}

/** One store's memory index and what feeds it: a snapshot to begin with, then what any process has written since. */
export class IndexUpdater {
  index: MemoryIndex;
  /** Every change up to this revision is taken in; -1 while nothing is. */
  revision = -1;
  /** The last catch-up that was begun: how far it goes. */
  private inFlight: { readonly revision: number; readonly done: Promise<void> } | undefined;
  /** Changes that the snapshot does not have. */
  private changesSinceSave = 0;
  private saving: NodeJS.Timeout | undefined;
  /** Since when there is enough to save. */
  private worthSavingSince: number | undefined;
  /** The index began with a snapshot that nobody has compared with the file yet. */
  private unverified = false;
  private closing = false;

  private constructor(
    readonly database: Database,
    private readonly model: string | undefined,
    private readonly dimensions: number | undefined,
    private readonly factCache: FactCache,
    private readonly tokenizer: TextTokenizer | undefined,
  ) {
    this.index = new MemoryIndex(dimensions);
  }

  /** Opens the file and reads the snapshot. */
  static async open(
    file: string,
    model: string | undefined,
    dimensions: number | undefined,
    factCache: FactCache,
    tokenizer: TextTokenizer | undefined,
  ): Promise<IndexUpdater> {
    const updater = new IndexUpdater(await Database.openReader(file), model, dimensions, factCache, tokenizer);
    await updater.loadSnapshot();
    return updater;
  }

  /** Whether there is nothing to take in, as far as it is known here. */
  get seemsUpToDate(): boolean {
    return this.revision >= 0 && this.inFlight === undefined;
  }

  /** Begins to take in every write that was acknowledged before this call, unless that is under way. */
  async catchUp(): Promise<PendingUpdate> {
    const state = await loadReadState(this.database.read, '', this.revision);
    if (this.inFlight === undefined && state.revision === this.revision) return { ...state, done: Promise.resolve() };
    return { ...state, done: this.applyChangesUpTo(state.revision) };
  }

  /** Takes in what was written up to a revision. */
  async applyWritten(revision: number): Promise<void> {
    if (this.revision < revision) await this.applyChangesUpTo(revision);
  }

  /** @param duringImport whether many more follow: then it waits until nobody asks */
  scheduleSave(duringImport = false): void {
    if (!this.isWorthSaving()) return;
    clearTimeout(this.saving);
    const { documents } = this.index;
    const now = performance.now();
    this.worthSavingSince ??= now;
    const deadline = duringImport ? Infinity : this.worthSavingSince + documents * maxSaveDelayPerMemoryMs;
    this.saving = setTimeout(
      () => {
        // First what was deleted since: that must not come back into the file.
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
    clearTimeout(this.saving);
    await this.inFlight?.done.catch(() => undefined);
    if (this.isWorthSaving()) await this.save();
    await this.database.close();
  }

  /** One that is under way may have passed by what was written since it began: then another one follows it. */
  private applyChangesUpTo(revision: number): Promise<void> {
    const previous = this.inFlight;
    if (previous !== undefined && previous.revision >= revision) return previous.done;
    const done = (previous?.done ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => this.applyAndVerify(revision))
      .finally(() => {
        if (this.inFlight === current) this.inFlight = undefined;
      });
    // Who does not wait for it learns of its failure by asking again.
    done.catch(() => undefined);
    const current = { revision, done };
    this.inFlight = current;
    return done;
  }

  /** Takes in every change up to the revision. */
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

  /** In the order of writing, which is the order of conversations. What is written meanwhile comes again next time. */
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

  /** What was deleted goes first, for another memory may have its row by now. */
  private async applyChangedRows(): Promise<void> {
    // Asked for beside each other: one that is deleted in between is taken out the next time.
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
    // What was deleted must not stay in a file.
    deleteSnapshot(this.database.file);
    this.changesSinceSave = Math.max(this.changesSinceSave, saveThreshold.maxChanges);
    for (const { row } of removed) {
      this.index.remove(row as number);
      this.factCache.invalidate(row as number);
    }
  }

  private applyRow(row: SqlRow): void {
    this.changesSinceSave++;
    const rowNumber = row.row as number;
    const key = textKeyOf(row);
    const isExcluded = isUnsearchable((row.archive_reason as ArchiveReason | null) ?? undefined);
    const searchable = row.status !== 'superseded' && !isExcluded;
    const blob = row.vector as Uint8Array | null;
    const vector = blob === null ? undefined : new Int8Array(blob.buffer, blob.byteOffset, blob.byteLength);
    const active = row.status === 'active';
    const fact = toFactInput(row);
    const isCode = codeKinds.includes(row.kind as Kind);
    const isCompared = active && !isCode;
    if (this.index.textKey(rowNumber) === key) {
      this.factCache.refresh(rowNumber, fact, isCompared);
      this.index.setStatus(rowNumber, { searchable, active });
      this.index.setVector(rowNumber, vector);
      return;
    }
    const parsed = this.factCache.onIndexed(rowNumber, fact, isCompared);
    const tags = parseStringArray(row.tags);
    this.index.add({
      row: rowNumber,
      key,
      searchable,
      active,
      scopeId: row.scope_id as string,
      session: (row.session as string | null) ?? undefined,
      createdAt: Date.parse(row.created_at as string),
      textFeatures: extractTextFeatures(fact.content),
      terms:
        tags.length === 0
          ? parsed.terms
          : [...parsed.terms, ...analyzeText(tags.join('\n')).filter(it => !isStopWord(it))],
      aidTerms: row.questions === null ? [] : aidTermsOf(row),
      // Code is not a statement about anything.
      topicKeys: isCode ? [] : parsed.statement.topicKeys,
      tokens: this.tokenizer?.tokens(stripSpeaker(fact.content)) ?? [],
      vector,
    });
  }

  /** Begins with the snapshot, when there is one of this file, this model and this way of reading. */
  private async loadSnapshot(): Promise<void> {
    const snapshot = openSnapshot(this.database.file);
    if (snapshot === undefined) return;
    try {
      const { basis, content } = snapshot;
      if (!(await this.matchesManifest(basis))) return;
      if ((await loadReadState(this.database.read)).revision < basis.revision) return;
      this.index.restore(content);
      this.revision = basis.revision;
      this.unverified = true;
    } catch {
      this.reset();
    } finally {
      snapshot.close();
    }
  }

  /** Whether the index knows as many memories as the file has; a backup put in the file's place by hand shows here. */
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
    this.factCache.clear();
    this.revision = -1;
    this.unverified = false;
  }

  /** Where nothing can be written, there is no snapshot; it is built anew each time. */
  private async save(): Promise<void> {
    if (this.revision < 0) return;
    this.worthSavingSince = undefined;
    const savedChanges = this.changesSinceSave;
    // Another process may have written it meanwhile; what is taken in meanwhile counts on.
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

  /** How many changes the snapshot that is there does not have, up to as many as are worth a new one. */
  private async changesMissingInSnapshot(): Promise<number> {
    const maxCount = this.minChangesToSave();
    const snapshot = openSnapshot(this.database.file);
    snapshot?.close();
    if (snapshot === undefined || !(await this.matchesManifest(snapshot.basis))) return maxCount;
    const row = await this.database.read.get(
      'SELECT count(*) AS count FROM (SELECT 1 FROM memories WHERE change > ? LIMIT ?)',
      snapshot.basis.revision,
      Math.ceil(maxCount),
    );
    return row!.count as number;
  }

  /** Whether a snapshot is one of this file's history, and made as this index is. */
  private async matchesManifest(manifest: SnapshotManifest): Promise<boolean> {
    return isDeepStrictEqual(manifest, await this.createManifest(manifest.revision, manifest.audit.seq));
  }

  /** @param auditSeq the line of the audit log that tells this history from others; the last one when left out */
  private async createManifest(revision: number, auditSeq?: number): Promise<SnapshotManifest> {
    const last = await this.database.read.get(
      `SELECT seq, hash FROM audit ${auditSeq === undefined ? '' : 'WHERE seq = ?'} ORDER BY seq DESC LIMIT 1`,
      ...(auditSeq === undefined ? [] : [auditSeq]),
    );
    return {
      model: this.model ?? '',
      dimensions: this.dimensions ?? 0,
      tokenizer: this.tokenizer?.id ?? '',
      // Which signs are letters is the runtime's to say.
      reading: `${analyzerVersion} ${process.versions.unicode ?? ''}`,
      revision,
      audit: { seq: (last?.seq as number | undefined) ?? 0, hash: (last?.hash as string | undefined) ?? '' },
    };
  }
}

const selectRows = `
  SELECT m.row, m.id, m.change, m.kind, m.status, m.archive_reason, m.scope_id, m.session, m.created_at,
         m.reinforced_at, m.content, m.tags, m.content_hash, a.questions, a.keywords, v.vector
  FROM memories m LEFT JOIN aids a ON a.row = m.row LEFT JOIN vectors v ON v.row = m.row AND v.model = (SELECT number FROM models WHERE id = ?)`;

function aidTermsOf({ questions, keywords }: SqlRow): string[] {
  const aids = [...parseStringArray(questions), ...parseStringArray(keywords)];
  return aids.flatMap(it => analyzeText(it)).filter(it => !isStopWord(it));
}

/** Names the text, the tags and the search aids of a memory in 48 bits. */
function textKeyOf({ content_hash: hash, tags, questions, keywords }: SqlRow): number {
  const name =
    tags === '[]' && questions === null
      ? (hash as string)
      : createHash('sha256')
          .update(JSON.stringify([hash, tags, questions, keywords]))
          .digest('base64url');
  return Buffer.from(name.slice(0, 8), 'base64url').readUIntBE(0, 6);
}
