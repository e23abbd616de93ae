import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import type { Sql } from '../../database/database.js';
import { loadWriteState, readSequence, type StoreWriteState } from '../../database/storeState.js';
import { schemaVersion } from './schemaVersion.js';

/** The numbers that one write hands out: its revision, write counters, rows of memories and numbers of models. */
export class TransactionCounters {
  private initialState: Promise<StoreWriteState> | undefined;
  /** Undefined before the first change. */
  private newRevision: number | undefined;
  /** Write counters raised by this write, by scopeId. */
  private readonly raisedSequences = new Map<string, number>();
  /** Numbers of models that this write added. */
  private readonly newModelNumbers = new Map<string, number>();
  /** Row of the last inserted memory. */
  private lastRow: number | undefined;

  constructor(private readonly sql: Sql) {}

  /** The revision made by this write; undefined if nothing has changed. */
  get changedRevision(): number | undefined {
    return this.newRevision;
  }

  /** The revision made by this write, which is a change from now on. */
  async revision(): Promise<number> {
    this.newRevision ??= (await this.initial()).revision + 1;
    return this.newRevision;
  }

  async nextSequence(scopeId: string): Promise<number> {
    const state = await this.initial(scopeId);
    const storedSequence = state.scopeId === scopeId ? state.sequence : undefined;
    const last = this.raisedSequences.get(scopeId) ?? storedSequence ?? (await readSequence(this.sql, scopeId));
    this.raisedSequences.set(scopeId, last + 1);
    return last + 1;
  }

  async saveSequences(): Promise<void> {
    if (this.raisedSequences.size === 0) return;
    await this.sql.run(
      'INSERT OR REPLACE INTO sequences SELECT key, value FROM json_each(?)',
      JSON.stringify(Object.fromEntries(this.raisedSequences)),
    );
  }

  /** Reserves rows for new memories. @returns the first of them */
  async reserveRows(count: number): Promise<number> {
    const { lastRow } = await this.initial();
    const last = this.lastRow ?? lastRow;
    this.lastRow = last + count;
    return last + 1;
  }

  /** Number of a model in the `vectors` table. */
  async modelNumber(model: string): Promise<number> {
    const existing = this.newModelNumbers.get(model) ?? (await this.initial()).models[model];
    if (existing !== undefined) return existing;
    const inserted = await this.sql.get('INSERT INTO models (id) VALUES (?) RETURNING number', model);
    const number = inserted!.number as number;
    this.newModelNumbers.set(model, number);
    return number;
  }

  /**
   * State of the store at the start of this write.
   * @param scopeId whose write counter to load; used by the first call only
   * @throws EngineError storeTooNew where a newer program has brought the file to its version since it was opened
   */
  initial(scopeId?: string): Promise<StoreWriteState> {
    return (this.initialState ??= this.load(scopeId));
  }

  private async load(scopeId: string | undefined): Promise<StoreWriteState> {
    const state = await loadWriteState(this.sql, scopeId);
    if (state.version <= schemaVersion) return state;
    throw new EngineError(
      'storeTooNew',
      message`A newer Recollect has changed the memory store (its version is ${state.version}, this one knows ${schemaVersion}). Update Recollect, and open it again; nothing was changed.`,
    );
  }
}
