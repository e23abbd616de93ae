import type { CalendarRange } from '../../text/timeWindow.js';
import { trait } from '../../text/traits.js';
import { featureNames } from '../../model/trace.js';
import { featureAt as at, weigh } from './features.js';
import { none } from './memoryColumns.js';
import type { MemoryIndex } from './memoryIndex.js';
import type { VectorTable } from './vectors.js';

/** A question as the index takes it (text/question.ts, and its embedding). */
export interface IndexQuery {
  readonly terms: readonly string[];
  /** Without what narrows it. */
  readonly text: string;
  /** Lower-case words as written. */
  readonly words: readonly string[];
  /** int8 components of the question's embedding. */
  readonly vector: Int8Array | undefined;
  readonly month: number | undefined;
  readonly day: number | undefined;
  /** Days of the year that the question names in other words, such as "last week". */
  readonly times?: readonly CalendarRange[];
  readonly asksWhen: boolean;
  readonly asksHowMuch: boolean;
  readonly asksName: boolean;
  readonly asksWide: boolean;
  readonly asksWhetherItHappened: boolean;
  readonly scopeId: string;
  /** Rows that may be returned; undefined for all searchable ones. */
  readonly allowed: ReadonlySet<number> | undefined;
  readonly limit: number;
}

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
/** More than adding a few numbers below 10 in another order makes of them. */
const roundingErrors = 1e-9;
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
  index.postings.score(terms, memoryBm25, words);
  // What many memories answer together is in no single conversation.
  const sessions = query.asksWide
    ? index.workspace.zeros('sessions', index.sessionCount)
    : index.postings.scoreGroups(terms, sessionBm25, index.session, index.sessionCount);
  const largest = { words: relate(words, allowed), session: relate(sessions) };
  const hasMeaning = query.vector !== undefined && index.vectors !== undefined;
  const meaning = hasMeaning ? index.vectors.scan(query.vector) : index.workspace.zeros('meaning', index.size);
  if (hasMeaning && index.counts.embedded < index.counts.searchable) {
    guessMeaning(index.vectors, { words, meaning, allowed });
  }
  const neighbours = lend(index, words);

  const measure = (position: number): Float32Array => {
    const f = new Float32Array(featureNames.length);
    const flags = index.flags[position]!;
    const dialogue = index.speaker[position] !== none;
    const session = index.session[position]!;
    f[at.words] = words[position]!;
    f[at.meaning] = meaning[position]!;
    f[at.speaker] = dialogue && named.numbers.has(index.speaker[position]!) ? 1 : 0;
    f[at.neighbours] = neighbours[position]!;
    f[at.session] = session === none ? 0 : sessions[session]!;
    f[at.answers] = answers(index, position, words, meaning);
    f[at.date] = dateMatch(query, index.calendar[position]!);
    f[at.preference] = !wantsRules(query) || (flags & trait.preference) === 0 ? 0 : Math.max(0, meaning[position]!);
    f[at.when] = query.asksWhen && (flags & trait.temporal) !== 0 ? 1 : 0;
    f[at.howMuch] = query.asksHowMuch && (flags & trait.number) !== 0 ? 1 : 0;
    f[at.name] = query.asksName ? Math.log1p(index.properNouns[position]!) : 0;
    f[at.asks] = dialogue && (flags & trait.endsWithQuestion) !== 0 ? 1 : 0;
    f[at.long] = Math.log1p(Math.max(0, index.postings.length(position) - longFrom));
    return f;
  };

  const most = Math.max(query.limit, candidatesAtLeast);
  const candidates = bestRoughly(index, query, most, {
    allowed,
    named: named.numbers,
    words,
    meaning,
    neighbours,
    sessions,
  })
    .positions()
    .map(position => ({
      position,
      row: index.rows[position]!,
      features: measure(position),
    }))
    // Equal scores keep this order below, whichever positions the memories came to lie at.
    .sort((a, b) => b.row - a.row);
  if (wantsRules(query)) addInstructions(index, candidates);
  const shortlist = ranked(candidates).slice(0, query.limit);
  return { shortlist, names: named.names, largest };
}

/**
 * What is not embedded yet counts as near as its words say: with no meaning at all, a memory that has the question's rarest
 * word would stand behind any number that have none of it.
 */
function guessMeaning(
  vectors: VectorTable,
  { words, meaning, allowed }: Readonly<Record<'words' | 'meaning', Float32Array>> & { readonly allowed: Uint8Array },
): void {
  let nearest = 0;
  for (let p = 0; p < meaning.length; p++) if (allowed[p] === 1 && meaning[p]! > nearest) nearest = meaning[p]!;
  for (let p = 0; p < meaning.length; p++) {
    if (meaning[p] === 0 && words[p]! > 0 && !vectors.has(p)) meaning[p] = words[p]! * nearest;
  }
}

/**
 * The `count` best by a first estimate of each position that may be returned, above 0 and in no particular order. One pass:
 * a score that is not among the best so far is not even written down.
 */
