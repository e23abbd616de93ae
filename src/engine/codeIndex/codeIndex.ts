import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { isSameOrInside } from '../base/paths.js';
import type { CallTracker } from '../callTracker.js';
import { storeForWrite, type Context } from '../context.js';
import type {
  CodeFile,
  CodeSymbol,
  ExcludePattern,
  IndexProgress,
  IndexReport,
  IndexStatus,
  SkippedFileReason,
} from '../model/codeIndex.js';
import { projectRoot } from '../store/projectIdentity.js';
import type { Store } from '../store/store.js';
import { findSecret } from '../secrets/secretScanner.js';
import { archiveCodeMemories, writeCodeMemories, type ChangedFile, type IndexedFile } from './codeMemoryWriter.js';
import { TreeSitterParser } from './treeSitterParser.js';
import { chunkFile } from './chunker.js';
import { readSourceFile } from './sourceFile.js';
import { walkFiles } from './walkFiles.js';

/** To be raised when the rules make other memories of an unchanged file. */
const indexRulesVersion = 2;
/** Files per transaction: a second or two of work, which is what an abort loses. */
const fileBatchSize = 24;
const maxIndexedFiles = 1_000_000;

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

/** A file or folder to index, with its project. */
interface IndexTarget {
  readonly targetPath: string;
  readonly isFile: boolean;
  readonly isMissing: boolean;
  readonly folder: string;
  readonly root: string;
  readonly excludeFile: string | undefined;
  readonly store: Store;
}

/** Indexes code as memories: a description of each file and declaration, linked to its code. Part of the façade. */
export class CodeIndex {
  private readonly parsers: TreeSitterParser;

  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {
    this.parsers = new TreeSitterParser(path.join(ctx.host.bundleDir, 'parsers'));
  }

  /**
   * Indexes files and folders, in the background: changed files are described again, memories of missing code are
   * archived. The memories are notes in the project's store. An aborted run keeps what it wrote, and the next one resumes.
   * @throws EngineError invalidInput (no open folder, or a path outside of all), and what writing a store throws
   */
  run(input: IndexInput = {}): Promise<IndexReport> {
    return this.calls.runInBackground(input.signal, async signal => {
      const run = new IndexRun(this.ctx, this.calls, this.parsers, { ...input, signal });
      try {
        return await run.index(await this.resolveTargets(input.paths));
      } finally {
        this.parsers.close();
      }
    });
  }

  /** Counts of the indexed files of the open projects. */
  status(): Promise<IndexStatus> {
    return this.calls.run(async () => {
      let [files, pairs, lastAt] = [0, 0, ''];
      for (const { store } of this.ctx.stores) {
        for (const { at, body } of await store.records<IndexedFile>('indexedFile', maxIndexedFiles)) {
          files++;
          pairs += body.pieces.filter(it => it.description !== undefined && it.code !== undefined).length;
          if (at > lastAt) lastAt = at;
        }
      }
      return { files, pairs, ...(lastAt === '' ? {} : { lastAt }) };
    });
  }

  private async resolveTargets(paths: readonly string[] | undefined): Promise<IndexTarget[]> {
    const { workspaceFolders } = this.ctx.host;
    if (workspaceFolders.length === 0) {
      throw new EngineError('invalidInput', 'There is no project here. Open its folder, or name it as the project.');
    }
    const targets: IndexTarget[] = [];
    for (const targetPath of paths ?? workspaceFolders) {
      const folder = workspaceFolders.find(it => isSameOrInside(it, targetPath));
      if (folder === undefined) {
        throw new EngineError(
          'invalidInput',
          message`${targetPath} is in none of the open projects (${workspaceFolders.join(', ')}).`,
        );
      }
      const found = await stat(targetPath).catch(() => undefined);
      const { root, excludeFile } = await projectRoot(folder);
      const store = storeForWrite(this.ctx, 'project', pathToFileURL(path.join(folder, 'any')).href);
      const isFile = found?.isFile() === true;
      targets.push({ targetPath, isFile, isMissing: found === undefined, folder, root, excludeFile, store });
    }
    return targets;
  }
}

