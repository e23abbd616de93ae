import { isDeepStrictEqual } from 'node:util';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { Context } from '../context.js';
import type { EdgeMark } from '../model/edge.js';
import { shortId, type Memory, type SearchAids } from '../model/memory.js';
import type { ReviseInput } from '../model/rememberInput.js';
import { addAids, normalizeAids } from '../secrets/storableText.js';
import { withoutGuess } from '../remember/likelyConflict.js';
import { inheritRule, markReplaced } from '../remember/markReplaced.js';
import { owedPenalties } from '../store/owedPenalties.js';
import type { Store, StoreTransaction } from '../store/store.js';
import { giveBackPenalties, resolveReference, type LocatedMemory } from './memoryActions.js';

/**
 * A judgement on a stored memory: another one replaces it or says the same, or it still holds; or words to find it by. A
 * model's orders and marks, and costs no confidence. Returns the memory with its store. `appliesTo` is checked only: Moves
 * moves it.
 * @throws EngineError notFound | ambiguousId | invalidInput, and what Store.write throws
 */
export async function revise(ctx: Context, input: ReviseInput, by: EdgeMark['by']): Promise<LocatedMemory> {
  const { replacedBy, sameAs, stillTrue = false, appliesTo, questions, keywords } = input;
  const judgements = [replacedBy, sameAs, stillTrue || undefined, appliesTo].filter(it => it !== undefined).length;
  if (judgements > 1) {
    throw new EngineError('invalidInput', 'Give one of replacedBy, sameAs, stillTrue and appliesTo, not several.');
  }
  if (judgements === 0 && questions === undefined && keywords === undefined) {
    throw new EngineError(
      'invalidInput',
      'Give replacedBy, sameAs, stillTrue or appliesTo, or questions or keywords to find it by.',
    );
  }
  const { store, memory } = await resolveReference(ctx, input.id);
  if (appliesTo !== undefined) requirePlaceable(memory, appliesTo, by);
  const otherReference = replacedBy ?? sameAs;
  const other = otherReference === undefined ? undefined : await resolveReference(ctx, otherReference);
  if (other !== undefined) {
    requireSameSet(store, memory, other);
    if (by === 'model') requireDecidable(memory, other.memory);
  }
  const aids = normalizeAids({
    ...(questions === undefined ? {} : { questions }),
    ...(keywords === undefined ? {} : { keywords }),
  });
  const penalties = stillTrue ? owedPenalties(await store.history(memory.id)) : [];
  await store.write(ctx.host.client, async tx => {
    if (other !== undefined) {
      const how = replacedBy === undefined ? 'same' : 'replaced';
      // By a model's word no note takes the place of what a person said: that stands for the note.
      const isPersons = how === 'same' && by === 'model' && memory.lane === 'confirmed';
      const [outdated, replacement] = isPersons ? [other.memory, memory] : [memory, other.memory];
      const problem = await markReplaced(tx, outdated, replacement, { how, by });
      if (problem !== undefined) throw new EngineError('invalidInput', problem);
      await inheritRule(tx, outdated, replacement);
      if (how === 'same') await handWordsOver(tx, store, outdated, replacement);
    }
    if (stillTrue) {
      if (!(await tx.clearMarks(memory.id, by)))
        throw new EngineError(
          'invalidInput',
          message`A person has said that #${shortId(memory)} no longer holds; that stands. Ask the user.`,
        );
      await giveBackPenalties(tx, memory.id, penalties, by);
      await endGuesses(tx, memory.id);
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
  if ((questions ?? sameAs) !== undefined && ctx.embedder.embedsQuestions) ctx.embedder.onDidMiss();
  return { store, memory };
}

/** Gives what stands for another memory the words by which that is found, and those of the user, where it has none. */
async function handWordsOver(tx: StoreTransaction, store: Store, from: Memory, to: Memory): Promise<void> {
  const known = await currentAids(store, to.id);
  const together = addAids(known, await currentAids(store, from.id));
  if (!isDeepStrictEqual(together, known)) await tx.setAids(to.id, together, { isEdit: true });
  const { said } = from.provenance;
  const current = (await tx.get(to.id)) ?? to;
  if (said === undefined || current.provenance.said !== undefined) return;
  await tx.update({ ...current, provenance: { ...current.provenance, said } }, 'edit', {
    change: 'said',
    from: from.id,
  });
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

/** @throws EngineError invalidInput where both memories are a person's word, between which no model decides */
function requireDecidable(memory: Memory, other: Memory): void {
  if (memory.lane !== 'confirmed' || other.lane !== 'confirmed') return;
  throw new EngineError(
    'invalidInput',
    message`A person has confirmed both #${shortId(memory)} and #${shortId(other)}, so only a person can say which one holds. Ask the user; they decide with: recollect settle ${shortId(memory)} ${shortId(other)} --keep b`,
  );
}

/** @throws EngineError invalidInput where its place is not the caller's to say */
function requirePlaceable(memory: Memory, appliesTo: 'project' | 'user', by: EdgeMark['by']): void {
  const id = shortId(memory);
  if (memory.scopeId !== undefined)
    throw new EngineError('invalidInput', message`#${id} is in the set ${memory.scopeId}, which stays together.`);
  if (appliesTo === 'user' && memory.provenance.uri !== undefined)
    throw new EngineError('invalidInput', message`#${id} is about ${memory.provenance.uri}, so it is of its project.`);
  if (by === 'model' && memory.lane === 'confirmed')
    throw new EngineError(
      'invalidInput',
      message`A person has confirmed #${id}, so only a person moves it. Ask the user; they move it with: recollect move ${id} --to ${appliesTo === 'user' ? 'global' : 'project'}`,
    );
}

/** Takes back that newer memories may replace it, as the encoder guessed. */
async function endGuesses(tx: StoreTransaction, id: string): Promise<void> {
  const neighbors = (await tx.edges([id])).map(it => (it.source === id ? it.target : it.source));
  for (const it of await tx.getMany(neighbors)) {
    if (it.provenance.mayReplace?.includes(id) !== true) continue;
    await tx.update({ ...it, provenance: withoutGuess(it.provenance, id) }, 'mark', { stillTrue: id });
  }
}
