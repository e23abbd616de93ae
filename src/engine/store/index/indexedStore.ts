import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { SerialQueue } from '../../base/serialQueue.js';
import { readStatement } from '../../compare/compare.js';
import { isPersonsWord, type ArchiveReason } from '../../model/memory.js';
import { isStopWord, terms } from '../../text/terms.js';
import { traitsOf } from '../../text/traits.js';
import { Database, type Row } from '../sqlite/database.js';
import { contentOf, memoryText } from '../sqlite/rows.js';
import { CallFacts } from './callFacts.js';
import { compareFacts } from './compareFacts.js';
import { featureNames } from './features.js';
import type { Compared, IndexAnswer, RowFilter, Told } from './indexProtocol.js';
import { Readings } from './judge.js';
import { lateInteraction } from './lateInteraction.js';
import { MemoryIndex } from './memoryIndex.js';
import { searchClosely, type Found, type IndexQuery } from './search.js';
import { dropSnapshot, openSnapshot, writeSnapshot, type SnapshotBasis } from './snapshot.js';
import type { TokenTable } from './tokenTable.js';

/** Memories read at once while the index catches up. */
const pageSize = 2_000;
/** With more than this many to index first, a search does not wait for it. */
const waitFor = 20_000;
/** So few facts are not compared rather than waited for; an import takes its time anyway. */
const fewFacts = 8;
/** Changes that are worth a new snapshot; fewer are read again within some hundredths of a second. */
const saveAfter = 500;
/** How long nobody asks before the snapshot is written. */
const saveWhenIdleMs = 5_000;
/** Texts whose tokens are remembered, some two megabytes: reading them again is a fifth of a search. */
const knownTexts = 10_000;
/** Raised by hand when texts are read in another way than `reading` notices. */
const readingVersion = 1;

interface Loading {
  readonly loading: { readonly indexed: number; readonly total: number };
}

/**
 * One store's memory index and the connection it is fed from. Before each search it looks whether any process has
 * written since, and takes in what changed: an answer always knows every write that was acknowledged before it.
 */
export class IndexedStore {
  private index: MemoryIndex;
  private opened: Promise<Database> | undefined;
  /** Every change up to this revision is taken in; -1 while nothing is. */
  private revision = -1;
  private catchingUp: Promise<void> | undefined;
  /** Changes that the snapshot does not have. */
  private unsaved = 0;
  private saving: NodeJS.Timeout | undefined;
  /** The index began with a snapshot that nobody has compared with the file yet. */
  private unproven = false;
  private closing = false;
  /** By key. */
  private readonly tokensOfTexts = new Map<number, readonly number[]>();
  private readonly readings = new Readings();
  /** By call: what it has told so far. */
  private readonly calls = new Map<number, CallFacts>();
  /** Facts are compared in the order told. */
  private readonly comparing = new SerialQueue();

  constructor(
    private readonly file: string,
    readonly model: string | undefined,
    private readonly dimensions: number | undefined,
    private readonly tokens: TokenTable | undefined,
  ) {
    this.index = new MemoryIndex(dimensions);
  }

  async search(
    query: Omit<IndexQuery, 'allowed'>,
    filter: RowFilter | undefined,
  ): Promise<{ readonly answer: IndexAnswer } | Loading> {
    const database = await this.open();
    const behind = await this.catchUp(database);
    if (behind > waitFor) return { loading: { indexed: this.index.documents, total: this.index.documents + behind } };
    await this.catchingUp;
    const allowed = filter === undefined ? undefined : await allowedRows(database, filter);
    const asked = { ...query, allowed };
    const { embedded, searchable } = this.index.counts;
    let texts: ReadonlyMap<number, string> = new Map();
    const { hits, largest } = await searchClosely(this.index, asked, async (found, names) => {
      const reading = memoryTexts(database, found);
      // Texts that were compared before are compared again while the memories are read.
      if (!found.every(it => this.tokensOfTexts.has(it.key))) this.learnTokens(found, await reading);
      const read = this.readClosely(query.text, found, names);
      texts = await reading;
      return read;
    });
    this.saveWhenIdle(database);
    // What was deleted a moment ago has no text.
    const left = hits.filter(it => texts.has(it.row));
    const features = new Float32Array(left.length * featureNames.length);
    for (const [i, hit] of left.entries()) features.set(hit.features, i * featureNames.length);
    return {
      answer: { memories: left.map(it => texts.get(it.row)!), features, largest, embedded, searchable },
    };
  }

  /** Compares memories with a question token by token; 0 for all without a token table. */
  private readClosely(question: string, found: readonly Found[], names: readonly string[]): Float32Array {
    const { tokens: table } = this;
    if (table === undefined) return new Float32Array(found.length);
    const left = new Set(names.flatMap(it => table.tokens(it)));
    return lateInteraction(
      table,
      table.tokens(question).filter(it => !left.has(it)),
      found.map(it => this.tokensOfTexts.get(it.key) ?? []),
    );
  }

