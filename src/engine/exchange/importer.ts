import { stat } from 'node:fs/promises';
import { EngineError } from '../base/errors.js';
import { describeFileError, isFileError } from '../base/regularFile.js';
import { omitUndefined } from '../base/omitUndefined.js';
import { storeForWrite, type Context } from '../context.js';
import { embedOrLog } from '../embeddings/embedOrLog.js';
import type { ImportedSource, ImportInput, ImportReport, ImportRefusal } from '../model/importReport.js';
import { describeInstructionMarks } from '../model/instructionMarks.js';
import type { Memory, SearchAids, StoreKind } from '../model/memory.js';
import { maxFileTexts, type RememberInput } from '../model/rememberInput.js';
import type { RememberOutcome } from '../model/rememberOutcome.js';
import { remember } from '../remember/remember.js';
import { dayMs } from '../scoring/decay.js';
import { hasAids } from '../secrets/searchAids.js';
import { hashContent } from '../store/contentHash.js';
import type { NewMemory, Store, StoredVector } from '../store/store.js';
import { validateText } from '../text/validateText.js';
import { detectFormat } from './formats/detect.js';
import { readCopilotItems } from './formats/copilot.js';
import {
  isFolder,
  listImportFiles,
  listInstructionFiles,
  readTextLines,
  type ImportFile,
  type ImportItem,
} from './formats/importFiles.js';
import { readLerimItems } from './formats/lerim.js';
import { readMarkdownItems } from './formats/markdown.js';
import { readMcpItems } from './formats/mcpMemory.js';
import { findImportTarget } from './importTarget.js';
import { parseExportLine, type ExportLine, type ExportTrustOptions } from './formats/recollect.js';
import { importEdges } from './importEdges.js';

/** Facts per transaction, which takes a fraction of a second: other writers get in between. */
const importBatchSize = 500;
const maxListedRefusals = 100;
/** Contradictions of a known fact that are looked at. */
const maxReplacements = 5;
const maxTags = 20;
const maxTagLength = 64;
/** The record of a fact that reinforced a memory with other words: it has no memory with its hash. */
const aliasRecordId = (hash: string): string => `imported:${hash}`;

/**
 * Imports the memories of another program or of an export. Known facts are skipped: importing twice changes nothing.
 * @param onWritten receives the ids of the written memories of a store
 * @throws EngineError invalidInput (unknown format), unsupportedFile, aborted (what was written stays), and what writing
 * a store throws
 */
export async function importMemories(
  ctx: Context,
  input: ImportInput,
  onWritten: (store: Store, ids: readonly string[]) => void,
): Promise<ImportReport> {
  const format = input.format ?? (await detectFormat(input.path, maxBytesOf(input)));
  const files =
    format === 'markdown' && input.format === undefined && (await isFolder(input.path))
      ? await listInstructionFiles(input.path)
      : await listImportFiles(input.path);
  const sources: ImportStats[] = [];
  const startedAt = ctx.host.now().toISOString();
  let edges = 0;
  for (const [i, file] of files.entries()) {
    const stats = new ImportStats(file.name);
    sources.push(stats);
    const total = files.length > 1 ? files.length : await fileSizeOf(file);
    const onBytes = (bytes: number): void => {
      if (files.length === 1) input.onProgress?.({ done: Math.min(bytes, total), total });
    };
    const work: FileImport = { ctx, input, file, startedAt, stats, onWritten, onBytes };
    const { store, stores, file: identity } = await findImportTarget(ctx, file.file);
    if (format === 'recollect') {
      // What lies in a repository is of that project, whatever it says, unless the person vouches for it.
      const isOfProject = store === 'project' && input.own !== true;
      edges += await importRecollectExport(isOfProject ? { ...work, ctx: { ...ctx, stores } } : work, isOfProject);
    } else {
      await importItems({ ...work, ctx: { ...ctx, stores } }, identity, it => readItems(it, format, store)).catch(
        (error: unknown) => {
          // One file that cannot be read does not keep the others out.
          if (files.length === 1 || !isFileError(error)) throw error;
          stats.refuse({ where: file.name, reason: describeFileError(file.file, error) });
        },
      );
    }
    input.onProgress?.(files.length > 1 ? { done: i + 1, total } : { done: total, total });
  }
  return { format, sources: sources.filter(it => it.hasItems).map(it => it.toImportedSource()), edges };
}

