import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { Context } from '../context.js';
import { embedOrLog } from '../embeddings/embedOrLog.js';
import { parseMessage } from '../model/engineMessages.js';
import { shortId, type Memory, type Standing } from '../model/memory.js';
import type { TextEdit } from '../model/rememberInput.js';
import { withoutGuess } from '../remember/likelyConflict.js';
import { prepareText } from '../remember/prepareFact.js';
import { hashContent } from '../store/contentHash.js';
import type { CallTracker } from '../store/callTracker.js';
import type { StoreTransaction } from '../store/store.js';
import { findDueDate } from '../text/dueDate.js';
import { resolveReference, updateMemory, type LocatedMemory } from './memoryActions.js';

/** Edits of one memory that can be undone, and memories of a store that keep any: as many as a person may undo at all. */
const maxFormerTexts = 10;

/** A memory before one edit. It lies in the store of the memory, moves with it to another store, and goes with it by maintenance or for good. */
interface FormerText extends Pick<Memory, 'content' | 'lane' | 'expiresAt' | 'dueAt'> {
  /** The hash of the text that the edit wrote: where the memory has another one, the undo would overwrite that. */
  readonly writtenHash: string;
}

/** The record of a memory, the last edit last. */
interface FormerTexts {
  readonly texts: readonly FormerText[];
}

/** A person's edits of memories, of which the last ones can be taken back. */
export class TextEdits {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /**
   * Gives one memory another text, whole as it is. What else it is stays: the words by which it is found, its links and its
   * history.
   * @throws EngineError notFound | ambiguousId | invalidInput (a secret, a text that another memory has, one that has
   *   changed meanwhile or is not in use), and errors of Store.write
   */
  async edit(reference: string, { content, before }: TextEdit): Promise<Memory> {
    const prepared = prepareEdit(this.ctx, content);
    return this.change(reference, before, async ({ tx, memory, at, outdated }) => {
      if (memory.content === prepared.content) return;
      requireEditable(memory, before);
      const { expiresAt, ...rest } = memory;
      const dueAt = dueAfterEdit(memory, prepared.content, at);
      await writeText(tx, { ...rest, ...prepared, lane: 'confirmed', ...dueAt, updatedAt: at });
      const kept = (await readFormerTexts(tx, memory.id)).slice(1 - maxFormerTexts);
      await putFormerTexts(tx, memory.id, [...kept, toFormerText(memory, prepared.contentHash)]);
      for (const id of outdated) await tx.deleteRecord('formerText', id);
    });
  }

  /**
   * Takes the last edit of one memory back.
   * @throws EngineError notFound | ambiguousId | invalidInput (there is none, the memory is not in use, or its text is no
   *   longer the edited one), and errors of Store.write
   */
  undo(reference: string): Promise<Memory> {
    return this.change(reference, undefined, async ({ tx, memory, at }) => {
      const texts = await readFormerTexts(tx, memory.id);
      const former = lastOf(texts, memory);
      requireEditable(memory, memory.content);
      if (former === undefined) throw new EngineError('invalidInput', 'It has no edit that could be taken back.');
      const { writtenHash: _, content, ...state } = former;
      const { expiresAt, dueAt, ...rest } = memory;
      await writeText(tx, { ...rest, ...prepareEdit(this.ctx, content), ...state, updatedAt: at });
      await putFormerTexts(tx, memory.id, texts.slice(0, -1));
    });
  }

  /**
   * Gives one memory back the lane and the life that it had before `promote` or `markCritical`.
   * @throws EngineError notFound | ambiguousId, and errors of Store.write
   */
  restoreStanding(reference: string, standing: Standing): Promise<Memory> {
    return this.calls.change(async onWritten => {
      const { store, memory } = await updateMemory(this.ctx, reference, (tx, { expiresAt: _, ...current }) =>
        tx.update({ ...current, ...standing }, 'edit', { change: 'standing' }),
      );
      onWritten(store, [memory.id]);
      return memory;
    });
  }

  /** Whether {@link undo} has an edit to take back. @throws EngineError notFound | ambiguousId */
  canUndo(reference: string): Promise<boolean> {
    return this.calls.run(async () => {
      const { store, memory } = await resolveReference(this.ctx, reference);
      const record = await store.record<FormerTexts>('formerText', memory.id);
      return memory.status === 'active' && lastOf(record?.body.texts ?? [], memory) !== undefined;
    });
  }