  /** Remembers the tokens of each memory's body, by its text. */
  private learnTokens(found: readonly Found[], texts: ReadonlyMap<number, string>): void {
    if (this.tokensOfTexts.size >= knownTexts) this.tokensOfTexts.clear();
    for (const { row, key } of found) {
      const text = texts.get(row);
      if (text === undefined || this.tokensOfTexts.has(key)) continue;
      this.tokensOfTexts.set(key, this.tokens?.tokens(traitsOf(contentOf(text)).body) ?? []);
    }
  }

  /** Compares facts with what is stored, and with what their call told before them. */
  compare(told: Told): Promise<{ readonly compared: Compared } | Loading> {
    return this.comparing.run(async () => {
      const database = await this.open();
      const behind = await this.catchUp(database);
      if (behind > waitFor && told.facts.length <= fewFacts) {
        return { loading: { indexed: this.index.documents, total: this.index.documents + behind } };
      }
      await this.catchingUp;
      const { revision, index, readings } = this;
      let before = this.calls.get(told.call);
      if (before === undefined) this.calls.set(told.call, (before = new CallFacts(readings, this.dimensions)));
      this.saveWhenIdle(database);
      return { compared: { relatives: await compareFacts({ database, index, readings, before }, told), revision } };
    });
  }

  endCall(call: number): void {
    this.calls.delete(call);
  }

  /** Opens the file and reads the snapshot, so that the first search finds them ready. */
  async prepare(): Promise<void> {
    await this.open();
  }

  async close(): Promise<void> {
    this.closing = true;
    clearTimeout(this.saving);
    const database = await this.opened;
    await this.catchingUp?.catch(() => undefined);
    if (database !== undefined && this.unsaved >= saveAfter) await this.save(database);
    await database?.close();
  }

  private open(): Promise<Database> {
    this.opened ??= (async () => {
      const database = await Database.openReader(this.file);
      await this.restore(database);
      return database;
    })();
    return this.opened;
  }

  /** Begins to take in what changed, unless that is under way. Returns how many memories are left to take in. */
  private async catchUp(database: Database): Promise<number> {
    const revision = await revisionOf(database);
    if (revision === this.revision && this.catchingUp === undefined) return 0;
    const left = await database.read.get('SELECT count(*) AS left FROM memories WHERE change > ?', this.revision);
    this.catchingUp ??= this.takeIn(database, revision).finally(() => {
      this.catchingUp = undefined;
    });
    return left?.left as number;
  }

  /** Takes in every change up to the revision. */
  private async takeIn(database: Database, revision: number): Promise<void> {
    if (this.revision < 0) await this.takeInAll(database);
    else {
      await this.takeOut(database);
      await this.takeInChanged(database);
    }
    if (this.closing) return;
    this.index.sweep();
    this.revision = revision;
    if (!this.unproven) return;
    this.unproven = false;
    if (await this.isComplete(database)) return;
    this.forget();
    await this.takeInAll(database);
    this.revision = revision;
  }

