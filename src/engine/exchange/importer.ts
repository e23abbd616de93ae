import { stat } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import { describeFileError, isFileError } from '../base/regularFile.js';
import { omitUndefined } from '../base/omitUndefined.js';
import { storeForWrite, type Context } from '../context.js';
import { embedOrLog } from '../embeddings/embedOrLog.js';
import { formatMessage, messageTemplates } from '../model/engineMessages.js';
import type { ImportFormat, ImportInput, ImportReport, ImportRefusal } from '../model/importReport.js';
import type { Memory, SearchAids, StoreKind } from '../model/memory.js';
import type { RememberInput } from '../model/rememberInput.js';
import type { RememberOutcome } from '../model/rememberOutcome.js';
import { newUuid } from '../base/uuid.js';
import { prepareFacts, settleGates, type PreparedFact } from '../remember/prepareFact.js';
import { pruneIntakes, type IntakeName } from '../remember/intakeLog.js';
import { remember } from '../remember/remember.js';
import { dayMs } from '../model/duration.js';
import { hasAids, validateText, type RefusedFact } from '../secrets/storableText.js';
import { hashContent } from '../store/contentHash.js';
import type { NewMemory, Store, StoredVector } from '../store/store.js';
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
import { readLerimConfig } from './formats/lerimConfig.js';
import { readMarkdownItems } from './formats/markdown.js';
import { readMcpItems } from './formats/mcpMemory.js';
import { followProjectLink } from './formats/includes.js';
import { findImportTarget } from './importTarget.js';
import { recordImport } from './importLog.js';
import { followFile } from './followedFiles.js';
import { aliasRecordId, findKnownHashes } from './knownFacts.js';
import { parseExportLine, type ExportLine, type ExportTrustOptions } from './formats/recollect.js';
import { importEdges } from './importEdges.js';
import { ImportStats } from './importStats.js';

/** Facts per transaction, which takes a fraction of a second: other writers get in between. */
const importBatchSize = 500;
const maxTags = 20;
/** Files that are named as not read. */
const maxNamedFolders = 10;
const maxTagLength = 64;

/**
 * Imports the memories of another program or of an export. Known facts are skipped: importing twice changes nothing.
 * @param onWritten receives the ids of the written memories of a store
 * @throws EngineError invalidInput (unknown format), unsupportedFile, aborted (what was written stays), and what writing
 * a store throws
 */
export async function importMemories(
  ctx: Context,
  given: ImportInput,
  onWritten: (store: Store, ids: readonly string[]) => void,
): Promise<ImportReport> {
  const input = { ...given, path: await followProjectLink(given.path) };
  const format = input.format ?? (await detectFormat(input.path, maxBytesOf(input)));
  const { files, ofFolders } = await listFiles(input, format);
  const lerimConfig =
    format === 'lerim' && (await isFolder(input.path)) ? await readLerimConfig(input.path) : undefined;
  const sources: ImportStats[] = [];
  const previewed = new Set<string>();
  const startedAt = ctx.host.now();
  const name = { id: newUuid(startedAt), at: startedAt.toISOString(), source: path.basename(input.path) };
  let edges = 0;
  const written = new Set<string>();
  for (const [i, file] of files.entries()) {
    const stats = new ImportStats(file.name);
    sources.push(stats);
    const total = files.length > 1 ? files.length : await fileSizeOf(file);
    const onBytes = (bytes: number): void => {
      if (files.length === 1) input.onProgress?.({ done: Math.min(bytes, total), total });
    };
    const noteWritten = (store: Store, ids: readonly string[]): void => {
      for (const id of ids) written.add(id);
      onWritten(store, ids);
    };
    const lines = new Set<string>();
    const work: FileImport = { ctx, input, file, name, stats, previewed, lines, onWritten: noteWritten, onBytes };
    const { store, stores, file: identity } = await findImportTarget(ctx, file.file);
    if (format === 'recollect') {
      // What lies in a repository is of that project, whatever it says, unless the person vouches for it.
      const isOfProject = store === 'project' && input.own !== true;
      edges += await importRecollectExport(isOfProject ? { ...work, ctx: { ...ctx, stores } } : work, isOfProject);
    } else {
      await importItems({ ...work, ctx: { ...ctx, stores } }, identity, it =>
        readers[format](it, store ?? lerimConfig?.store),
      ).catch((error: unknown) => {
        // One file that cannot be read does not keep the others out.
        if (files.length === 1 || !isFileError(error)) throw error;
        stats.refuse({ where: file.name, reason: describeFileError(file.file, error) });
      });
      if (format === 'markdown' && input.dryRun !== true && lines.size > 0)
        await followFile(ctx, stores, { path: file.file, name: identity, store, import: name.id, lines: [...lines] });
    }
    input.onProgress?.(files.length > 1 ? { done: i + 1, total } : { done: total, total });
  }
  if (written.size > 0) await pruneIntakes(ctx, 'import');
  const notes = [
    ...(lerimConfig?.notes ?? []),
    ...(ofFolders.length === 0 ? [] : [formatMessage('foldersOwn', ofFolders.slice(0, maxNamedFolders).join(', '))]),
  ];
  return {
    ...(written.size > 0 ? { id: name.id } : {}),
    format,
    sources: sources.filter(it => it.hasItems).map(it => it.toImportedSource()),
    ...(notes.length === 0 ? {} : { notes }),
    edges,
  };
}

