import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  resolveAnchorFile,
  readCodeStates,
  projectRoots,
  readAnchorFile,
  codeStateInFile,
} from '../recall/codeState.js';
import { GitRenames } from './gitRenames.js';
import { codeHash, findCode } from '../base/codeHash.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { CallTracker } from '../callTracker.js';
import type { Context } from '../context.js';
import { codeKinds, type Anchor, type AnchorUpdateResult, type CodeState, type Memory } from '../model/memory.js';
import type { Store } from '../store/store.js';
import { projectRoot } from '../store/projectIdentity.js';
import { languageOf } from './languages.js';
import { TreeSitterParser } from './treeSitterParser.js';
import { walkFiles } from './walkFiles.js';

/** A memory whose code is not what it was. */
export interface ChangedAnchor {
  readonly memory: Memory;
  readonly state: CodeState;
}

/** Where a document was and where it is; folders too. URIs. */
export interface RenamedPath {
  readonly from: string;
  readonly to: string;
}

interface AnchoredMemory {
  readonly store: Store;
  readonly memory: Memory;
}

/** A memory with its new place. */
interface MovedAnchor extends AnchoredMemory {
  readonly anchor: Anchor;
}

/** A memory that is somewhere else, or nowhere. */
interface LostAnchor extends AnchoredMemory {
  readonly file: string;
  readonly root: string;
  /** Its file is gone; otherwise the code is gone from its file. */
  readonly isFileGone: boolean;
}

/** Code that is found in another file is the same code only where it says something: a brace is everywhere. */
const minCodeLength = 20;

/** The places that memories are about: whether the code there is still what it was, and where it went. */
export class AnchorTracker {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
    private readonly parts: {
      /** @throws EngineError notFound | ambiguousId */
      readonly resolveReference: (reference: string) => Promise<AnchoredMemory>;
    },
  ) {}

  /** Active memories of the open projects whose code has changed or is gone, newest first. */
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
   * A person's word that a memory holds for the code as it is now: from here on that is what it is compared with.
   * @param location where the code is now, from a surface that knows; left out, it is looked for in the memory's file
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

  /** Documents and folders were renamed or moved: their memories go with them. @returns how many */
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
   * Looks for the code of memories whose file is gone, or no longer has it, and lets them follow: where git saw the file
   * renamed, else where one other file of the project has the same code. What is derived from code is indexed again
   * instead. Starts git; nothing that a repository's settings name is run.
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
    const found = this.ctx.stores.map(async ({ store }) =>
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
      // Changed under its name is changed; without it, it may have been moved elsewhere.
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

  /** The one other file of the project, of the same language, that has the code. */
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
          // Somebody else has placed it meanwhile.
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

  /** Where a memory's code is in its file: as it was, else its declaration, else the same lines. */
  private async locateCode(memory: Memory): Promise<Anchor> {
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

/** The lines in a text that a memory's code is at, unchanged. */
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

/** It is made again from the code by indexing it. */
const isCodeIndexed = ({ kind, provenance }: Memory): boolean =>
  provenance.source === 'code-index' && codeKinds.includes(kind);

const unqualifiedName = (symbol: string): string => symbol.slice(symbol.lastIndexOf('.') + 1);
