import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Memory } from '../../../src/engine/model/memory.js';
import { memoryRowDetail } from '../../../src/vscode/ui/memoryPresentation.js';
import { toTreeItem } from '../../../src/vscode/explorer/treeItem.js';
import type { ConflictNode, ExplorerNode, MemoryNode, NeedCounts } from '../../../src/vscode/explorer/treeNodes.js';

const at = '2026-03-02T09:00:00.000Z';

function memoryOf(content: string, more: Partial<Memory> = {}): Memory {
  const memory: Partial<Memory> = {
    ...{ id: '0'.repeat(36), content, lane: 'confirmed', status: 'active', store: 'project', pinned: false },
    ...{ decayClass: 'durable', createdAt: at, updatedAt: at, provenance: { source: 'explicit' } },
    ...more,
  };
  return memory as Memory;
}

function memoryNode(content: string, more: Partial<MemoryNode> = {}, memory: Partial<Memory> = {}): MemoryNode {
  const details = { memory: memoryOf(content, memory), effectiveConfidence: 70 };
  return { type: 'memory', id: content, details, age: { count: 5, unit: 'day' }, fadesSoon: false, ...more };
}

function conflictNode(more: Partial<ConflictNode['conflict']>): ConflictNode {
  const side = (content: string) => ({ memory: memoryOf(content), effectiveConfidence: 70 });
  const conflict: Partial<ConflictNode['conflict']> = {
    ...{
      newer: side('She is Felicity.'),
      older: side('She is Perpetua.'),
      reason: 'Perpetua against Felicity.',
      since: at,
    },
    ...more,
  };
  return { type: 'conflict', id: 'conflict', conflict: conflict as ConflictNode['conflict'] };
}

const noNeeds: NeedCounts = { requests: 0, conflicts: 0, likely: 0, overdue: 0, faded: 0, intakes: 0 };

/** Each kind of row, what a screen reader says of it, and its role where it is a button. */
const rows: readonly (readonly [kind: string, node: ExplorerNode, label: RegExp, role?: string])[] = [
  ['a memory', memoryNode('Inger signs off.'), /^Inger signs off\., 5 days ago$/u],
  [
    'a note that fades soon, with its place and its project',
    memoryNode(
      'Ask first.',
      { fadesSoon: true, project: 'harbour' },
      { lane: 'note', provenance: { source: 'explicit', symbol: 'Timetable.canLeave' } },
    ),
    /^Ask first\., .*note.*, .*fade.*, canLeave, harbour, 5 days ago$/u,
  ],
  [
    'an imported memory, whose text and heading show apart',
    memoryNode(
      'Lights: The pier is dark.',
      { line: { heading: 'Lights', text: 'The pier is dark.' } },
      { provenance: { source: 'import', file: 'docs/quay.md' } },
    ),
    /^Lights: The pier is dark\., quay\.md, 5 days ago$/u,
  ],
  ['a pinned memory', memoryNode('Never deploy.', {}, { pinned: true }), /^Never deploy\., .*pinned.*, 5 days ago$/u],
  [
    'a forgotten memory',
    memoryNode('Old.', {}, { status: 'archived', archiveReason: 'forgotten' }),
    /^Old\., .*forgotten/u,
  ],
  [
    'an overdue plan',
    memoryNode('Pay the dues.', { context: { planReview: { why: 'overdue', since: at } } }),
    /^Pay the dues\., .*Mar 2/u,
  ],
  [
    'a memory that an assistant asks to forget',
    memoryNode('The crane lifts.', { context: { request: { action: 'forget', client: 'mcp:zed', at } } }),
    /^The crane lifts\., .*[Ff]orget.*zed/u,
  ],
  ['two that may contradict', conflictNode({}), /^She is Felicity\. may replace She is Perpetua\.: /u],
  [
    'a group that wants a person',
    { type: 'group', id: 'needsYou', count: 2, open: true, needs: { ...noNeeds, conflicts: 2 } },
    /^Needs You, 2 contradictions, What only you can decide/u,
  ],
  [
    'a group that wants a person for two reasons',
    { type: 'group', id: 'needsYou', count: 2, open: true, needs: { ...noNeeds, conflicts: 1, overdue: 1 } },
    /^Needs You, 2, 1 contradiction, 1 overdue, What only you can decide/u,
  ],
  [
    'a memory of more than a day ago',
    memoryNode('Inger signs off.', { age: { count: 1, unit: 'day' } }),
    /^Inger signs off\., 1 day ago$/u,
  ],
  ['a topic', { type: 'group', id: 'rules', count: 62, open: false }, /^Rules, 62, /u],
  [
    'what sessions left undecided',
    { type: 'intake', id: 'i', intake: { id: 'i', by: 'candidates', at, source: '', count: 3, undecided: 3 } },
    /^To review: 3 candidates from your sessions, Mar 2/u,
  ],
  [
    'an import of which some is undecided',
    {
      type: 'intake',
      id: 'i',
      intake: { id: 'i', by: 'import', at, source: 'CLAUDE.md', count: 72, undecided: 70 },
    },
    /^To review: 70 memories from CLAUDE\.md, Mar 2/u,
  ],
  [
    'an encrypted text',
    {
      type: 'sensitive',
      id: 's',
      memory: { id: 's', label: 'PIN', key: 'k', isReadable: true, createdAt: at } as never,
    },
    /^PIN, Kept encrypted with the key k/u,
  ],
  [
    'the rest of a group',
    { type: 'more', id: 'm', parentId: 'facts', shown: 100, total: 5_160 },
    /^Show more: 100 of 5,160 are shown$/u,
    'button',
  ],
  ['all memories', { type: 'all', id: 'all', count: 10_000 }, /^Search 10,000 memories…$/u, 'button'],
  [
    'the last change',
    { type: 'undo', id: 'undo', change: { name: 'forgot', ids: ['x'], steps: [], at, stores: [] }, text: 'We deploy.' },
    /^Undo: forgot "We deploy\."$/u,
    'button',
  ],
];

