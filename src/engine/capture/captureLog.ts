// What one run of capture stored, so that a person can review it later.
import type { Context } from '../context.js';
import type { CaptureSource } from '../model/capture.js';
import type { Intake } from '../model/intake.js';
import type { Store, StoreTransaction } from '../store/store.js';

/** Names the run whose new memories are recorded. */
export interface CaptureName {
  readonly id: string;
  readonly at: string;
  readonly source: CaptureSource;
}

/** A part of a run: what one transaction of one store made. Its id begins with that of the run. */
interface CaptureRecord {
  readonly run: string;
  readonly at: string;
  readonly source: CaptureSource;
  readonly created: readonly string[];
}

/** Runs that can be reviewed: as many as the automatic capture of a working day makes. */
const maxCaptures = 50;
const maxRecords = 2_000;

/** Records the memories that a transaction made, in that transaction. */
export async function recordCapture(
  tx: StoreTransaction,
  { id, at, source }: CaptureName,
  created: readonly string[],
): Promise<void> {
  if (created.length === 0) return;
  const body: CaptureRecord = { run: id, at, source, created };
  await tx.putRecord('capture', `${id} ${created[0]!}`, body);
}

/** Runs that made a memory, newest first. */
export async function listCaptures(ctx: Context): Promise<readonly Intake[]> {
  const found = new Map<string, Intake>();
  for (const { records } of await readRecords(ctx)) {
    for (const { run, at, source: by, created } of records.map(it => it.body)) {
      const count = (found.get(run)?.count ?? 0) + created.length;
      found.set(run, { id: run, at, by, source: '', count });
    }
  }
  return [...found.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, maxCaptures);
}

/** Ids of the memories that a run made, in the order of the session. */
export async function capturedIds(ctx: Context, run: string): Promise<readonly string[]> {
  const parts = (await readRecords(ctx)).flatMap(it => it.records.map(({ body }) => body));
  return parts
    .filter(it => it.run === run)
    .reverse()
    .flatMap(it => it.created);
}

/** Deletes the records of runs that are no longer listed. */
export async function pruneCaptures(ctx: Context): Promise<void> {
  const listed = new Set((await listCaptures(ctx)).map(it => it.id));
  for (const { store, records } of await readRecords(ctx)) {
    const old = records.filter(it => !listed.has(it.body.run));
    if (old.length === 0) continue;
    await store.write(ctx.host.client, async tx => {
      for (const { id } of old) await tx.deleteRecord('capture', id);
    });
  }
}

interface StoreCaptures {
  readonly store: Store;
  /** Newest first. */
  readonly records: readonly { readonly id: string; readonly body: CaptureRecord }[];
}

function readRecords(ctx: Context): Promise<readonly StoreCaptures[]> {
  const writable = ctx.stores.map(it => it.store).filter(it => !it.readOnly);
  return Promise.all(
    writable.map(async store => ({ store, records: await store.records<CaptureRecord>('capture', maxRecords) })),
  );
}
