import { createHash } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { EngineError } from '../base/errors.js';
import { isSameOrInside } from '../base/paths.js';
import type { CallTracker } from '../store/callTracker.js';
import type { Context } from '../context.js';
import type {
  CodeFile,
  CodeSymbol,
  ExcludePattern,
  FailedItem,
  IndexProgress,
  IndexReport,
  SkippedFileReason,
} from '../model/codeIndex.js';
import { isStorableField } from '../secrets/storableText.js';
import type { Store } from '../store/store.js';
import { chunkFile, codeByKey, scanFile, type FileScan, type ParsedFile } from './chunker.js';
import {
  archiveCodeMemories,
  writeCodeMemories,
  type ChangedFile,
  type CodeSummary,
  type IndexedFile,
} from './codeMemoryWriter.js';
import { CodeSummarizer, type BareDeclaration } from './codeSummarizer.js';
import { noUsage, UsageIndex, type CodeUsage, type FileUses } from './codeUsage.js';
import type { Language } from './languages.js';
import { readSourceFile, type SourceFileResult } from './sourceFile.js';
import type { TreeSitterParser } from './treeSitterParser.js';
import { walkFiles } from './walkFiles.js';

/** To be raised when the rules make other memories of an unchanged file. */
const indexRulesVersion = 6;
/** Files per transaction: a second or two of work, which is what an abort loses. */
const fileBatchSize = 24;
/** Files that are read at the same time. */
const readBatchSize = 16;
/** Read of one project's records. */
export const maxIndexedFiles = 1_000_000;
const namedLikeSecret = { leftOut: 'named like a secret' } as const;

/** Provides the declarations of a file; for undefined the built-in parsers are used. */
export type SymbolSource = (file: CodeFile) => Promise<readonly CodeSymbol[] | undefined>;

export interface IndexInput {
  /** Absolute files and folders inside the workspace folders; default: the workspace folders. */
  readonly paths?: readonly string[];
  readonly symbols?: SymbolSource;
  readonly exclude?: readonly ExcludePattern[];
  /** Reports what would be done, and writes nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: IndexProgress) => void;
}

/** An assistant's description of a file or declaration without a comment. */
export interface WrittenDescription {
  /** Relative to the project, with slashes. */
  readonly file: string;
  readonly key: string;
  readonly text: string;
}

/** A file or folder to index, with its project. */
export interface IndexTarget {
  readonly targetPath: string;
  readonly isFile: boolean;
  readonly isMissing: boolean;
  readonly folder: string;
  readonly root: string;
  readonly excludeFile: string | undefined;
  readonly store: Store;
}

/** A file after the first pass, which reads every file and keeps no text. */
interface ScannedFile {
  /** Path relative to the project, with slashes. */
  readonly id: string;
  /** Absolute. */
  readonly file: string;
  readonly hash: string;
  readonly previous: IndexedFile | undefined;
  readonly language: Language;
  /** Present where the text is new or has changed. */
  readonly change?: { readonly symbols: readonly CodeSymbol[]; readonly scan: FileScan };
}

/** A file whose memories are out of date, in the second pass. */
interface OutdatedFile {
  readonly scanned: ScannedFile;
  readonly parsed: ParsedFile;
  readonly scan: FileScan;
  readonly usageByKey: ReadonlyMap<string, CodeUsage>;
  /** Hash of `usageByKey`. */
  readonly usage: string;
}

/** The state of one run. */
export class IndexRun {
  private readonly skipped: Partial<Record<SkippedFileReason, number>> = {};
  private readonly counts = { indexed: 0, unchanged: 0, removed: 0, pairs: 0, archived: 0, refused: 0, cut: 0 };
  private readonly failed: FailedItem[] = [];
  private readonly refusedFiles = new Set<string>();
  private readonly summarizer: CodeSummarizer;

  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
    private readonly parsers: TreeSitterParser,
    private readonly input: IndexInput & { readonly signal: AbortSignal; readonly written?: WrittenDescription },
  ) {
    this.summarizer = new CodeSummarizer(ctx, input.signal);
  }