/** The files to read. `ofFolders` are instruction files of deeper folders, which are named and not read. */
async function listFiles(
  input: ImportInput,
  format: ImportReport['format'],
): Promise<{ readonly files: readonly ImportFile[]; readonly ofFolders: readonly string[] }> {
  const isInstructions = format === 'markdown' && input.format === undefined && (await isFolder(input.path));
  return isInstructions
    ? listInstructionFiles(input.path)
    : { files: await listImportFiles(input.path), ofFolders: [] };
}

interface FileImport {
  readonly ctx: Context;
  readonly input: ImportInput;
  readonly file: ImportFile;
  /** Its time is that of all facts without one of their own: none of them is newer than the rest. */
  readonly name: IntakeName;
  readonly stats: ImportStats;
  /** Content hashes of what a dry run has listed. */
  readonly previewed: Set<string>;
  /** Content hashes of all lines of the file that say something. */
  readonly lines: Set<string>;
  readonly onWritten: (store: Store, ids: readonly string[]) => void;
  readonly onBytes: (bytes: number) => void;
}

/** A format of other programs needs a reader here, and a line in `detectFormat` and `importKinds` of VS Code. */
const readers: Readonly<
  Record<
    Exclude<ImportFormat, 'recollect'>,
    (work: FileImport, store: StoreKind | undefined) => AsyncGenerator<ImportItem | ImportRefusal>
  >
> = {
  lerim: ({ file }, store) => readLerimItems(file, store),
  mcp: ({ file, onBytes }) => readMcpItems(file, onBytes),
  copilot: ({ file }) => readCopilotItems(file),
  markdown: ({ file }, store) => readMarkdownItems(file, store),
};

async function importItems(
  work: FileImport,
  file: string,
  read: (work: FileImport) => AsyncGenerator<ImportItem | ImportRefusal>,
): Promise<void> {
  let batch: ImportItem[] = [];
  for await (const it of read(work)) {
    throwIfImportAborted(work.input);
    if ('reason' in it) work.stats.refuse(it);
    else if (batch.push(it) === importBatchSize) {
      await importBatch(work, batch, file);
      batch = [];
    }
  }
  await importBatch(work, batch, file);
}

