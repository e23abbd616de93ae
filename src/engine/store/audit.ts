import { hash } from 'node:crypto';
import type { SqlValue } from '../database/database.js';
import { parseObject } from '../database/jsonColumns.js';
import type { AuditAction } from '../model/auditAction.js';
import { formatMessage } from '../model/engineMessages.js';
import type { Memory } from '../model/memory.js';

/** A row of the audit table. The detail never contains memory text. */
export interface AuditEntry {
  readonly seq: number;
  readonly at: string;
  readonly action: AuditAction;
  readonly memoryId: string | undefined;
  /** Client name of the host. */
  readonly actor: string;
  /** JSON. */
  readonly detail: string;
  readonly hash: string;
}

/** @param row by the columns of the audit table */
export function toAuditEntry(row: Readonly<Record<string, unknown>>): AuditEntry {
  return {
    seq: row.seq as number,
    at: row.at as string,
    action: row.action as AuditAction,
    memoryId: (row.memory_id as string | null) ?? undefined,
    actor: row.actor as string,
    detail: row.detail as string,
    hash: row.hash as string,
  };
}

/** SHA-256 over the previous entry's hash and this entry's fields; base64url. The first entry follows ''. */
export function auditHash(previousHash: string, entry: Omit<AuditEntry, 'hash'>): string {
  const fields = [previousHash, entry.seq, entry.at, entry.action, entry.memoryId ?? '', entry.actor, entry.detail];
  return hash('sha256', JSON.stringify(fields), 'base64url');
}

/** The head of the chain. It is stored outside the chain, so that entries removed from the end are noticed. */
export function auditHead(entry: Pick<AuditEntry, 'seq' | 'hash'>): string {
  return `${entry.seq}:${entry.hash}`;
}

/** Verifies a chain page by page; each call continues after the previous page. Problems are one sentence each. */
export class AuditVerifier {
  readonly problems: string[] = [];
  private head = '';
  private hash = '';
  private seq = 0;

  get entries(): number {
    return this.seq;
  }

  add(entries: readonly AuditEntry[]): void {
    for (const entry of entries) {
      if (entry.seq !== this.seq + 1) {
        this.problems.push(formatMessage('auditMissing', this.seq + 1, entry.seq - 1));
      } else if (auditHash(this.hash, entry) !== entry.hash) {
        this.problems.push(formatMessage('auditAltered', entry.seq));
      }
      this.seq = entry.seq;
      this.hash = entry.hash;
      this.head = auditHead(entry);
    }
  }

  /** @param head the stored head */
  finish(head: string): readonly string[] {
    if (this.head !== head) this.problems.push(formatMessage('auditEnd'));
    return this.problems;
  }
}

/** Columns of a memory's row that, besides its text, decide how far it is believed: part of the line of each change of it. */
export type LoggedRow = readonly [lane: string, pinned: 0 | 1, confidence: number];

export function toLoggedRow({ lane, pinned, confidence }: Pick<Memory, 'lane' | 'pinned' | 'confidence'>): LoggedRow {
  return [lane, pinned ? 1 : 0, confidence];
}

export function isSameRow(a: Parameters<typeof toLoggedRow>[0], b: Parameters<typeof toLoggedRow>[0]): boolean {
  return a.lane === b.lane && a.pinned === b.pinned && a.confidence === b.confidence;
}

/** Whether two rows are equal; a confidence may have lost its last digits in the log. */
export function isSameLoggedRow([lane, pinned, confidence]: LoggedRow, other: LoggedRow): boolean {
  return lane === other[0] && pinned === other[1] && Math.abs(confidence - other[2]) <= 1e-9;
}

/** The detail of a line as a person sees it: digests are for `verify`. */
export function toShownDetail(detail: SqlValue | undefined): Readonly<Record<string, unknown>> {
  const { state, digests, ...shown } = (parseObject(detail) ?? {}) as Readonly<Record<string, unknown>>;
  return shown;
}

/** Detail of the `edit` of a memory's search aids. */
export const aidsEdit = { change: 'aids' };

/** The variable part of an entry; actor and time are the same for a whole write. */
interface AuditLine {
  readonly action: AuditAction;
  readonly memoryId: string | undefined;
  readonly detail: object;
}

/** An entry as a row: seq, at, action, memory_id, actor, detail, hash. */
export type AuditRow = readonly (string | number | null)[];

/** Lines per batch, hashed without yielding: about a millisecond. */
const auditBatchSize = 64;

/** Appends the lines of one write to the audit log, in order. */
export class AuditAppender {
  /** Lines not passed to the backend yet. */
  private pendingLines: AuditLine[] = [];
  /** The last line passed to the backend. */
  private last: { readonly seq: number; readonly hash: string } | undefined;
  private pendingWrites = Promise.resolve();

  /** @param insert writes rows to the audit table */
  constructor(
    private readonly actor: string,
    private readonly at: string,
    private readonly insert: (rows: readonly AuditRow[]) => Promise<void>,
  ) {}

  get isEmpty(): boolean {
    return this.pendingLines.length === 0 && this.last === undefined;
  }

  add(action: AuditAction, memoryId: string | undefined, detail: object): void {
    this.pendingLines.push({ action, memoryId, detail });
  }

  /** Adds what edges and vectors are after the write: to its last line, or as a line of its own. */
  addState(state: object): void {
    const last = this.pendingLines.pop();
    if (last === undefined) this.add('digest', undefined, { state });
    else this.pendingLines.push({ ...last, detail: { ...last.detail, state } });
  }

  /** Starts a new chain, for an emptied log. Call it before any line is written. */
  reset(): void {
    this.pendingLines = [];
    this.last = { seq: 0, hash: '' };
  }

  /** Writes complete batches early, so that `flush` has little left to write. Errors surface in `flush`. */
  flushFullBatches(head: string): void {
    this.writeBatches(head, auditBatchSize).catch(() => undefined);
  }

  /**
   * Writes the remaining lines.
   * @param head the stored head of the log
   * @returns the new head, and a promise for the end of all writes
   */
  async flush(head: string): Promise<{ readonly head: string; readonly written: Promise<void> }> {
    await this.writeBatches(head, 1);
    return { head: auditHead(this.last!), written: this.pendingWrites };
  }

  private async writeBatches(head: string, minLines: number): Promise<void> {
    while (this.pendingLines.length >= minLines) {
      await this.pendingWrites;
      const batch = this.pendingLines.splice(0, auditBatchSize);
      if (batch.length === 0) return; // A concurrent call has written them.
      const running = this.insert(batch.map(it => this.toChainedRow(it, head)));
      this.pendingWrites = Promise.all([this.pendingWrites, running]).then(() => undefined);
      this.pendingWrites.catch(() => undefined);
    }
  }

  /** The line as a row, with the hash that chains it to the previous line. */
  private toChainedRow({ action, memoryId, detail }: AuditLine, head: string): AuditRow {
    const { at, actor } = this;
    const [seq = '0', hash = ''] = head.split(':');
    const previous = this.last ?? { seq: Number(seq), hash };
    const entry = { seq: previous.seq + 1, at, action, memoryId, actor, detail: JSON.stringify(detail) };
    this.last = { seq: entry.seq, hash: auditHash(previous.hash, entry) };
    return [entry.seq, at, action, memoryId ?? null, actor, entry.detail, this.last.hash];
  }
}