  async index(targets: readonly IndexTarget[]): Promise<IndexReport> {
    const { onProgress = () => undefined, dryRun = false } = this.input;
    const filesByTarget: { readonly target: IndexTarget; readonly files: readonly string[] }[] = [];
    for (const target of targets) filesByTarget.push({ target, files: await this.listFiles(target) });
    // Each file is read, and then described with what the others say of it.
    const total = filesByTarget.reduce((sum, it) => sum + it.files.length, 0);
    let [read, done] = [0, 0];
    const report = (): void => {
      onProgress({ done: Math.floor((read + done) / 2), total });
    };
    for (const { target, files } of filesByTarget) {
      const indexedById = new Map(
        (await target.store.records<IndexedFile>('indexedFile', maxIndexedFiles)).map(it => [it.id, it.body]),
      );
      const scanned: ScannedFile[] = [];
      for (let from = 0; from < files.length && !this.isAborted(); from += readBatchSize) {
        const batch = files.slice(from, from + readBatchSize);
        scanned.push(...(await this.scanBatch(batch, target, indexedById)));
        read += batch.length;
        report();
      }
      const usage = this.isAborted() ? undefined : new UsageIndex(usesByFile(indexedById, scanned));
      done += files.length - scanned.length;
      for (let from = 0; usage !== undefined && from < scanned.length && !this.isAborted(); from += fileBatchSize) {
        const batch = scanned.slice(from, from + fileBatchSize);
        const changed = await this.describeBatch(batch, usage);
        if (!this.isAborted()) await this.writeBatch(target.store, changed);
        done += batch.length;
        report();
        await this.calls.whenIdle();
      }
      if (!this.isAborted()) await this.removeMissing(target, indexedById, new Set(scanned.map(it => it.id)));
    }
    return {
      status: this.isAborted() ? 'cancelled' : 'done',
      dryRun,
      ...this.counts,
      ...(this.refusedFiles.size === 0 ? {} : { refusedFiles: [...this.refusedFiles] }),
      leftOut: this.skipped,
      failed: this.failed,
      ...this.summarizer.report,
    };
  }

  private isAborted(): boolean {
    return this.input.signal.aborted;
  }

  private async listFiles(target: IndexTarget): Promise<readonly string[]> {
    if (target.isMissing) return [];
    const { signal, exclude = [] } = this.input;
    return walkFiles(target.targetPath, target.isFile, {
      ...target,
      exclude,
      signal,
      onIgnored: () => {
        this.skip('ignored');
      },
    });
  }

  /** First pass over files, which are read at the same time. @returns those that are not skipped */
  private async scanBatch(
    files: readonly string[],
    { root }: IndexTarget,
    indexedById: ReadonlyMap<string, IndexedFile>,
  ): Promise<ScannedFile[]> {
    const codes = await Promise.all(
      files.map(async file => {
        const id = path.relative(root, file).split(path.sep).join('/');
        // The path is kept with each memory; one bad name must not end the run.
        const isStorable = indexedById.has(id) || isStorableField(id);
        return { id, file, code: isStorable ? await readSourceFile(file) : namedLikeSecret };
      }),
    );
    const scanned: ScannedFile[] = [];
    for (const { id, file, code } of codes) {
      if (this.isAborted()) break;
      const it = await this.scan({ id, file, code, previous: indexedById.get(id) });
      if (it !== undefined) scanned.push(it);
    }
    return scanned;
  }

  /** @returns undefined for a skipped file */
  private async scan({
    id,
    file,
    code,
    previous,
  }: Pick<ScannedFile, 'id' | 'file' | 'previous'> & { readonly code: SourceFileResult }): Promise<
    ScannedFile | undefined
  > {
    if ('leftOut' in code) {
      this.skip(code.leftOut);
      return undefined;
    }
    if ('unreadable' in code) {
      this.fail({ file: id }, code.unreadable);
      return undefined;
    }
    const { text, language } = code;
    const hash = this.hashOf(text);
    const scanned = { id, file, hash, previous, language };
    if (previous?.hash === hash) return scanned;
    try {
      // Names are kept with what is indexed.
      const symbols = (await this.readSymbols(file, id, { text, language })).filter(it => isStorableField(it.name));
      return { ...scanned, change: { symbols, scan: scanFile({ file: id, text, language, symbols }) } };
    } catch (error) {
      this.fail({ file: id }, error);
      return undefined;
    }
  }

