import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { codeHash, findCode } from '../base/codeHash.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { CallTracker } from '../store/callTracker.js';
import { withWaitingStores, type Context } from '../context.js';
import {
  codeKinds,
  shortId,
  type Anchor,
  type AnchorUpdateResult,
  type CodeState,
  type Memory,
} from '../model/memory.js';
import {
  codeStateInFile,
  projectRoots,
  readAnchorFile,
  readCodeStates,
  resolveAnchorFile,
} from '../recall/codeState.js';
import { projectRoot } from '../store/projectIdentity.js';
import type { Store } from '../store/store.js';
import { GitRenames } from './gitRenames.js';
import { languageOf } from './languages.js';
import { unqualifiedName } from './symbolNames.js';
import { TreeSitterParser } from './treeSitterParser.js';
import { walkFiles } from './walkFiles.js';

/** A memory whose code has changed. */
export interface ChangedAnchor {
  readonly memory: Memory;
  readonly state: CodeState;
}

/** A renamed or moved document or folder. URIs. */
export interface RenamedPath {
  readonly from: string;
  readonly to: string;
}

interface AnchoredMemory {
  readonly store: Store;
  readonly memory: Memory;
}

/** A memory with its new anchor. */
interface MovedAnchor extends AnchoredMemory {
  readonly anchor: Anchor;
}

/** A memory whose code is no longer at its anchor. */
interface LostAnchor extends AnchoredMemory {
  readonly file: string;
  readonly root: string;
  /** The file is missing; otherwise only the code is missing from it. */
  readonly isFileGone: boolean;
}

/** In characters. Shorter code is found in other files by chance. */
const minCodeLength = 20;