  /** In the order of writing, which is the order of conversations. What is written meanwhile comes again next time. */
  private async takeInAll(database: Database): Promise<void> {
    for (let after = 0; !this.closing;) {
      const rows = await database.read.all(
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

  private async takeInChanged(database: Database): Promise<void> {
    let [change, row] = [this.revision + 1, 0];
    while (!this.closing) {
      const rows = await database.read.all(
        `${selectRows} WHERE (m.change, m.row) > (?, ?) ORDER BY m.change, m.row LIMIT ?`,
        this.model ?? '',
        change,
        row,
        pageSize,
      );
      for (const it of rows) this.takeInRow(it);
      if (rows.length < pageSize) return;
      [change, row] = [rows.at(-1)!.change as number, rows.at(-1)!.row as number];
    }
  }

  private async takeOut(database: Database): Promise<void> {
    const gone = await database.read.all('SELECT row FROM removed WHERE change > ?', this.revision);
    if (gone.length === 0) return;
    // What was deleted must not stay in a file.
    dropSnapshot(this.file);
    this.unsaved = Math.max(this.unsaved, saveAfter);
    for (const { row } of gone) this.index.remove(row as number);
  }

  private takeInRow(row: Row): void {
    this.unsaved++;
    const number = row.row as number;
    const key = keyOf(row);
    const isPutAway = isPersonsWord((row.archive_reason as ArchiveReason | null) ?? undefined);
    const searchable = row.status !== 'superseded' && !isPutAway;
    const blob = row.vector as Uint8Array | null;
    const vector = blob === null ? undefined : new Int8Array(blob.buffer, blob.byteOffset, blob.byteLength);
    const active = row.status === 'active';
    if (this.index.key(number) === key) {
      this.index.setStatus(number, { searchable, active });
      this.index.setVector(number, vector);
      return;
    }
    const content = row.content as string;
    const traits = traitsOf(content);
    const { statement, terms: words } = this.readings.readOnce({ contentHash: row.content_hash as string, content });
    const tags = JSON.parse(row.tags as string) as string[];
    this.index.add({
      row: number,
      key,
      searchable,
      active,
      scopeId: row.scope_id as string,
      session: (row.session as string | null) ?? undefined,
      createdAt: Date.parse(row.created_at as string),
      traits,
      terms: tags.length === 0 ? words : [...words, ...terms(tags.join('\n')).filter(it => !isStopWord(it))],
      // Code is not a statement about anything.
      subjectKeys: row.kind === 'code' ? [] : statement.keys,
      vector,
    });
  }

  /** Begins with the snapshot, when there is one of this file, this model and this way of reading. */
  private async restore(database: Database): Promise<void> {
    const snapshot = openSnapshot(this.file);
    if (snapshot === undefined) return;
    try {
      const { basis, content } = snapshot;
      if (!isDeepStrictEqual(basis, await this.basis(database, basis.revision, basis.audit.seq))) return;
      if ((await revisionOf(database)) < basis.revision) return;
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
  private async isComplete(database: Database): Promise<boolean> {
    const row = await database.read.get(
      "SELECT value AS revision, (SELECT count(*) FROM memories) AS memories FROM meta WHERE key = 'revision'",
    );
    return Number(row?.revision) !== this.revision || row?.memories === this.index.documents;
  }

  private forget(): void {
    this.index = new MemoryIndex(this.dimensions);
    this.revision = -1;
    this.unproven = false;
  }

  private saveWhenIdle(database: Database): void {
    if (this.unsaved < saveAfter) return;
    clearTimeout(this.saving);
    this.saving = setTimeout(() => {
      // First what was deleted since: that must not come back into the file.
      void this.catchUp(database)
        .then(() => this.catchingUp)
        .then(() => this.save(database))
        .catch(() => undefined);
    }, saveWhenIdleMs);
  }

  /** Where nothing can be written, there is no snapshot; it is built anew each time. */
  private async save(database: Database): Promise<void> {
    if (this.revision < 0) return;
    this.unsaved = 0;
    const basis = await this.basis(database, this.revision);
    this.index.sweep();
    try {
      writeSnapshot(this.file, basis, this.index.pack());
    } catch {
      // A read-only or full disk.
    }
  }

  /** @param auditSeq the line of the audit log that tells this history from others; the last one when left out */
  private async basis(database: Database, revision: number, auditSeq?: number): Promise<SnapshotBasis> {
    const last = await database.read.get(
      `SELECT seq, hash FROM audit ${auditSeq === undefined ? '' : 'WHERE seq = ?'} ORDER BY seq DESC LIMIT 1`,
      ...(auditSeq === undefined ? [] : [auditSeq]),
    );
    return {
      model: this.model ?? '',
      dimensions: this.dimensions ?? 0,
      reading,
      revision,
      audit: { seq: (last?.seq as number | undefined) ?? 0, hash: (last?.hash as string | undefined) ?? '' },
    };
  }
}

const selectRows = `
  SELECT m.row, m.change, m.kind, m.status, m.archive_reason, m.scope_id, m.session, m.created_at, m.content,
         m.tags, m.content_hash, v.vector
  FROM memories m LEFT JOIN vectors v ON v.row = m.row AND v.model = (SELECT number FROM models WHERE id = ?)`;

const memoryTextsSql = `SELECT row, ${memoryText()} AS memory FROM memories WHERE row IN (SELECT value FROM json_each(?))`;

/** Something of all that terms and traits look at: read in another way, it gives another name to the way of reading. */
const sample =
  "Sarah: I'd prefer that you always call getUserById and parse_HTTPRequest2, since café №5 in Zürich — v5.1.14-beta, " +
  'src/naïve/файл.ts, C++ c# データベース 👩🏽‍💻 won’t be running again on Monday, 3 March 2026 at night. Who is it, Dr. Müller?';
const reading = createHash('sha256')
  .update(
    JSON.stringify([
      readingVersion,
      terms(sample),
      terms(sample).map(isStopWord),
      traitsOf(sample),
      readStatement(sample).keys,
    ]),
  )
  .digest('base64url');

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

async function revisionOf(database: Database): Promise<number> {
  const row = await database.read.get("SELECT value FROM meta WHERE key = 'revision'");
  return Number(row?.value);
}

/** The memories themselves, by row: nothing of their texts is kept in memory. */
async function memoryTexts(database: Database, found: readonly Found[]): Promise<ReadonlyMap<number, string>> {
  const rows = await database.read.all(memoryTextsSql, JSON.stringify(found.map(it => it.row)));
  return new Map(rows.map(it => [it.row as number, it.memory as string]));
}

async function allowedRows(database: Database, filter: RowFilter): Promise<ReadonlySet<number>> {
  const rows = await database.read.all(`SELECT m.row FROM memories m WHERE ${filter.where}`, ...filter.params);
  return new Set(rows.map(it => it.row as number));
}
