import { EngineError } from '../../engine/base/errors.js';
import { readTextFile, replaceTextFile } from '../../engine/base/atomicFile.js';
import type { MemoryEngine } from '../../engine/engine.js';
import { dayMs } from '../../engine/model/duration.js';
import { Emitter } from '../emitter.js';
import { hasEffect, takeStep, withoutTexts, type UndoStep } from './undoSteps.js';

/** Changes that can be undone one after another. */
export const maxUndoSteps = 10;
/** As long a change is offered to be undone without a search for it. */
const recentMs = dayMs;
/** Windows that write at the same moment try again. */
const maxAttempts = 5;

export type ChangeName =
  | 'remembered'
  | 'forgot'
  | 'restored'
  | 'pinned'
  | 'unpinned'
  | 'settled'
  | 'done'
  | 'dropped'
  | 'edited'
  | 'prioritized'
  | 'confirmed'
  | 'keptForGood'
  | 'reviewed'
  | 'copied'
  | 'moved';

/** One change of a person, of one memory or of many at once. */
export interface UndoableChange {
  readonly name: ChangeName;
  /** The memories that it was about. */
  readonly ids: readonly string[];
  readonly steps: readonly UndoStep[];
}

export interface RecordedChange extends UndoableChange {
  /** ISO-8601 UTC. */
  readonly at: string;
  /** Files of the stores that were open, which a window that undoes it has to have open too. */
  readonly stores: readonly string[];
}

/**
 * The last changes of a person, which all windows share and which survive a reload: a file in the data folder. Must not
 * import `vscode`.
 */
export class UndoHistory {
  private readonly emitter = new Emitter<void>();
  /** Fires after each change of this window. */
  readonly onDidChange = this.emitter.event;

  /** @param file created on first use @param now the time of a change */
  constructor(
    private readonly file: string,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** Adds a change; the oldest beyond ten is dropped. */
  async record(engine: MemoryEngine, change: UndoableChange): Promise<RecordedChange> {
    const entry = {
      ...change,
      steps: change.steps.map(withoutTexts),
      at: this.now().toISOString(),
      stores: filesOf(engine),
    };
    await this.update(all => {
      const others = all.filter(it => !isSame(it.stores, entry.stores));
      const own = all.filter(it => isSame(it.stores, entry.stores));
      return [...others, ...own.slice(1 - maxUndoSteps), entry];
    });
    this.emitter.fire();
    return entry;
  }

  /** Adds a change; one that takes the newest one back makes that one go instead, as an undo does. */
  async note(engine: MemoryEngine, change: UndoableChange): Promise<void> {
    const last = await this.last(engine);
    const isTakenBack = last !== undefined && takenBackBy[change.name]?.includes(last.name) === true;
    if (isTakenBack && isSame(last.ids, change.ids)) await this.drop(last);
    else await this.record(engine, change);
  }

  /** Forgets the newest change of these memories, which was taken back where it was made. */
  async noteTakenBack(engine: MemoryEngine, { name, ids }: Pick<UndoableChange, 'name' | 'ids'>): Promise<void> {
    const { entries } = await this.read();
    const change = entries.findLast(it => isUndoable(it, engine) && it.name === name && isSame(it.ids, ids));
    if (change !== undefined) await this.drop(change);
  }

  /** A change that cannot be undone was made: what came before it is no longer the last change. */
  async clear(engine: MemoryEngine): Promise<void> {
    await this.update(all => all.filter(it => !isUndoable(it, engine)));
    this.emitter.fire();
  }

  /** The newest change that this engine can undo. */
  async last(engine: MemoryEngine): Promise<RecordedChange | undefined> {
    const { entries } = await this.read();
    return entries.findLast(it => isUndoable(it, engine));
  }

  /** The newest change of the last day that there is something left of to undo: what a person may want to take back at once. */
  async recent(engine: MemoryEngine): Promise<RecordedChange | undefined> {
    const { entries } = await this.read();
    const since = this.now().getTime() - recentMs;
    for (const it of entries.toReversed()) {
      if (isUndoable(it, engine) && Date.parse(it.at) > since && (await mayChange(engine, it))) return it;
    }
    return undefined;
  }

  /**
   * Undoes the newest change, all of it, and forgets it; passes over one that there is nothing left of to undo.
   * @returns what was undone; undefined where there is nothing
   * @throws what the calls of the engine throw; the change stays then
   */
  async undo(engine: MemoryEngine): Promise<RecordedChange | undefined> {
    for (;;) {
      const change = await this.last(engine);
      if (change === undefined) return undefined;
      if (await this.take(engine, change)) return change;
    }
  }

  /** Undoes one change, and forgets it. @returns whether it was there, and anything of it to undo */
  async take(engine: MemoryEngine, change: RecordedChange): Promise<boolean> {
    const isThere = (await this.read()).entries.some(it => isSameChange(it, change));
    const hasEffect = isThere && (await mayChange(engine, change));
    if (hasEffect) for (const step of change.steps) await takeStep(engine, step);
    await this.drop(change);
    return hasEffect;
  }

  private async drop(change: RecordedChange): Promise<void> {
    await this.update(all => all.filter(it => !isSameChange(it, change)));
    this.emitter.fire();
  }

  private async update(next: (entries: readonly RecordedChange[]) => readonly RecordedChange[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const { text, entries } = await this.read();
      try {
        await replaceTextFile(this.file, text, JSON.stringify({ entries: next(entries) }));
        return;
      } catch (error) {
        if (attempt === maxAttempts || !EngineError.is(error, 'unsupportedFile')) throw error;
      }
    }
  }

  private async read(): Promise<{ readonly text: string | undefined; readonly entries: readonly RecordedChange[] }> {
    const { text } = await readTextFile(this.file);
    return { text, entries: parseHistory(text) };
  }
}

/** An unreadable file has nothing to undo. */
function parseHistory(text: string | undefined): readonly RecordedChange[] {
  try {
    const { entries } = JSON.parse(text ?? '{}') as { readonly entries?: unknown };
    return Array.isArray(entries) ? (entries as RecordedChange[]) : [];
  } catch {
    return [];
  }
}

/** Names of changes that another one takes back, by its name. */
const takenBackBy: Readonly<Partial<Record<ChangeName, readonly ChangeName[]>>> = {
  restored: ['forgot', 'done', 'dropped'],
  forgot: ['restored'],
  unpinned: ['pinned'],
  pinned: ['unpinned'],
};

function isSameChange(a: RecordedChange, b: RecordedChange): boolean {
  return a.at === b.at && isSame(a.ids, b.ids);
}

async function mayChange(engine: MemoryEngine, { steps }: UndoableChange): Promise<boolean> {
  for (const step of steps) if (await hasEffect(engine, step)) return true;
  return false;
}

function isUndoable(change: RecordedChange, engine: MemoryEngine): boolean {
  const files = filesOf(engine);
  return change.stores.every(it => files.includes(it));
}

function filesOf(engine: MemoryEngine): readonly string[] {
  return engine.stores.map(it => it.file);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((it, i) => it === b[i]);
}
