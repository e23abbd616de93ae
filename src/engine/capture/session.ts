import { stat } from 'node:fs/promises';
import { EngineError } from '../base/errors.js';
import type { Calls } from '../calls.js';
import { classify } from '../classify/classify.js';
import type { Context } from '../context.js';
import type { CaptureSource, SessionCapture } from '../model/capture.js';
import type { RememberOutcome } from '../model/change.js';
import { gateDefaults } from '../model/config.js';
import type { RememberInput } from '../model/remember.js';
import { remember } from '../remember/remember.js';
import type { Store, StoreTransaction } from '../store/store.js';
import type { SessionLine } from './claudeCode.js';
import { Counting } from './counting.js';
import { cursorId, type Cursor, type Position } from './cursor.js';
import { extractFacts } from './extract.js';
import { GitHistory } from './gitHistory.js';
import { askForFacts, turnCharacters, type ShownTurn } from './modelFacts.js';
import { isWithin, realFolders } from './sources.js';
import { tell, type Story } from './story.js';
import { writeSummary } from './summary.js';
import { transcripts, type TranscriptReader } from './transcripts.js';

/** Lines done with in one go even where nobody says anything: what a crash makes us read again. */
const linesAtOnce = 5_000;

/** A store that takes what a session says, and how far it has. */
interface Target {
  readonly store: Store;
  readonly from: Position;
  cursor: Cursor | undefined;
}

/** Something said, with its place in the file. */
interface Turn {
  readonly line: Extract<SessionLine, { kind: 'person' | 'outcome' }>;
  readonly end: number;
}

interface Fact {
  readonly content: string;
  readonly turn: Turn;
}

export interface SessionOptions {
  readonly source: CaptureSource;
  readonly file: string;
  readonly signal: AbortSignal;
  onBytes(offset: number): void;
}

/** What came of one file: what was captured, and why it ended before the file did. */
export interface SessionResult {
  readonly captured: SessionCapture | undefined;
  readonly ended: 'done' | 'cancelled' | { readonly waitsUntil: Date };
}

/**
 * Captures what a session file says beyond its cursors, batch by batch. The facts of a batch and the cursor behind them
 * are one transaction per store, so that a crash at any moment repeats nothing and skips nothing; each store has a
 * cursor of its own, and takes only what lies behind it.
 * @throws EngineError storeBusy (another process captures the same session), and what remembering throws
 */
export async function captureSession(ctx: Context, calls: Calls, options: SessionOptions): Promise<SessionResult> {
  const { source, file, signal } = options;
  const id = cursorId(source, file);
  const reader = transcripts[source];
  const stores = await storesFor(ctx, reader, file);
  const targets = await Promise.all(stores.map(it => targetIn(it, id, { reader, file })));
  const first = targets.reduce((low, it) => (it.from.offset < low.from.offset ? it : low));
  const run = new Run({ ctx, calls, id, file, reader, targets, signal }, first.cursor?.story ?? {});
  let batch: Turn[] = [];
  let characters = 0;
  let lines = 0;
  let end = first.from.offset;
  const counting = new Counting();
  const flush = async (): Promise<Date | undefined> => {
    const waitsUntil = await run.take(batch, end);
    options.onBytes(end);
    [batch, characters, lines] = [[], 0, 0];
    return waitsUntil;
  };
  for await (const it of reader.lines(file, first.from.offset)) {
    const { line } = it;
    const isTurn = line.kind === 'person' || line.kind === 'outcome';
    const isFull = lines >= linesAtOnce || (isTurn && batch.length > 0 && characters + sizeOf(line) > turnCharacters);
    if (isFull) {
      const waitsUntil = await flush();
      if (waitsUntil !== undefined) return { captured: await run.end(counting), ended: { waitsUntil } };
    }
    if (signal.aborted) return { captured: await run.end(counting), ended: 'cancelled' };
    counting.add(line);
    run.tell(line);
    if (isTurn) {
      batch.push({ line, end: it.end });
      characters += sizeOf(line);
    }
    lines++;
    end = it.end;
  }
  const waitsUntil = lines === 0 ? undefined : await flush();
  return { captured: await run.end(counting), ended: waitsUntil === undefined ? 'done' : { waitsUntil } };
}

