import { stat } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import { toInt8Vector } from '../base/int8Vector.js';
import { storeForWrite, type Context } from '../context.js';
import type { ImportedSource, ImportInput, ImportReport, ImportRefusal } from '../model/importReport.js';
import type { Memory } from '../model/memory.js';
import type { RememberInput } from '../model/rememberInput.js';
import { remember } from '../remember/remember.js';
import { dayMs } from '../scoring/decay.js';
import { hashContent } from '../store/contentHash.js';
import type { NewMemory, Store, StoredVector } from '../store/store.js';
import { validateText } from '../text/validateText.js';
import { importEdges } from './importEdges.js';
import { parseExportLine, type ExportLine } from './formats/recollect.js';
import {
  readCopilotItems,
  listImportFiles,
  readLerimItems,
  readTextLines,
  readMarkdownItems,
  readMcpItems,
  detectFormat,
  type ImportItem,
  type ImportFile,
} from './formats/importSources.js';

/** Facts written in one transaction: a fraction of a second, after which others get their turn. */
const importBatchSize = 500;
const maxListedRefusals = 100;
/** Named so in the records: facts that were told in other words already, by their hash. */
const aliasRecordId = (hash: string): string => `imported:${hash}`;

/**
 * Takes in what another memory holds. A fact that is known is not told again, so that importing twice changes nothing.
 * @param changed is told which memories of which store were written
 * @throws EngineError invalidInput (what it is cannot be told), unsupportedFile, aborted (what was taken stays), and what
 * writing a store throws
 */
export async function importMemories(
  ctx: Context,
  input: ImportInput,
  changed: (store: Store, ids: readonly string[]) => void,
): Promise<ImportReport> {
  const format = input.format ?? (await detectFormat(input.path));
  const files = await listImportFiles(input.path);
  const sources: ImportStats[] = [];
  let edges = 0;
  for (const [i, file] of files.entries()) {
    const tally = new ImportStats(file.name);
    sources.push(tally);
    const total = files.length > 1 ? files.length : await fileSizeOf(file);
    const onBytes = (bytes: number): void => {
      if (files.length === 1) input.onProgress?.({ done: Math.min(bytes, total), total });
    };
    const work = { ctx, input, file, tally, changed, onBytes };
    if (format === 'recollect') edges += await importRecollectExport(work);
    else await importItems(work, readItems(work, format));
    input.onProgress?.(files.length > 1 ? { done: i + 1, total } : { done: total, total });
  }
  return { format, sources: sources.filter(it => it.hasItems).map(it => it.toImportedSource()), edges };
}

interface FileImport {
  readonly ctx: Context;
  readonly input: ImportInput;
  readonly file: ImportFile;
  readonly tally: ImportStats;
  readonly changed: (store: Store, ids: readonly string[]) => void;
  readonly onBytes: (bytes: number) => void;
}

/** What became of one file, while it is read. */
class ImportStats {
  added = 0;
  known = 0;
  private refused = 0;
  private readonly refusals: ImportRefusal[] = [];

  constructor(private readonly source: string) {}

  get hasItems(): boolean {
    return this.added + this.known + this.refused > 0;
  }

  refuse(refusal: ImportRefusal): void {
    this.refused++;
    if (this.refusals.length < maxListedRefusals) this.refusals.push(refusal);
  }

  toImportedSource(): ImportedSource {
    const { source, added, known, refused, refusals } = this;
    return { source, fresh: added, known, refused, refusals };
  }
}

function readItems(
  { ctx, file, onBytes }: FileImport,
  format: Exclude<ImportReport['format'], 'recollect'>,
): AsyncGenerator<ImportItem | ImportRefusal> {
  switch (format) {
    case 'lerim':
      return readLerimItems(file);
    case 'mcp':
      return readMcpItems(file, onBytes);
    case 'copilot':
      return readCopilotItems(file);
    case 'markdown':
      return readMarkdownItems(file, isBelow(file.file, ctx.host.workspaceFolders));
  }
}

async function importItems(work: FileImport, items: AsyncGenerator<ImportItem | ImportRefusal>): Promise<void> {
  let batch: ImportItem[] = [];
  for await (const it of items) {
    throwIfImportAborted(work.input);
    if ('reason' in it) work.tally.refuse(it);
    else if (batch.push(it) === importBatchSize) {
      await importBatch(work, batch);
      batch = [];
    }
  }
  await importBatch(work, batch);
}

