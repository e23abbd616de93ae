import type { AuditAction } from '../../model/change.js';
import { auditHash, auditHead } from '../../security/audit.js';
import type { Sql } from './database.js';

/** What one line of the audit log says; who and when is the same for all of a write. */
interface AuditLine {
  readonly action: AuditAction;
  readonly memoryId: string | undefined;
  readonly detail: Readonly<Record<string, unknown>>;
}

const addLinesSql = `INSERT INTO audit (seq, at, action, memory_id, actor, detail, hash)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6 FROM json_each(?)`;

/** Lines hashed before others get their turn: about a millisecond. */
const linesAtOnce = 64;

/** Lines of the audit log that one write has still to write, in the order of telling. */
export class AuditLines {
  private lines: AuditLine[] = [];
  private beginsAnew = false;

  /** @param actor who did it @param at when, ISO-8601 UTC */
  constructor(
    private readonly actor: string,
    private readonly at: string,
  ) {}

  get none(): boolean {
    return this.lines.length === 0;
  }

  append(action: AuditAction, memoryId: string | undefined, detail: AuditLine['detail']): void {
    this.lines.push({ action, memoryId, detail });
  }

  /** For a log that was emptied: the next line is its first. */
  beginAnew(): void {
    this.lines = [];
    this.beginsAnew = true;
  }

  /**
   * Writes them after the line that is the head.
   * @returns the new head, at once, so that it can be written beside the last lines
   */
  async write(sql: Sql, headBefore: string): Promise<{ readonly head: string; readonly written: Promise<void> }> {
    const [seq = '0', hash = ''] = this.beginsAnew ? [] : headBefore.split(':');
    const head = { seq: Number(seq), hash };
    let written = Promise.resolve();
    for (let from = 0; from < this.lines.length; from += linesAtOnce) {
      await written;
      const rows = this.lines.slice(from, from + linesAtOnce).map(({ action, memoryId, detail }) => {
        const entry = {
          seq: head.seq + 1,
          at: this.at,
          action,
          memoryId,
          actor: this.actor,
          detail: JSON.stringify(detail),
        };
        head.hash = auditHash(head.hash, entry);
        head.seq = entry.seq;
        return [entry.seq, entry.at, action, memoryId ?? null, this.actor, entry.detail, head.hash];
      });
      written = sql.run(addLinesSql, JSON.stringify(rows));
    }
    return { head: auditHead(head), written };
  }
}