interface FileImport {
  readonly ctx: Context;
  readonly input: ImportInput;
  readonly file: ImportFile;
  /** The time of all facts without one of their own, ISO-8601 UTC: none of them is newer than the rest. */
  readonly startedAt: string;
  readonly stats: ImportStats;
  readonly onWritten: (store: Store, ids: readonly string[]) => void;
  readonly onBytes: (bytes: number) => void;
}

/** The counts of one file while it is imported. */
class ImportStats {
  added = 0;
  known = 0;
  private refused = 0;
  private readonly refusals: ImportRefusal[] = [];
  private readonly careful: ImportRefusal[] = [];

  constructor(private readonly source: string) {}

  get hasItems(): boolean {
    return this.added + this.known + this.refused > 0;
  }

  refuse(refusal: ImportRefusal): void {
    this.refused++;
    if (this.refusals.length < maxListedRefusals) this.refusals.push(refusal);
  }

  add(content: string, where: string): void {
    this.added++;
    const reason = describeInstructionMarks(content);
    if (reason !== undefined && this.careful.length < maxListedRefusals) this.careful.push({ where, reason });
  }

  toImportedSource(): ImportedSource {
    const { source, added, known, refused, refusals, careful } = this;
    return { source, fresh: added, known, refused, refusals, ...(careful.length === 0 ? {} : { careful }) };
  }
}

function readItems(
  { file, onBytes }: FileImport,
  format: Exclude<ImportReport['format'], 'recollect'>,
  store: StoreKind | undefined,
): AsyncGenerator<ImportItem | ImportRefusal> {
  switch (format) {
    case 'lerim':
      return readLerimItems(file);
    case 'mcp':
      return readMcpItems(file, onBytes);
    case 'copilot':
      return readCopilotItems(file);
    case 'markdown':
      return readMarkdownItems(file, store);
  }
}

/** A file, and what it says today. */
type FileContent = Required<Pick<RememberInput, 'file' | 'fileFacts'>>;

/** Reads the file twice: a fact is compared with the others of its file, known or new, wherever they stand in it. */
async function importItems(
  work: FileImport,
  file: string,
  read: (work: FileImport) => AsyncGenerator<ImportItem | ImportRefusal>,
): Promise<void> {
  const fileFacts = new Map<string, string | undefined>();
  for await (const it of read({ ...work, onBytes: () => undefined })) {
    throwIfImportAborted(work.input);
    const validation =
      'reason' in it ? undefined : validateText(it.content, work.ctx.host.config().remember.maxCharacters);
    if (validation?.ok === true)
      fileFacts.set(hashContent(validation.text), fileFacts.size < maxFileTexts ? validation.text : undefined);
  }
  const content: FileContent = { file, fileFacts };
  let batch: ImportItem[] = [];
  for await (const it of read(work)) {
    throwIfImportAborted(work.input);
    if ('reason' in it) work.stats.refuse(it);
    else if (batch.push(it) === importBatchSize) {
      await importBatch(work, batch, content);
      batch = [];
    }
  }
  await importBatch(work, batch, content);
}

