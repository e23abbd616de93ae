import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { EngineError } from '../base/errors.js';
import { message } from '../base/message.js';
import type { Calls } from '../calls.js';
import { storeForWrite, type Context } from '../context.js';
import type {
  CodeFile,
  CodeSymbol,
  ExcludePattern,
  IndexProgress,
  IndexReport,
  IndexStatus,
  LeftOutReason,
} from '../model/codeIndex.js';
import { projectRoot } from '../store/project.js';
import type { Store } from '../store/store.js';
import { removeFiles, writeFiles, type ChangedFile, type IndexedFile } from './indexedFile.js';
import { Parsers } from './parsers.js';
import { piecesOf } from './pieces.js';
import { readCode } from './reading.js';
import { filesBelow } from './walk.js';

/** Raised when the rules make other memories of the same file. */
const rulesVersion = 2;
/** Files written at once: a second or two of work, which is all that calling off loses. */
const filesAtOnce = 24;
/** More files than any project has. */
const allFiles = 1_000_000;

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
interface Target {
  readonly at: string;
  readonly isFile: boolean;
  readonly isMissing: boolean;
  readonly folder: string;
  readonly root: string;
  readonly excludeFile: string | undefined;
  readonly store: Store;
}

/** Code as memories: each file and declaration described in a sentence, joined to its code. */
export class CodeIndex {
  private readonly parsers: Parsers;

  constructor(
    private readonly ctx: Context,
    private readonly calls: Calls,
  ) {
    this.parsers = new Parsers(path.join(ctx.host.bundleDir, 'parsers'));
  }

  /**
   * Indexes files and folders: what has changed since the last time is described anew, and what is gone is archived. The
   * memories are notes of the project's store. Called off, it keeps what is done, and the next run goes on.
   * @throws EngineError invalidInput (no folder is open, or a path outside of them), and what writing a store throws
   */
  run(input: IndexInput = {}): Promise<IndexReport> {
    return this.calls.inBackground(input.signal, async signal => {
      const run = new Run(this.ctx, this.calls, this.parsers, { ...input, signal });
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
        for (const { at, body } of await store.records<IndexedFile>('indexedFile', allFiles)) {
          files++;
          pairs += body.pieces.filter(it => it.description !== undefined && it.code !== undefined).length;
          if (at > lastAt) lastAt = at;
        }
      }
      return { files, pairs, ...(lastAt === '' ? {} : { lastAt }) };
    });
  }

  private async targets(paths: readonly string[] | undefined): Promise<Target[]> {
    const { workspaceFolders } = this.ctx.host;
    if (workspaceFolders.length === 0) {
      throw new EngineError('invalidInput', 'There is no project here. Open its folder, or name it as the project.');
    }
    const targets: Target[] = [];
    for (const at of paths ?? workspaceFolders) {
      const folder = workspaceFolders.find(it => isAtOrBelow(at, it));
      if (folder === undefined) {
        throw new EngineError(
          'invalidInput',
          message`${at} is in none of the open projects (${workspaceFolders.join(', ')}).`,
        );
      }
      const found = await stat(at).catch(() => undefined);
      const { root, excludeFile } = await projectRoot(folder);
      const store = storeForWrite(this.ctx, 'project', pathToFileURL(path.join(folder, 'any')).href);
      const isFile = found?.isFile() === true;
      targets.push({ at, isFile, isMissing: found === undefined, folder, root, excludeFile, store });
    }
    return targets;
  }
}

/** One run: what it has done so far. */
class Run {
  private readonly leftOut: Partial<Record<LeftOutReason, number>> = {};
  private readonly counts = { indexed: 0, unchanged: 0, removed: 0, pairs: 0, archived: 0, refused: 0, cut: 0 };

  constructor(
    private readonly ctx: Context,
    private readonly calls: Calls,
    private readonly parsers: Parsers,
    private readonly input: IndexInput & { readonly signal: AbortSignal },
  ) {}

