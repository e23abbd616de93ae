import type { Context } from '../context.js';
import type { Memory } from '../model/memory.js';
import type { RememberInput } from '../model/rememberInput.js';
import { remember } from '../remember/remember.js';
import { isUserProtected } from '../scoring/retentionRules.js';
import type { Store, StoreTransaction } from '../store/store.js';
import { findSecret } from '../secrets/secretScanner.js';
import type { CodeChunk } from './chunker.js';

/** A file as it was indexed; its record's id is its path relative to the project. */
export interface IndexedFile {
  /** Of the file's text, and of the rules that read it. */
  readonly hash: string;
  readonly pieces: readonly IndexedChunk[];
}

interface IndexedChunk {
  readonly key: string;
  readonly hash: string;
  readonly startLine: number;
  /** Ids; absent where the text was refused. */
  readonly description?: string;
  readonly code?: string;
}

/** A file that is new or has changed. */
export interface ChangedFile {
  readonly id: string;
  readonly uri: string;
  readonly hash: string;
  readonly chunks: readonly CodeChunk[];
  readonly previous: IndexedFile | undefined;
}

/** What writing did. */
export interface CodeWriteResult {
  readonly pairs: number;
  readonly archived: number;
  readonly refused: number;
}

/**
 * Brings the memories of files up to date: what is new is remembered, what only moved gets its new place, and what is no
 * longer there is archived. All files of one store.
 * @throws what Store.write throws; the next run does the rest
 */
export async function writeCodeMemories(
  ctx: Context,
  store: Store,
  files: readonly ChangedFile[],
  onWritten: (store: Store, ids: readonly string[]) => void,
): Promise<CodeWriteResult> {
  const newChunks = files.flatMap(file =>
    file.chunks.filter(it => findUnchangedChunk(file, it) === undefined).map(it => ({ file, it })),
  );
  const inputs = newChunks.flatMap(({ file, it }) => toRememberInputs(file, it));
  const outcomes = (await remember(ctx, inputs, onWritten)).map(it => it[0]);
  const ids = outcomes.map(it => (it === undefined || it.outcome === 'refused' ? undefined : it.id));
  const idsByChunk = new Map(newChunks.map(({ it }, i) => [it, { description: ids[2 * i], code: ids[2 * i + 1] }]));
  const at = ctx.host.now().toISOString();
  const archivedIds = await store.write(ctx.host.client, async tx => {
    const archived: string[] = [];
    for (const file of files) {
      const pieces = file.chunks.map(it => ({ piece: it, known: findUnchangedChunk(file, it), ...idsByChunk.get(it) }));
      const after: IndexedChunk[] = [];
      for (const { piece: chunk, known, description = known?.description, code = known?.code } of pieces) {
        const { key, hash, range } = chunk;
        await updateLocation(tx, { id: description, file, chunk, content: undefined });
        await updateLocation(tx, { id: code, file, chunk, content: chunk.code });
        if (known === undefined && description !== undefined && code !== undefined) {
          for (const it of replacedCodeIds(file, chunk.key, code)) await tx.unlink(description, it, 'source_of');
          const reason = 'The description was made from this code.';
          await tx.link([{ source: description, target: code, type: 'source_of', strength: 1, reason }]);
        }
        after.push({ key, hash, startLine: range.startLine, ...omitUndefined({ description, code }) });
      }
      archived.push(
        ...(await archiveMemories(
          tx,
          memoryIdsOf(file.previous),
          new Set(memoryIdsOf({ hash: '', pieces: after })),
          at,
        )),
      );
      await tx.putRecord('indexedFile', file.id, { hash: file.hash, pieces: after } satisfies IndexedFile);
    }
    return archived;
  });
  onWritten(store, archivedIds);
  return { pairs: newChunks.length, archived: archivedIds.length, refused: ids.filter(it => it === undefined).length };
}

