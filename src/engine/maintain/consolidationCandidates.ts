import { LRUCache } from 'lru-cache';
import { quantisation } from '../base/quantise.js';
import { Turns } from '../base/turns.js';
import { compare, readStatement, type Statement } from '../compare/compare.js';
import type { Context } from '../context.js';
import type { ConsolidationProgress } from '../model/consolidation.js';
import { codeKinds, type Memory } from '../model/memory.js';
import type { Store } from '../store/store.js';
import { longestFact } from '../store/index/judge.js';
import { jaccard, similarPairs, type Pair, type Worded } from './consolidationPairs.js';
import { agreementOf, detailsOf, detailsReader, type Details } from './consolidationText.js';

/**
 * Shared words by all words from which on two texts that agree are near-duplicates, whatever their vectors say: one more
 * clause takes the built-in model's cosine of twelve such pairs below its merge threshold of 0.932 in eight of them.
 */
const lexicalDuplicate = 0.6;
/** A text of so few words says too little to be told apart from others. */
const leastWords = 2;
/** Larger groups are looked at again once these are merged. */
const maxGroup = 6;
/** Beyond this the most is found when the first ones are merged. */
const maxPairs = 20_000;
/** Pairs whose memories are read at once for a closer look. */
const readAtOnce = 200;
/** Texts that are not read again for their next pair, and their characters together: a few megabytes of what they say. */
const [keptTexts, keptCharacters] = [2_000, 500_000];

/** Memories that may be one. */
export interface CandidateGroup {
  /** Ids, oldest first. */
  readonly ids: readonly string[];
  /** 0-1: of the least similar pair. */
  readonly similarity: number;
  readonly measured: 'meaning' | 'words';
}

export interface Candidates {
  /** Most alike first. */
  readonly groups: readonly CandidateGroup[];
  /** Ids of similar memories of which one denies the other. */
  readonly disagreements: readonly (readonly [string, string])[];
}

export interface CandidateOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ConsolidationProgress) => void;
}

interface Entry extends Worded {
  readonly id: string;
}

interface Link {
  readonly pair: Pair;
  readonly similarity: number;
  readonly measured: 'meaning' | 'words';
}

/**
 * Groups of near-duplicates of one store: same kind, scopeId, due date and code; active; neither pinned nor sensitive.
 * Words propose; of those that agree, such are taken as reach the embedder's merge threshold or share most words. What
 * differs in a value or a negation is never in one group. Reads only.
 * @throws what `signal` was aborted with, and what reading the store throws
 */
export async function consolidationCandidates(
  ctx: Context,
  store: Store,
  { signal = new AbortController().signal, onProgress = () => undefined }: CandidateOptions = {},
): Promise<Candidates> {
  const entries = await readEntries(store, signal);
  const pairs = await similarPairs(entries, {
    maxPairs,
    signal,
    onProgress: done => {
      onProgress({ done, total: entries.length });
    },
  });
  const judge = new Judge(ctx, store, entries);
  for (let from = 0; from < pairs.length; from += readAtOnce) {
    signal.throwIfAborted();
    await judge.look(pairs.slice(from, from + readAtOnce));
  }
  onProgress({ done: entries.length, total: entries.length });
  const { links, disagreeing } = judge;
  const involved = new Set(disagreeing.flat());
  const ids = (places: readonly number[]): string[] => places.map(it => entries[it]!.id);
  return {
    groups: (await groupsOf(links))
      .filter(it => !it.places.some(place => involved.has(place)))
      .map(({ places, similarity, measured }) => ({ ids: ids(places), similarity, measured })),
    disagreements: disagreeing.map(([one, other]) => [entries[one]!.id, entries[other]!.id]),
  };
}

async function readEntries(store: Store, signal: AbortSignal): Promise<Entry[]> {
  const numbers = new Map<string, number>();
  const entries: Entry[] = [];
  const turns = new Turns();
  const read = detailsReader();
  for await (const page of store.all()) {
    signal.throwIfAborted();
    for (const memory of page) {
      if (turns.isOver()) await turns.next();
      if (!mayBeMerged(memory)) continue;
      const words = new Set(read(memory.content).pieces.map(it => it.replace(/^¬/u, '')));
      if (words.size < leastWords) continue;
      const known = [...words].map(it => {
        const number = numbers.get(it) ?? numbers.size;
        numbers.set(it, number);
        return number;
      });
      entries.push({ id: memory.id, group: groupKey(memory), words: Uint32Array.from(known) });
    }
  }
  return entries;
}

/** Code is not prose: two snippets that look alike do different things. */
export function mayBeMerged(memory: Memory): boolean {
  return memory.status === 'active' && !memory.pinned && !memory.sensitive && !codeKinds.includes(memory.kind);
}

function groupKey({ kind, scopeId, dueAt, provenance: { uri, symbol } }: Memory): string {
  return JSON.stringify([kind, scopeId, dueAt, uri, symbol]);
}

