import { hash } from 'node:crypto';
import type { AuditAction } from '../model/auditAction.js';
import { formatMessage } from '../model/engineMessages.js';

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
