import { omitUndefined } from '../base/omitUndefined.js';
import type { Context } from '../context.js';
import type { Config } from '../model/config.js';
import type { Memory } from '../model/memory.js';
import type { RememberInput } from '../model/rememberInput.js';
import { prepareText } from '../remember/prepareFact.js';
import { remember } from '../remember/remember.js';
import { isStorableField } from '../secrets/storableText.js';
import { isUserProtected } from '../scoring/retentionRules.js';
import type { Store, StoreTransaction } from '../store/store.js';
import type { CodeChunk, FileScan } from './chunker.js';
import type { TitledTest } from './codeUsage.js';

/** A longer symbol is left out. In UTF-16 units. */
const maxSymbolLength = 500;

/** An indexed file. A record of kind `indexedFile` whose id is the path relative to the project. */
export interface IndexedFile {
  /** Of the file's text and the version of the rules. */
  readonly hash: string;
  /** Of where its declarations are used; absent in records of earlier versions. */
  readonly usage?: string;
  readonly pieces: readonly IndexedChunk[];
  readonly tests?: readonly TitledTest[];
}

interface IndexedChunk {
  readonly key: string;
  readonly hash: string;
  /** Names that its code uses; absent in records of earlier versions. */
  readonly uses?: readonly string[];
  /** Whether neither a comment nor a model describes it. */
  readonly isBare?: boolean;
  /** Description by a model or an assistant, as long as the code stays. */
  readonly summary?: CodeSummary;
  readonly startLine: number;
  /** Ids of the memories; absent where the text was refused. */
  readonly description?: string;
  readonly code?: string;
}

/** A description of a piece of code by a model, or by an assistant that read it. */
export interface CodeSummary {
  /** Of the described code. */
  readonly codeHash: string;
  readonly text: string;
  readonly by?: 'assistant';
}

/** Why the text of a description is another than the comments say. */
const writtenByAssistant = 'An assistant wrote this description, from the code.';

/** A new or changed file. */
export interface ChangedFile {
  readonly id: string;
  readonly uri: string;
  readonly hash: string;
  readonly usage: string;
  readonly scan: FileScan;
  readonly summaries: ReadonlyMap<string, CodeSummary>;
  readonly chunks: readonly CodeChunk[];
  readonly previous: IndexedFile | undefined;
}

export interface CodeWriteResult {
  readonly pairs: number;
  readonly archived: number;
  readonly refused: number;
  /** Paths of the files that the refused texts are from. */
  readonly refusedFiles: readonly string[];
}

/**
 * Updates the memories of files in one store: new chunks are remembered, moved chunks get their new location, and memories
 * of missing chunks are archived.
 * @throws what Store.write throws; the next run completes the update
 */
export async function writeCodeMemories(
  ctx: Context,
  store: Store,
  files: readonly ChangedFile[],
  onWritten: (store: Store, ids: readonly string[]) => void,
): Promise<CodeWriteResult> {
  const newChunks = files.flatMap(file =>
    file.chunks.filter(it => findUnchangedChunk(file, it) === undefined).map(chunk => ({ file, chunk })),
  );
  const inputs = newChunks.flatMap(({ file, chunk }) => toRememberInputs(file, chunk, ctx.host.config().remember));
  const outcomes = (await remember(ctx, inputs, onWritten)).map(it => it[0]);
  const ids = outcomes.map(it => (it === undefined || it.outcome === 'refused' ? undefined : it.id));
  const idsByChunk = new Map(
    newChunks.map(({ chunk }, i) => [chunk, { description: ids[2 * i], code: ids[2 * i + 1] }]),
  );
  const at = ctx.host.now().toISOString();
  const archivedIds = await store.write(ctx.host.client, async tx => {
    const archived: string[] = [];
    for (const file of files) {
      const { scan, summaries, usage } = file;
      const usesByKey = new Map(scan.pieces.map(it => [it.key, it.uses]));
      const pieces: IndexedChunk[] = [];
      for (const chunk of file.chunks) {
        const { key, hash, range } = chunk;
        const unchanged = findUnchangedChunk(file, chunk);
        const { description, code } = unchanged ?? idsByChunk.get(chunk)!;
        await updateLocation(tx, { id: description, file, chunk, content: undefined });
        await updateLocation(tx, { id: code, file, chunk, content: chunk.code });
        if (unchanged === undefined && description !== undefined && code !== undefined)
          await linkDescription(tx, { description, code, replaced: replacedCodeIds(file, key, code) });
        const summary = summaries.get(key);
        const isBare = summary === undefined && scan.bareKeys.includes(key) ? true : undefined;
        pieces.push({
          key,
          hash,
          startLine: range.startLine,
          ...omitUndefined({ uses: usesByKey.get(key), isBare, summary, description, code }),
        });
      }
      archived.push(
        ...(await archiveMemories(tx, memoryIdsOf(file.previous), new Set(memoryIdsOf({ hash: '', pieces })), at)),
      );
      await tx.putRecord('indexedFile', file.id, {
        hash: file.hash,
        usage,
        pieces,
        ...omitUndefined({ tests: scan.tests }),
      } satisfies IndexedFile);
    }
    return archived;
  });
  onWritten(store, archivedIds);
  return {
    pairs: newChunks.length,
    archived: archivedIds.length,
    refused: ids.filter(it => it === undefined).length,
    refusedFiles: newChunks.filter((_, i) => ids[2 * i] === undefined || ids[2 * i + 1] === undefined).map(nameOfFile),
  };
}

async function linkDescription(
  tx: StoreTransaction,
  {
    description,
    code,
    replaced,
  }: { readonly description: string; readonly code: string; readonly replaced: readonly string[] },
): Promise<void> {
  for (const it of replaced) await tx.unlink(description, it, 'source_of');
  const reason = 'The description was made from this code.';
  await tx.link([{ source: description, target: code, type: 'source_of', strength: 1, reason }]);
}

function nameOfFile({ file }: { readonly file: ChangedFile }): string {
  return file.id;
}

/** Archives the memories of missing files. @returns the number of archived memories */
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

function toRememberInputs(file: ChangedFile, chunk: CodeChunk, limits: Config['remember']): RememberInput[] {
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
    // The pair is found without its symbol.
    ...(symbol === undefined || !isStorableField(symbol, maxSymbolLength) ? {} : { symbol }),
  } as const;
  const isStorable = !('refused' in prepareText(chunk.description, limits));
  const isWritten = file.summaries.get(chunk.key)?.by === 'assistant';
  return [
    {
      ...common,
      kind: 'code-description',
      content: isStorable ? chunk.description : chunk.plainDescription,
      ...(isWritten && isStorable ? { reason: writtenByAssistant } : {}),
    },
    { ...common, kind: 'code', content: chunk.code },
  ];
}

/** The indexed chunk with the same key and hash. */
function findUnchangedChunk({ previous }: ChangedFile, { key, hash }: CodeChunk): IndexedChunk | undefined {
  return previous?.pieces.find(it => it.key === key && it.hash === hash);
}

/** Updates the location of a memory, and a content change that made no new fact, as in white space. */
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

/** Archives memories of the index, except those that the person confirmed or protected. */
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
