import assert from 'node:assert/strict';
import type { Edge } from '../../../src/engine/model/edge.js';
import type { MemoryCard, NeighborsView } from '../../../src/protocol.js';
import { DrawnGraph, type DrawnChange } from '../../../webview-ui/graph/drawnGraph.js';

const card = (id: string): MemoryCard => ({ id, content: id, summary: id, tags: [] }) as unknown as MemoryCard;
const edge = (source: string, target: string): Edge => ({
  source,
  target,
  strength: 0.5,
  type: 'relates_to',
  reason: '',
  createdAt: '',
});

/** Memories with their edges, of which any can be slow, or not be loaded. */
class Source {
  readonly ids = new Set<string>();
  readonly edges: (readonly [source: string, target: string])[] = [];
  readonly failing = new Set<string>();
  readonly asked: string[] = [];
  /** Waited for by each answer, that one of the edges between memories aside. */
  gate: Promise<void> = Promise.resolve();
  edgesGate: Promise<void> = Promise.resolve();

  constructor(...edges: readonly (readonly [string, string])[]) {
    for (const it of edges) {
      this.edges.push(it);
      for (const id of it) this.ids.add(id);
    }
  }

  /** Deletes a memory for good. */
  purge(id: string): void {
    this.ids.delete(id);
  }

  async neighbors(id: string): Promise<NeighborsView | undefined> {
    this.asked.push(id);
    await this.gate;
    if (this.failing.has(id)) throw new Error(`${id} is not read`);
    if (!this.ids.has(id)) return undefined;
    const incident = this.known().filter(it => it.includes(id));
    return {
      memory: card(id),
      neighbors: incident.map(it => ({ edge: edge(...it), memory: card(it[0] === id ? it[1] : it[0]) })),
    };
  }

  async edgesBetween(ids: readonly string[]): Promise<readonly Edge[]> {
    await this.edgesGate;
    if (this.failing.has('edges')) throw new Error('edges are not read');
    return this.known()
      .filter(it => it.every(id => ids.includes(id)))
      .map(it => edge(...it));
  }

  private known(): (readonly [string, string])[] {
    return this.edges.filter(it => it.every(id => this.ids.has(id)));
  }
}

