import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { anchoredFile, codeStates, projectRoots, readAnchorFile, stateIn } from '../anchors/codeState.js';
import { GitRenames } from '../anchors/gitRenames.js';
import { codeHash, findCode } from '../base/codeHash.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/message.js';
import type { Calls } from '../calls.js';
import type { Context } from '../context.js';
import { codeKinds, type Anchor, type AnchorsFollowed, type CodeState, type Memory } from '../model/memory.js';
import type { Store } from '../store/store.js';
import { projectRoot } from '../store/project.js';
import { languageOf } from './languages.js';
import { Parsers } from './parsers.js';
import { filesBelow } from './walk.js';

/** A memory whose code is not what it was. */
export interface ChangedAnchor {
  readonly memory: Memory;
  readonly state: CodeState;
}

/** Where a document was and where it is; folders too. URIs. */
export interface Renamed {
  readonly from: string;
  readonly to: string;
}

interface Placed {
  readonly store: Store;
  readonly memory: Memory;
}

/** A memory with its new place. */
interface Moved extends Placed {
  readonly anchor: Anchor;
}

/** A memory that is somewhere else, or nowhere. */
interface Lost extends Placed {
  readonly file: string;
  readonly root: string;
  /** Its file is gone; otherwise the code is gone from its file. */
  readonly isFileGone: boolean;
}

/** Code that is found in another file is the same code only where it says something: a brace is everywhere. */
const fewestCharacters = 20;

/** The places that memories are about: whether the code there is still what it was, and where it went. */
export class Anchors {
  constructor(
    private readonly ctx: Context,
    private readonly calls: Calls,
    private readonly parts: {
      /** @throws EngineError notFound | ambiguousId */
      readonly find: (reference: string) => Promise<Placed>;
    },
  ) {}

