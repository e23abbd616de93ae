import { UndirectedGraph } from 'graphology';
import louvain from 'graphology-communities-louvain';
import { analyzeText, isStopWord } from '../../src/engine/text/analyzer.js';
import type { MemoryCard } from '../../src/protocol.js';
import type { GraphLink, GraphNode } from './graphLayout.js';

/** Memories that hang together more with each other than with the rest of the drawing. */
export interface Community {
  /** From 0, the largest first. Its color and shape come of it. */
  readonly index: number;
  /** Its commonest tag, a few of its words, or the beginning of its most linked memory. */
  readonly name: string;
  /** At least two. */
  readonly members: readonly GraphNode[];
}

/** Memories that share a tag or word, before it may name their community. */
const minSharing = 2;
const maxNameWords = 3;
const maxNameLength = 24;
/** Louvain divides by the sum of the weights. */
const minWeight = 0.01;

/**
 * The communities of a drawing, by Louvain's method (Blondel et al. 2008), weighted by the edges' strength. A memory
 * without a visible link is in none. The same memories and edges give the same communities in the same order, whatever
 * the order in which they were drawn.
 */
export function findCommunities(nodes: readonly GraphNode[], links: readonly GraphLink[]): readonly Community[] {
  const graph = new UndirectedGraph<Record<string, never>, { weight: number }>();
  const inOrder = (a: string, b: string): number => (a < b ? -1 : 1);
  const nodesById = new Map(nodes.map(it => [it.id, it]));
  for (const id of [...nodesById.keys()].sort(inOrder)) graph.addNode(id);
  const key = ({ edge }: GraphLink): string => `${edge.source} ${edge.target} ${edge.type}`;
  for (const { source, target, edge } of [...links].sort((a, b) => inOrder(key(a), key(b)))) {
    if (source === target) continue;
    graph.updateEdge(source.id, target.id, ({ weight = 0 }) => ({
      weight: weight + Math.max(minWeight, edge.strength),
    }));
  }
  if (graph.size === 0) return [];
  // Without a random walk, nothing is left to chance.
  const indexById = louvain(graph, { getEdgeWeight: 'weight', randomWalk: false, rng: () => 0 });
  const groups = new Map<number, string[]>();
  for (const id of graph.nodes()) {
    const index = indexById[id]!;
    groups.set(index, [...(groups.get(index) ?? []), id]);
  }
  const words = new SharedWords(nodes);
  const takenNames = new Set<string>();
  return [...groups.values()]
    .filter(ids => ids.length > 1)
    .sort((a, b) => b.length - a.length || inOrder(a[0]!, b[0]!))
    .map((ids, index) => {
      const members = ids.map(id => nodesById.get(id)!);
      const mostLinked = ids.reduce((best, id) => (graph.degree(id) > graph.degree(best) ? id : best));
      const longName = shorten(nodesById.get(mostLinked)!.memory.summary);
      const name = words.namesOf(members).find(it => !takenNames.has(it)) ?? longName;
      takenNames.add(name);
      return { index, name, members };
    });
}

/** Tags and words of memories, and how many of a drawing have them. */
class SharedWords {
  private readonly tags: ReadonlyMap<string, number>;
  private readonly words: ReadonlyMap<string, number>;
  private readonly wordsByNode: ReadonlyMap<GraphNode, ReadonlyMap<string, string>>;

  constructor(private readonly nodes: readonly GraphNode[]) {
    this.tags = countEach(nodes.map(it => it.memory.tags));
    this.wordsByNode = new Map(nodes.map(it => [it, wordsOf(it.memory)]));
    this.words = countEach([...this.wordsByNode.values()].map(it => [...it.keys()]));
  }

  /** Names of a community, the best first: the tags of at least half of its members, then the words that they share. */
  namesOf(members: readonly GraphNode[]): readonly string[] {
    const tagCounts = countEach(members.map(it => it.memory.tags));
    const tags = this.distinctive(members, tagCounts, this.tags).filter(it => 2 * tagCounts.get(it)! >= members.length);
    const wordsByMember = members.map(it => this.wordsByNode.get(it)!);
    const wordCounts = countEach(wordsByMember.map(it => [...it.keys()]));
    const words = this.distinctive(members, wordCounts, this.words)
      .slice(0, maxNameWords)
      .map(term => wordsByMember.find(it => it.has(term))!.get(term)!);
    return [...tags.map(it => `#${it}`), ...(words.length === 0 ? [] : [words.join(', ')])];
  }

  /** What more of the members share than of the whole drawing; first what most of them and few others have. */
  private distinctive(
    members: readonly GraphNode[],
    counts: ReadonlyMap<string, number>,
    countsOfAll: ReadonlyMap<string, number>,
  ): readonly string[] {
    const share = members.length / this.nodes.length;
    const isDistinctive = (key: string, count: number): boolean => share === 1 || count > share * countsOfAll.get(key)!;
    const weight = (key: string, count: number): number => (count * count) / countsOfAll.get(key)!;
    return [...counts]
      .filter(([key, count]) => count >= minSharing && isDistinctive(key, count))
      .sort(([a, m], [b, n]) => weight(b, n) - weight(a, m) || (a < b ? -1 : 1))
      .map(([key]) => key);
  }
}

function countEach(lists: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const it of lists) for (const key of new Set(it)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;
/** Written without spaces between words, which only a dictionary finds; it takes fifty times as long. */
const unspacedPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{2}/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Normalized term -> the word as it is written, without numbers, stop words and words of one or two letters. */
function wordsOf({ summary }: MemoryCard): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  for (const [run] of summary.matchAll(wordPattern)) {
    for (const word of unspacedPattern.test(run) ? [...segmenter.segment(run)].map(it => it.segment) : [run]) {
      if (!(/\p{L}{3}/u.test(word) || unspacedPattern.test(word)) || isStopWord(word.toLowerCase())) continue;
      const term = analyzeText(word).join(' ');
      if (!words.has(term)) words.set(term, word);
    }
  }
  return words;
}

/** Cut after a word where there are spaces. */
function shorten(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= maxNameLength) return text;
  const start = characters.slice(0, maxNameLength).join('');
  return `${start.replace(/(?<!\s)\s+\S*$/u, '')}…`;
}
