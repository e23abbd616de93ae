import { stat } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import { quantise } from '../base/quantise.js';
import { storeForWrite, type Context } from '../context.js';
import type { ImportedSource, ImportInput, ImportReport, Refusal } from '../model/importing.js';
import type { Memory } from '../model/memory.js';
import type { RememberInput } from '../model/remember.js';
import { remember } from '../remember/remember.js';
import { dayMs } from '../scoring/decay.js';
import { factHash } from '../store/factHash.js';
import type { NewMemory, Store, StoredVector } from '../store/store.js';
import { checkShape } from '../text/shape.js';
import { importEdges } from './importEdges.js';
import { readExportLine, type ExportLine } from './importExport.js';
import {
  copilotItems,
  filesOf,
  lerimItems,
  linesOf,
  markdownItems,
  mcpItems,
  recognise,
  type ImportItem,
  type SourceFile,
} from './importSources.js';

/** Facts written in one transaction: a fraction of a second, after which others get their turn. */
const batchSize = 500;
const keptRefusals = 100;
/** Named so in the records: facts that were told in other words already, by their hash. */
const toldBefore = (hash: string): string => `imported:${hash}`;

/**
 * Takes in what another memory holds. A fact that is known is not told again, so that importing twice changes nothing.
 * @param changed is told which memories of which store were written
 * @throws EngineError invalidInput (what it is cannot be told), unsupportedFile, aborted (what was taken stays), and what
 * writing a store throws
 */
export async function importFrom(
  ctx: Context,
  input: ImportInput,
  changed: (store: Store, ids: readonly string[]) => void,
): Promise<ImportReport> {
  const format = input.format ?? (await recognise(input.path));
  const files = await filesOf(input.path);
  const sources: Tally[] = [];
  let edges = 0;
  for (const [i, file] of files.entries()) {
    const tally = new Tally(file.name);
    sources.push(tally);
    const total = files.length > 1 ? files.length : await sizeOf(file);
    const onBytes = (bytes: number): void => {
      if (files.length === 1) input.onProgress?.({ done: Math.min(bytes, total), total });
    };
    const work = { ctx, input, file, tally, changed, onBytes };
    if (format === 'recollect') edges += await importExport(work);
    else await importItems(work, itemsOf(work, format));
    input.onProgress?.(files.length > 1 ? { done: i + 1, total } : { done: total, total });
  }
  return { format, sources: sources.filter(it => it.sawAnything).map(it => it.done()), edges };
}

interface Work {
  readonly ctx: Context;
  readonly input: ImportInput;
  readonly file: SourceFile;
  readonly tally: Tally;
  readonly changed: (store: Store, ids: readonly string[]) => void;
  readonly onBytes: (bytes: number) => void;
}

/** What became of one file, while it is read. */
class Tally {
  fresh = 0;
  known = 0;
  private refused = 0;
  private readonly refusals: Refusal[] = [];

  constructor(private readonly source: string) {}

  get sawAnything(): boolean {
    return this.fresh + this.known + this.refused > 0;
  }

  refuse(it: Refusal): void {
    this.refused++;
    if (this.refusals.length < keptRefusals) this.refusals.push(it);
  }

  done(): ImportedSource {
    const { source, fresh, known, refused, refusals } = this;
    return { source, fresh, known, refused, refusals };
  }
}

function itemsOf(
  { ctx, file, onBytes }: Work,
  format: Exclude<ImportReport['format'], 'recollect'>,
): AsyncGenerator<ImportItem | Refusal> {
  switch (format) {
    case 'lerim':
      return lerimItems(file);
    case 'mcp':
      return mcpItems(file, onBytes);
    case 'copilot':
      return copilotItems(file);
    case 'markdown':
      return markdownItems(file, isBelow(file.file, ctx.host.workspaceFolders));
  }
}

async function importItems(work: Work, items: AsyncGenerator<ImportItem | Refusal>): Promise<void> {
  let batch: ImportItem[] = [];
  for await (const it of items) {
    checkSignal(work.input);
    if ('reason' in it) work.tally.refuse(it);
    else if (batch.push(it) === batchSize) {
      await tell(work, batch);
      batch = [];
    }
  }
  await tell(work, batch);
}