describe('the drawn graph', () => {
  let source: Source;
  let graph: DrawnGraph;
  let changes: DrawnChange[];
  const draw = (...edges: readonly (readonly [string, string])[]): void => {
    source = new Source(...edges);
    changes = [];
    graph = new DrawnGraph(source, it => changes.push(it));
  };
  const drawn = (): unknown => [
    graph.layout.nodes.map(it => it.id).join(''),
    graph.layout.links.map(it => `${it.source.id}${it.target.id}`).join(' '),
  ];
  /** Holds all answers back, until the returned function is called. */
  const hold = (): (() => void) => {
    let release = (): void => undefined;
    source.gate = new Promise(resolve => {
      release = resolve;
    });
    return release;
  };

  it('has the memory that it started with, its neighbors and the links between these', async () => {
    draw(['a', 'b'], ['a', 'c'], ['b', 'c'], ['c', 'd']);
    graph.startAt('a');
    assert.ok(graph.isEmpty);
    await graph.load();
    assert.deepEqual([drawn(), changes], [['abc', 'ab ac bc'], ['first']]);
    await graph.load(['c']);
    assert.deepEqual([drawn(), graph.expandedIds, changes.at(-1)], [['abcd', 'ab ac bc cd'], ['a', 'c'], 'changed']);
    await graph.load();
    assert.deepEqual([changes.at(-1), graph.viewOf('b'), graph.viewOf('c')?.neighbors.length], ['same', undefined, 3]);
  });

  it('drops what arrives for a memory that it started with before, also where that comes last', async () => {
    draw(['a', 'b'], ['x', 'y']);
    const release = hold();
    graph.startAt('a', ['b']);
    const first = graph.load();
    source.gate = Promise.resolve();
    graph.startAt('x');
    await graph.load();
    release();
    await first;
    assert.deepEqual([drawn(), graph.expandedIds, changes], [['xy', 'xy'], ['x'], ['first']]);
    assert.deepEqual(source.asked, ['a', 'x']);
  });

  it('drops a failure for a memory that it started with before', async () => {
    draw(['a', 'b'], ['x', 'y']);
    const release = hold();
    source.failing.add('a');
    graph.startAt('a', ['b']);
    const first = graph.load();
    source.gate = Promise.resolve();
    graph.startAt('x');
    release();
    await first;
    assert.deepEqual([drawn(), graph.expandedIds, changes], [['', ''], ['x'], []]);
    await graph.load();
    assert.deepEqual(drawn(), ['xy', 'xy']);
  });

  it('draws all that could be loaded, says the first failure, and loads the rest the next time', async () => {
    draw(['a', 'b'], ['b', 'c'], ['c', 'd']);
    for (const it of ['a', 'b']) source.failing.add(it);
    graph.startAt('a', ['b', 'c']);
    await assert.rejects(graph.load(), { message: 'a is not read' });
    assert.deepEqual(
      [drawn(), graph.expandedIds],
      [
        ['cbd', 'bc cd'],
        ['a', 'b', 'c'],
      ],
    );
    source.failing.clear();
    await graph.load();
    assert.deepEqual(
      [drawn(), changes],
      [
        ['cbda', 'ab bc cd'],
        ['first', 'changed'],
      ],
    );
  });

  it('draws what belongs to the expanded memories where the links between neighbors cannot be loaded', async () => {
    draw(['a', 'b'], ['a', 'c'], ['b', 'c']);
    source.failing.add('edges');
    graph.startAt('a');
    await assert.rejects(graph.load(), { message: 'edges are not read' });
    assert.deepEqual(drawn(), ['abc', 'ab ac']);
  });

  it('takes out what no longer exists, and no longer asks for it', async () => {
    draw(['a', 'b'], ['b', 'c'], ['a', 'd']);
    graph.startAt('a', ['b']);
    await graph.load();
    assert.deepEqual(drawn(), ['abdc', 'ab bc ad']);
    source.purge('b');
    await graph.load();
    assert.deepEqual([drawn(), graph.expandedIds, changes.at(-1)], [['ad', 'ad'], ['a'], 'changed']);
    source.purge('d');
    await graph.load(['d']);
    assert.deepEqual([drawn(), graph.expandedIds], [['a', ''], ['a']]);
    source.purge('a');
    await graph.load();
    assert.deepEqual([graph.isEmpty, graph.expandedIds], [true, []]);
  });

  it('takes out a link that was removed', async () => {
    draw(['a', 'b'], ['a', 'c'], ['b', 'c']);
    graph.startAt('a');
    await graph.load();
    source.edges.pop();
    await graph.load();
    assert.deepEqual(
      [drawn(), changes],
      [
        ['abc', 'ab ac'],
        ['first', 'changed'],
      ],
    );
  });

  it('draws everything where two loads overlap, whichever ends first', async () => {
    draw(['a', 'b'], ['b', 'c'], ['c', 'b']);
    graph.startAt('a');
    await graph.load();
    const release = hold();
    const refreshed = graph.load();
    source.gate = Promise.resolve();
    await graph.load(['b']);
    release();
    await refreshed;
    assert.deepEqual(drawn(), ['abc', 'ab bc cb']);
  });

  it('keeps what was drawn last where the links of an earlier drawing arrive after it', async () => {
    draw(['a', 'b'], ['b', 'c']);
    graph.startAt('a');
    await graph.load();
    let release = (): void => undefined;
    source.edgesGate = new Promise(resolve => {
      release = resolve;
    });
    const refreshed = graph.load();
    await new Promise(resolve => setImmediate(resolve));
    source.edgesGate = Promise.resolve();
    await graph.load(['b']);
    release();
    await refreshed;
    assert.deepEqual(
      [drawn(), changes],
      [
        ['abc', 'ab bc'],
        ['first', 'changed'],
      ],
    );
  });
});