/** The state of one run. */
class IndexRun {
  private readonly skipped: Partial<Record<SkippedFileReason, number>> = {};
  private readonly counts = { indexed: 0, unchanged: 0, removed: 0, pairs: 0, archived: 0, refused: 0, cut: 0 };

  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
    private readonly parsers: TreeSitterParser,
    private readonly input: IndexInput & { readonly signal: AbortSignal },
  ) {}

  async index(targets: readonly IndexTarget[]): Promise<IndexReport> {
    const { signal, onProgress = () => undefined, dryRun = false } = this.input;
    const isAborted = (): boolean => signal.aborted;
    const filesByTarget: { readonly target: IndexTarget; readonly files: readonly string[] }[] = [];
    for (const target of targets) filesByTarget.push({ target, files: await this.listFiles(target) });
    const total = filesByTarget.reduce((sum, it) => sum + it.files.length, 0);
    let done = 0;
    for (const { target, files } of filesByTarget) {
      const indexedById = new Map(
        (await target.store.records<IndexedFile>('indexedFile', maxIndexedFiles)).map(it => [it.id, it.body]),
      );
      const seenIds = new Set<string>();
      for (let from = 0; from < files.length && !isAborted(); from += fileBatchSize) {
        const changed: ChangedFile[] = [];
        for (const file of files.slice(from, from + fileBatchSize)) {
          if (isAborted()) break;
          const read = await this.readFile(file, target, indexedById);
          if (read !== undefined) seenIds.add(read.id);
          if (read?.changed !== undefined) changed.push(read.changed);
          onProgress({ done: ++done, total });
        }
        if (!isAborted()) await this.writeBatch(target.store, changed);
        await this.calls.whenIdle();
      }
      if (!isAborted()) await this.removeMissing(target, indexedById, seenIds);
    }
    return { status: isAborted() ? 'cancelled' : 'done', dryRun, ...this.counts, leftOut: this.skipped };
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

  /** @returns undefined for a skipped file; `changed` is present where the file's memories are out of date */
  private async readFile(
    file: string,
    { root }: IndexTarget,
    indexedById: ReadonlyMap<string, IndexedFile>,
  ): Promise<{ readonly id: string; readonly changed?: ChangedFile } | undefined> {
    // The path is kept with each memory; one bad name must not end the run.
    if (findSecret(path.relative(root, file)) !== undefined) {
      this.skip('named like a secret');
      return undefined;
    }
    const code = await readSourceFile(file);
    if ('leftOut' in code) {
      this.skip(code.leftOut);
      return undefined;
    }
    const { text, language } = code;
    const id = path.relative(root, file).split(path.sep).join('/');
    const { maxCharacters } = this.ctx.host.config().remember;
    const hash = createHash('sha256').update(`${indexRulesVersion} ${maxCharacters}\n${text}`).digest('base64url');
    const previous = indexedById.get(id);
    if (previous?.hash === hash) {
      this.counts.unchanged++;
      return { id };
    }
    const symbols =
      (await this.input.symbols?.({ file, text })) ??
      (language.parser === undefined ? [] : await this.parsers.parseSymbols(language.parser, text));
    const chunks = chunkFile({ file: id, text, language, symbols }, maxCharacters);
    return { id, changed: { id, uri: pathToFileURL(file).href, hash, chunks, previous } };
  }

  private async writeBatch(store: Store, files: readonly ChangedFile[]): Promise<void> {
    if (files.length === 0) return;
    this.counts.indexed += files.length;
    const chunks = files.flatMap(it => it.chunks);
    this.counts.cut += chunks.filter(it => it.isTruncated).length;
    if (this.input.dryRun === true) {
      this.counts.pairs += chunks.length;
      return;
    }
    const { pairs, archived, refused } = await this.calls.change(onWritten =>
      writeCodeMemories(this.ctx, store, files, onWritten),
    );
    this.counts.pairs += pairs;
    this.counts.archived += archived;
    this.counts.refused += refused;
  }

  /** Archives the memories of indexed files at or below the target that were not found. */
  private async removeMissing(
    { targetPath, root, store }: IndexTarget,
    indexedById: ReadonlyMap<string, IndexedFile>,
    seenIds: ReadonlySet<string>,
  ): Promise<void> {
    const missing = [...indexedById]
      .map(([id, body]) => ({ id, body }))
      .filter(({ id }) => !seenIds.has(id) && isSameOrInside(targetPath, path.join(root, id)));
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
}