/** Remembers those of a batch that are not known. */
async function importBatch({ ctx, input, tally, changed }: FileImport, batch: readonly ImportItem[]): Promise<void> {
  const lane = input.lane ?? 'note';
  const { maxCharacters } = ctx.host.config().remember;
  const itemByHash = new Map<string, ImportItem>();
  for (const it of batch) {
    const shape = validateText(it.content, maxCharacters);
    if (!shape.ok) tally.refuse({ where: it.where, reason: shape.reason });
    else if (itemByHash.has(hashContent(shape.text))) tally.known++;
    else itemByHash.set(hashContent(shape.text), { ...it, content: shape.text });
  }
  const knownHashes = await findKnownHashes(ctx, [...itemByHash.keys()]);
  const newItems = [...itemByHash].filter(([hash]) => !knownHashes.has(hash));
  tally.known += itemByHash.size - newItems.length;
  if (newItems.length === 0) return;
  const outcomes = await remember(
    ctx,
    newItems.map(([, it]) => rememberInput(it, lane)),
    changed,
  );
  const storedItems: { readonly item: ImportItem; readonly id: string }[] = [];
  const aliasHashes: string[] = [];
  for (const [i, [hash, item]] of newItems.entries()) {
    const [outcome] = outcomes[i]!;
    if (outcome?.outcome === 'stored') {
      tally.added++;
      storedItems.push({ item, id: outcome.id });
    } else if (outcome?.outcome === 'reinforced') {
      tally.known++;
      aliasHashes.push(hash);
    } else tally.refuse({ where: item.where, reason: outcome?.reason ?? 'It says nothing.' });
  }
  await applyImportedFields(ctx, storedItems, aliasHashes);
}

function rememberInput({ content, kind, tags, at, store }: ImportItem, lane: Memory['lane']): RememberInput {
  return {
    content,
    source: 'import',
    lane,
    whole: true,
    ...(kind === undefined ? {} : { kind }),
    ...(tags === undefined ? {} : { tags: tags.slice(0, 20).map(it => it.slice(0, 64)) }),
    ...(at === undefined ? {} : { at }),
    ...(store === undefined ? {} : { store }),
  };
}

/** What a memory of another program brings along, and that it was told now: it neither fades nor expires at once. */
async function applyImportedFields(
  ctx: Context,
  storedItems: readonly { readonly item: ImportItem; readonly id: string }[],
  aliasHashes: readonly string[],
): Promise<void> {
  const now = ctx.host.now();
  const expiresAt = new Date(now.getTime() + ctx.host.config().notes.lifetimeDays * dayMs).toISOString();
  const withImportedFields = storedItems.filter(({ item }) => item.at !== undefined || item.confidence !== undefined);
  for (const { store } of ctx.stores) {
    const memoriesInStore = new Map((await store.get(withImportedFields.map(it => it.id))).map(it => [it.id, it]));
    const isGlobal = store.kind === 'global';
    if (memoriesInStore.size === 0 && !(isGlobal && aliasHashes.length > 0)) continue;
    await store.write(ctx.host.client, async tx => {
      for (const { item, id } of withImportedFields) {
        const memory = memoriesInStore.has(id) ? await tx.get(id) : undefined;
        if (memory === undefined) continue;
        const { confidence = memory.confidence } = item;
        const expiry = memory.lane === 'note' ? { expiresAt } : {};
        await tx.update({ ...memory, confidence, reinforcedAt: now.toISOString(), ...expiry }, 'import');
      }
      if (isGlobal) for (const hash of aliasHashes) await tx.putRecord('state', aliasRecordId(hash), {});
    });
  }
}

/** Of these facts those that any store holds, whatever became of them, or that were told before in other words. */
async function findKnownHashes(ctx: Context, hashes: readonly string[]): Promise<Set<string>> {
  const knownHashes = new Set<string>();
  for (const { store } of ctx.stores.filter(it => !it.store.readOnly)) {
    await store.write(ctx.host.client, async tx => {
      for (const it of await tx.findByHash(hashes, '')) knownHashes.add(it.contentHash);
      for (const it of hashes) if ((await tx.record('state', aliasRecordId(it))) !== undefined) knownHashes.add(it);
    });
  }
  return knownHashes;
}