  /** Active memories of the open projects whose code has changed or is gone, newest first. */
  changed(): Promise<ChangedAnchor[]> {
    return this.calls.run(async () => {
      const active = (await this.all()).map(it => it.memory).filter(it => it.status === 'active' && !isDerived(it));
      const states = await codeStates(this.ctx.host.workspaceFolders, active);
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
   * @param place where the code is now, from a surface that knows; left out, it is looked for in the memory's file
   * @throws EngineError notFound | ambiguousId | invalidInput (no anchor, no such file)
   */
  confirm(reference: string, place?: Anchor): Promise<Memory> {
    return this.calls.change(async changed => {
      const { store, memory } = await this.parts.find(reference);
      const anchor = place ?? (await this.placeNow(memory));
      const after = await store.write(this.ctx.host.client, async tx => {
        const now = (await tx.get(memory.id)) ?? memory;
        const updatedAt = this.ctx.host.now().toISOString();
        await tx.update({ ...now, updatedAt, provenance: { ...now.provenance, ...anchor } }, 'edit', {
          change: 'confirmCode',
        });
        return (await tx.get(memory.id)) ?? now;
      });
      changed(store, [memory.id]);
      return after;
    });
  }

  /** Documents and folders were renamed or moved: their memories go with them. @returns how many */
  renamed(moves: readonly Renamed[]): Promise<number> {
    return this.calls.change(async changed => {
      const moved = (await this.all()).flatMap(placed => {
        const { uri = '' } = placed.memory.provenance;
        const move = moves.find(({ from }) => uri === from || uri.startsWith(`${from}/`));
        return move === undefined ? [] : [{ ...placed, anchor: { uri: move.to + uri.slice(move.from.length) } }];
      });
      await this.move(moved, changed);
      return moved.length;
    });
  }

  /**
   * Looks for the code of memories whose file is gone, or no longer has it, and lets them follow: where git saw the file
   * renamed, else where one other file of the project has the same code. What is derived from code is indexed again
   * instead. Starts git; nothing that a repository's settings name is run.
   */
  follow(signal?: AbortSignal): Promise<AnchorsFollowed> {
    return this.calls.inBackground(signal, async until => {
      const lost = await this.lost();
      const moved: Moved[] = [];
      for (const root of new Set(lost.map(it => it.root))) {
        const here = lost.filter(it => it.root === root);
        moved.push(...(await this.found(root, here, until)));
        if (until.aborted) break;
      }
      await this.calls.whenIdle();
      await this.calls.change(changed => this.move(moved, changed));
      return { followed: moved.length, lost: lost.length - moved.length };
    });
  }

  private async all(): Promise<Placed[]> {
    const found = this.ctx.stores.map(async ({ store }) => (await store.anchored()).map(memory => ({ store, memory })));
    return (await Promise.all(found)).flat();
  }

  private async lost(): Promise<Lost[]> {
    const roots = await projectRoots(this.ctx.host.workspaceFolders);
    const lost: Lost[] = [];
    for (const placed of await this.all()) {
      const { memory } = placed;
      const at = isDerived(memory) ? undefined : anchoredFile(memory, roots);
      if (at === undefined) continue;
      const file = await readAnchorFile(at.file);
      const state = stateIn(file, memory);
      if (state === undefined) continue;
      const isFileGone = file === 'gone';
      const { symbol } = memory.provenance;
      // Changed under its name is changed; without it, it may have been moved elsewhere.
      const isStillHere = typeof file === 'object' && symbol !== undefined && file.text.includes(lastName(symbol));
      if (!isStillHere) lost.push({ ...placed, ...at, isFileGone });
    }
    return lost;
  }

  private async found(root: string, lost: readonly Lost[], signal: AbortSignal): Promise<Moved[]> {
    const git = new GitRenames(root);
    const renames = new Map<string, Promise<string | undefined>>();
    const moved: Moved[] = [];
    const left: Lost[] = [];
    for (const it of lost) {
      if (signal.aborted) return moved;
      if (it.isFileGone && !renames.has(it.file)) renames.set(it.file, git.renamed(it.file));
      const target = it.isFileGone ? await renames.get(it.file) : undefined;
      const file = target === undefined ? 'gone' : await readAnchorFile(target);
      if (target === undefined || typeof file !== 'object') left.push(it);
      else moved.push({ ...it, anchor: { uri: pathToFileURL(target).href, ...rangeIn(file.text, it.memory) } });
    }
    return left.length === 0 ? moved : [...moved, ...(await this.sameCode(root, left, signal))];
  }

  /** The one other file of the project, of the same language, that has the code. */
  private async sameCode(root: string, lost: readonly Lost[], signal: AbortSignal): Promise<Moved[]> {
    const { excludeFile } = await projectRoot(root);
    const files = await filesBelow(root, false, {
      root,
      excludeFile,
      exclude: [],
      folder: root,
      signal,
      onIgnored: () => undefined,
    });
    const endings = new Set(lost.map(it => path.extname(it.file)));
    const places = new Map<string, Moved[]>();
    for (const file of files) {
      if (signal.aborted) return [];
      if (!endings.has(path.extname(file))) continue;
      const read = await readAnchorFile(file);
      if (typeof read !== 'object') continue;
      for (const it of lost) {
        const { symbol, range, anchorHash } = it.memory.provenance;
        if (it.file === file || range === undefined || anchorHash === undefined) continue;
        if (symbol !== undefined && !read.text.includes(lastName(symbol))) continue;
        const found = rangeIn(read.text, it.memory);
        if (found === undefined || textOf(read.text, found.range).length < fewestCharacters) continue;
        const { store, memory } = it;
        const moved: Moved = { store, memory, anchor: { uri: pathToFileURL(file).href, ...found } };
        places.set(memory.id, [...(places.get(memory.id) ?? []), moved]);
      }
    }
    return [...places.values()].filter(it => it.length === 1).flat();
  }

  private async move(moved: readonly Moved[], changed: (store: Store, ids: readonly string[]) => void): Promise<void> {
    for (const store of new Set(moved.map(it => it.store))) {
      const mine = moved.filter(it => it.store === store);
      const done = await store.write(this.ctx.host.client, async tx => {
        const ids: string[] = [];
        for (const { memory, anchor } of mine) {
          const now = await tx.get(memory.id);
          // Somebody else has placed it meanwhile.
          if (now === undefined || now.provenance.uri !== memory.provenance.uri) continue;
          await tx.update({ ...now, provenance: { ...now.provenance, ...anchor } }, 'edit', { change: 'moved' });
          ids.push(memory.id);
        }
        return ids;
      });
      changed(store, done);
    }
  }

  /** Where a memory's code is in its file: as it was, else its declaration, else the same lines. */
  private async placeNow(memory: Memory): Promise<Anchor> {
    const at = anchoredFile(memory, await projectRoots(this.ctx.host.workspaceFolders));
    const file = at === undefined ? 'unknown' : await readAnchorFile(at.file);
    if (at === undefined || typeof file !== 'object') {
      throw new EngineError(
        'invalidInput',
        message`The code of ${memory.id} is not in the open project. Forget the memory, or open the project it is about.`,
      );
    }
    const { symbol, range } = memory.provenance;
    const same = rangeIn(file.text, memory);
    if (same !== undefined) return same;
    const declared = symbol === undefined ? undefined : await this.declaration(at.file, file.text, symbol, range);
    const lines = file.text.split(/\r\n?|\n/u).length;
    const wanted = declared ?? range ?? { startLine: 0, endLine: lines };
    const startLine = Math.min(wanted.startLine, lines - 1);
    const now = { startLine, endLine: Math.max(startLine + 1, Math.min(wanted.endLine, lines)) };
    return { range: now, anchorHash: codeHash(textOf(file.text, now)) };
  }

  private async declaration(
    file: string,
    text: string,
    symbol: string,
    range: Anchor['range'],
  ): Promise<Anchor['range']> {
    const parser = languageOf(file.replaceAll('\\', '/'))?.parser;
    if (parser === undefined) return undefined;
    const parsers = new Parsers(path.join(this.ctx.host.bundleDir, 'parsers'));
    try {
      const far = (line: number): number => Math.abs(line - (range?.startLine ?? 0));
      const [found] = (await parsers.symbols(parser, text))
        .filter(it => it.name === symbol)
        .sort((a, b) => far(a.startLine) - far(b.startLine));
      return found && { startLine: found.startLine, endLine: found.endLine + (found.endCharacter === 0 ? 0 : 1) };
    } finally {
      parsers.close();
    }
  }
}

/** The lines in a text that a memory's code is at, unchanged. */
function rangeIn(
  text: string,
  { provenance: { range, anchorHash } }: Memory,
): { readonly range: NonNullable<Anchor['range']> } | undefined {
  if (range === undefined || anchorHash === undefined) return undefined;
  const lineCount = range.endLine - range.startLine;
  const startLine = findCode(text, { hash: anchorHash, startLine: range.startLine, lineCount });
  return startLine === undefined ? undefined : { range: { startLine, endLine: startLine + lineCount } };
}

function textOf(text: string, { startLine, endLine }: NonNullable<Anchor['range']>): string {
  return text
    .split(/\r\n?|\n/u)
    .slice(startLine, endLine)
    .join('\n');
}

/** It is made again from the code by indexing it. */
const isDerived = ({ kind, provenance }: Memory): boolean =>
  provenance.source === 'code-index' && codeKinds.includes(kind);

const lastName = (symbol: string): string => symbol.slice(symbol.lastIndexOf('.') + 1);
