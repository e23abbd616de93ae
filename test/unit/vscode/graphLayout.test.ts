import assert from 'node:assert/strict';
import type { Edge } from '../../../src/engine/model/edge.js';
import type { MemoryCard } from '../../../src/protocol.js';
import { GraphLayout } from '../../../webview-ui/graph/graphLayout.js';

const card = (id: string): MemoryCard => ({ id }) as MemoryCard;
const edge = (source: string, target: string, strength = 0.5): Edge => ({
  source,
  target,
  strength,
  type: 'relates_to',
  reason: '',
  createdAt: '',
});

describe('GraphLayout', () => {
  it('adds each memory and each edge once, and no edge that lacks a node', () => {
    const layout = new GraphLayout();
    layout.addNode(card('a'));
    layout.addNode(card('b'), layout.node('a'));
    layout.addNode(card('a'));
    layout.addLink(edge('a', 'b'));
    layout.addLink(edge('a', 'b', 0.9));
    layout.addLink(edge('a', 'gone'));
    assert.deepEqual([layout.nodes.length, layout.links.length], [2, 1]);
  });

  it('removes all memories but the given ones with their edges, and replaces the edges', () => {
    const layout = new GraphLayout();
    for (const id of ['a', 'b', 'c']) layout.addNode(card(id));
    assert.ok(layout.setLinks([edge('a', 'b'), edge('b', 'c')]));
    assert.ok(!layout.setLinks([edge('b', 'c', 0.9), edge('a', 'b')]));
    assert.deepEqual(
      layout.links.map(it => [it.source.id, it.target.id, it.edge.strength]),
      [
        ['b', 'c', 0.9],
        ['a', 'b', 0.5],
      ],
    );
    assert.deepEqual([layout.retainNodes(new Set(['a', 'b'])), layout.retainNodes(new Set(['a', 'b']))], [true, false]);
    assert.deepEqual(
      [layout.nodes.map(it => it.id), layout.links.length, layout.node('c')],
      [['a', 'b'], 1, undefined],
    );
    layout.reheat(1);
    while (layout.tick());
    assert.ok(layout.nodes.every(it => Number.isFinite(it.x)));
    assert.deepEqual([layout.setLinks([]), layout.links.length], [true, 0]);
  });

  it('places connected nodes closer than others, and becomes stable', () => {
    const layout = new GraphLayout();
    for (const id of ['a', 'b', 'c', 'd']) layout.addNode(card(id));
    layout.addLink(edge('a', 'b', 1));
    layout.addLink(edge('c', 'd', 1));
    layout.reheat(1);
    let steps = 0;
    while (layout.tick()) steps++;
    const apart = (one: string, other: string): number => {
      const [a, b] = [layout.node(one)!, layout.node(other)!];
      return Math.hypot(a.x! - b.x!, a.y! - b.y!);
    };
    assert.ok(steps > 20 && steps < 500, `${steps} steps`);
    assert.ok(apart('a', 'b') < apart('a', 'c') && apart('c', 'd') < apart('b', 'd'));
  });

  it('finds the next node in the direction of an arrow key', () => {
    const layout = new GraphLayout();
    for (const [id, x, y] of [
      ['a', 0, 0],
      ['b', 100, 10],
      ['c', 60, 90],
      ['d', 0, -50],
    ] as const)
      Object.assign(layout.addNode(card(id)), { x, y });
    const next = (from: string | undefined, x: -1 | 0 | 1, y: -1 | 0 | 1) => layout.nodeInDirection(from, { x, y })?.id;
    assert.deepEqual(
      [next('a', 1, 0), next('a', 0, 1), next('a', 0, -1), next('a', -1, 0), next('c', 0, -1), next(undefined, 1, 0)],
      ['b', 'c', 'd', undefined, 'b', 'a'],
    );
  });

  it('spreads a thousand nodes to distinct places', () => {
    const layout = new GraphLayout();
    for (let i = 0; i < 1_000; i++) layout.addNode(card(`${i}`), layout.node(`${Math.floor(i / 8)}`));
    for (let i = 1; i < 1_000; i++) layout.addLink(edge(`${i}`, `${Math.floor(i / 8)}`));
    layout.reheat(1);
    for (let i = 0; i < 60; i++) layout.tick();
    const places = layout.nodes.map(it => [Math.round(it.x!), Math.round(it.y!)]);
    assert.ok(places.flat().every(it => Number.isFinite(it)));
    assert.equal(new Set(places.map(it => it.join(' '))).size, 1_000);
  });
});