  /** Second pass: the files of a batch whose memories are out of date. */
  private async describeBatch(batch: readonly ScannedFile[], usageIndex: UsageIndex): Promise<ChangedFile[]> {
    const outdated: OutdatedFile[] = [];
    for (const scanned of batch) {
      if (this.isAborted()) return [];
      const it = await this.readOutdated(scanned, usageIndex);
      if (it !== undefined) outdated.push(it);
    }
    const summaries = await this.summarize(outdated);
    const changed: ChangedFile[] = [];
    for (const it of outdated) {
      const { id, file, hash, previous } = it.scanned;
      try {
        const fileSummaries = summaries.get(id) ?? new Map<string, CodeSummary>();
        const chunks = chunkFile(it.parsed, {
          maxCharacters: this.ctx.host.config().remember.maxCharacters,
          usageOf: key => it.usageByKey.get(key) ?? noUsage,
          summaryOf: key => fileSummaries.get(key)?.text,
          onFailed: (symbol, problem) => {
            this.fail({ file: id, symbol }, problem);
          },
        });
        const uri = pathToFileURL(file).href;
        changed.push({ id, uri, hash, usage: it.usage, scan: it.scan, summaries: fileSummaries, chunks, previous });
      } catch (error) {
        this.fail({ file: id }, error);
      }
    }
    return changed;
  }

  /** @returns undefined where the file's memories are up to date, or it cannot be read */
  private async readOutdated(scanned: ScannedFile, usageIndex: UsageIndex): Promise<OutdatedFile | undefined> {
    const { id, file, hash, previous, language, change } = scanned;
    const keys = (change?.scan.pieces ?? previous!.pieces).map(it => it.key);
    const usageByKey = new Map(keys.map(it => [it, usageIndex.usageOf(id, it)]));
    const usage = hashUsage(usageByKey);
    const isAsked = this.summarizer.mayAsk && previous?.pieces.some(it => it.isBare === true) === true;
    const wantsSummary = isAsked || this.input.written?.file === id;
    if (change === undefined && previous?.usage === usage && !wantsSummary) {
      this.counts.unchanged++;
      return undefined;
    }
    const code = await readSourceFile(file);
    // Written to since the first pass: the next run describes it.
    if (!('text' in code) || this.hashOf(code.text) !== hash) return undefined;
    const symbols = change?.symbols ?? (await this.readSymbols(file, id, code));
    const parsed: ParsedFile = { file: id, text: code.text, language, symbols };
    return { scanned, parsed, scan: change?.scan ?? scanFile(parsed), usage, usageByKey };
  }

