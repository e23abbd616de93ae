import type { AuditAction } from '../../model/change.js';
import { auditHash, auditHead } from '../../security/audit.js';
import type { Sql } from './database.js';

/** What one line of the audit log says; who and when is the same for all of a write. */
interface AuditLine {
  readonly action: AuditAction;
  readonly memoryId: string | undefined;
  readonly detail: object;
}

const addLinesSql = `INSERT INTO audit (seq, at, action, memory_id, actor, detail, hash)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6 FROM json_each(?)`;

/** Lines of one statement, and hashed before others get their turn: about a millisecond. */
const linesAtOnce = 64;

/** The lines that one write adds to the audit log, in their order. */
export class AuditLines {
  /** Those not handed to the driver yet. */
  private lines: AuditLine[] = [];
  /** The last one that was. */
  private last: { readonly seq: number; readonly hash: string } | undefined;
  private written = Promise.resolve();

  constructor(
    private readonly actor: string,
    private readonly at: string,
  ) {}

  get isEmpty(): boolean {
    return this.lines.length === 0 && this.last === undefined;
  }

  add(action: AuditAction, memoryId: string | undefined, detail: object): void {
    this.lines.push({ action, memoryId, detail });
  }

  /** For a log that was emptied, before a line is written to it: the next one is its first. */
  beginAnew(): void {
    this.lines = [];
    this.last = { seq: 0, hash: '' };
  }

  /** Writes what fills whole statements, so that little is left for the end; what fails shows there. */
  begin(sql: Sql, head: string): void {
    this.handOver(sql, head, linesAtOnce).catch(() => undefined);
  }

  /**
   * Writes what is left behind the last line of the log.
   * @param head what stands in the file as the log's head
   * @returns its head from now on, and when all is written
   */
  async end(sql: Sql, head: string): Promise<{ readonly head: string; readonly written: Promise<void> }> {
    await this.handOver(sql, head, 1);
    return { head: auditHead(this.last!), written: this.written };
  }

  private async handOver(sql: Sql, head: string, atLeast: number): Promise<void> {
    while (this.lines.length >= atLeast) {
      await this.written;
      const lines = this.lines.splice(0, linesAtOnce);
      if (lines.length === 0) return; // Handed over meanwhile.
      const running = sql.run(addLinesSql, JSON.stringify(lines.map(it => this.chained(it, head))));
      this.written = Promise.all([this.written, running]).then(() => undefined);
      this.written.catch(() => undefined);
    }
  }

  /** The line as a row, with the hash that chains it to the one before. */
  private chained({ action, memoryId, detail }: AuditLine, head: string): readonly (string | number | null)[] {
    const { at, actor } = this;
    const [seq = '0', hash = ''] = head.split(':');
    const before = this.last ?? { seq: Number(seq), hash };
    const entry = { seq: before.seq + 1, at, action, memoryId, actor, detail: JSON.stringify(detail) };
    this.last = { seq: entry.seq, hash: auditHash(before.hash, entry) };
    return [entry.seq, at, action, memoryId ?? null, actor, entry.detail, this.last.hash];
  }
}
