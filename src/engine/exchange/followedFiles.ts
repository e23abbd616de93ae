// Files that were imported, and what has changed in them since.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { omitUndefined } from '../base/omitUndefined.js';
import { isFileError } from '../base/regularFile.js';
import type { Context, OpenStore } from '../context.js';
import { embedOrLog } from '../embeddings/embedOrLog.js';
import type { ChangedImport, ChangedLine, ImportReport } from '../model/importReport.js';
import type { Alert } from '../model/maintenance.js';
import type { Memory, StoreKind } from '../model/memory.js';
import { prepareText } from '../remember/prepareFact.js';
import { hashContent } from '../store/contentHash.js';
import type { Store, StoreTransaction } from '../store/store.js';
import { validateText } from '../secrets/storableText.js';
import { readMarkdownItems } from './formats/markdown.js';

/** An imported file as it was read last: a record of kind `state`. */
export interface FollowedFile {
  /** Absolute path. */
  readonly path: string;
  /** As its memories name it: below the project with slashes, or the absolute path. */
  readonly name: string;
  /** Where everything in it belongs; absent where each line decides. */
  readonly store?: StoreKind;
  /** Id of the import that began to follow it. */
  readonly import: string;
  /** Content hashes of its lines, in their order. */
  readonly lines: readonly string[];
}

const recordPrefix = 'followed:';
const allRecords = Number.MAX_SAFE_INTEGER;
/** Share of words that two wordings of one line have in common. */
const minSharedWords = 0.5;

const followedRecordId = (name: string): string => `${recordPrefix}${name}`;

/** Follows a file from now on, as an import read it. Lines of an earlier import that are gone from it are still shown as gone. */
export async function followFile(
  ctx: Context,
  stores: Context['stores'],
  { store, ...file }: Omit<FollowedFile, 'store'> & { readonly store: StoreKind | undefined },
): Promise<void> {
  const kind = store ?? 'project';
  const target = (stores.find(it => it.store.kind === kind) ?? stores.at(-1))?.store;
  if (target === undefined || target.readOnly) return;
  const id = followedRecordId(file.name);
  await target.write(ctx.host.client, async tx => {
    const known = (await tx.record<FollowedFile>('state', id))?.body;
    const lines = [...new Set([...file.lines, ...(known?.lines ?? [])])];
    const firstImport = known?.import ?? file.import;
    const followed = { ...file, ...omitUndefined({ store }), lines, import: firstImport } satisfies FollowedFile;
    await tx.putRecord('state', id, followed);
  });
}

/** Follows the files of an import that is taken back no longer, in the transaction that takes it back. */
export async function unfollowImport(tx: StoreTransaction, store: Store, importId: string): Promise<void> {
  for (const it of await followedRecords(store)) if (it.body.import === importId) await tx.deleteRecord('state', it.id);
}

/** Changes of the files that were imported, as far as they say other than the memory. */
export async function listChangedImports(ctx: Context): Promise<readonly ChangedImport[]> {
  return (await findChanged(ctx)).map(it => it.change);
}

/** An alert for each file that has changed. */
export async function changedImportAlerts(ctx: Context): Promise<readonly Alert[]> {
  return (await findChanged(ctx)).map(({ change: { file, added, changed, gone, isMissing }, open }): Alert => {
    const counts = message`${added.length} new, ${changed.length} changed and ${gone.length} gone`;
    const text =
      isMissing === true
        ? message`${file} was imported and is no longer there. Take its lines out of the memory, or leave them: recollect import --changes`
        : message`${file} has changed since it was imported: ${counts}. Take that over, or leave it: recollect import --changes`;
    return { kind: 'importChanged', store: open.store.kind, text };
  });
}

/**
 * Carries out a person's word on the changes of imported files. `take`: a changed line gives its memory the new wording, one
 * that is gone is archived, new ones are imported. `leave`: memories stay as they are, and the file is followed from here on.
 * @param file as it is listed; all that have changed by default
 * @param importFile reads a file again
 * @throws EngineError notFound (no such file has changed), and what writing a store throws
 */
