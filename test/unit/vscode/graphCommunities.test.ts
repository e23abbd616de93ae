import assert from 'node:assert/strict';
import type { Edge } from '../../../src/engine/model/edge.js';
import type { MemoryCard } from '../../../src/protocol.js';
import { findCommunities } from '../../../webview-ui/graph/communities.js';
import { communitySign } from '../../../webview-ui/graph/communitySigns.js';
import { GraphLayout } from '../../../webview-ui/graph/graphLayout.js';
import { nextMatch, searchNodes } from '../../../webview-ui/graph/graphSearch.js';

const card = (id: string, content = id, tags: readonly string[] = []): MemoryCard =>
  ({ id, content, summary: content, tags }) as unknown as MemoryCard;
const edge = (source: string, target: string, strength = 0.5): Edge => ({
  source,
  target,
  strength,
  type: 'relates_to',
  reason: '',
  createdAt: '',
});

function layoutOf(memories: readonly MemoryCard[], edges: readonly Edge[]): GraphLayout {
  const layout = new GraphLayout();
  for (const it of memories) layout.addNode(it);
  for (const it of edges) layout.addLink(it);
  return layout;
}

function communitiesOf(memories: readonly MemoryCard[], edges: readonly Edge[]) {
  const { nodes, links } = layoutOf(memories, edges);
  return findCommunities(nodes, links).map(it => ({ ...it, members: it.members.map(member => member.id) }));
}

/** Each member with each other one. */
const clique = (...ids: readonly string[]): Edge[] =>
  ids.flatMap((id, i) => ids.slice(i + 1).map(other => edge(id, other)));

describe('the communities of a graph', () => {
  const tides = ['Tide tables are metric.', 'The tide turns at six.', 'Tides are fetched at night.'];
  const memories = [
    card('a', tides[0]),
    card('b', tides[1]),
    card('c', tides[2]),
    card('x', 'The crane lifts two tonnes.'),
    card('y', 'A crane needs a permit.'),
    card('alone', 'The crane and the tide.'),
  ];
  const edges = [...clique('a', 'b', 'c'), edge('x', 'y', 0.9), edge('c', 'x', 0.1)];

  it('are what hangs together, the largest first, without what has no link', () => {
    assert.deepEqual(
      communitiesOf(memories, edges).map(it => [it.index, it.members]),
      [
        [0, ['a', 'b', 'c']],
        [1, ['x', 'y']],
      ],
    );
    assert.deepEqual(communitiesOf(memories, []), []);
    assert.deepEqual(communitiesOf([], []), []);
  });

  it('are the same in whatever order they were drawn', () => {
    const expected = communitiesOf(memories, edges);
    assert.deepEqual(communitiesOf([...memories].reverse(), [...edges].reverse()), expected);
    const many = Array.from({ length: 300 }, (_, i) => card(`m${i}`));
    const links = many.flatMap((it, i) => [
      edge(it.id, `m${(i * 7 + 1) % 300}`, 0.3),
      edge(it.id, `m${i - (i % 10)}`, 0.8),
    ]);
    const all = communitiesOf(many, links);
    assert.ok(all.length > 5 && all.length < 100, String(all.length));
    assert.deepEqual(communitiesOf([...many].reverse(), [...links].reverse()), all);
  });

  it('are named by the words that their memories share, as they are written', () => {
    assert.deepEqual(
      communitiesOf(memories, edges).map(it => it.name),
      ['Tide', 'crane'],
    );
    const chinese = [card('a', '部署必须在星期五之前完成。'), card('b', '星期五不要开会。')];
    assert.deepEqual(
      communitiesOf(chinese, clique('a', 'b')).map(it => it.name),
      ['星期五'],
    );
  });

  it('are named by the tag that sets them apart, before any word, and each by another', () => {
    const tagged = (id: string, ...tags: string[]): MemoryCard => card(id, `Tide ${id}`, tags);
    const all = [
      tagged('a', 'harbour', 'tables'),
      tagged('b', 'harbour', 'tables'),
      tagged('c', 'harbour'),
      tagged('p', 'harbour', 'quay', 'tables'),
      tagged('q', 'harbour', 'quay', 'tables'),
      tagged('x', 'harbour', 'rare'),
      tagged('y', 'harbour', 'rare'),
      ...['z1', 'z2', 'z3', 'z4'].map(it => tagged(it, 'harbour')),
    ];
    const edges = [...clique('a', 'b', 'c'), ...clique('p', 'q'), ...clique('x', 'y', 'z1', 'z2', 'z3', 'z4')];
    assert.deepEqual(
      communitiesOf(all, edges).map(it => it.name),
      ['Tide x', '#tables', '#quay'],
    );
  });

  it('are named by the words of all where there is one community alone', () => {
    const all = [card('a', 'Tide of Skagen'), card('b', 'Tide of Oslo')];
    assert.deepEqual(
      communitiesOf(all, clique('a', 'b')).map(it => it.name),
      ['Tide'],
    );
  });

  it('are named by the beginning of their most linked memory where they share no word', () => {
    const middle = 'Permits are signed by the harbour master on weekdays before noon';
    const star = [card('a', 'Oak'), card('m', middle), card('b', 'Varnish')];
    assert.deepEqual(
      communitiesOf(star, [edge('a', 'm'), edge('m', 'b')]).map(it => it.name),
      ['Permits are signed by…'],
    );
  });

  it('have thirty different signs, and others than a memory that is in none', () => {
    const signs = [undefined, ...Array.from({ length: 30 }, (_, i) => i)].map(it => communitySign(it));
    const shapes = [...new Set(signs.map(it => it.shape))];
    assert.equal(new Set(signs.map(it => `${it.color} ${shapes.indexOf(it.shape)}`)).size, 31);
  });
});

