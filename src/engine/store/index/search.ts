import { trait } from '../../text/traits.js';
import { featureNames } from '../../model/trace.js';
import { featureAt as at, weigh } from './features.js';
import { dateMatch, wantsRules, type IndexQuery } from './indexQuery.js';
import { none } from './memoryColumns.js';
import type { MemoryIndex } from './memoryIndex.js';
import { bestRoughly } from './rough.js';
import type { VectorTable } from './vectors.js';

export interface IndexResult {
  /** Best first: a memory's row with its features in the order of `featureNames`. */
  readonly hits: readonly { readonly row: number; readonly features: Float32Array }[];
  /** What the relative features were divided by. */
  readonly largest: { readonly words: number; readonly session: number };
}

/** A memory of the index. */
export interface Found {
  readonly row: number;
  readonly position: number;
}

/**
 * How well some memories answer a question token by token, 0-1 each, in the order given (lateInteraction.ts). The names
 * of whom the question is about are left out: they do not tell that one's memories apart.
 */
export type CloseReading = (found: readonly Found[], names: readonly string[]) => Float32Array;

/** For single memories, and for a conversation as one text. Measured: shorter texts want less of b than the usual .75. */
const memoryBm25 = { k1: 0.9, b: 0.4 };
const sessionBm25 = { k1: 1.2, b: 0.75 };
/** What one, two and three turns away lend. */
const lending = [1, 0.7, 0.4];
/** Best matches whose mean stands for what the question is about. */
const feedbackFrom = 5;
/** Instructions that get their bonus in one answer. */
const instructionsAtMost = 2;
/** The bonus is whole where at most one memory in twenty is an instruction (ln 20). */
const rareInstructions = 3;
/** Terms from which on a memory counts as long. */
const longFrom = 30;
/** Candidates that all features are measured of, at least. */
const candidatesAtLeast = 150;

interface Candidate extends Found {
  readonly features: Float32Array;
}

interface Proposal {
  readonly shortlist: readonly Candidate[];
  /** Of the speakers that the question names. */
  readonly names: readonly string[];
  readonly largest: IndexResult['largest'];
}

/**
 * Finds what answers a question best, best first: every memory is scored by words and meaning, the best of these by all
 * else that the index knows of them, and the best of those, where there is something to do it with, token by token.
 */
export function search(index: MemoryIndex, query: IndexQuery, readClosely?: CloseReading): IndexResult {
  const { shortlist, names, largest } = propose(index, query);
  const read = readClosely?.(shortlist, names);
  for (const [i, { features }] of shortlist.entries()) features[at.wordMeaning] = read?.[i] ?? 0;
  // What many memories answer together is like no single good match.
  if (!query.asksWide) addFeedback(index.vectors, shortlist);
  return { hits: ranked(shortlist).map(({ row, features }) => ({ row, features })), largest };
}