/** Remembers those of a batch that are not known. */
async function tell({ ctx, input, tally, changed }: Work, batch: readonly ImportItem[]): Promise<void> {
  const lane = input.lane ?? 'note';
  const { maxCharacters } = ctx.host.config().remember;
  const told = new Map<string, ImportItem>();
  for (const it of batch) {
    const shape = checkShape(it.content, maxCharacters);
    if (!shape.ok) tally.refuse({ where: it.where, reason: shape.reason });
    else if (told.has(factHash(shape.text))) tally.known++;
    else told.set(factHash(shape.text), { ...it, content: shape.text });
  }
  const known = await knownFacts(ctx, [...told.keys()]);
  const fresh = [...told].filter(([hash]) => !known.has(hash));
  tally.known += told.size - fresh.length;
  if (fresh.length === 0) return;
  const outcomes = await remember(
    ctx,
    fresh.map(([, it]) => rememberInput(it, lane)),
    changed,
  );
  const settled: { readonly item: ImportItem; readonly id: string }[] = [];
  const otherWords: string[] = [];
  for (const [i, [hash, item]] of fresh.entries()) {
    const [outcome] = outcomes[i]!;
    if (outcome?.outcome === 'stored') {
      tally.fresh++;
      settled.push({ item, id: outcome.id });
    } else if (outcome?.outcome === 'reinforced') {
      tally.known++;
      otherWords.push(hash);
    } else tally.refuse({ where: item.where, reason: outcome?.reason ?? 'It says nothing.' });
  }
  await finish(ctx, settled, otherWords);
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
async function finish(
  ctx: Context,
  settled: readonly { readonly item: ImportItem; readonly id: string }[],
  otherWords: readonly string[],
): Promise<void> {
  const now = ctx.host.now();
  const expiresAt = new Date(now.getTime() + ctx.host.config().notes.lifetimeDays * dayMs).toISOString();
  const old = settled.filter(({ item }) => item.at !== undefined || item.confidence !== undefined);
  for (const { store } of ctx.stores) {
    const here = new Map((await store.get(old.map(it => it.id))).map(it => [it.id, it]));
    const isGlobal = store.kind === 'global';
    if (here.size === 0 && !(isGlobal && otherWords.length > 0)) continue;
    await store.write(ctx.host.client, async tx => {
      for (const { item, id } of old) {
        const memory = here.has(id) ? await tx.get(id) : undefined;
        if (memory === undefined) continue;
        const { confidence = memory.confidence } = item;
        const expiry = memory.lane === 'note' ? { expiresAt } : {};
        await tx.update({ ...memory, confidence, reinforcedAt: now.toISOString(), ...expiry }, 'import');
      }
      if (isGlobal) for (const hash of otherWords) await tx.putRecord('state', toldBefore(hash), {});
    });
  }
}

/** Of these facts those that any store holds, whatever became of them, or that were told before in other words. */
async function knownFacts(ctx: Context, hashes: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (const { store } of ctx.stores.filter(it => !it.store.readOnly)) {
    await store.write(ctx.host.client, async tx => {
      for (const it of await tx.byFacts(hashes, '')) known.add(it.contentHash);
      for (const it of hashes) if ((await tx.record('state', toldBefore(it))) !== undefined) known.add(it);
    });
  }
  return known;
}

async function importExport(work: Work): Promise<number> {
  const { ctx, input, file, tally, onBytes } = work;
  const { notes, remember: limits } = ctx.host.config();
  const trust = {
    own: input.own === true,
    lane: input.lane ?? 'note',
    now: ctx.host.now(),
    lifetimeDays: notes.lifetimeDays,
    maxCharacters: limits.maxCharacters,
  };
  let number = 0;
  let made = 0;
  const write = async (batch: readonly { readonly line: ExportLine; readonly where: string }[]): Promise<void> => {
    await insert(work, batch);
    const edges = batch.flatMap(({ line }) => (line !== undefined && 'edge' in line ? [line.edge] : []));
    made += await importEdges(ctx, edges, trust.own);
  };
  // While one batch is written, the next one is read.
  let writing = Promise.resolve();
  let batch: { readonly line: ExportLine; readonly where: string }[] = [];
  const flush = async (): Promise<void> => {
    await writing;
    writing = write(batch);
    // What goes wrong is thrown by who waits for it.
    writing.catch(() => undefined);
    batch = [];
  };
  try {
    for await (const text of linesOf(file.file, onBytes)) {
      checkSignal(input);
      const where = `line ${++number}`;
      const line = readExportLine(text, trust);
      if (line === undefined) continue;
      if ('refused' in line) tally.refuse({ where, reason: line.refused });
      else if (batch.push({ line, where }) === batchSize) await flush();
    }
    await flush();
    await writing;
    return made;
  } finally {
    // Nothing goes on after the call.
    await writing.catch(() => undefined);
  }
}

/** Puts memories where they were, with their ids and times. */
async function insert(
  { ctx, tally, changed }: Work,
  batch: readonly { readonly line: ExportLine; readonly where: string }[],
): Promise<void> {
  const memories = batch.flatMap(({ line, where }) =>
    line !== undefined && 'memory' in line ? [{ ...line, where, to: storeForWrite(ctx, line.store, undefined) }] : [],
  );
  const ids = memories.map(it => it.memory.id);
  const present = new Set((await Promise.all(ctx.stores.map(it => it.store.get(ids)))).flat().map(it => it.id));
  for (const store of new Set(memories.map(it => it.to))) {
    const its = memories.filter(it => it.to === store);
    const vectors = await embed(
      ctx,
      its.map(it => it.memory.content),
    );
    const added: string[] = [];
    await store.write(ctx.host.client, async tx => {
      const fresh: { readonly memory: NewMemory; readonly vector: StoredVector | undefined }[] = [];
      const facts = new Map<string, Set<string>>();
      for (const scopeId of new Set(its.map(it => it.memory.scopeId ?? ''))) {
        const hashes = its.map(it => it.memory.contentHash);
        facts.set(scopeId, new Set((await tx.byFacts(hashes, scopeId)).map(it => it.contentHash)));
      }
      for (const [i, { memory }] of its.entries()) {
        const known = facts.get(memory.scopeId ?? '')!;
        if (present.has(memory.id) || known.has(memory.contentHash)) {
          tally.known++;
          continue;
        }
        present.add(memory.id);
        known.add(memory.contentHash);
        const sequence = await tx.nextSequence(memory.scopeId ?? '');
        fresh.push({ memory: { ...memory, sequence }, vector: vectors[i] });
      }
      await tx.insertAll(
        fresh.map(it => it.memory),
        fresh.map(it => it.vector),
      );
      if (fresh.length > 0) await tx.log('import', { memories: fresh.length });
      added.push(...fresh.map(it => it.memory.id));
    });
    tally.fresh += added.length;
    changed(store, added);
  }
}

/** Without an embedder, or where it fails, they are embedded later. */
async function embed(ctx: Context, texts: readonly string[]): Promise<readonly (StoredVector | undefined)[]> {
  const { model } = ctx.embedder;
  if (model === undefined) return texts.map(() => undefined);
  try {
    return (await ctx.embedder.embed(texts, 'passage')).map(it => ({ model: model.id, vector: quantise(it) }));
  } catch (error) {
    ctx.host.log.warn(error instanceof Error ? error.message : String(error));
    return texts.map(() => undefined);
  }
}

function checkSignal({ signal }: ImportInput): void {
  if (signal?.aborted === true) {
    throw new EngineError(
      'aborted',
      'The import was stopped. What was taken stays; importing again goes on from there.',
    );
  }
}

async function sizeOf({ file }: SourceFile): Promise<number> {
  return (await stat(file)).size;
}

function isBelow(file: string, folders: readonly string[]): boolean {
  return folders.some(folder => {
    const relative = path.relative(folder, file);
    return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
  });
}
