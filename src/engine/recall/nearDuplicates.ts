import { int8Scale } from '../base/int8Vector.js';
import type { Memory } from '../model/memory.js';

interface Candidate {
  readonly hit: { readonly memory: Memory };
  /** Whether a model gave it search aids: it was asked then what the memory replaces. */
  readonly hasAids: boolean;
  /** Probability that it answers the question, 0-1. */
  readonly relevance: { readonly probability: number };
  /** How much of the question's words it has, 0-1. */
  readonly wording: number;
  readonly vector: Int8Array | undefined;
  /** Of the memory's text. */
  readonly terms: ReadonlySet<string>;
}

/** Candidates that are compared; a newer memory further down is hardly about the question. */
const maxCompared = 30;
/** Cosine plus Dice coefficient of the terms: from which two notes may be of one subject, and are whatever else was found. */
const [minLikeness, sufficientLikeness] = [0.5, 0.9];
/** The same where nothing else was found to compare with. */
const minLikenessAlone = 0.7;
/** Share of the question's words from which a note has them all. */
const everyWord = 0.999;
/** Standard deviations above the mean likeness of all pairs: what answers one question is alike to some degree anyway. */
const minDeviations = 3;

/**
 * Orders two notes of one subject: they are much more alike than the others that were found, or the encoder took the newer one for
 * what replaces the older one. One of the
 * project precedes one of all projects, because it is the exception that holds here, as does one that was stored instead of the
 * other, however unlike it is. Of the same place the newer one is first,
 * unless a model was asked whether it replaces the older one. It answers as probably as the one whose place it takes. Code is
 * left where it is, for its age says nothing.
 * @param ranked best first
 * @param options.newestFirst whether age orders any
 */
export function placeNearDuplicates<T extends Candidate>(
  ranked: readonly T[],
  { newestFirst }: { readonly newestFirst: boolean },
): readonly T[] {
  const compared = ranked.slice(0, maxCompared);
  const likeness = measureLikeness(compared);
  const threshold = Math.min(sufficientLikeness, Math.max(minLikeness, standingOut(likeness)));
  const placed: { readonly candidate: T; readonly number: number }[] = [];
  for (const [number, candidate] of compared.entries()) {
    const before = placed.findIndex(
      it =>
        isInsteadOf(candidate, it.candidate) ||
        ((likeness[it.number]![number]! >= threshold || mayReplace(candidate, it.candidate)) &&
          precedes(candidate, it.candidate, newestFirst) &&
          !isAloneWithEveryWord(it.candidate, candidate)),
    );
    if (before < 0) placed.push({ candidate, number });
    else {
      const probability = Math.max(candidate.relevance.probability, placed[before]!.candidate.relevance.probability);
      const relevance = { ...candidate.relevance, probability };
      const hit = { ...candidate.hit, probability };
      placed.splice(before, 0, { candidate: { ...candidate, hit, relevance }, number });
    }
  }
  return [...placed.map(it => it.candidate), ...ranked.slice(maxCompared)];
}

/** Whether one of two notes of one subject comes before the other. */
function precedes(candidate: Candidate, other: Candidate, newestFirst: boolean): boolean {
  const { store } = candidate.hit.memory;
  if (store !== other.hit.memory.store) return store === 'project';
  return newestFirst && !candidate.hasAids && isNewer(candidate, other);
}

/** Whether it was stored as the exception to the other one, in whatever words. */
function isInsteadOf({ hit: { memory } }: Candidate, { hit }: Candidate): boolean {
  return memory.provenance.insteadOf?.includes(hit.memory.id) === true;
}

/** Whether the encoder took it for what replaces the other one when it was stored. */
function mayReplace({ hit: { memory } }: Candidate, { hit }: Candidate): boolean {
  return memory.provenance.mayReplace?.includes(hit.memory.id) === true;
}

/** Symmetric; 0 for a pair that is not compared. */
function measureLikeness(candidates: readonly Candidate[]): readonly Float64Array[] {
  const rows = candidates.map(() => new Float64Array(candidates.length));
  for (const [i, a] of candidates.entries()) {
    for (let j = 0; j < i; j++) {
      const b = candidates[j]!;
      rows[i]![j] = rows[j]![i] =
        isComparable(a) && isComparable(b) ? cosine(a, b) + diceCoefficient(a.terms, b.terms) : 0;
    }
  }
  return rows;
}

/** Asked for the port of payments, the port of the crane is no update, however alike the two notes are. */
function isAloneWithEveryWord(older: Candidate, newer: Candidate): boolean {
  return older.wording >= everyWord && newer.wording < everyWord;
}

function isComparable({ hit: { memory } }: Candidate): boolean {
  return memory.status === 'active' && memory.kind !== 'code' && memory.kind !== 'code-description';
}

/** The likeness from which a pair stands out among all. */
function standingOut(likeness: readonly Float64Array[]): number {
  let [count, sum, squares] = [0, 0, 0];
  for (const [i, row] of likeness.entries()) {
    for (const value of row.subarray(0, i)) {
      count++;
      sum += value;
      squares += value * value;
    }
  }
  if (count === 0) return Infinity;
  // One pair stands out from nothing.
  if (count === 1) return minLikenessAlone;
  const mean = sum / count;
  return mean + minDeviations * Math.sqrt(Math.max(0, squares / count - mean * mean));
}

function isNewer({ hit: { memory: a } }: Candidate, { hit: { memory: b } }: Candidate): boolean {
  return a.reinforcedAt > b.reinforcedAt;
}

function cosine({ vector: a }: Candidate, { vector: b }: Candidate): number {
  if (a?.length === undefined || a.length !== b?.length) return 0;
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum / (int8Scale * int8Scale);
}

/** Dice coefficient of two sets, 0-1: twice what they share, of all that they have. 0 for two empty sets. */
function diceCoefficient(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0;
  let shared = 0;
  for (const it of a) if (b.has(it)) shared++;
  return (2 * shared) / (a.size + b.size);
}