  /** @param before the text that needs no new vector */
  private change(
    reference: string,
    before: string | undefined,
    write: (input: EditInput) => Promise<void>,
  ): Promise<Memory> {
    return this.calls.change(async onWritten => {
      const { store, memory } = await resolveReference(this.ctx, reference);
      const ids = (await store.records('formerText', Number.MAX_SAFE_INTEGER)).map(it => it.id);
      const outdated = ids.filter(it => it !== memory.id).slice(maxFormerTexts - 1);
      const edited = await updateMemory(this.ctx, memory.id, (tx, current, at) =>
        write({ tx, memory: current, at, outdated }),
      );
      if (edited.memory.content !== before) await embedAgain(this.ctx, edited);
      onWritten(edited.store, [memory.id]);
      return edited.memory;
    });
  }
}

/** The memory inside of the transaction, and the ids of others whose former texts go. */
interface EditInput {
  readonly tx: StoreTransaction;
  readonly memory: Memory;
  readonly at: string;
  readonly outdated: readonly string[];
}

function prepareEdit(ctx: Context, content: string): Exclude<ReturnType<typeof prepareText>, { refused: string }> {
  const prepared = prepareText(content, ctx.host.config().remember);
  if ('refused' in prepared) throw new EngineError('invalidInput', parseMessage(prepared.refused) ?? prepared.refused);
  return prepared;
}

/** @throws EngineError invalidInput where another memory has the text */
async function writeText(tx: StoreTransaction, memory: Memory): Promise<void> {
  const [same] = await tx.findByHash([memory.contentHash], memory.scopeId ?? '');
  if (same !== undefined && same.id !== memory.id) {
    throw new EngineError(
      'invalidInput',
      message`The same memory is there already (#${shortId(same)}). Forget one of the two.`,
    );
  }
  const sequence = await tx.nextSequence(memory.scopeId ?? '');
  const provenance = withoutGuess(memory.provenance);
  await tx.update({ ...memory, provenance, sequence }, 'edit', { change: 'text' });
}

/** @throws EngineError invalidInput */
function requireEditable({ content, status, provenance }: Memory, before: string): void {
  if (status !== 'active') throw new EngineError('invalidInput', 'It is no longer in use: restore it, then edit it.');
  if (provenance.source === 'code-index')
    throw new EngineError('invalidInput', 'It describes code and follows it: change the code, then index its file.');
  if (content !== before)
    throw new EngineError('invalidInput', 'It has been changed meanwhile. Look at its text now, then edit it.');
}

/** The due date of a plan, where the new text names another one than the old text does. */
function dueAfterEdit({ gate, content }: Memory, edited: string, at: string): Partial<Pick<Memory, 'dueAt'>> {
  const now = new Date(at);
  const dueAt = gate === 'promissory' ? findDueDate(edited, now) : undefined;
  return dueAt === undefined || dueAt === findDueDate(content, now) ? {} : { dueAt };
}

function toFormerText({ content, lane, expiresAt, dueAt }: Memory, writtenHash: string): FormerText {
  return {
    ...{ content, lane, writtenHash },
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(dueAt === undefined ? {} : { dueAt }),
  };
}

async function readFormerTexts(tx: StoreTransaction, id: string): Promise<readonly FormerText[]> {
  return (await tx.record<FormerTexts>('formerText', id))?.body.texts ?? [];
}

function putFormerTexts(tx: StoreTransaction, id: string, texts: readonly FormerText[]): Promise<void> {
  return texts.length === 0 ? tx.deleteRecord('formerText', id) : tx.putRecord('formerText', id, { texts });
}

/** State of the memory before the edit that gave it the text that it has. */
function lastOf(texts: readonly FormerText[], { content }: Memory): FormerText | undefined {
  const last = texts.at(-1);
  return last?.writtenHash === hashContent(content) ? last : undefined;
}

/** A text that cannot be embedded now is embedded with those that have no vector. */
async function embedAgain(ctx: Context, { store, memory }: LocatedMemory): Promise<void> {
  const [vector] = await embedOrLog(ctx, [memory.content]);
  if (vector !== undefined) await store.saveVectors(new Map([[memory.id, vector]]));
  if (ctx.embedder.embedsQuestions) ctx.embedder.onDidMiss();
}