  async index(targets: readonly Target[]): Promise<IndexReport> {
    const { signal, onProgress = () => undefined, dryRun = false } = this.input;
    const isCalledOff = (): boolean => signal.aborted;
    const found: { readonly target: Target; readonly files: readonly string[] }[] = [];
    for (const target of targets) found.push({ target, files: await this.filesOf(target) });
    const total = found.reduce((sum, it) => sum + it.files.length, 0);
    let done = 0;
    for (const { target, files } of found) {
      const known = new Map(
        (await target.store.records<IndexedFile>('indexedFile', allFiles)).map(it => [it.id, it.body]),
      );
      const seen = new Set<string>();
      for (let from = 0; from < files.length && !isCalledOff(); from += filesAtOnce) {
        const changed: ChangedFile[] = [];
        for (const file of files.slice(from, from + filesAtOnce)) {
          if (isCalledOff()) break;
          const read = await this.read(file, target, known);
          if (read !== undefined) seen.add(read.id);
          if (read?.changed !== undefined) changed.push(read.changed);
          onProgress({ done: ++done, total });
        }
        if (!isCalledOff()) await this.write(target.store, changed);
        await this.calls.whenIdle();
      }
      if (!isCalledOff()) await this.removeOthers(target, known, seen);
    }
    return { status: isCalledOff() ? 'cancelled' : 'done', dryRun, ...this.counts, leftOut: this.leftOut };
  }

  private async filesOf(target: Target): Promise<readonly string[]> {
    if (target.isMissing) return [];
    const { signal, exclude = [] } = this.input;
    return filesBelow(target.at, target.isFile, {
      ...target,
      exclude,
      signal,
      onIgnored: () => {
        this.leaveOut('ignored');
      },
    });
  }

  /** @returns undefined when the file is left out; `changed` when its memories are not those of its text */
  private async read(
    file: string,
    { root }: Target,
    known: ReadonlyMap<string, IndexedFile>,
  ): Promise<{ readonly id: string; readonly changed?: ChangedFile } | undefined> {
    const code = await readCode(file);
    if ('leftOut' in code) {
      this.leaveOut(code.leftOut);
      return undefined;
    }
    const { text, language } = code;
    const id = path.relative(root, file).split(path.sep).join('/');
    const { maxCharacters } = this.ctx.host.config().remember;
    const hash = createHash('sha256').update(`${rulesVersion} ${maxCharacters}\n${text}`).digest('base64url');
    const before = known.get(id);
    if (before?.hash === hash) {
      this.counts.unchanged++;
      return { id };
    }
    const symbols =
      (await this.input.symbols?.({ file, text })) ??
      (language.parser === undefined ? [] : await this.parsers.symbols(language.parser, text));
    const pieces = piecesOf({ file: id, text, language, symbols }, maxCharacters);
    return { id, changed: { id, uri: pathToFileURL(file).href, hash, pieces, before } };
  }

  private async write(store: Store, files: readonly ChangedFile[]): Promise<void> {
    if (files.length === 0) return;
    this.counts.indexed += files.length;
    const pieces = files.flatMap(it => it.pieces);
    this.counts.cut += pieces.filter(it => it.isCut).length;
    if (this.input.dryRun === true) {
      this.counts.pairs += pieces.length;
      return;
    }
    const { pairs, archived, refused } = await this.calls.change(changed =>
      writeFiles(this.ctx, store, files, changed),
    );
    this.counts.pairs += pairs;
    this.counts.archived += archived;
    this.counts.refused += refused;
  }

  /** What was indexed at or below the target and is no longer found there. */
  private async removeOthers(
    { at, root, store }: Target,
    known: ReadonlyMap<string, IndexedFile>,
    seen: ReadonlySet<string>,
  ): Promise<void> {
    const gone = [...known]
      .map(([id, body]) => ({ id, body }))
      .filter(({ id }) => !seen.has(id) && isAtOrBelow(path.join(root, id), at));
    if (gone.length === 0) return;
    this.counts.removed += gone.length;
    if (this.input.dryRun === true) return;
    this.counts.archived += await this.calls.change(changed => removeFiles(this.ctx, store, gone, changed));
  }

  private leaveOut(reason: LeftOutReason): void {
    this.leftOut[reason] = (this.leftOut[reason] ?? 0) + 1;
  }
}

function isAtOrBelow(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
}