async function importRecollectExport(work: FileImport): Promise<number> {
  const { ctx, input, file, tally, onBytes } = work;
  const { notes, remember: limits } = ctx.host.config();
  const trust = {
    own: input.own === true,
    lane: input.lane ?? 'note',
    now: ctx.host.now(),
    lifetimeDays: notes.lifetimeDays,
    maxCharacters: limits.maxCharacters,
  };
  let lineNumber = 0;
  let edgesCreated = 0;
  const write = async (batch: readonly { readonly line: ExportLine; readonly where: string }[]): Promise<void> => {
    await insertMemories(work, batch);
    const edges = batch.flatMap(({ line }) => (line !== undefined && 'edge' in line ? [line.edge] : []));
    edgesCreated += await importEdges(ctx, edges, trust.own);
  };
  // While one batch is written, the next one is read.
  let pendingWrite = Promise.resolve();
  let batch: { readonly line: ExportLine; readonly where: string }[] = [];
  const flush = async (): Promise<void> => {
    await pendingWrite;
    pendingWrite = write(batch);
    // What goes wrong is thrown by who waits for it.
    pendingWrite.catch(() => undefined);
    batch = [];
  };
  try {
    for await (const text of readTextLines(file.file, onBytes)) {
      throwIfImportAborted(input);
      const where = `line ${++lineNumber}`;
      const line = parseExportLine(text, trust);
      if (line === undefined) continue;
      if ('refused' in line) tally.refuse({ where, reason: line.refused });
      else if (batch.push({ line, where }) === importBatchSize) await flush();
    }
    await flush();
    await pendingWrite;
    return edgesCreated;
  } finally {
    // Nothing goes on after the call.
    await pendingWrite.catch(() => undefined);
  }
}

/** Puts memories where they were, with their ids and times. */
async function insertMemories(
  { ctx, tally, changed }: FileImport,
  batch: readonly { readonly line: ExportLine; readonly where: string }[],
): Promise<void> {
  const memories = batch.flatMap(({ line, where }) =>
    line !== undefined && 'memory' in line ? [{ ...line, where, to: storeForWrite(ctx, line.store, undefined) }] : [],
  );
  const ids = memories.map(it => it.memory.id);
  const existingIds = new Set((await Promise.all(ctx.stores.map(it => it.store.get(ids)))).flat().map(it => it.id));
  for (const store of new Set(memories.map(it => it.to))) {
    const storeMemories = memories.filter(it => it.to === store);
    const vectors = await embedTexts(
      ctx,
      storeMemories.map(it => it.memory.content),
    );
    const added: string[] = [];
    await store.write(ctx.host.client, async tx => {
      const newMemories: { readonly memory: NewMemory; readonly vector: StoredVector | undefined }[] = [];
      const hashesByScope = new Map<string, Set<string>>();
      for (const scopeId of new Set(storeMemories.map(it => it.memory.scopeId ?? ''))) {
        const hashes = storeMemories.map(it => it.memory.contentHash);
        hashesByScope.set(scopeId, new Set((await tx.findByHash(hashes, scopeId)).map(it => it.contentHash)));
      }
      for (const [i, { memory }] of storeMemories.entries()) {
        const scopeHashes = hashesByScope.get(memory.scopeId ?? '')!;
        if (existingIds.has(memory.id) || scopeHashes.has(memory.contentHash)) {
          tally.known++;
          continue;
        }
        existingIds.add(memory.id);
        scopeHashes.add(memory.contentHash);
        const sequence = await tx.nextSequence(memory.scopeId ?? '');
        newMemories.push({ memory: { ...memory, sequence }, vector: vectors[i] });
      }
      await tx.insertMany(
        newMemories.map(it => it.memory),
        newMemories.map(it => it.vector),
      );
      if (newMemories.length > 0) await tx.log('import', { memories: newMemories.length });
      added.push(...newMemories.map(it => it.memory.id));
    });
    tally.added += added.length;
    changed(store, added);
  }
}

/** Without an embedder, or where it fails, they are embedded later. */
async function embedTexts(ctx: Context, texts: readonly string[]): Promise<readonly (StoredVector | undefined)[]> {
  const { model } = ctx.embedder;
  if (model === undefined) return texts.map(() => undefined);
  try {
    return (await ctx.embedder.embed(texts, 'passage')).map(it => ({ model: model.id, vector: toInt8Vector(it) }));
  } catch (error) {
    ctx.host.log.warn(error instanceof Error ? error.message : String(error));
    return texts.map(() => undefined);
  }
}

function throwIfImportAborted({ signal }: ImportInput): void {
  if (signal?.aborted === true) {
    throw new EngineError(
      'aborted',
      'The import was stopped. What was taken stays; importing again goes on from there.',
    );
  }
}

async function fileSizeOf({ file }: ImportFile): Promise<number> {
  return (await stat(file)).size;
}

function isBelow(file: string, folders: readonly string[]): boolean {
  return folders.some(folder => {
    const relative = path.relative(folder, file);
    return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
  });
}
