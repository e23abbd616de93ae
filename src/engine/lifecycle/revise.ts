import { isDeepStrictEqual } from 'node:util';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { Context } from '../context.js';
import type { EdgeMark } from '../model/edge.js';
import { formatMessage } from '../model/engineMessages.js';
import { shortId, type Memory, type SearchAids } from '../model/memory.js';
import type { ReviseInput } from '../model/rememberInput.js';
import { addAids, normalizeAids } from '../secrets/searchAids.js';
import type { Store, StoreTransaction } from '../store/store.js';
import { resolveReference, type LocatedMemory } from './memoryActions.js';

/**
 * A judgement on a stored memory: another one replaces it or says the same, or it still holds; or words to find it by. It
 * orders and marks, and costs no confidence. Returns the memory with its store.
 * @throws EngineError notFound | ambiguousId | invalidInput, and what Store.write throws
 */
export async function revise(ctx: Context, input: ReviseInput, by: EdgeMark['by']): Promise<LocatedMemory> {
  const { replacedBy, sameAs, stillTrue = false, questions, keywords } = input;
  const judgements = [replacedBy, sameAs, stillTrue || undefined].filter(it => it !== undefined).length;
  if (judgements > 1) {
    throw new EngineError('invalidInput', 'Give one of replacedBy, sameAs and stillTrue, not several.');
  }
  if (judgements === 0 && questions === undefined && keywords === undefined) {
    throw new EngineError(
      'invalidInput',
      'Give replacedBy, sameAs or stillTrue, or questions or keywords to find it by.',
    );
  }
  const { store, memory } = await resolveReference(ctx, input.id);
  const otherReference = replacedBy ?? sameAs;
  const other = otherReference === undefined ? undefined : await resolveReference(ctx, otherReference);
  if (other !== undefined) requireSameSet(store, memory, other);
  const aids = normalizeAids({
    ...(questions === undefined ? {} : { questions }),
    ...(keywords === undefined ? {} : { keywords }),
  });
  await store.write(ctx.host.client, async tx => {
    if (other !== undefined)
      await markReplaced(tx, memory, other.memory, replacedBy === undefined ? 'same' : 'replaced', by);
    if (stillTrue && !(await tx.clearMarks(memory.id, by))) {
      throw new EngineError(
        'invalidInput',
        message`A person has said that #${shortId(memory)} no longer holds; that stands. Ask the user.`,
      );
    }
    if (questions === undefined && keywords === undefined) return;
    const known = await currentAids(store, memory.id);
    // A model adds to what is there, for a person may have written it; a person replaces the list that they give.
    const revised: SearchAids =
      by === 'person'
        ? {
            questions: questions === undefined ? known.questions : aids.questions,
            keywords: keywords === undefined ? known.keywords : aids.keywords,
          }
        : addAids(known, aids);
    if (!isDeepStrictEqual(revised, known)) await tx.setAids(memory.id, revised, { isEdit: true });
  });
  return { store, memory };
}

async function currentAids(store: Store, id: string): Promise<ReturnType<typeof normalizeAids>> {
  return (await store.aids([id])).get(id) ?? { questions: [], keywords: [] };
}

function requireSameSet(store: Store, memory: Memory, other: LocatedMemory): void {
  if (other.memory.id === memory.id) {
    throw new EngineError('invalidInput', message`#${shortId(memory)} cannot replace itself.`);
  }
  if (other.store !== store || other.memory.scopeId !== memory.scopeId) {
    throw new EngineError(
      'invalidInput',
      message`#${shortId(memory)} and #${shortId(other.memory)} are in different stores or sets, which know nothing of each other.`,
    );
  }
}

/**
 * Marks a memory as outdated by another one, or as said again by it. A person's settlement of the two stands.
 * @throws EngineError invalidInput where a person has settled them
 */
export async function markReplaced(
  tx: StoreTransaction,
  outdated: Pick<Memory, 'id'>,
  replacement: Pick<Memory, 'id'>,
  how: 'replaced' | 'same',
  by: EdgeMark['by'],
): Promise<void> {
  if (by === 'model' && (await tx.isSettled(outdated.id, replacement.id))) {
    throw new EngineError(
      'invalidInput',
      message`A person has settled what #${shortId(outdated)} and #${shortId(replacement)} mean; that stands.`,
    );
  }
  await tx.markOutdated({
    outdated: outdated.id,
    replacement: replacement.id,
    type: how === 'replaced' ? 'contradicts' : 'relates_to',
    by,
    reason: formatMessage(how === 'replaced' ? 'replacedByModel' : 'sameByModel'),
  });
}
