import { int8Scale } from '../base/int8Vector.js';
import type { Nearness } from '../search/query/searchMemories.js';

/** Questions of a memory's search aids that are embedded with it. */
const maxEmbeddedQuestions = 3;
const hashBytes = 4;

/** The vector of a question that a memory answers. */
export interface QuestionVector {
  readonly question: string;
  /** int8 components. */
  readonly vector: Int8Array;
}

/** How near the nearest of the vectors is; undefined without any. @param asked vectors of the question and its alternatives */
export function nearestOf(asked: readonly Int8Array[], vectors: readonly Int8Array[]): Nearness | undefined {
  if (vectors.length === 0) return undefined;
  const [question = 0, ...alternatives] = asked.map(it => Math.max(...vectors.map(vector => cosine(it, vector))));
  return { question, alternative: alternatives.length === 0 ? undefined : Math.max(...alternatives) };
}

function cosine(a: Int8Array, b: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum / (int8Scale * int8Scale);
}

/** Which questions are embedded with a memory. */
export function questionsToEmbed(
  { embedsQuestions }: { readonly embedsQuestions?: boolean },
  { questions }: { readonly questions: readonly string[] },
): readonly string[] {
  return embedsQuestions === true ? questions.slice(0, maxEmbeddedQuestions) : [];
}

export function toQuestionVectors(
  questions: readonly string[],
  vectors: readonly Int8Array[],
): readonly QuestionVector[] {
  return questions.map((question, i) => ({ question, vector: vectors[i]! }));
}

const questionSuffix = '#questions';

/** Id in the table of models of the vectors that a model makes of questions. */
export function questionModel(model: string): string {
  return `${model}${questionSuffix}`;
}

export function isQuestionModel(id: string): boolean {
  return id.endsWith(questionSuffix);
}

/** Numbers of such models in a file, as SQL; a condition on their ids is enough, for there are few models. */
export const questionModelsSql = `SELECT number FROM models WHERE id GLOB '${questionModel('*')}'`;
/** Condition on `vectors v` of a server: those of questions. */
export const isOfQuestionsSql = `right(v.model, ${String(questionSuffix.length)}) = '${questionSuffix}'`;

/** One after the other, each behind the hash of its text: by it one that was edited since is known. */
export function encodeQuestionVectors(vectors: readonly QuestionVector[]): Uint8Array {
  const width = hashBytes + (vectors[0]?.vector.length ?? 0);
  const bytes = new Uint8Array(width * vectors.length);
  const view = new DataView(bytes.buffer);
  for (const [i, { question, vector }] of vectors.entries()) {
    view.setUint32(i * width, hashText(question));
    bytes.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), i * width + hashBytes);
  }
  return bytes;
}

/** The vectors of those questions that have one. */
export function decodeQuestionVectors(
  bytes: Uint8Array | undefined,
  model: { readonly dimensions: number } | undefined,
  aids: { readonly questions: readonly string[] } | undefined,
): readonly Int8Array[] {
  if (bytes === undefined || model === undefined || aids === undefined) return [];
  const { dimensions } = model;
  const hashes = new Set(aids.questions.map(hashText));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const width = hashBytes + dimensions;
  const vectors: Int8Array[] = [];
  for (let at = 0; at + width <= bytes.length; at += width) {
    if (hashes.has(view.getUint32(at)))
      vectors.push(new Int8Array(bytes.buffer, bytes.byteOffset + at + hashBytes, dimensions));
  }
  return vectors;
}

/** A 32-bit hash: FNV-1a with the finalizer of MurmurHash3, so that the lowest bits differ too. */
function hashText(text: string): number {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