  /** The model's descriptions of code without a comment, by file and key. */
  private async summarize(
    files: readonly OutdatedFile[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, CodeSummary>>> {
    const declarations: BareDeclaration[] = files.flatMap(({ parsed, scan, scanned: { previous } }) => {
      const known = new Map(previous?.pieces.map(it => [it.key, it.summary]));
      if (scan.bareKeys.length === 0 || (!this.summarizer.isEnabled && known.size === 0)) return [];
      const codes = codeByKey(parsed);
      const { file } = parsed;
      const { written } = this.input;
      const writtenOf = (key: string): string | undefined =>
        written?.file === file && written.key === key ? written.text : undefined;
      return scan.bareKeys.map(key => ({
        file,
        key,
        code: codes.get(key) ?? '',
        known: known.get(key),
        written: writtenOf(key),
      }));
    });
    const byFile = new Map<string, Map<string, CodeSummary>>();
    for (const [{ file, key }, summary] of await this.summarizer.summarize(declarations, this.input.dryRun === true)) {
      const summaries = byFile.get(file) ?? new Map<string, CodeSummary>();
      byFile.set(file, summaries.set(key, summary));
    }
    return byFile;
  }

  /** The surface's declarations, else those of the parser; none, and a failure in the report, where it breaks. */
  private async readSymbols(
    file: string,
    id: string,
    { text, language }: { readonly text: string; readonly language: Language },
  ): Promise<readonly CodeSymbol[]> {
    const provided = await this.input.symbols?.({ file, text });
    if (provided !== undefined || language.parser === undefined) return provided ?? [];
    try {
      return await this.parsers.parseSymbols(language.parser, text);
    } catch (error) {
      this.fail({ file: id }, error);
      return [];
    }
  }

  private hashOf(text: string): string {
    const { maxCharacters } = this.ctx.host.config().remember;
    return createHash('sha256').update(`${indexRulesVersion} ${maxCharacters}\n${text}`).digest('base64url');
  }

  private async writeBatch(store: Store, files: readonly ChangedFile[]): Promise<void> {
    if (files.length === 0) return;
    const chunks = files.flatMap(it => it.chunks);
    if (this.input.dryRun === true) this.counts.pairs += chunks.length;
    else {
      try {
        const written = await this.calls.change(it => writeCodeMemories(this.ctx, store, files, it));
        for (const key of ['pairs', 'archived', 'refused'] as const) this.counts[key] += written[key];
        for (const it of written.refusedFiles) this.refusedFiles.add(it);
      } catch (error) {
        // A refused text must not stop the others.
        if (!EngineError.is(error, 'invalidInput')) throw error;
        if (files.length === 1) this.fail({ file: files[0]!.id }, error);
        else for (const it of files) await this.writeBatch(store, [it]);
        return;
      }
    }
    this.counts.indexed += files.length;
    this.counts.cut += chunks.filter(it => it.isTruncated).length;
  }

  /** Archives the memories of indexed files at or below the target that were not found. */
  private async removeMissing(
    { targetPath, isMissing, root, store }: IndexTarget,
    indexedById: ReadonlyMap<string, IndexedFile>,
    seenIds: ReadonlySet<string>,
  ): Promise<void> {
    const failedIds = new Set(this.failed.map(it => it.file));
    const missing = [...indexedById]
      .map(([id, body]) => ({ id, body }))
      .filter(({ id }) => !seenIds.has(id) && !failedIds.has(id) && isSameOrInside(targetPath, path.join(root, id)));
    if (missing.length === 0 && isMissing) this.fail({ file: path.relative(root, targetPath) }, 'It is not there.');
    if (missing.length === 0) return;
    this.counts.removed += missing.length;
    if (this.input.dryRun === true) return;
    this.counts.archived += await this.calls.change(onWritten =>
      archiveCodeMemories(this.ctx, store, missing, onWritten),
    );
  }

  private skip(reason: SkippedFileReason): void {
    this.skipped[reason] = (this.skipped[reason] ?? 0) + 1;
  }

  private fail(item: Pick<FailedItem, 'file' | 'symbol'>, error: unknown): void {
    this.failed.push({ ...item, problem: error instanceof Error ? error.message : String(error) });
  }
}

/** The names that every file of the project uses: as scanned now, else as recorded. */
function usesByFile(
  indexedById: ReadonlyMap<string, IndexedFile>,
  scanned: readonly ScannedFile[],
): ReadonlyMap<string, FileUses> {
  const byFile = new Map<string, FileUses>();
  for (const [id, { pieces, tests }] of indexedById) {
    const withUses = pieces.map(({ key, uses = [] }) => ({ key, uses }));
    byFile.set(id, { pieces: withUses, ...(tests === undefined ? {} : { tests }) });
  }
  for (const { id, change } of scanned) if (change !== undefined) byFile.set(id, change.scan);
  return byFile;
}

function hashUsage(usageByKey: ReadonlyMap<string, CodeUsage>): string {
  const used = [...usageByKey].filter(([, it]) => it.callers.length + it.tests.length > 0);
  return createHash('sha256').update(JSON.stringify(used)).digest('base64url');
}
