import { stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { isSameOrInside } from '../base/paths.js';
import { Sequencer } from '../base/sequencer.js';
import type { CallTracker } from '../store/callTracker.js';
import { storeForWrite, type Context } from '../context.js';
import type { IndexReport, IndexStatus, UndescribedCode } from '../model/codeIndex.js';
import { shortId, type Memory } from '../model/memory.js';
import { prepareText } from '../remember/prepareFact.js';
import { projectRoot } from '../store/projectIdentity.js';
import type { Store } from '../store/store.js';
import type { IndexedFile } from './codeMemoryWriter.js';
import { IndexRun, maxIndexedFiles, type IndexInput, type IndexTarget, type WrittenDescription } from './indexRun.js';
import { TreeSitterParser } from './treeSitterParser.js';
import { findUndescribed, type UndescribedPiece } from './undescribed.js';

/** Indexes code as memories: a description of each file and declaration, linked to its code. Part of the façade. */
export class CodeIndex {
  private readonly parsers: TreeSitterParser;
  /** Each description is written into the record of its file, which the next one reads. */
  private readonly writing = new Sequencer();

  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {
    this.parsers = new TreeSitterParser(path.join(ctx.host.bundleDir, 'parsers'));
  }

  /**
   * Indexes files and folders, in the background: changed files are described again, memories of missing code are
   * archived. The memories are notes in the project's store. A file or declaration that cannot be described is skipped, and named
   * in the report. An aborted run keeps what it wrote, and the next one resumes.
   * @throws EngineError invalidInput (no open folder, or a path outside of all), and what writing a store throws
   */
  run(input: IndexInput = {}): Promise<IndexReport> {
    return this.runWith(input);
  }

  private runWith(input: IndexInput & { readonly written?: WrittenDescription }): Promise<IndexReport> {
    return this.calls.runInBackground(input.signal, async signal => {
      const run = new IndexRun(this.ctx, this.calls, this.parsers, { ...input, signal });
      try {
        return await run.index(await this.resolveTargets(input.paths));
      } finally {
        this.parsers.close();
      }
    });
  }

  /** Indexed code that neither a comment nor a model nor an assistant describes; what most files use comes first. */
  undescribed(limit: number): Promise<UndescribedCode> {
    return this.calls.run(async () => {
      const memories: Memory[] = [];
      let total = 0;
      for (const { store } of this.ctx.stores) {
        const ids = (await findUndescribed(store)).map(it => it.description);
        const byId = new Map((await store.get(ids)).map(it => [it.id, it]));
        const open = ids.flatMap(id => byId.get(id) ?? []).filter(it => it.status === 'active' && it.lane === 'note');
        total += open.length;
        memories.push(...open.slice(0, Math.max(0, limit - memories.length)));
      }
      return { memories, total };
    });
  }

  /**
   * Puts an assistant's description of code without a comment into the index, in the place of the one by rule. It is kept as
   * long as that code stays.
   * @param memory the description by rule
   * @returns the new description
   * @throws EngineError invalidInput (not of the index, described already, confirmed by a person, or the
   * code has changed since), and what writing a store throws
   */
  describe(memory: Memory, text: string): Promise<Memory> {
    return this.writing.run(async () => {
      const place = await this.findUndescribedPlace(memory);
      const { uri } = memory.provenance;
      if (place === undefined || uri === undefined || memory.lane === 'confirmed') throw notDescribable(memory);
      const { store, file, key } = place;
      const prepared = prepareText(text, this.ctx.host.config().remember);
      if ('refused' in prepared) throw new EngineError('invalidInput', prepared.refused);
      await this.runWith({ paths: [fileURLToPath(uri)], written: { file, key, text: prepared.content } });
      const body = (await store.record<IndexedFile>('indexedFile', file))?.body;
      const described = body?.pieces.find(it => it.key === key && it.summary?.text === prepared.content);
      const [written] = described?.description === undefined ? [] : await store.get([described.description]);
      if (written === undefined) throw changedSince(memory);
      return { ...written, store: store.kind };
    });
  }

  private findUndescribedPlace(memory: Memory): Promise<(UndescribedPiece & { readonly store: Store }) | undefined> {
    return this.calls.run(async () => {
      for (const { store } of this.ctx.stores) {
        const piece = (await findUndescribed(store)).find(it => it.description === memory.id);
        if (piece !== undefined) return { ...piece, store };
      }
      return undefined;
    });
  }

  /** Counts of the indexed files of the open projects. */
  status(): Promise<IndexStatus> {
    return this.calls.run(async () => {
      let [files, pairs, undescribed, lastAt] = [0, 0, 0, ''];
      for (const { store } of this.ctx.stores) {
        for (const { at, body } of await store.records<IndexedFile>('indexedFile', maxIndexedFiles)) {
          files++;
          pairs += body.pieces.filter(it => it.description !== undefined && it.code !== undefined).length;
          undescribed += body.pieces.filter(it => it.isBare === true && it.description !== undefined).length;
          if (at > lastAt) lastAt = at;
        }
      }
      return { files, pairs, undescribed, ...(lastAt === '' ? {} : { lastAt }) };
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
      const isFile = found?.isDirectory() === false;
      targets.push({ targetPath, isFile, isMissing: found === undefined, folder, root, excludeFile, store });
    }
    return targets;
  }
}

function notDescribable(memory: Memory): EngineError {
  return new EngineError(
    'invalidInput',
    message`#${shortId(memory)} is no code that lacks a description. Those that do: list with undescribed.`,
  );
}

function changedSince(memory: Memory): EngineError {
  return new EngineError(
    'invalidInput',
    message`The code of #${shortId(memory)} has changed since it was indexed, and is indexed again now. Call list with undescribed again.`,
  );
}