function bestRoughly(
  index: MemoryIndex,
  query: IndexQuery,
  count: number,
  measured: Readonly<Record<'words' | 'meaning' | 'neighbours' | 'sessions', Float32Array>> & {
    readonly allowed: Uint8Array;
    readonly named: ReadonlySet<number>;
  },
): Best {
  const { words, meaning, neighbours, sessions, allowed, named } = measured;
  const { session, speaker, flags, calendar } = index;
  const inSessions = sessions.length > 0;
  const byName = named.size > 0;
  const byTime = query.month !== undefined || (query.times?.length ?? 0) > 0;
  // What only some positions get, without a branch that depends on them: the processor would guess it wrong.
  const { instruction } = trait;
  const forInstruction = (wantsRules(query) ? 0.3 : 0) / instruction;
  // What the rest of a score can come to: most are out of the question without it, and it is not even looked up.
  const rest = (inSessions ? 0.4 : 0) + (byName ? 0.3 : 0) + (byTime ? 0.6 : 0) + roundingErrors;
  const best = new Best(count);
  let bar = -Infinity;
  for (let p = 0; p < words.length; p++) {
    let score = words[p]! + meaning[p]! + forInstruction * (flags[p]! & instruction);
    if (inSessions) score += 0.3 * neighbours[p]!;
    if (score < bar || allowed[p] === 0) continue;
    if (inSessions && session[p] !== none) score += 0.4 * sessions[session[p]!]!;
    if (byName && named.has(speaker[p]!)) score += 0.3;
    if (byTime) score += 0.3 * dateMatch(query, calendar[p]!);
    if (score <= best.least) continue;
    best.add(p, score);
    bar = best.least - rest;
  }
  // Nothing is looked up behind the loop: V8 would leave its optimised code there at each call.
  return best;
}

/** Whether standing instructions and preferences have a bonus: they do where the question is about what to do. */
function wantsRules({ asksWide, asksWhetherItHappened }: IndexQuery): boolean {
  return !asksWide && !asksWhetherItHappened;
}

/** 1 for each position that may be returned. */
function allowedPositions(index: MemoryIndex, scope: number, rows: ReadonlySet<number> | undefined): Uint8Array {
  const inScope = index.mask(scope);
  if (rows === undefined) return inScope;
  return inScope.map((it, p) => (it === 1 && rows.has(index.rows[p]!) ? 1 : 0));
}

/** Best first by the features measured so far; of equals the newer. */
function ranked(candidates: readonly Candidate[]): Candidate[] {
  return candidates
    .map(it => ({ it, score: weigh(it.features) }))
    .sort((a, b) => b.score - a.score || b.it.row - a.it.row)
    .map(({ it }) => it);
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

/** How well the turn just before matches, where it is another speaker's question. */
function answers(index: MemoryIndex, position: number, words: Float32Array, meaning: Float32Array): number {
  const before = index.previous[position]!;
  if (before === none || index.speaker[before] === none || index.speaker[before] === index.speaker[position]) return 0;
  return (index.flags[before]! & trait.question) === 0 ? 0 : words[before]! + meaning[before]!;
}

/** 1 in the month or the days that the question names, 2 when made on the very day it names or up to four days later. */
function dateMatch(query: IndexQuery, calendar: number): number {
  const inTime = query.times?.some(it => calendar >= it.from && calendar <= it.to) === true ? 1 : 0;
  if (query.month === undefined || query.month !== calendar >> 5) return inTime;
  const later = query.day === undefined ? -1 : (calendar & 31) - query.day;
  return later >= 0 && later <= 4 ? 2 : 1;
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
  const embedded = candidates.filter(it => vectors.has(it.position));
  const positions = embedded.map(it => it.position);
  const best = new Set(ranked(candidates).slice(0, feedbackFrom));
  // With a sum of vectors: each one's cosines are added up, and those among the summed are the square of its length.
  const sums = new Float64Array(embedded.length);
  for (const { position } of embedded.filter(it => best.has(it))) {
    const cosines = vectors.cosines(vectors.get(position), positions);
    for (let i = 0; i < sums.length; i++) sums[i]! += cosines[i]!;
  }
  const square = embedded.reduce((sum, it, i) => (best.has(it) ? sum + sums[i]! : sum), 0);
  if (square <= 0) return;
  let nearest = 0;
  for (const [i, { features }] of embedded.entries()) {
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

/** Divides all by the largest, and returns that; all zeros stay zeros. @param allowed what has 0 here becomes 0 */
function relate(scores: Float32Array, allowed?: Uint8Array): number {
  // Not by `of`, whose iterator takes ten times as long, and by one factor, which is exact enough for 32 bits and takes less
  // than dividing: each would be a millisecond of 100,000.
  let largest = 0;
  const count = scores.length;
  for (let p = 0; p < count; p++) {
    if (allowed !== undefined) scores[p]! *= allowed[p]!;
    if (scores[p]! > largest) largest = scores[p]!;
  }
  if (largest === 0) return 0;
  const factor = 1 / largest;
  for (let p = 0; p < count; p++) scores[p]! *= factor;
  return largest;
}

/** The positions of the largest scores above 0 so far: a heap, its smallest on top. */
class Best {
  /** What a score must be above to be among them. */
  least = 0;
  private found = 0;
  private readonly at: Uint32Array;
  private readonly scores: Float64Array;

  constructor(private readonly count: number) {
    this.at = new Uint32Array(count);
    this.scores = new Float64Array(count);
  }

  positions(): number[] {
    return Array.from(this.at.subarray(0, this.found));
  }

  add(position: number, score: number): void {
    const { count } = this;
    if (this.found < count) {
      this.at[this.found] = position;
      this.scores[this.found++] = score;
      if (this.found < count) return;
      for (let i = (count >> 1) - 1; i >= 0; i--) this.sink(i, this.at[i]!, this.scores[i]!);
    } else this.sink(0, position, score);
    this.least = this.scores[0]!;
  }

  /** Puts it at `from`, or further down until what is below it is larger. */
  private sink(from: number, position: number, score: number): void {
    const { at, scores, count } = this;
    let i = from;
    for (;;) {
      let child = 2 * i + 1;
      if (child + 1 < count && scores[child + 1]! < scores[child]!) child++;
      if (child >= count || scores[child]! >= score) break;
      at[i] = at[child]!;
      scores[i] = scores[child]!;
      i = child;
    }
    at[i] = position;
    scores[i] = score;
  }
}