/** The anchors of memories in code: reports changed code, and follows moved code. Part of the façade. */
export class AnchorTracker {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
    private readonly parts: {
      /** @throws EngineError notFound | ambiguousId */
      readonly resolveReference: (reference: string) => Promise<AnchoredMemory>;
    },
  ) {}

  /** Active memories of the open projects with changed or missing code, newest first. */
  listChanged(): Promise<ChangedAnchor[]> {
    return this.calls.run(async () => {
      const active = (await this.listAnchored())
        .map(it => it.memory)
        .filter(it => it.status === 'active' && !isCodeIndexed(it));
      const states = await readCodeStates(this.ctx.host.workspaceFolders, active);
      return active
        .flatMap(memory => {
          const state = states.get(memory.id);
          return state === undefined ? [] : [{ memory, state }];
        })
        .sort((a, b) => (a.memory.id < b.memory.id ? 1 : -1));
    });
  }

  /**
   * Confirms, for the person, that a memory holds for the current code, whose hash replaces the stored one.
   * @param location current anchor of the code; by default it is searched in the memory's file
   * @throws EngineError notFound | ambiguousId | invalidInput (no anchor, no such file)
   */
  confirm(reference: string, location?: Anchor): Promise<Memory> {
    return this.calls.change(async onWritten => {
      const { store, memory } = await this.parts.resolveReference(reference);
      const anchor = location ?? (await this.locateCode(memory));
      const after = await store.write(this.ctx.host.client, async tx => {
        const current = (await tx.get(memory.id)) ?? memory;
        const updatedAt = this.ctx.host.now().toISOString();
        await tx.update({ ...current, updatedAt, provenance: { ...current.provenance, ...anchor } }, 'edit', {
          change: 'confirmCode',
        });
        return (await tx.get(memory.id)) ?? current;
      });
      onWritten(store, [memory.id]);
      return after;
    });
  }

  /** Updates the anchors in renamed or moved documents and folders. @returns the number of updated memories */
  applyRenames(moves: readonly RenamedPath[]): Promise<number> {
    return this.calls.change(async onWritten => {
      const moved = (await this.listAnchored()).flatMap(anchored => {
        const { uri = '' } = anchored.memory.provenance;
        const move = moves.find(({ from }) => uri === from || uri.startsWith(`${from}/`));
        return move === undefined ? [] : [{ ...anchored, anchor: { uri: move.to + uri.slice(move.from.length) } }];
      });
      await this.writeMoves(moved, onWritten);
      return moved.length;
    });
  }

  /**
   * Updates the anchors of memories whose code moved, in the background: to the file that git detects as renamed, else to
   * the only other file of the project with the same code. Memories of the code index are skipped: indexing updates them.
   * Starts git, without any program that the repository's settings name.
   */
  update(signal?: AbortSignal): Promise<AnchorUpdateResult> {
    return this.calls.runInBackground(signal, async abortSignal => {
      const lost = await this.findLost();
      const moved: MovedAnchor[] = [];
      for (const root of new Set(lost.map(it => it.root))) {
        const lostInRoot = lost.filter(it => it.root === root);
        moved.push(...(await this.findMoved(root, lostInRoot, abortSignal)));
        if (abortSignal.aborted) break;
      }
      await this.calls.whenIdle();
      await this.calls.change(onWritten => this.writeMoves(moved, onWritten));
      return { updated: moved.length, lost: lost.length - moved.length };
    });
  }

  private async listAnchored(): Promise<AnchoredMemory[]> {
    const found = withWaitingStores(this.ctx).stores.map(async ({ store }) =>
      (await store.listAnchored()).map(memory => ({ store, memory })),
    );
    return (await Promise.all(found)).flat();
  }

  private async findLost(): Promise<LostAnchor[]> {
    const roots = await projectRoots(this.ctx.host.workspaceFolders);
    const lost: LostAnchor[] = [];
    for (const anchored of await this.listAnchored()) {
      const { memory } = anchored;
      const at = isCodeIndexed(memory) ? undefined : resolveAnchorFile(memory, roots);
      if (at === undefined) continue;
      const file = await readAnchorFile(at.file);
      const state = codeStateInFile(file, memory);
      if (state === undefined) continue;
      const isFileGone = file === 'gone';
      const { symbol } = memory.provenance;
      // Code whose name is still in the file was changed, not moved.
      const isStillHere =
        typeof file === 'object' && symbol !== undefined && file.text.includes(unqualifiedName(symbol));
      if (!isStillHere) lost.push({ ...anchored, ...at, isFileGone });
    }
    return lost;
  }

  private async findMoved(root: string, lost: readonly LostAnchor[], signal: AbortSignal): Promise<MovedAnchor[]> {
    const git = new GitRenames(root);
    const renames = new Map<string, Promise<string | undefined>>();
    const moved: MovedAnchor[] = [];
    const unresolved: LostAnchor[] = [];
    for (const it of lost) {
      if (signal.aborted) return moved;
      if (it.isFileGone && !renames.has(it.file)) renames.set(it.file, git.findCurrentPath(it.file));
      const target = it.isFileGone ? await renames.get(it.file) : undefined;
      const file = target === undefined ? 'gone' : await readAnchorFile(target);
      if (target === undefined || typeof file !== 'object') unresolved.push(it);
      else
        moved.push({ ...it, anchor: { uri: pathToFileURL(target).href, ...findUnchangedRange(file.text, it.memory) } });
    }
    return unresolved.length === 0 ? moved : [...moved, ...(await this.findIdenticalCode(root, unresolved, signal))];
  }

  /** Finds code in the other files of the project with the same extension; memories with several matches are left out. */
  private async findIdenticalCode(
    root: string,
    lost: readonly LostAnchor[],
    signal: AbortSignal,
  ): Promise<MovedAnchor[]> {
    const { excludeFile } = await projectRoot(root);
    const files = await walkFiles(root, false, {
      root,
      excludeFile,
      exclude: [],
      folder: root,
      signal,
      onIgnored: () => undefined,
    });
    const extensions = new Set(lost.map(it => path.extname(it.file)));
    const matchesByMemory = new Map<string, MovedAnchor[]>();
    for (const file of files) {
      if (signal.aborted) return [];
      if (!extensions.has(path.extname(file))) continue;
      const read = await readAnchorFile(file);
      if (typeof read !== 'object') continue;
      for (const it of lost) {
        const { symbol, range, anchorHash } = it.memory.provenance;
        if (it.file === file || range === undefined || anchorHash === undefined) continue;
        if (symbol !== undefined && !read.text.includes(unqualifiedName(symbol))) continue;
        const found = findUnchangedRange(read.text, it.memory);
        if (found === undefined || sliceLines(read.text, found.range).length < minCodeLength) continue;
        const { store, memory } = it;
        const moved: MovedAnchor = { store, memory, anchor: { uri: pathToFileURL(file).href, ...found } };
        matchesByMemory.set(memory.id, [...(matchesByMemory.get(memory.id) ?? []), moved]);
      }
    }
    return [...matchesByMemory.values()].filter(it => it.length === 1).flat();
  }

  private async writeMoves(
    moved: readonly MovedAnchor[],
    onWritten: (store: Store, ids: readonly string[]) => void,
  ): Promise<void> {
    for (const store of new Set(moved.map(it => it.store))) {
      const storeMoves = moved.filter(it => it.store === store);
      const movedIds = await store.write(this.ctx.host.client, async tx => {
        const ids: string[] = [];
        for (const { memory, anchor } of storeMoves) {
          const current = await tx.get(memory.id);
          // The anchor was changed in the meantime.
          if (current === undefined || current.provenance.uri !== memory.provenance.uri) continue;
          await tx.update({ ...current, provenance: { ...current.provenance, ...anchor } }, 'edit', {
            change: 'moved',
          });
          ids.push(memory.id);
        }
        return ids;
      });
      onWritten(store, movedIds);
    }
  }

  /** The location of a memory's code in its file: the unchanged code, else its declaration, else the same lines. */
  private async locateCode(memory: Memory): Promise<Anchor> {
    if (memory.provenance.uri === undefined && memory.provenance.file === undefined)
      throw new EngineError(
        'invalidInput',
        message`#${shortId(memory)} is about no code, so there is no code to confirm. Nothing was changed.`,
      );
    const at = resolveAnchorFile(memory, await projectRoots(this.ctx.host.workspaceFolders));
    const file = at === undefined ? 'unknown' : await readAnchorFile(at.file);
    if (at === undefined || typeof file !== 'object') {
      throw new EngineError(
        'invalidInput',
        message`The code of ${memory.id} is not in the open project. Forget the memory, or open the project it is about.`,
      );
    }
    const { symbol, range } = memory.provenance;
    const unchangedRange = findUnchangedRange(file.text, memory);
    if (unchangedRange !== undefined) return unchangedRange;
    const declaredRange =
      symbol === undefined ? undefined : await this.findDeclaration(at.file, file.text, symbol, range);
    const lines = file.text.split(/\r\n?|\n/u).length;
    const wanted = declaredRange ?? range ?? { startLine: 0, endLine: lines };
    const startLine = Math.min(wanted.startLine, lines - 1);
    const clampedRange = { startLine, endLine: Math.max(startLine + 1, Math.min(wanted.endLine, lines)) };
    return { range: clampedRange, anchorHash: codeHash(sliceLines(file.text, clampedRange)) };
  }

  private async findDeclaration(
    file: string,
    text: string,
    symbol: string,
    range: Anchor['range'],
  ): Promise<Anchor['range']> {
    const parser = languageOf(file.replaceAll('\\', '/'))?.parser;
    if (parser === undefined) return undefined;
    const parsers = new TreeSitterParser(path.join(this.ctx.host.bundleDir, 'parsers'));
    try {
      const lineDistance = (line: number): number => Math.abs(line - (range?.startLine ?? 0));
      const [found] = (await parsers.parseSymbols(parser, text))
        .filter(it => it.name === symbol)
        .sort((a, b) => lineDistance(a.startLine) - lineDistance(b.startLine));
      return found && { startLine: found.startLine, endLine: found.endLine + (found.endCharacter === 0 ? 0 : 1) };
    } finally {
      parsers.close();
    }
  }
}

/** The range of a memory's unchanged code in a text. */
function findUnchangedRange(
  text: string,
  { provenance: { range, anchorHash } }: Memory,
): { readonly range: NonNullable<Anchor['range']> } | undefined {
  if (range === undefined || anchorHash === undefined) return undefined;
  const lineCount = range.endLine - range.startLine;
  const startLine = findCode(text, { hash: anchorHash, startLine: range.startLine, lineCount });
  return startLine === undefined ? undefined : { range: { startLine, endLine: startLine + lineCount } };
}

function sliceLines(text: string, { startLine, endLine }: NonNullable<Anchor['range']>): string {
  return text
    .split(/\r\n?|\n/u)
    .slice(startLine, endLine)
    .join('\n');
}

/** Whether the code index made the memory, and updates it. */
function isCodeIndexed({ kind, provenance }: Memory): boolean {
  return provenance.source === 'code-index' && codeKinds.includes(kind);
}