function propose(index: MemoryIndex, query: IndexQuery): Proposal {
  const scope = index.scopeNumber(query.scopeId);
  if (scope === undefined) return { shortlist: [], names: [], largest: { words: 0, session: 0 } };
  const allowed = allowedPositions(index, scope, query.allowed);

  const named = namedSpeakers(index, query.words);
  const terms = query.terms.filter(it => !named.terms.has(it));
  const words = index.workspace.zeros('words', index.size);
  const having = index.postings.score(terms, memoryBm25, words);
  // What many memories answer together is in no single conversation.
  const sessions = query.asksWide
    ? index.workspace.zeros('sessions', index.sessionCount)
    : index.postings.scoreGroups(terms, sessionBm25, index.session, index.sessionCount);
  const largest = { words: relate(words, having, allowed), session: relate(sessions) };
  const neighbours = lend(index, words);
  const most = Math.max(query.limit, candidatesAtLeast);
  const { positions, meaning } = bestRoughly(index, query, most, {
    words,
    having,
    neighbours,
    sessions,
    allowed,
    named: named.numbers,
  });
  compareQuestions(index, query, positions, meaning);

  const measure = (position: number): Float32Array => {
    const f = new Float32Array(featureNames.length);
    const flags = index.flags[position]!;
    const dialogue = index.speaker[position] !== none;
    const session = index.session[position]!;
    const before = questionBefore(index, position);
    f[at.words] = words[position]!;
    f[at.meaning] = meaning[position]!;
    f[at.speaker] = dialogue && named.numbers.has(index.speaker[position]!) ? 1 : 0;
    f[at.neighbours] = neighbours[position]!;
    f[at.session] = session === none ? 0 : sessions[session]!;
    f[at.answers] = before === none ? 0 : words[before]! + meaning[before]!;
    f[at.date] = dateMatch(query, index.calendar[position]!);
    f[at.preference] = !wantsRules(query) || (flags & trait.preference) === 0 ? 0 : Math.max(0, meaning[position]!);
    f[at.when] = query.asksWhen && (flags & trait.temporal) !== 0 ? 1 : 0;
    f[at.howMuch] = query.asksHowMuch && (flags & trait.number) !== 0 ? 1 : 0;
    f[at.name] = query.asksName ? Math.log1p(index.properNouns[position]!) : 0;
    f[at.asks] = dialogue && (flags & trait.endsWithQuestion) !== 0 ? 1 : 0;
    f[at.long] = Math.log1p(Math.max(0, index.postings.length(position) - longFrom));
    return f;
  };

  const candidates: Candidate[] = [];
  for (const position of positions) {
    candidates.push({ position, row: index.rows[position]!, features: measure(position) });
  }
  // Equal scores keep this order below, whichever positions the memories came to lie at.
  candidates.sort((a, b) => b.row - a.row);
  if (wantsRules(query)) addInstructions(index, candidates);
  const shortlist = ranked(candidates).slice(0, query.limit);
  return { shortlist, names: named.names, largest };
}

/** 1 for each position that may be returned. */
function allowedPositions(index: MemoryIndex, scope: number, rows: ReadonlySet<number> | undefined): Uint8Array {
  const inScope = index.mask(scope);
  if (rows === undefined) return inScope;
  return inScope.map((it, p) => (it === 1 && rows.has(index.rows[p]!) ? 1 : 0));
}

/**
 * Best first by the features measured so far; of equals the newer. Arrays of the search are filled by `push`: those that
 * `map` and `filter` make are of another kind once V8 has optimised them, and it throws away what it optimised for the first.
 */
function ranked(candidates: readonly Candidate[]): Candidate[] {
  const scored: { readonly it: Candidate; readonly score: number }[] = [];
  for (const it of candidates) scored.push({ it, score: weigh(it.features) });
  scored.sort((a, b) => b.score - a.score || b.it.row - a.it.row);
  const found: Candidate[] = [];
  for (const { it } of scored) found.push(it);
  return found;
}

/** What the words of a conversation's neighbouring turns lend to each turn. */
function lend(index: MemoryIndex, words: Float32Array): Float32Array {
  const lent = index.workspace.zeros('neighbours', index.size);
  if (index.sessionCount === 0) return lent;
  const { speaker, previous, next } = index;
  for (let p = 0; p < words.length; p++) {
    const score = words[p]!;
    if (score === 0 || speaker[p] === none) continue;
    let before = p;
    let after = p;
    for (const share of lending) {
      before = before === none ? none : previous[before]!;
      after = after === none ? none : next[after]!;
      if (before !== none) lent[before]! += share * score;
      if (after !== none) lent[after]! += share * score;
    }
  }
  return lent;
}

/** The turn just before, where it is another speaker's question; else `none`. */
function questionBefore({ previous, speaker, flags }: MemoryIndex, position: number): number {
  const before = previous[position]!;
  if (before === none || speaker[before] === none || speaker[before] === speaker[position]) return none;
  return (flags[before]! & trait.question) === 0 ? none : before;
}

