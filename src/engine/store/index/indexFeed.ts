import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { codeKinds, isHidden, type ArchiveReason, type Kind } from '../../model/memory.js';
import { isStopWord, terms } from '../../text/terms.js';
import { bodyOf, traitsOf } from '../../text/traits.js';
import { Database, type Row } from '../sqlite/database.js';
import { toldFact, type KnownTexts } from './knownTexts.js';
import { MemoryIndex } from './memoryIndex.js';
import { stringsOf } from '../sqlite/jsonCells.js';
import { readState, type ReadState } from '../sqlite/meta.js';
import { dropSnapshot, openSnapshot, writeSnapshot, type SnapshotBasis } from './snapshot.js';
import { analyzerVersion } from './wayOfReading.js';

/** Memories read at once while the index catches up. */
const pageSize = 2_000;
/**
 * Changes that are worth a new snapshot: one in a hundred memories, within these bounds. Whoever starts reads again what
 * the snapshot does not have, and while his code is cold, each of these takes him as long as packing a hundred.
 */
const saveAfter = { least: 10, share: 0.01, most: 500 };
/** How long nobody asks before the snapshot is written; a small one is there within milliseconds. */
const saveWhenIdleMs = { small: 200, large: 5_000 };
/** Memories up to which an index is small. */
const small = 5_000;
/** Who is asked all the time writes it all the same, after a time that grows with what is to be written. */
const saveAtLatestMsPerMemory = 0.2;

/** What tells the tokens of a text. */
export interface Tokenizer {
  /** Another one has another id. */
  readonly id: string;
  tokens(text: string): readonly number[];
}

/** What is left to take in. */
export interface Behind extends ReadState {
  /** Until all of it is. */
  readonly done: Promise<void>;
}

/** One store's memory index and what feeds it: a snapshot to begin with, then what any process has written since. */
export class IndexFeed {
  index: MemoryIndex;
  /** Every change up to this revision is taken in; -1 while nothing is. */
  revision = -1;
  /** The last catch-up that was begun: how far it goes. */
  private catchingUp: { readonly revision: number; readonly done: Promise<void> } | undefined;
  /** Changes that the snapshot does not have. */
  private unsaved = 0;
  private saving: NodeJS.Timeout | undefined;
  /** Since when there is enough to save. */
  private worthSavingSince: number | undefined;
  /** The index began with a snapshot that nobody has compared with the file yet. */
  private unproven = false;
  private closing = false;

  private constructor(
    readonly database: Database,
    private readonly model: string | undefined,
    private readonly dimensions: number | undefined,
    private readonly texts: KnownTexts,
    private readonly tokenizer: Tokenizer | undefined,
  ) {
    this.index = new MemoryIndex(dimensions);
  }

  /** Opens the file and reads the snapshot. */
  static async open(
    file: string,
    model: string | undefined,
    dimensions: number | undefined,
    texts: KnownTexts,
    tokenizer: Tokenizer | undefined,
  ): Promise<IndexFeed> {
    const feed = new IndexFeed(await Database.openReader(file), model, dimensions, texts, tokenizer);
    await feed.restore();
    return feed;
  }

  /** Whether there is nothing to take in, as far as it is known here. */
  get seemsUpToDate(): boolean {
    return this.revision >= 0 && this.catchingUp === undefined;
  }

  /** Begins to take in every write that was acknowledged before this call, unless that is under way. */
  async catchUp(): Promise<Behind> {
    const now = await readState(this.database.read, '', this.revision);
    if (this.catchingUp === undefined && now.revision === this.revision) return { ...now, done: Promise.resolve() };
    return { ...now, done: this.takeInUpTo(now.revision) };
  }

  /** Takes in what was written up to a revision. */
  async takeInWritten(revision: number): Promise<void> {
    if (this.revision < revision) await this.takeInUpTo(revision);
  }

  /** @param duringImport whether many more follow: then it waits until nobody asks */
  saveWhenIdle(duringImport = false): void {
    if (!this.isWorthSaving()) return;
    clearTimeout(this.saving);
    const { documents } = this.index;
    const now = performance.now();
    this.worthSavingSince ??= now;
    const atLatest = duringImport ? Infinity : this.worthSavingSince + documents * saveAtLatestMsPerMemory;
    this.saving = setTimeout(
      () => {
        // First what was deleted since: that must not come back into the file.
        void this.catchUp()
          .then(({ done }) => done)
          .then(() => this.save())
          .catch(() => undefined);
      },
      Math.max(0, Math.min(saveWhenIdleMs[documents <= small ? 'small' : 'large'], atLatest - now)),
    );
  }

