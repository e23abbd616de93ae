import type { AuditAction } from '../../model/rememberOutcome.js';
import { auditHash, auditHead } from '../audit.js';
import type { Sql } from '../../database/database.js';

/** What one line of the audit log says; who and when is the same for all of a write. */
interface AuditLine {
  readonly action: AuditAction;
  readonly memoryId: string | undefined;
  readonly detail: object;
}

const insertSql = `INSERT INTO audit (seq, at, action, memory_id, actor, detail, hash)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6 FROM json_each(?)`;

/** Lines of one statement, and hashed before others get their turn: about a millisecond. */
const auditBatchSize = 64;

/** The lines that one write adds to the audit log, in their order. */
export class AuditAppender {
  /** Those not handed to the driver yet. */
  private pendingLines: AuditLine[] = [];
  /** The last one that was. */
  private last: { readonly seq: number; readonly hash: string } | undefined;
  private pendingWrites = Promise.resolve();

  constructor(
    private readonly actor: string,
    private readonly at: string,
  ) {}

  get isEmpty(): boolean {
    return this.pendingLines.length === 0 && this.last === undefined;
  }

  add(action: AuditAction, memoryId: string | undefined, detail: object): void {
    this.pendingLines.push({ action, memoryId, detail });
  }

  /** For a log that was emptied, before a line is written to it: the next one is its first. */
  reset(): void {
    this.pendingLines = [];
    this.last = { seq: 0, hash: '' };
  }

  /** Writes what fills whole statements, so that little is left for the end; what fails shows there. */
  flushFullBatches(sql: Sql, head: string): void {
    this.writeBatches(sql, head, auditBatchSize).catch(() => undefined);
  }

  /**
   * Writes what is left behind the last line of the log.
   * @param head what stands in the file as the log's head
   * @returns its head from now on, and when all is written
   */
  async flush(sql: Sql, head: string): Promise<{ readonly head: string; readonly written: Promise<void> }> {
    await this.writeBatches(sql, head, 1);
    return { head: auditHead(this.last!), written: this.pendingWrites };
  }

  private async writeBatches(sql: Sql, head: string, minLines: number): Promise<void> {
    while (this.pendingLines.length >= minLines) {
      await this.pendingWrites;
      const batch = this.pendingLines.splice(0, auditBatchSize);
      if (batch.length === 0) return; // Handed over meanwhile.
      const running = sql.run(insertSql, JSON.stringify(batch.map(it => this.toChainedRow(it, head))));
      this.pendingWrites = Promise.all([this.pendingWrites, running]).then(() => undefined);
      this.pendingWrites.catch(() => undefined);
    }
  }

  /** The line as a row, with the hash that chains it to the one before. */
  private toChainedRow({ action, memoryId, detail }: AuditLine, head: string): readonly (string | number | null)[] {
    const { at, actor } = this;
    const [seq = '0', hash = ''] = head.split(':');
    const previous = this.last ?? { seq: Number(seq), hash };
    const entry = { seq: previous.seq + 1, at, action, memoryId, actor, detail: JSON.stringify(detail) };
    this.last = { seq: entry.seq, hash: auditHash(previous.hash, entry) };
    return [entry.seq, at, action, memoryId ?? null, actor, entry.detail, this.last.hash];
  }
}