export async function settleChangedImports(
  ctx: Context,
  { file, decision }: { readonly file?: string | undefined; readonly decision: 'take' | 'leave' },
  {
    importFile,
    onWritten,
  }: {
    readonly importFile: (path: string) => Promise<ImportReport>;
    readonly onWritten: (store: Store, ids: readonly string[]) => void;
  },
): Promise<readonly ChangedImport[]> {
  const found = (await findChanged(ctx)).filter(
    it => file === undefined || it.change.file === file || it.path === path.resolve(file),
  );
  if (file !== undefined && found.length === 0)
    throw new EngineError('notFound', message`${file} is not followed, or has not changed since it was imported.`);
  for (const { change, open, followed, path: foundPath, lines } of found) {
    if (decision === 'take') {
      await rewordAndArchive(ctx, change, onWritten);
      if (change.isMissing !== true) await importFile(foundPath);
    }
    await open.store.write(ctx.host.client, async tx => {
      const id = followedRecordId(followed.name);
      if (change.isMissing === true) await tx.deleteRecord('state', id);
      else await tx.putRecord('state', id, { ...followed, lines } satisfies FollowedFile);
    });
  }
  return found.map(it => it.change);
}

/** Gives changed lines their new wording, and archives those that are gone. A memory that changed meanwhile stays. */
async function rewordAndArchive(
  ctx: Context,
  { changed, gone }: ChangedImport,
  onWritten: (store: Store, ids: readonly string[]) => void,
): Promise<void> {
  const at = ctx.host.now().toISOString();
  for (const { store } of ctx.stores.filter(it => !it.store.readOnly)) {
    const own = changed.filter(it => it.memory.store === store.kind);
    const left = gone.filter(it => it.store === store.kind);
    if (own.length + left.length === 0) continue;
    const reworded = await store.write(ctx.host.client, async tx => {
      const done: Memory[] = [];
      for (const { memory, text } of own) {
        const current = await tx.get(memory.id);
        const prepared = prepareText(text, ctx.host.config().remember);
        if (current?.contentHash !== memory.contentHash || 'refused' in prepared) continue;
        if ((await tx.findByHash([prepared.contentHash], current.scopeId ?? '')).length > 0) continue;
        const sequence = await tx.nextSequence(current.scopeId ?? '');
        const { content, summary, contentHash } = prepared;
        const after = { ...current, content, summary, contentHash, sequence, updatedAt: at };
        await tx.update(after, 'edit', { change: 'text', because: 'its file changed' });
        done.push(after);
      }
      for (const it of left) {
        const current = await tx.get(it.id);
        if (current?.status !== 'active' || current.contentHash !== it.contentHash) continue;
        const archived = {
          ...current,
          status: 'archived',
          archiveReason: 'gone',
          archivedAt: at,
          updatedAt: at,
        } as const;
        await tx.update(archived, 'archive', { because: 'its file changed' });
      }
      return done;
    });
    const vectors = await embedOrLog(
      ctx,
      reworded.map(it => it.content),
    );
    await store.saveVectors(
      new Map(reworded.flatMap(({ id }, i) => (vectors[i] === undefined ? [] : [[id, vectors[i]] as const]))),
    );
    onWritten(store, [...own.map(it => it.memory.id), ...left.map(it => it.id)]);
  }
}

interface FoundChange {
  readonly change: ChangedImport;
  readonly open: OpenStore;
  readonly followed: FollowedFile;
  /** Where it lies now. */
  readonly path: string;
  /** Content hashes of its present lines. */
  readonly lines: readonly string[];
}

async function findChanged(ctx: Context): Promise<readonly FoundChange[]> {
  const found: FoundChange[] = [];
  const all = await Promise.all(
    ctx.stores.map(async open => (await followedRecords(open.store)).map(it => ({ open, followed: it.body }))),
  );
  for (const { open, followed } of all.flat()) {
    const present = await locate(followed, open.folders);
    // A file from elsewhere, such as a download, need not stay there.
    if (present === undefined && path.isAbsolute(followed.name)) continue;
    const items = present === undefined ? new Map<string, ReadLine>() : await readLines(ctx, followed, present);
    if (items === undefined) continue;
    const elsewhere = new Set(all.flat().flatMap(it => (it.followed === followed ? [] : it.followed.lines)));
    const change = await compare(ctx, followed, items, elsewhere);
    if (change.added.length + change.changed.length + change.gone.length === 0) continue;
    found.push({
      change: { ...change, ...(present === undefined ? { isMissing: true } : {}) },
      open,
      followed,
      path: present ?? followed.path,
      lines: [...items.keys()],
    });
  }
  return found;
}