  async close(): Promise<void> {
    this.closing = true;
    clearTimeout(this.saving);
    await this.catchingUp?.done.catch(() => undefined);
    if (this.isWorthSaving()) await this.save();
    await this.database.close();
  }

  /** One that is under way may have passed by what was written since it began: then another one follows it. */
  private takeInUpTo(revision: number): Promise<void> {
    const before = this.catchingUp;
    if (before !== undefined && before.revision >= revision) return before.done;
    const done = (before?.done ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => this.takeIn(revision))
      .finally(() => {
        if (this.catchingUp === now) this.catchingUp = undefined;
      });
    // Who does not wait for it learns of its failure by asking again.
    done.catch(() => undefined);
    const now = { revision, done };
    this.catchingUp = now;
    return done;
  }

  /** Takes in every change up to the revision. */
  private async takeIn(revision: number): Promise<void> {
    if (this.revision < 0) await this.takeInAll();
    else await this.takeInChanged();
    if (this.closing) return;
    this.index.sweep();
    this.revision = revision;
    if (!this.unproven) return;
    this.unproven = false;
    if (await this.isComplete()) return;
    this.forget();
    await this.takeInAll();
    this.revision = revision;
  }

  /** In the order of writing, which is the order of conversations. What is written meanwhile comes again next time. */
  private async takeInAll(): Promise<void> {
    for (let after = 0; !this.closing;) {
      const rows = await this.database.read.all(
        `${selectRows} WHERE m.row > ? ORDER BY m.row LIMIT ?`,
        this.model ?? '',
        after,
        pageSize,
      );
      for (const it of rows) this.takeInRow(it);
      if (rows.length < pageSize) return;
      after = rows.at(-1)!.row as number;
    }
  }

  /** What was deleted goes first, for another memory may have its row by now. */
  private async takeInChanged(): Promise<void> {
    // Asked for beside each other: one that is deleted in between is taken out the next time.
    let reading = this.changedAfter(this.revision + 1, 0);
    reading.catch(() => undefined);
    this.takeOut(await this.database.read.all('SELECT row FROM removed WHERE change > ?', this.revision));
    while (!this.closing) {
      const rows = await reading;
      for (const it of rows) this.takeInRow(it);
      if (rows.length < pageSize) return;
      reading = this.changedAfter(rows.at(-1)!.change as number, rows.at(-1)!.row as number);
    }
  }

  private changedAfter(change: number, row: number): Promise<readonly Row[]> {
    return this.database.read.all(
      `${selectRows} WHERE (m.change, m.row) > (?, ?) ORDER BY m.change, m.row LIMIT ?`,
      this.model ?? '',
      change,
      row,
      pageSize,
    );
  }

  private takeOut(gone: readonly Row[]): void {
    if (gone.length === 0) return;
    // What was deleted must not stay in a file.
    dropSnapshot(this.database.file);
    this.unsaved = Math.max(this.unsaved, saveAfter.most);
    for (const { row } of gone) {
      this.index.remove(row as number);
      this.texts.drop(row as number);
    }
  }

  private takeInRow(row: Row): void {
    this.unsaved++;
    const number = row.row as number;
    const key = keyOf(row);
    const isPutAway = isHidden((row.archive_reason as ArchiveReason | null) ?? undefined);
    const searchable = row.status !== 'superseded' && !isPutAway;
    const blob = row.vector as Uint8Array | null;
    const vector = blob === null ? undefined : new Int8Array(blob.buffer, blob.byteOffset, blob.byteLength);
    const active = row.status === 'active';
    const fact = toldFact(row);
    const isCode = codeKinds.includes(row.kind as Kind);
    const isCompared = active && !isCode;
    if (this.index.key(number) === key) {
      this.texts.update(number, fact, isCompared);
      this.index.setStatus(number, { searchable, active });
      this.index.setVector(number, vector);
      return;
    }
    const reading = this.texts.takeIn(number, fact, isCompared);
    const tags = stringsOf(row.tags);
    this.index.add({
      row: number,
      key,
      searchable,
      active,
      scopeId: row.scope_id as string,
      session: (row.session as string | null) ?? undefined,
      createdAt: Date.parse(row.created_at as string),
      traits: traitsOf(fact.content),
      terms:
        tags.length === 0 ? reading.terms : [...reading.terms, ...terms(tags.join('\n')).filter(it => !isStopWord(it))],
      // Code is not a statement about anything.
      subjectKeys: isCode ? [] : reading.statement.keys,
      tokens: this.tokenizer?.tokens(bodyOf(fact.content)) ?? [],
      vector,
    });
  }