/** The store of the session's project, the first one where it names none of those that are open; then the global store. */
async function storesFor(ctx: Context, reader: TranscriptReader, file: string): Promise<Store[]> {
  const projects = ctx.stores.filter(it => it.store.kind === 'project');
  const global = ctx.stores.filter(it => it.store.kind === 'global');
  const held = projects.length > 1 ? await reader.folderOf(file) : undefined;
  let home = projects[0];
  for (const it of projects.toReversed()) {
    if (held !== undefined && (await isWithin(held, await realFolders(it.folders)))) home = it;
  }
  return [...(home === undefined ? [] : [home]), ...global].map(it => it.store);
}

async function targetIn(
  store: Store,
  id: string,
  { reader, file }: { readonly reader: TranscriptReader; readonly file: string },
): Promise<Target> {
  const cursor = (await store.record<Cursor>('cursor', id))?.body;
  return { store, cursor, from: await reader.position(file, cursor) };
}

/** With the label that a model sees it under. */
const sizeOf = ({ text }: { readonly text: string }): number => text.length + 20;

interface RunParts {
  readonly ctx: Context;
  readonly calls: Calls;
  readonly id: string;
  readonly file: string;
  readonly reader: TranscriptReader;
  readonly targets: readonly Target[];
  readonly signal: AbortSignal;
}

/** One file being captured: its story so far, and what was kept. */
class Run {
  private readonly outcomes: RememberOutcome[] = [];
  private by: SessionCapture['by'] = 'rule';
  private git: GitHistory | undefined;
  private uuid: string | undefined;
  /** As it was at the last cursor: what a batch that waits has told does not count. */
  private keptStory: Story;

  constructor(
    private readonly parts: RunParts,
    private story: Story,
  ) {
    this.keptStory = story;
  }

  tell(line: SessionLine): void {
    this.story = tell(this.story, line);
    if (line.kind !== 'broken' && line.uuid !== undefined) this.uuid = line.uuid;
  }

  /** Keeps the facts of a batch that ends at an offset. @returns until when it has to wait, and nothing was done */
  async take(batch: readonly Turn[], end: number): Promise<Date | undefined> {
    const { calls, targets, file, reader } = this.parts;
    const found = await this.factsOf(batch);
    if (found instanceof Date) return found;
    this.git ??= await GitHistory.read(this.story.folder);
    const inputs = found.map(it => this.inputOf(it));
    const cursor: Cursor = {
      file,
      offset: end,
      tail: await reader.tail(file, end),
      story: this.story,
      ...(this.uuid === undefined ? {} : { uuid: this.uuid }),
    };
    await calls.whenIdle();
    await calls.change(async changed => {
      for (const target of targets) {
        if (end <= target.from.offset && target.from.after === undefined) continue;
        const mine = inputs.filter((it, i) => this.goesTo(target, it, found[i]!.turn));
        await this.write(target, mine, cursor, changed);
      }
    });
    this.keptStory = this.story;
    return undefined;
  }

  /** The summary, and what came of the file; undefined when there was nothing new. */
  async end(counting: Counting): Promise<SessionCapture | undefined> {
    const { ctx, calls, id, file, targets } = this.parts;
    const home = targets[0]!;
    let summary: string | undefined;
    await calls.change(async changed => {
      this.git ??= await GitHistory.read(this.keptStory.folder);
      const written = await writeSummary(ctx, home.store, { id, git: this.git });
      if (written === undefined) return;
      changed(home.store, [written.id]);
      summary = written.content;
    });
    const { count } = counting;
    if (count.lines === 0 && summary === undefined) return undefined;
    const session = this.keptStory.session ?? id;
    return { file, session, read: count, outcomes: this.outcomes, summary, by: this.by };
  }