/** Remembers the facts of a batch that are not known yet. */
async function importBatch(
  { ctx, input, startedAt, stats, onWritten }: FileImport,
  batch: readonly ImportItem[],
  content: FileContent,
): Promise<void> {
  const lane = input.lane ?? 'note';
  const { maxCharacters } = ctx.host.config().remember;
  const itemByHash = new Map<string, ImportItem>();
  for (const it of batch) {
    const validation = validateText(it.content, maxCharacters);
    if (!validation.ok) stats.refuse({ where: it.where, reason: validation.reason });
    else if (itemByHash.has(hashContent(validation.text))) stats.known++;
    else itemByHash.set(hashContent(validation.text), { ...it, content: validation.text });
  }
  const knownHashes = await findKnownHashes(ctx, [...itemByHash.keys()]);
  const returned = await findReturnedHashes(ctx, [...itemByHash.keys()], content);
  const newItems = [...itemByHash].filter(([hash]) => !knownHashes.has(hash) || returned.has(hash));
  stats.known += itemByHash.size - newItems.length;
  if (newItems.length === 0) return;
  const inputs = newItems.map(([, it]) => ({ ...toRememberInput({ at: startedAt, ...it }, lane), ...content }));
  const outcomes = await rememberEach(inputs, it => remember(ctx, it, onWritten));
  const storedItems: { readonly item: ImportItem; readonly id: string }[] = [];
  const aliasHashes: string[] = [];
  for (const [i, [hash, item]] of newItems.entries()) {
    const [outcome] = outcomes[i]!;
    if (outcome === undefined || 'problem' in outcome)
      stats.refuse({ where: item.where, reason: outcome?.problem ?? 'It says nothing.' });
    else if (outcome.outcome === 'stored') {
      stats.add(item.content, item.where);
      storedItems.push({ item, id: outcome.id });
    } else if (outcome.outcome === 'reinforced') {
      stats.known++;
      if (!returned.has(hash)) aliasHashes.push(hash);
    } else stats.refuse({ where: item.where, reason: outcome.reason });
  }
  await applyImportedFields(ctx, storedItems, aliasHashes);
}

/** Remembers all at once, or one by one where a field of one is invalid, so that it costs no other one. */
async function rememberEach(
  inputs: readonly RememberInput[],
  rememberAll: (inputs: readonly RememberInput[]) => Promise<readonly (readonly RememberOutcome[])[]>,
): Promise<readonly (readonly (RememberOutcome | { readonly problem: string })[])[]> {
  try {
    return await rememberAll(inputs);
  } catch (error) {
    if (!EngineError.is(error, 'invalidInput')) throw error;
    if (inputs.length === 1) return [[{ problem: error.message }]];
    const outcomes = [];
    for (const it of inputs) outcomes.push(...(await rememberEach([it], rememberAll)));
    return outcomes;
  }
}

function toRememberInput({ content, gate, kind, tags, at, store }: ImportItem, lane: Memory['lane']): RememberInput {
  const limitedTags = tags?.slice(0, maxTags).map(it => it.slice(0, maxTagLength));
  return {
    content,
    source: 'import',
    lane,
    whole: true,
    ...omitUndefined({ gate, kind, tags: limitedTags, at, store }),
  };
}

/**
 * Applies an item's own confidence, and counts decay and expiry from now: an old memory neither fades nor expires at once.
 * Records the hashes of facts that reinforced a memory with other words.
 */
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

/** The hashes that any store knows: of memories in every status, and of facts that were imported before in other words. */
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

/**
 * The hashes of memories that something else from their file replaced, which is gone from the file again: they are true
 * once more, and that is worth saying.
 */
async function findReturnedHashes(
  ctx: Context,
  hashes: readonly string[],
  { file, fileFacts }: FileContent,
): Promise<ReadonlySet<string>> {
  const returned = new Set<string>();
  for (const { store } of ctx.stores.filter(it => !it.store.readOnly)) {
    const known = await store.write(ctx.host.client, tx => tx.findByHash(hashes, ''));
    const contradictions = await store.contradictions(
      known.map(it => it.id),
      maxReplacements,
    );
    for (const memory of known) {
      const replacements = contradictions.get(memory.id)?.filter(it => it.mark === undefined) ?? [];
      const newer = (await store.get(replacements.map(it => it.id))).filter(
        it => it.reinforcedAt > memory.reinforcedAt,
      );
      if (newer.some(it => it.provenance.file === file && !fileFacts.has(it.contentHash)))
        returned.add(memory.contentHash);
    }
  }
  return returned;
}

interface NumberedLine {
  readonly line: ExportLine;
  readonly where: string;
}