describe('rows of the memory explorer for a screen reader', () => {
  for (const [kind, node, label, role] of rows) {
    it(`say of ${kind} what their look says`, () => {
      const item: vscode.TreeItem = toTreeItem(node);
      assert.match(item.accessibilityInformation?.label ?? '', label);
      assert.equal(item.accessibilityInformation?.role, role);
    });
  }

  it('say the text of an imported memory before its heading', () => {
    const line = { heading: 'Lights', text: 'The pier is dark.' };
    const item = toTreeItem(
      memoryNode('Lights: The pier is dark.', { line }, { provenance: { source: 'import', file: 'docs/quay.md' } }),
    );
    assert.deepEqual([item.label, item.description], ['The pier is dark.', 'quay.md › Lights  5d']);
  });

  it('cover each kind of row', () => {
    const kinds: Readonly<Record<ExplorerNode['type'], true>> = {
      ...{
        undo: true,
        group: true,
        conflict: true,
        intake: true,
        memory: true,
        sensitive: true,
        more: true,
        all: true,
      },
    };
    assert.deepEqual([...new Set(rows.map(([, it]) => it.type))].sort(), Object.keys(kinds).sort());
  });

  it('offer "Ask Me First" where a memory names something that a tool call can be recognized by', () => {
    const isOffered = (content: string, memory: Partial<Memory> = {}): boolean =>
      /\bguardable\b/u.test(toTreeItem(memoryNode(content, {}, memory)).contextValue ?? '');
    assert.deepEqual(
      [
        isOffered('Ask before `git push`.'),
        isOffered('Inger signs off.'),
        isOffered('Inger signs off.', { provenance: { source: 'explicit', uri: 'file:///harbour/src/tides.ts' } }),
      ],
      [true, false, true],
    );
  });
});

describe('the second line of a memory in a list', () => {
  it('says since when a memory is forgotten, and of one in use since when it is stored', () => {
    const forgotten = {
      status: 'archived',
      archiveReason: 'forgotten',
      archivedAt: '2026-03-02T09:07:00.000Z',
    } as const;
    const now = new Date('2026-03-02T09:21:00.000Z');
    assert.deepEqual(
      [memoryOf('Old.'), memoryOf('Old.', forgotten)].map(it => memoryRowDetail(it, now)),
      ['21 minutes ago', 'forgotten · 14 minutes ago'],
    );
  });
});
