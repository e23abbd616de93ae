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

/** Lines hashed before others get their turn: about a millisecond. */
const linesAtOnce = 64;

/** The lines that one write adds to the audit log, in their order. */
export class AuditLines {
  private lines: AuditLine[] = [];
  private beginsAnew = false;

  constructor(
    private readonly actor: string,
    private readonly at: string,
  ) {}

  get isEmpty(): boolean {
    return this.lines.length === 0;
  }

  add(action: AuditAction, memoryId: string | undefined, detail: object): void {
    this.lines.push({ action, memoryId, detail });
  }

  /** For a log that was emptied: the next line is its first. */
  beginAnew(): void {
    this.lines = [];
    this.beginsAnew = true;
  }

  /**
   * Writes them behind the last line of the log.
   * @param head what stands in the file as the log's head
   * @returns its head from now on, and when all is written
   */
  async write(sql: Sql, head: string): Promise<{ readonly head: string; readonly written: Promise<void> }> {
    const [seq = '0', hash = ''] = this.beginsAnew ? [] : head.split(':');
    const last = { seq: Number(seq), hash };
    let written = Promise.resolve();
    for (let from = 0; from < this.lines.length; from += linesAtOnce) {
      await written;
      const rows = this.lines.slice(from, from + linesAtOnce).map(({ action, memoryId, detail }) => {
        const { at, actor } = this;
        const entry = { seq: last.seq + 1, at, action, memoryId, actor, detail: JSON.stringify(detail) };
        last.hash = auditHash(last.hash, entry);
        last.seq = entry.seq;
        return [entry.seq, at, action, memoryId ?? null, actor, entry.detail, last.hash];
      });
      written = sql.run(addLinesSql, JSON.stringify(rows));
    }
    return { head: auditHead(last), written };
  }
}