/** Looks closer at pairs: which agree and are alike enough, and which disagree. */
class Judge {
  readonly links: Link[] = [];
  readonly disagreeing: Pair[] = [];
  private readonly turns = new Turns();
  /** By text: what it says. Most are in several pairs, which are near to one another. */
  private readonly details = newTextCache<Details>();
  private readonly statements = newTextCache<Statement>();

  constructor(
    private readonly ctx: Context,
    private readonly store: Store,
    private readonly entries: readonly Entry[],
  ) {}

  async look(pairs: readonly Pair[]): Promise<void> {
    const ids = [...new Set(pairs.flat())].map(it => this.entries[it]!.id);
    const { model } = this.ctx.embedder;
    const vectors = model === undefined ? new Map<string, Int8Array>() : await this.store.vectors(model.id, ids);
    const memories = new Map((await this.store.get(ids)).map(it => [it.id, it]));
    const contradicting = new Set(
      (await this.store.edges(ids, ['contradicts']))
        .filter(it => it.settledAt === undefined)
        .flatMap(it => [`${it.source} ${it.target}`, `${it.target} ${it.source}`]),
    );
    for (const pair of pairs) {
      if (this.turns.isOver()) await this.turns.next();
      const [one, other] = [this.entries[pair[0]]!, this.entries[pair[1]]!];
      const [a, b] = [memories.get(one.id), memories.get(other.id)];
      if (a === undefined || b === undefined) continue; // Deleted meanwhile.
      const isConflict = contradicting.has(`${a.id} ${b.id}`) || this.contradict(a, b);
      const agreement = isConflict ? 'conflict' : agreementOf(this.detail(a), this.detail(b));
      if (agreement === 'conflict') this.disagreeing.push(pair);
      if (agreement !== 'agree') continue;
      const [v, w] = [vectors.get(a.id), vectors.get(b.id)];
      const meaning = model === undefined || v === undefined || w === undefined ? 0 : cosine(v, w);
      const words = jaccard(one.words, other.words);
      if (model !== undefined && meaning >= model.thresholds.duplicate) {
        this.links.push({ pair, similarity: meaning, measured: 'meaning' });
      } else if (words >= lexicalDuplicate) this.links.push({ pair, similarity: words, measured: 'words' });
    }
  }

  /** By the rules of the write path, which a settled or an imported pair may not have met. */
  private contradict(one: Memory, other: Memory): boolean {
    if (Math.max(one.content.length, other.content.length) > longestFact) return false;
    const [older, newer] = one.reinforcedAt <= other.reinforcedAt ? [one, other] : [other, one];
    const { relation, uncertain } = compare(this.statement(older), this.statement(newer));
    return relation === 'conflicting' && !uncertain;
  }

  private detail({ content }: Memory): Details {
    return readOnce(this.details, content, detailsOf);
  }

  private statement({ content }: Memory): Statement {
    return readOnce(this.statements, content, readStatement);
  }
}

/** What was read of texts, as long as they are few and short. */
function newTextCache<T extends object>(): LRUCache<string, T> {
  return new LRUCache({
    max: keptTexts,
    maxSize: keptCharacters,
    sizeCalculation: (_value, text) => Math.max(1, text.length),
  });
}

function readOnce<T extends object>(cache: LRUCache<string, T>, text: string, read: (text: string) => T): T {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const made = read(text);
  cache.set(text, made);
  return made;
}

function cosine(one: Int8Array, other: Int8Array): number {
  let dot = 0;
  for (let i = 0; i < one.length; i++) dot += one[i]! * other[i]!;
  return Math.min(1, dot / (quantisation * quantisation));
}

interface Group {
  readonly places: readonly number[];
  readonly similarity: number;
  readonly measured: Link['measured'];
}

/** Most alike first; in a group every pair is linked, so that similarity does not wander from one to the next. */
async function groupsOf(links: readonly Link[]): Promise<Group[]> {
  const turns = new Turns();
  const byPair = new Map(links.map(it => [it.pair.join(' '), it]));
  const groups = new Map<number, Group>();
  const ordered = [...links].sort(
    (a, b) => b.similarity - a.similarity || a.pair[0] - b.pair[0] || a.pair[1] - b.pair[1],
  );
  for (const { pair } of ordered) {
    if (turns.isOver()) await turns.next();
    const [one, other] = pair.map(
      place => groups.get(place) ?? { places: [place], similarity: 1, measured: 'meaning' },
    );
    if (one === other || one!.places.length + other!.places.length > maxGroup) continue;
    const between = one!.places.flatMap(a => other!.places.map(b => byPair.get(a < b ? `${a} ${b}` : `${b} ${a}`)));
    if (!between.every(it => it !== undefined)) continue;
    const group: Group = {
      places: [...one!.places, ...other!.places].sort((a, b) => a - b),
      similarity: Math.min(one!.similarity, other!.similarity, ...between.map(it => it.similarity)),
      measured: [one!, other!, ...between].every(it => it.measured === 'meaning') ? 'meaning' : 'words',
    };
    for (const it of group.places) groups.set(it, group);
  }
  return [...new Set(groups.values())].sort((a, b) => b.similarity - a.similarity || a.places[0]! - b.places[0]!);
}