  /** Begins with the snapshot, when there is one of this file, this model and this way of reading. */
  private async restore(): Promise<void> {
    const snapshot = openSnapshot(this.database.file);
    if (snapshot === undefined) return;
    try {
      const { basis, content } = snapshot;
      if (!(await this.isOurs(basis))) return;
      if ((await readState(this.database.read)).revision < basis.revision) return;
      this.index.unpack(content);
      this.revision = basis.revision;
      this.unproven = true;
    } catch {
      this.forget();
    } finally {
      snapshot.close();
    }
  }

  /** Whether the index knows as many memories as the file has; a backup put in the file's place by hand shows here. */
  private async isComplete(): Promise<boolean> {
    const row = await this.database.read.get(
      "SELECT value AS revision, (SELECT count(*) FROM memories) AS memories FROM meta WHERE key = 'revision'",
    );
    return Number(row?.revision) !== this.revision || row?.memories === this.index.documents;
  }

  private isWorthSaving(): boolean {
    return this.unsaved >= this.enoughToSave();
  }

  private enoughToSave(): number {
    const { least, share, most } = saveAfter;
    return Math.min(most, Math.max(least, this.index.documents * share));
  }

  private forget(): void {
    this.index = new MemoryIndex(this.dimensions);
    this.texts.clear();
    this.revision = -1;
    this.unproven = false;
  }

  /** Where nothing can be written, there is no snapshot; it is built anew each time. */
  private async save(): Promise<void> {
    if (this.revision < 0) return;
    this.worthSavingSince = undefined;
    const counted = this.unsaved;
    // Another process may have written it meanwhile; what is taken in meanwhile counts on.
    this.unsaved += (await this.missingInFile()) - counted;
    if (!this.isWorthSaving()) return;
    this.unsaved = 0;
    const basis = await this.basis(this.revision);
    this.index.sweep();
    try {
      writeSnapshot(this.database.file, basis, this.index.pack());
    } catch {
      // A read-only or full disk.
    }
  }

  /** How many changes the snapshot that is there does not have, up to as many as are worth a new one. */
  private async missingInFile(): Promise<number> {
    const enough = this.enoughToSave();
    const there = openSnapshot(this.database.file);
    there?.close();
    if (there === undefined || !(await this.isOurs(there.basis))) return enough;
    const row = await this.database.read.get(
      'SELECT count(*) AS count FROM (SELECT 1 FROM memories WHERE change > ? LIMIT ?)',
      there.basis.revision,
      Math.ceil(enough),
    );
    return row!.count as number;
  }

  /** Whether a snapshot is one of this file's history, and made as this index is. */
  private async isOurs(basis: SnapshotBasis): Promise<boolean> {
    return isDeepStrictEqual(basis, await this.basis(basis.revision, basis.audit.seq));
  }

  /** @param auditSeq the line of the audit log that tells this history from others; the last one when left out */
  private async basis(revision: number, auditSeq?: number): Promise<SnapshotBasis> {
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
         m.reinforced_at, m.content, m.tags, m.content_hash, v.vector
  FROM memories m LEFT JOIN vectors v ON v.row = m.row AND v.model = (SELECT number FROM models WHERE id = ?)`;

/** Names the text and the tags of a memory in 48 bits. */
function keyOf({ content_hash: hash, tags }: Row): number {
  const name =
    tags === '[]'
      ? (hash as string)
      : createHash('sha256')
          .update(`${hash as string}${tags as string}`)
          .digest('base64url');
  return Buffer.from(name.slice(0, 8), 'base64url').readUIntBE(0, 6);
}
