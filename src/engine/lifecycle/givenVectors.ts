import { EngineError } from '../base/errors.js';
import { toInt8Vector } from '../base/int8Vector.js';
import { message } from '../base/localizableMessage.js';
import type { Context } from '../context.js';
import type { EmbeddingModel } from '../embeddings/embedder.js';
import type { GivenVector, GivenVectorOutcome, GivenVectors } from '../model/givenVectors.js';
import type { Store, StoredVector } from '../store/store.js';
import { resolveReference } from './memoryActions.js';

/** Of a name in a sentence. */
const maxShownLength = 100;

/**
 * Keeps vectors that another program made of memories, where a memory has none: what a memory is found by is not another
 * program's to change. Only of the model in use: vectors of two models cannot be compared. A vector that cannot be taken
 * stops no other one.
 * @throws EngineError invalidInput | embedderUnavailable, and what Store.saveVectors throws
 */
export async function saveGivenVectors(
  ctx: Context,
  { model: name, vectors }: GivenVectors,
): Promise<readonly GivenVectorOutcome[]> {
  const model = requireModel(ctx, name);
  const byStore = new Map<Store, Map<string, StoredVector>>();
  const outcomes: GivenVectorOutcome[] = [];
  for (const given of vectors) {
    try {
      const vector = toUnitVector(given, model);
      const { store, memory } = await resolveReference(ctx, given.id);
      if ((await store.vectors(model.id, [memory.id])).has(memory.id) || byStore.get(store)?.has(memory.id) === true)
        throw new EngineError(
          'invalidInput',
          message`This memory has a vector of ${model.name}; one that another program made does not take its place.`,
        );
      const ofStore = byStore.get(store) ?? new Map<string, StoredVector>();
      byStore.set(store, ofStore.set(memory.id, { model: model.id, vector: toInt8Vector(vector) }));
      outcomes.push({ outcome: 'stored', id: memory.id });
    } catch (error) {
      if (!EngineError.is(error)) throw error;
      outcomes.push({ outcome: 'refused', id: given.id, reason: error.message });
    }
  }
  for (const [store, ofStore] of byStore) await store.saveVectors(ofStore);
  return outcomes;
}

/** The model in use, which the caller must have named. */
function requireModel({ embedder }: Context, name: string): EmbeddingModel {
  const { model } = embedder;
  if (model === undefined)
    throw new EngineError(
      'embedderUnavailable',
      'Embeddings are off, or their model is not known yet, so that no vector can be taken. The user can choose a model in the setting recollect.embeddings.',
    );
  if (name === model.name || name === model.id) return model;
  throw new EngineError(
    'invalidInput',
    message`The memories are embedded with ${model.name} (${model.dimensions} dimensions), and vectors of ${name.slice(0, maxShownLength)} cannot be compared with its. Make them with ${model.name}.`,
  );
}

/** @throws EngineError invalidInput */
function toUnitVector({ vector }: GivenVector, { name, dimensions }: EmbeddingModel): Float32Array {
  if (vector.length !== dimensions)
    throw new EngineError(
      'invalidInput',
      message`This vector has ${vector.length} dimensions, and those of ${name} have ${dimensions}.`,
    );
  const length = Math.hypot(...vector);
  if (length > 0 && Number.isFinite(length)) return Float32Array.from(vector, it => it / length);
  throw new EngineError('invalidInput', 'This vector has no direction: its numbers are all 0, or one is too large.');
}