/** The file in the checkout that is open, or where it was; undefined where it is gone. */
async function locate({ name, path: known }: FollowedFile, folders: readonly string[]): Promise<string | undefined> {
  const places = path.isAbsolute(name) ? [known] : [...folders.map(it => path.join(it, name)), known];
  for (const it of places) if ((await stat(it).catch(() => undefined))?.isFile() === true) return it;
  return undefined;
}

interface ReadLine {
  readonly text: string;
  readonly where: string;
}

/** Its present lines by their content hash; undefined where it cannot be read now. */
async function readLines(
  ctx: Context,
  { name, store }: FollowedFile,
  file: string,
): Promise<ReadonlyMap<string, ReadLine> | undefined> {
  const lines = new Map<string, ReadLine>();
  try {
    for await (const it of readMarkdownItems({ file, name: path.basename(name) }, store)) {
      if ('reason' in it) continue;
      const validation = validateText(it.content, ctx.host.config().remember.maxCharacters);
      if (validation.ok) lines.set(hashContent(validation.text), { text: validation.text, where: it.where });
    }
  } catch (error) {
    if (isFileError(error)) return undefined;
    throw error;
  }
  return lines;
}

/** @param elsewhere lines that other followed files still say */
async function compare(
  ctx: Context,
  { name, lines }: FollowedFile,
  present: ReadonlyMap<string, ReadLine>,
  elsewhere: ReadonlySet<string>,
): Promise<Omit<ChangedImport, 'isMissing'>> {
  const known = new Set(lines);
  const added = [...present].flatMap(([hash, it]) => (known.has(hash) || elsewhere.has(hash) ? [] : [it]));
  const goneHashes = lines.filter(it => !present.has(it) && !elsewhere.has(it));
  const gone = goneHashes.length === 0 ? [] : await importedMemories(ctx, goneHashes);
  const pairs = added
    .flatMap(line => gone.map(memory => ({ line, memory, shared: sharedWords(memory.content, line.text) })))
    .filter(it => it.shared >= minSharedWords)
    .sort((a, b) => b.shared - a.shared);
  const changed: ChangedLine[] = [];
  const taken = new Set<unknown>();
  for (const { line, memory } of pairs) {
    if (taken.has(line) || taken.has(memory)) continue;
    taken.add(line).add(memory);
    changed.push({ memory, ...line });
  }
  return {
    file: name,
    added: added.filter(it => !taken.has(it)),
    changed,
    gone: gone.filter(it => !taken.has(it)),
  };
}

/** Active memories that an import made and that still say what they said then. */
async function importedMemories(ctx: Context, hashes: readonly string[]): Promise<readonly Memory[]> {
  const found = await Promise.all(
    ctx.stores
      .filter(it => !it.store.readOnly)
      .map(it => it.store.write(ctx.host.client, tx => tx.findByHash(hashes, ''))),
  );
  return found.flat().filter(it => it.status === 'active' && it.provenance.source === 'import');
}

async function followedRecords(store: Store): Promise<readonly { readonly id: string; readonly body: FollowedFile }[]> {
  const records = await store.records<FollowedFile>('state', allRecords);
  return records.filter(it => it.id.startsWith(recordPrefix));
}

/** Share of the words that two lines have in common, without the heading that both have; 0 to 1 (Dice). */
function sharedWords(a: string, b: string): number {
  const heading = /^[^:\n]{1,80}: /u.exec(a)?.[0] ?? '';
  const start = b.startsWith(heading) ? heading.length : 0;
  const [first, second] = [wordsOf(a.slice(start)), wordsOf(b.slice(start))];
  const shared = [...first].filter(it => second.has(it)).length;
  return first.size + second.size === 0 ? 0 : (2 * shared) / (first.size + second.size);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu));
}
