import { isStopWord, terms } from '../../text/terms.js';
import { traitsOf } from '../../text/traits.js';
import { Database, type Row } from '../sqlite/database.js';
import type { IndexAnswer, RowFilter } from './indexProtocol.js';
import { MemoryIndex } from './memoryIndex.js';
import { search, type IndexQuery } from './search.js';

/** Memories read at once while the index catches up. */
const pageSize = 2_000;
/** With more than this many to index first, a search does not wait for it. */
const waitFor = 20_000;

type Answer =
  { readonly answer: IndexAnswer } | { readonly loading: { readonly indexed: number; readonly total: number } };

/**
 * One store's memory index and the connection it is fed from. Before each search it looks whether any process has
 * written since, and takes in what changed: an answer always knows every write that was acknowledged before it.
 */
export class IndexedStore {
  private readonly index: MemoryIndex;
  private database: Promise<Database> | undefined;
  private revision = -1;
  /** Up to where the changes are taken in. */
  private seen = { change: -1, row: 0 };
  private catchingUp: Promise<void> | undefined;

  constructor(
    private readonly file: string,
    readonly model: string | undefined,
    dimensions: number | undefined,
  ) {
    this.index = new MemoryIndex(dimensions);
  }

  async search(query: Omit<IndexQuery, 'allowed'>, filter: RowFilter | undefined): Promise<Answer> {
    const database = await this.open();
    const behind = await this.catchUp(database);
    if (behind > waitFor) return { loading: { indexed: this.index.size, total: this.index.size + behind } };
    await this.catchingUp;
    const allowed = filter === undefined ? undefined : await allowedRows(database, filter);
    const { hits, largest } = search(this.index, { ...query, allowed });
    const { embedded, searchable } = this.index.counts;
    return { answer: { hits, largest, embedded, searchable } };
  }

  async close(): Promise<void> {
    const database = await this.database;
    await this.catchingUp;
    await database?.close();
  }

  private open(): Promise<Database> {
    this.database ??= Database.openReader(this.file);
    return this.database;
  }

  /** Begins to take in what changed, unless that is under way. Returns how many memories are left to take in. */
  private async catchUp(database: Database): Promise<number> {
    const row = await database.read.get("SELECT value FROM meta WHERE key = 'revision'");
    const revision = Number(row?.value);
    if (revision === this.revision && this.catchingUp === undefined) return 0;
    const left = await database.read.get('SELECT count(*) AS left FROM memories WHERE change > ?', this.seen.change);
    this.catchingUp ??= this.takeIn(database, revision).finally(() => {
      this.catchingUp = undefined;
    });
    return left?.left as number;
  }

  private async takeIn(database: Database, revision: number): Promise<void> {
    const gone = await database.read.all('SELECT row FROM removed WHERE change > ?', this.seen.change);
    for (const { row } of gone) this.index.remove(row as number);
    for (;;) {
      const rows = await database.read.all(
        `SELECT m.row, m.change, m.status, m.archive_reason, m.scope_id, m.session, m.created_at, m.content, m.tags,
                m.content_hash, v.vector
         FROM memories m
         LEFT JOIN vectors v ON v.row = m.row AND v.model = (SELECT number FROM models WHERE id = ?)
         WHERE m.change > ? OR (m.change = ? AND m.row > ?) ORDER BY m.change, m.row LIMIT ?`,
        this.model ?? '',
        this.seen.change,
        this.seen.change,
        this.seen.row,
        pageSize,
      );
      for (const row of rows) this.takeInRow(row);
      const last = rows.at(-1);
      if (last !== undefined) this.seen = { change: last.change as number, row: last.row as number };
      if (rows.length < pageSize) break;
    }
    this.revision = revision;
  }

  private takeInRow(row: Row): void {
    const number = row.row as number;
    const hash = row.content_hash as string;
    const searchable = row.status !== 'superseded' && row.archive_reason !== 'forgotten';
    const blob = row.vector as Uint8Array | null;
    const vector = blob === null ? undefined : new Int8Array(blob.buffer, blob.byteOffset, blob.byteLength);
    if (this.index.hash(number) === hash) {
      this.index.setSearchable(number, searchable);
      this.index.setVector(number, vector);
      return;
    }
    const content = row.content as string;
    const traits = traitsOf(content);
    const tags = JSON.parse(row.tags as string) as string[];
    this.index.add({
      row: number,
      hash,
      searchable,
      scopeId: row.scope_id as string,
      session: (row.session as string | null) ?? undefined,
      createdAt: Date.parse(row.created_at as string),
      traits,
      terms: terms([traits.body, ...tags].join('\n')).filter(it => !isStopWord(it)),
      vector,
    });
  }
}

async function allowedRows(database: Database, filter: RowFilter): Promise<ReadonlySet<number>> {
  const rows = await database.read.all(`SELECT m.row FROM memories m WHERE ${filter.where}`, ...filter.params);
  return new Set(rows.map(it => it.row as number));
}