/** Remembers the facts of a batch that are not known yet. */
async function importBatch(
  { ctx, input, name, stats, previewed, lines, onWritten }: FileImport,
  batch: readonly ImportItem[],
  file: string,
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
  for (const it of itemByHash.keys()) lines.add(it);
  const knownHashes = await findKnownHashes(ctx, [...itemByHash.keys()]);
  const isKnown = (hash: string): boolean => knownHashes.has(hash) || previewed.has(hash);
  const newItems = [...itemByHash].filter(([hash]) => !isKnown(hash));
  stats.known += itemByHash.size - newItems.length;
  if (newItems.length === 0) return;
  const inputs = newItems.map(([, it]) => ({ ...toRememberInput({ at: name.at, ...it }, lane), file }));
  if (input.dryRun === true) {
    for (const [hash] of newItems) previewed.add(hash);
    await previewItems(
      ctx,
      inputs.map((it, i) => ({ input: it, where: newItems[i]![1].where })),
      stats,
    );
    return;
  }
  const outcomes = await rememberEach(inputs, it =>
    remember(ctx, it, onWritten, (tx, _store, changes) => recordImport(tx, name, { changes })),
  );
  const storedItems: { readonly item: ImportItem; readonly id: string }[] = [];
  const aliasHashes: string[] = [];
  for (const [i, [hash, item]] of newItems.entries()) {
    const [outcome] = outcomes[i]!;
    if (outcome === undefined || 'problem' in outcome)
      stats.refuse({ where: item.where, reason: outcome?.problem ?? messageTemplates.saysNothing });
    else if (outcome.outcome === 'stored') {
      stats.add(item.content, item.where);
      storedItems.push({ item, id: outcome.id });
    } else if (outcome.outcome === 'reinforced') {
      stats.known++;
      aliasHashes.push(hash);
    } else stats.refuse({ where: item.where, reason: outcome.reason });
  }
  await applyImportedFields(ctx, storedItems, aliasHashes, name);
}

/** Says what {@link remember} would do with new items. */
async function previewItems(
  ctx: Context,
  items: readonly { readonly input: RememberInput; readonly where: string }[],
  stats: ImportStats,
): Promise<void> {
  const prepared: { readonly fact: PreparedFact; readonly where: string }[] = [];
  for (const { input, where } of items) {
    const fact = prepareItem(ctx, input);
    if ('refused' in fact) stats.refuse({ where, reason: fact.refused });
    else prepared.push({ fact, where });
  }
  const settled = await settleGates(
    ctx,
    prepared.map(it => it.fact),
  );
  for (const [i, { memory, store }] of settled.entries())
    stats.preview({ where: prepared[i]!.where, ...memory, store: store.kind });
}

function prepareItem(ctx: Context, input: RememberInput): PreparedFact | RefusedFact {
  try {
    return prepareFacts(ctx, input)[0] ?? { refused: messageTemplates.saysNothing };
  } catch (error) {
    if (!EngineError.is(error, 'invalidInput')) throw error;
    return { refused: error.message };
  }
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
  name: IntakeName,
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
      if (!isGlobal) return;
      const aliases = aliasHashes.map(aliasRecordId);
      for (const it of aliases) await tx.putRecord('state', it, {});
      await recordImport(tx, name, { aliases });
    });
  }
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
    if (input.dryRun === true) return;
    const edges = batch.flatMap(({ line }) => (line !== undefined && 'edge' in line ? [line.edge] : []));
    edgesCreated += await importEdges(ctx, edges, {
      name: work.name,
      isOwnExport: trust.isOwnExport,
      onWritten: work.onWritten,
    });
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
  { ctx, input, name, stats, onWritten }: FileImport,
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
    const isDryRun = input.dryRun === true;
    const texts = storeMemories.map(it => it.memory.content);
    const vectors = isDryRun ? [] : await embedOrLog(ctx, texts);
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
      if (isDryRun) {
        for (const { memory, where } of newMemories) stats.preview({ where, ...memory, store: store.kind });
        return;
      }
      await tx.insertMany(
        newMemories.map(it => it.memory),
        newMemories.map(it => it.vector),
      );
      for (const { memory, aids } of newMemories) if (hasAids(aids)) await tx.setAids(memory.id, aids);
      if (newMemories.length > 0) await tx.log('import', { memories: newMemories.length });
      await recordImport(tx, name, { changes: newMemories.map(it => ({ after: it.memory })) });
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