/** Compares the questions before some positions with the query, too: an answer is what matches what was asked. */
function compareQuestions(
  index: MemoryIndex,
  query: IndexQuery,
  positions: readonly number[],
  meaning: Float32Array,
): void {
  if (index.vectors === undefined || query.vector === undefined) return;
  const before = positions.map(it => questionBefore(index, it)).filter(it => it !== none && meaning[it] === 0);
  const cosines = index.vectors.cosines(query.vector, before);
  for (const [i, position] of before.entries()) meaning[position] = cosines[i]!;
}

/** A standing instruction matters whatever is asked, but only the closest few, and less where most memories are ones. */
function addInstructions(index: MemoryIndex, candidates: readonly Candidate[]): void {
  const rarity = Math.min(1, Math.log((index.documents + 1) / (index.counts.instructions + 0.5)) / rareInstructions);
  const instructions = candidates.filter(it => (index.flags[it.position]! & trait.instruction) !== 0);
  for (const { features } of ranked(instructions).slice(0, instructionsAtMost)) {
    features[at.instruction] = Math.max(0, rarity);
  }
}

/** Cosine of each candidate with the mean of the best so far; what is not embedded is as near as its words say. */
function addFeedback(vectors: VectorTable | undefined, candidates: readonly Candidate[]): void {
  if (vectors === undefined) return;
  const embedded: Candidate[] = [];
  const positions: number[] = [];
  for (const it of candidates) {
    if (!vectors.has(it.position)) continue;
    embedded.push(it);
    positions.push(it.position);
  }
  const best = new Set(ranked(candidates).slice(0, feedbackFrom));
  // With a sum of vectors: each one's cosines are added up, and those among the summed are the square of its length.
  const sums = new Float64Array(embedded.length);
  for (const it of embedded) {
    if (!best.has(it)) continue;
    const { position } = it;
    const cosines = vectors.cosines(vectors.get(position), positions);
    for (let i = 0; i < sums.length; i++) sums[i]! += cosines[i]!;
  }
  let square = 0;
  for (let i = 0; i < sums.length; i++) if (best.has(embedded[i]!)) square += sums[i]!;
  if (square <= 0) return;
  let nearest = 0;
  for (let i = 0; i < sums.length; i++) {
    const { features } = embedded[i]!;
    features[at.feedback] = sums[i]! / Math.sqrt(square);
    nearest = Math.max(nearest, features[at.feedback]!);
  }
  const isEmbedded = new Set(embedded);
  for (const it of candidates) {
    if (!isEmbedded.has(it)) it.features[at.feedback] = it.features[at.words]! * nearest;
  }
}

/** Speakers whose name is in the question, their names, and the terms of all speakers' names: those do not tell memories apart. */
function namedSpeakers(
  index: MemoryIndex,
  words: readonly string[],
): { readonly numbers: ReadonlySet<number>; readonly names: readonly string[]; readonly terms: ReadonlySet<string> } {
  const numbers = new Set<number>();
  const names: string[] = [];
  const terms = new Set<string>();
  const present = new Set(words);
  for (const [name, number] of index.speakerNames()) {
    const first = name.split(' ')[0]!;
    if (present.has(first)) {
      numbers.add(number);
      names.push(name);
    }
    for (const it of index.speakerTerms(name)) terms.add(it);
  }
  return { numbers, names, terms };
}

/**
 * Divides all by the largest, and returns that; all zeros stay zeros.
 * @param which those that may be above 0; all of them when left out
 * @param allowed what has 0 here becomes 0
 */
function relate(scores: Float32Array, which?: Uint32Array, allowed?: Uint8Array): number {
  // Not by `of`, whose iterator takes ten times as long, and by one factor, which is exact enough for 32 bits and takes less
  // than dividing.
  let largest = 0;
  const count = which?.length ?? scores.length;
  for (let i = 0; i < count; i++) {
    const p = which === undefined ? i : which[i]!;
    if (allowed !== undefined) scores[p]! *= allowed[p]!;
    if (scores[p]! > largest) largest = scores[p]!;
  }
  if (largest === 0) return 0;
  const factor = 1 / largest;
  for (let i = 0; i < count; i++) scores[which === undefined ? i : which[i]!]! *= factor;
  return largest;
}