describe('the search in a graph', () => {
  const { nodes } = layoutOf(
    [
      card('a', 'Tide tables come from the Authority.', ['harbour']),
      card('b', 'The ferry leaves at high tide.'),
      card('c', 'Straße nach Süden', ['Tide-Tables']),
    ],
    [],
  );
  const found = (text: string): string =>
    searchNodes(nodes, text)
      .map(it => it.id)
      .join('');

  it('finds every typed word in the text or a tag, whatever its case', () => {
    assert.deepEqual(
      ['tide', 'TABLES tide', 'authority #harb', '#tide', 'süden', 'ferry tables', '  ', '(tide'].map(found),
      ['abc', 'ac', 'a', 'c', 'c', '', 'abc', ''],
    );
  });

  it('reads the text of a memory once for all searches, until there is another state of it', () => {
    let reads = 0;
    const memory = card('a', '', ['harbour']);
    const counted: MemoryCard = Object.defineProperty({ ...memory }, 'content', {
      get: () => {
        reads++;
        return 'Tide tables';
      },
    });
    const layout = layoutOf([counted], []);
    const counts = ['t', 'ti', 'quay'].map(it => searchNodes(layout.nodes, it).length);
    layout.addNode(card('a', 'Quay'));
    assert.deepEqual([counts, reads, searchNodes(layout.nodes, 'quay').length], [[1, 1, 0], 1, 1]);
  });

  it('goes from match to match and around, in both directions', () => {
    const next = (from: string | undefined, step: 1 | -1): unknown => {
      const it = nextMatch(searchNodes(nodes, 'tide'), from, step);
      return it && [it.node.id, it.position];
    };
    assert.deepEqual(
      [next(undefined, 1), next('a', 1), next('c', 1), next('a', -1), next('elsewhere', -1)],
      [
        ['a', 0],
        ['b', 1],
        ['a', 0],
        ['c', 2],
        ['c', 2],
      ],
    );
    assert.equal(nextMatch([], 'a', 1), undefined);
  });
});