/** Archives the memories of files that are gone. @returns how many */
export async function archiveCodeMemories(
  ctx: Context,
  store: Store,
  files: readonly { readonly id: string; readonly body: IndexedFile }[],
  onWritten: (store: Store, ids: readonly string[]) => void,
): Promise<number> {
  const at = ctx.host.now().toISOString();
  const archivedIds = await store.write(ctx.host.client, async tx => {
    const archived: string[] = [];
    for (const { id, body } of files) {
      archived.push(...(await archiveMemories(tx, memoryIdsOf(body), new Set(), at)));
      await tx.deleteRecord('indexedFile', id);
    }
    return archived;
  });
  onWritten(store, archivedIds);
  return archivedIds.length;
}

function toRememberInputs(file: ChangedFile, chunk: CodeChunk): RememberInput[] {
  const { range, symbol, anchorHash } = chunk;
  const common = {
    source: 'code-index',
    gate: 'epistemic',
    store: 'project',
    decayClass: 'durable',
    whole: true,
    uri: file.uri,
    range,
    anchorHash,
    // A secret in a comment, or a name that is longer than any: the pair is found without it.
    ...(symbol === undefined || symbol.length > 500 || findSecret(symbol) !== undefined ? {} : { symbol }),
  } as const;
  const isPlain = findSecret(chunk.description) === undefined;
  return [
    { ...common, kind: 'code-description', content: isPlain ? chunk.description : chunk.plainDescription },
    { ...common, kind: 'code', content: chunk.code },
  ];
}

/** The same piece as it was indexed before, if nothing of it has changed. */
function findUnchangedChunk({ previous }: ChangedFile, { key, hash }: CodeChunk): IndexedChunk | undefined {
  return previous?.pieces.find(it => it.key === key && it.hash === hash);
}

/**
 * Gives a memory the place where its piece is now. A change of spelling that makes no other fact is written here too.
 */
async function updateLocation(
  tx: StoreTransaction,
  {
    id,
    file,
    chunk,
    content,
  }: {
    readonly id: string | undefined;
    readonly file: ChangedFile;
    readonly chunk: CodeChunk;
    readonly content: string | undefined;
  },
): Promise<void> {
  const memory = id === undefined ? undefined : await tx.get(id);
  if (memory?.provenance.source !== 'code-index') return;
  const { range, anchorHash } = chunk;
  const { provenance } = memory;
  const isUpToDate =
    provenance.uri === file.uri &&
    provenance.anchorHash === anchorHash &&
    provenance.range?.startLine === range.startLine &&
    provenance.range.endLine === range.endLine;
  const newContent = content?.trim() ?? memory.content;
  if (isUpToDate && newContent === memory.content) return;
  const moved: Memory = {
    ...memory,
    content: newContent,
    provenance: { ...provenance, uri: file.uri, range, anchorHash },
  };
  await tx.update(moved, 'edit', { change: 'codeIndex' });
}

/** Archives what the index made and nobody has made their own. */
async function archiveMemories(
  tx: StoreTransaction,
  ids: readonly string[],
  keptIds: ReadonlySet<string>,
  at: string,
): Promise<string[]> {
  const archived: string[] = [];
  for (const memory of await tx.getMany(ids.filter(it => !keptIds.has(it)))) {
    const isUntouched = memory.provenance.source === 'code-index' && memory.lane === 'note' && !isUserProtected(memory);
    if (!isUntouched || memory.status !== 'active') continue;
    await tx.update({ ...memory, status: 'archived', archiveReason: 'gone', archivedAt: at }, 'archive', {
      reason: 'gone',
    });
    archived.push(memory.id);
  }
  return archived;
}

function replacedCodeIds({ previous }: ChangedFile, key: string, code: string): string[] {
  return (previous?.pieces ?? []).flatMap(it =>
    it.key === key && it.code !== undefined && it.code !== code ? [it.code] : [],
  );
}

function memoryIdsOf(file: IndexedFile | undefined): string[] {
  return (file?.pieces ?? []).flatMap(it => [it.description, it.code].filter(id => id !== undefined));
}

function omitUndefined(ids: { readonly description: string | undefined; readonly code: string | undefined }): object {
  return Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== undefined));
}
