import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
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
import { archiveCodeMemories, writeCodeMemories, type ChangedFile, type IndexedFile } from './codeMemoryWriter.js';
import { TreeSitterParser } from './treeSitterParser.js';
import { chunkFile } from './chunker.js';
import { readSourceFile } from './sourceFile.js';
import { walkFiles } from './walkFiles.js';

/** Raised when the rules make other memories of the same file. */
const indexRulesVersion = 2;
/** Files written at once: a second or two of work, which is all that calling off loses. */
const fileBatchSize = 24;
/** More files than any project has. */
const maxIndexedFiles = 1_000_000;

/** Finds the declarations of a file; undefined where it cannot tell, and the parsers are asked instead. */
export type SymbolSource = (file: CodeFile) => Promise<readonly CodeSymbol[] | undefined>;

export interface IndexInput {
  /** Absolute files and folders inside the folders that are open; default: all of those. */
  readonly paths?: readonly string[];
  readonly symbols?: SymbolSource;
  readonly exclude?: readonly ExcludePattern[];
  /** Tells what would be done, and changes nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: IndexProgress) => void;
}

/** What is to be indexed: a file or folder, and the project it is in. */
interface IndexTarget {
  readonly targetPath: string;
  readonly isFile: boolean;
  readonly isMissing: boolean;
  readonly folder: string;
  readonly root: string;
  readonly excludeFile: string | undefined;
  readonly store: Store;
}

/** Code as memories: each file and declaration described in a sentence, joined to its code. */
export class CodeIndex {
  private readonly parsers: TreeSitterParser;

  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {
    this.parsers = new TreeSitterParser(path.join(ctx.host.bundleDir, 'parsers'));
  }

  /**
   * Indexes files and folders: what has changed since the last time is described anew, and what is gone is archived. The
   * memories are notes of the project's store. Called off, it keeps what is done, and the next run goes on.
   * @throws EngineError invalidInput (no folder is open, or a path outside of them), and what writing a store throws
   */
  run(input: IndexInput = {}): Promise<IndexReport> {
    return this.calls.runInBackground(input.signal, async signal => {
      const run = new IndexRun(this.ctx, this.calls, this.parsers, { ...input, signal });
      try {
        return await run.index(await this.targets(input.paths));
      } finally {
        this.parsers.close();
      }
    });
  }

  /** What of the open projects is indexed. */
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

  private async targets(paths: readonly string[] | undefined): Promise<IndexTarget[]> {
    const { workspaceFolders } = this.ctx.host;
    if (workspaceFolders.length === 0) {
      throw new EngineError('invalidInput', 'There is no project here. Open its folder, or name it as the project.');
    }
    const targets: IndexTarget[] = [];
    for (const targetPath of paths ?? workspaceFolders) {
      const folder = workspaceFolders.find(it => isAtOrBelow(targetPath, it));
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

/** One run: what it has done so far. */
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

  /** @returns undefined when the file is left out; `changed` when its memories are not those of its text */
  private async readFile(
    file: string,
    { root }: IndexTarget,
    indexedById: ReadonlyMap<string, IndexedFile>,
  ): Promise<{ readonly id: string; readonly changed?: ChangedFile } | undefined> {
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
    const { pairs, archived, refused } = await this.calls.change(changed =>
      writeCodeMemories(this.ctx, store, files, changed),
    );
    this.counts.pairs += pairs;
    this.counts.archived += archived;
    this.counts.refused += refused;
  }

  /** What was indexed at or below the target and is no longer found there. */
  private async removeMissing(
    { targetPath, root, store }: IndexTarget,
    indexedById: ReadonlyMap<string, IndexedFile>,
    seenIds: ReadonlySet<string>,
  ): Promise<void> {
    const missing = [...indexedById]
      .map(([id, body]) => ({ id, body }))
      .filter(({ id }) => !seenIds.has(id) && isAtOrBelow(path.join(root, id), targetPath));
    if (missing.length === 0) return;
    this.counts.removed += missing.length;
    if (this.input.dryRun === true) return;
    this.counts.archived += await this.calls.change(changed => archiveCodeMemories(this.ctx, store, missing, changed));
  }

  private skip(reason: SkippedFileReason): void {
    this.skipped[reason] = (this.skipped[reason] ?? 0) + 1;
  }
}

function isAtOrBelow(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
}