  private async factsOf(batch: readonly Turn[]): Promise<readonly Fact[] | Date> {
    const { ctx, signal } = this.parts;
    const model = ctx.models.current();
    if (model.provider !== 'none' && batch.some(it => it.line.kind === 'person')) {
      const facts: Fact[] = [];
      let asked = true;
      for (const turns of portions(batch)) {
        const shown = turns.map(({ turn, text }): ShownTurn => ({
          by: turn.line.kind === 'person' ? 'person' : 'assistant',
          text,
        }));
        const answer = await askForFacts(model, shown, { told: this.story.told, log: ctx.host.log, signal });
        if (answer === 'none') {
          asked = false;
          break;
        }
        if ('waitsUntil' in answer) {
          this.story = this.keptStory;
          return answer.waitsUntil;
        }
        const { summary } = answer.facts;
        if (summary.trim() !== '') this.story = { ...this.story, told: summary.trim() };
        facts.push(...answer.facts.facts.map(({ content, turn }) => ({ content, turn: turns[turn]!.turn })));
      }
      if (asked) {
        this.by = 'model';
        return facts;
      }
    }
    return batch
      .filter(it => it.line.kind === 'person')
      .flatMap(turn => extractFacts(turn.line.text).map(content => ({ content, turn })));
  }

  private inputOf({ content, turn }: Fact): RememberInput {
    const { ctx, id } = this.parts;
    const { at, branch, session = this.story.session ?? id } = turn.line;
    // What a line claims of its future would outlive everything; the clock is the host's.
    const said = at === undefined || Date.parse(at) > ctx.host.now().getTime() ? undefined : at;
    const commit = said === undefined ? undefined : this.git?.commitAt(said);
    return {
      content,
      source: 'conversation',
      lane: 'note',
      whole: true,
      session,
      store: gateDefaults[classify(content, said === undefined ? ctx.host.now() : new Date(said)).gate].store,
      ...(said === undefined ? {} : { at: said }),
      ...(branch === undefined ? {} : { branch }),
      ...(commit === undefined ? {} : { commit }),
    };
  }

  private goesTo({ store, from }: Target, input: RememberInput, turn: Turn): boolean {
    const home = this.parts.targets[0]!.store;
    const wanted = input.store === 'global' ? this.parts.targets.at(-1)!.store : home;
    if (wanted !== store || turn.end <= from.offset) return false;
    return from.after === undefined || (turn.line.at ?? '') > from.after;
  }

  /** Facts and cursor in one transaction. */
  private async write(
    target: Target,
    inputs: readonly RememberInput[],
    cursor: Cursor,
    changed: (store: Store, ids: readonly string[]) => void,
  ): Promise<void> {
    const { ctx, id } = this.parts;
    const before = target.cursor;
    let next: Cursor | undefined;
    const move = async (tx: StoreTransaction): Promise<void> => {
      const now = (await tx.record<Cursor>('cursor', id))?.body;
      if (now?.offset !== before?.offset || now?.tail !== before?.tail) {
        throw new EngineError('storeBusy', 'Another program is capturing this session. Try again in a moment.');
      }
      next = { ...cursor, ...(now?.summary === undefined ? {} : { summary: now.summary }) };
      await tx.putRecord('cursor', id, next);
    };
    const within = { ...ctx, stores: ctx.stores.filter(it => it.store === target.store || it.store.kind === 'global') };
    if (inputs.length > 0) this.outcomes.push(...(await remember(within, inputs, changed, move)).flat());
    // All of them may have been refused, and then nothing was written.
    if (next === undefined) await target.store.write(ctx.host.client, move);
    target.cursor = next;
  }
}

/** The turns of a batch in portions that a model takes at once; one that is longer than a portion comes in pieces. */
function portions(batch: readonly Turn[]): { readonly turn: Turn; readonly text: string }[][] {
  const all: { readonly turn: Turn; readonly text: string }[][] = [[]];
  let size = 0;
  const piece = turnCharacters - 20;
  for (const turn of batch) {
    const { text } = turn.line;
    for (let from = 0; from < text.length; from += piece) {
      const part = text.slice(from, from + piece);
      if (size + part.length + 20 > turnCharacters && size > 0) {
        all.push([]);
        size = 0;
      }
      all.at(-1)!.push({ turn, text: part });
      size += part.length + 20;
    }
  }
  return all;
}

/** Bytes of a file. */
export async function sizeOfFile(file: string): Promise<number> {
  return (await stat(file)).size;
}