async function importRecollectExport(work: FileImport, isOfProject: boolean): Promise<number> {
  const { ctx, input, file, stats, onBytes } = work;
  const { notes, remember: limits } = ctx.host.config();
  const trust: ExportTrustOptions = {
    isOwnExport: input.own === true,
    lane: input.lane ?? 'note',
    now: ctx.host.now(),
    lifetimeDays: notes.lifetimeDays,
    maxCharacters: limits.maxCharacters,
  };
  let lineNumber = 0;
  let edgesCreated = 0;
  const write = async (batch: readonly NumberedLine[]): Promise<void> => {
    await insertMemories(work, batch, isOfProject);
    const edges = batch.flatMap(({ line }) => (line !== undefined && 'edge' in line ? [line.edge] : []));
    edgesCreated += await importEdges(ctx, edges, trust.isOwnExport);
  };
  // The next batch is read while one is written.
  let pendingWrite = Promise.resolve();
  let batch: NumberedLine[] = [];
  const flush = async (): Promise<void> => {
    await pendingWrite;
    pendingWrite = write(batch);
    // The error is thrown where the write is awaited.
    pendingWrite.catch(() => undefined);
    batch = [];
  };
  try {
    for await (const text of readTextLines(file.file, onBytes, maxBytesOf(input))) {
      throwIfImportAborted(input);
      const where = `line ${++lineNumber}`;
      const line = parseExportLine(text, trust);
      if (line === undefined) continue;
      if ('refused' in line) stats.refuse({ where, reason: line.refused });
      else if (batch.push({ line, where }) === importBatchSize) await flush();
    }
    await flush();
    await pendingWrite;
    return edgesCreated;
  } finally {
    // No write goes on after the call.
    await pendingWrite.catch(() => undefined);
  }
}

/** Inserts memories into the store they came from, with their ids and times. */
async function insertMemories(
  { ctx, stats, onWritten }: FileImport,
  batch: readonly NumberedLine[],
  isOfProject: boolean,
): Promise<void> {
  const storeOf = (claimed: StoreKind): Store => storeForWrite(ctx, isOfProject ? 'project' : claimed, undefined);
  const memories = batch.flatMap(({ line, where }) =>
    line !== undefined && 'memory' in line ? [{ ...line, where, to: storeOf(line.store) }] : [],
  );
  const ids = memories.map(it => it.memory.id);
  const existingIds = new Set((await Promise.all(ctx.stores.map(it => it.store.get(ids)))).flat().map(it => it.id));
  for (const store of new Set(memories.map(it => it.to))) {
    const storeMemories = memories.filter(it => it.to === store);
    const vectors = await embedOrLog(
      ctx,
      storeMemories.map(it => it.memory.content),
    );
    const added: string[] = [];
    await store.write(ctx.host.client, async tx => {
      const newMemories: {
        readonly memory: NewMemory;
        readonly aids: SearchAids;
        readonly vector: StoredVector | undefined;
        readonly where: string;
      }[] = [];
      const hashesByScope = new Map<string, Set<string>>();
      for (const scopeId of new Set(storeMemories.map(it => it.memory.scopeId ?? ''))) {
        const hashes = storeMemories.map(it => it.memory.contentHash);
        hashesByScope.set(scopeId, new Set((await tx.findByHash(hashes, scopeId)).map(it => it.contentHash)));
      }
      for (const [i, { memory, aids, where }] of storeMemories.entries()) {
        const scopeHashes = hashesByScope.get(memory.scopeId ?? '')!;
        if (existingIds.has(memory.id) || scopeHashes.has(memory.contentHash)) {
          stats.known++;
          continue;
        }
        existingIds.add(memory.id);
        scopeHashes.add(memory.contentHash);
        const sequence = await tx.nextSequence(memory.scopeId ?? '');
        newMemories.push({ memory: { ...memory, sequence }, aids, vector: vectors[i], where });
      }
      await tx.insertMany(
        newMemories.map(it => it.memory),
        newMemories.map(it => it.vector),
      );
      for (const { memory, aids } of newMemories) if (hasAids(aids)) await tx.setAids(memory.id, aids);
      if (newMemories.length > 0) await tx.log('import', { memories: newMemories.length });
      added.push(...newMemories.map(it => it.memory.id));
      for (const it of newMemories) stats.add(it.memory.content, it.where);
    });
    onWritten(store, added);
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

/** A person's own export may be of any size: it is read line by line. */
function maxBytesOf({ own }: ImportInput): number | undefined {
  return own === true ? Infinity : undefined;
}

async function fileSizeOf({ file }: ImportFile): Promise<number> {
  return (await stat(file)).size;
}
