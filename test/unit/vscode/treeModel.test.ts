import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import { defaultConfig } from '../../../src/engine/model/config.js';
import type { EngineHost } from '../../../src/engine/model/host.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { maxUngrouped, TreeModel, treePageSize, type TreeOptions } from '../../../src/vscode/explorer/treeModel.js';
import type { ExplorerNode } from '../../../src/vscode/explorer/treeNodes.js';
import { EngineHolder } from '../../../src/vscode/engineHolder.js';
import { UndoHistory } from '../../../src/vscode/undo/undoHistory.js';
import { bundlePaths } from '../../support/bundlePaths.js';
import { until } from '../../host/ui/kit/until.js';
import { linkContradiction } from '../../support/fixtures.js';
import { waitForEncoder } from '../../support/encoderHost.js';
import { staticConfig } from '../../support/staticConfig.js';

const now = new Date('2026-03-02T09:00:00Z');
const everything: TreeOptions = { grouping: 'topic', filter: '', loadedPages: new Map(), now, manyMemories: 5_000 };
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('TreeModel', () => {
  let folder: string;
  let host: EngineHost;
  let engine: MemoryEngine;
  let time: Date;

  beforeEach(async () => {
    time = now;
    folder = mkdtempSync(join(tmpdir(), 'recollect-explorer-'));
    host = {
      ...bundlePaths,
      dataDir: folder,
      workspaceFolders: [],
      client: 'test',
      log,
      config: () => staticConfig,
      now: () => time,
    };
    engine = await openEngine(host);
  });
  afterEach(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const remember = async (content: string, more: Partial<RememberInput> = {}): Promise<string> => {
    const [outcome] = await engine.remember({ content, source: 'explicit', lane: 'confirmed', whole: true, ...more });
    assert.ok(outcome !== undefined && outcome.outcome !== 'refused');
    return outcome.id;
  };

  /** The whole tree as an outline, including collapsed nodes. */
  const outline = async (view: Partial<TreeOptions> = {}): Promise<string[]> => {
    const model = new TreeModel(engine, { ...everything, ...view });
    const lines: string[] = [];
    const walk = async (nodes: readonly ExplorerNode[], indent: string): Promise<void> => {
      for (const node of nodes) {
        lines.push(indent + label(node));
        await walk(await model.childrenOf(node), `${indent}  `);
      }
    };
    await walk((await model.loadRoots()).nodes, '');
    return lines;
  };

  /** Enough for groups, a day apart, the last one ten days ago. */
  const rememberOld = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const at = new Date(now.getTime() - (10 + i) * 86_400_000).toISOString();
      await remember(`Buoy number ${i} is green.`, { gate: 'epistemic', kind: 'context', at });
    }
  };

  it('has no nodes where nothing is remembered', async () => {
    assert.deepEqual(await outline(), []);
  });

  it('shows what assistants have requested first, until it is decided', async () => {
    const id = await remember('The pilot boat is called Ingrid.', { gate: 'epistemic', kind: 'context' });
    await engine.actionRequests.add(id, 'forget');
    assert.deepEqual((await outline()).slice(0, 2), [
      'needsYou (1)',
      '  The pilot boat is called Ingrid.: forget, by test',
    ]);
    await engine.actionRequests.dismiss(id);
    assert.deepEqual(await outline(), ['The pilot boat is called Ingrid.']);
  });

  it('hears of a request that another program leaves', async () => {
    const id = await remember('The pilot boat is called Ingrid.');
    const other = await openEngine({ ...host, client: 'mcp:zed' });
    let isHeard = false;
    engine.onDidChange(() => {
      isHeard = true;
    });
    // A write before the first look of the watcher is no change to it.
    await until('it is heard', async () => {
      await other.actionRequests.add(id, 'forget');
      return isHeard;
    });
    await other.close();
    assert.equal((await engine.actionRequests.list())[0]?.client, 'mcp:zed');
  });

  it('shows few memories without groups, newest first, with their ages', async () => {
    await remember('Never deploy on Fridays.', { gate: 'correction', kind: 'pitfall', at: '2026-02-27T09:00:00.000Z' });
    await remember('I like short functions.', { gate: 'behavioral', at: '2026-03-02T08:30:00.000Z' });
    await remember('Inger is the harbour master.', { gate: 'relational', at: '2025-01-02T08:30:00.000Z' });
    assert.deepEqual(await outline(), [
      'I like short functions.',
      'Never deploy on Fridays.',
      'Inger is the harbour master.',
    ]);
    const { nodes } = await new TreeModel(engine, everything).loadRoots();
    assert.deepEqual(
      nodes.map(it => (it.type === 'memory' ? it.age : undefined)),
      [
        { count: 30, unit: 'minute' },
        { count: 3, unit: 'day' },
        { count: 1, unit: 'year' },
      ],
    );
  });

  it('groups many memories by topic below what is new', async () => {
    await rememberOld(maxUngrouped - 2);
    await remember('Never deploy on Fridays.', { gate: 'correction', kind: 'pitfall' });
    await remember('I like short functions.', { gate: 'behavioral', kind: 'preference' });
    assert.equal((await outline()).length, maxUngrouped);
    await remember('Inger is the harbour master.', { gate: 'relational', kind: 'context' });
    const lines = await outline();
    assert.deepEqual(lines.slice(0, 5), [
      'recent (3)',
      '  Inger is the harbour master.',
      '  I like short functions.',
      '  Never deploy on Fridays.',
      'rules (2)',
    ]);
    assert.deepEqual(
      lines.filter(it => !it.startsWith(' ')),
      ['recent (3)', 'rules (2)', `facts (${maxUngrouped - 2})`, 'people (1)'],
    );
    const { nodes } = await new TreeModel(engine, everything).loadRoots();
    assert.deepEqual(
      nodes.map(it => 'open' in it && it.open),
      [true, false, false, false],
    );
  });

  it('shows what holds in all projects as a group of its own where a project is open', async () => {
    await engine.close();
    engine = await openEngine({ ...host, workspaceFolders: [folder] });
    await rememberOld(maxUngrouped);
    await remember('I prefer tabs.', { gate: 'behavioral', kind: 'preference', store: 'global' });
    const lines = await outline();
    assert.deepEqual(lines.slice(lines.indexOf('everywhere (1)')), ['everywhere (1)', '  I prefer tabs.']);
  });

  it('begins with the page of all memories where there are very many', async () => {
    await rememberOld(maxUngrouped + 1);
    const { nodes } = await new TreeModel(engine, { ...everything, manyMemories: maxUngrouped + 1 }).loadRoots();
    assert.deepEqual(nodes.map(label), [`all (${maxUngrouped + 1})`, `facts (${maxUngrouped + 1})`]);
  });

  it('keeps code and its descriptions in a group of their own', async () => {
    await remember('The class Timetable lists departures.', { gate: 'epistemic', kind: 'code-description' });
    await remember('Inger is the harbour master.', { gate: 'relational', kind: 'context' });
    const expected = ['Inger is the harbour master.', 'code (1)', '  The class Timetable lists departures.'];
    assert.deepEqual(await outline(), expected);
    assert.deepEqual((await outline({ grouping: 'lasting' })).slice(2), expected.slice(1));
    assert.deepEqual(await outline({ filter: 'timetable' }), ['The class Timetable lists departures.']);
  });

  it('begins with the last change, until it is undone', async () => {
    const id = await remember('The office is in Bergen.', { gate: 'epistemic', kind: 'context' });
    const history = new UndoHistory(join(folder, 'undo.json'), () => time);
    await engine.pin(id);
    await history.record(engine, { name: 'pinned', ids: [id], steps: [{ do: 'unpin', ids: [id] }] });
    assert.deepEqual(await outline({ history }), ['undo: pinned The office is in Bergen.', 'The office is in Bergen.']);
    assert.deepEqual(await outline({ history, filter: 'office' }), ['The office is in Bergen.']);
    await history.undo(engine);
    assert.deepEqual(await outline({ history }), ['The office is in Bergen.']);
  });

  it('groups memories by how long they last', async () => {
    await remember('The standup is at nine today.', { gate: 'promissory', kind: 'progress', decayClass: 'session' });
    await remember('Tabs are four wide.', { gate: 'epistemic', kind: 'context', decayClass: 'permanent' });
    assert.deepEqual(await outline({ grouping: 'lasting' }), [
      'lasts/session (1)',
      '  The standup is at nine today.',
      'lasts/permanent (1)',
      '  Tabs are four wide.',
    ]);
  });

  it('marks what fades soon', async () => {
    const marks = async (): Promise<readonly (readonly [string, boolean])[]> =>
      (await new TreeModel(engine, { ...everything, now: time }).loadRoots()).nodes.flatMap(it =>
        it.type === 'memory' ? [[it.details.memory.summary, it.fadesSoon] as const] : [],
      );
    await remember('Tabs are four wide.', { gate: 'epistemic', decayClass: 'durable' });
    await remember('The standup is at nine.', { gate: 'epistemic', decayClass: 'session' });
    assert.deepEqual(await marks(), [
      ['The standup is at nine.', true],
      ['Tabs are four wide.', false],
    ]);
  });

  it('shows what was forgotten as forgotten, until it is restored', async () => {
    const id = await remember('The office is in Bergen.', { gate: 'epistemic', kind: 'context' });
    await engine.forget(id);
    assert.deepEqual(await outline(), ['forgotten (1)', '  The office is in Bergen.']);
    await engine.restore(id);
    assert.deepEqual(await outline(), ['The office is in Bergen.']);
  });

  it('shows plans to review on top, with the reason', async () => {
    const plan = { gate: 'promissory', kind: 'progress' } as const;
    const early = await remember('Pay the harbour dues.', plan);
    const late = await remember('Send the report.', plan);
    await remember('Paint the boat some day.', plan);
    await engine.planReview.extend(late, '2026-03-05');
    await engine.planReview.extend(early, '2026-03-04');
    time = new Date('2026-03-07T09:00:00Z');
    assert.deepEqual((await outline()).slice(0, 4), [
      'needsYou (2)',
      '  Pay the harbour dues.: overdue since 2026-03-04T23:59:59.999Z',
      '  Send the report.: overdue since 2026-03-05T23:59:59.999Z',
      'Paint the boat some day.',
    ]);
    await engine.planReview.complete(early);
    await engine.planReview.drop(late);
    assert.deepEqual((await outline())[0], 'Paint the boat some day.');
  });

  it('shows conflicts on top until they are resolved', async () => {
    const older = await remember('The ferry is called Perpetua.', { gate: 'epistemic', kind: 'context' });
    const newer = await remember('The ferry is called Felicity.', { gate: 'epistemic', kind: 'context' });
    await linkContradiction(host, newer, older);
    assert.deepEqual(await outline(), [
      'needsYou (1)',
      '  Said otherwise with a certainty of 0.8.',
      'The ferry is called Felicity.',
      'The ferry is called Perpetua.',
    ]);
    await engine.conflicts.resolve(newer, older, 'keepA');
    assert.deepEqual(await outline(), [
      'The ferry is called Felicity.',
      'forgotten (1)',
      '  The ferry is called Perpetua.',
    ]);
  });

  it("shows a note below the one that replaces it by an assistant's word, and what a person confirmed in its own place", async () => {
    const note = { gate: 'epistemic', kind: 'context', lane: 'note' } as const;
    const first = await remember('The crane lifts five tonnes.', note);
    const second = await remember('Since spring the crane lifts eight tonnes.', note);
    const third = await remember('With its new boom the crane lifts eleven tonnes.', note);
    await engine.revise({ id: first, replacedBy: second }, 'model');
    await engine.revise({ id: second, replacedBy: third }, 'model');
    const confirmed = await remember('Visitors park behind the shed.', { gate: 'epistemic', kind: 'context' });
    const newer = await remember('Guests leave their cars at the ferry.', note);
    await engine.revise({ id: confirmed, replacedBy: newer }, 'model');
    const lines = await outline();
    assert.deepEqual(lines.slice(2), [
      'Guests leave their cars at the ferry.',
      'Visitors park behind the shed.',
      'With its new boom the crane lifts eleven tonnes.',
      '  Since spring the crane lifts eight tonnes.: outdated, by a model',
      '    The crane lifts five tonnes.: outdated, by a model',
    ]);
    await engine.revise({ id: second, stillTrue: true }, 'model');
    const after = await outline();
    assert.deepEqual(after.slice(after.indexOf('With its new boom the crane lifts eleven tonnes.')), [
      'With its new boom the crane lifts eleven tonnes.',
      'Since spring the crane lifts eight tonnes.',
      '  The crane lifts five tonnes.: outdated, by a model',
    ]);
  });

  describe('with the encoder', () => {
    waitForEncoder();

    it('asks about what may be replaced, apart from what contradicts', async () => {
      await engine.close();
      engine = await openEngine({ ...host, config: () => defaultConfig });
      await remember('We deploy on Wednesdays.');
      await remember('We deploy on Thursdays now.');
      const { nodes } = await new TreeModel(engine, everything).loadRoots();
      const needs = nodes.flatMap(it => (it.type === 'group' && it.id === 'needsYou' ? [it.needs] : []));
      assert.deepEqual(
        needs.map(it => [it?.conflicts, it?.likely]),
        [[0, 1]],
      );
    });
  });

  it('collapses what needs a person where that would push what is new out of sight', async () => {
    const opens = async (): Promise<unknown> =>
      (await new TreeModel(engine, everything).loadRoots()).nodes.flatMap(it =>
        it.type === 'group' && it.id === 'needsYou' ? [it.open, it.needs?.conflicts] : [],
      );
    const older = await remember('The ferry is called Perpetua.', { gate: 'epistemic', kind: 'context' });
    for (let i = 0; i < 9; i++) {
      if (i === 8) assert.deepEqual(await opens(), [true, 8]);
      const berth = await remember(`Berth ${i} is closed.`, { gate: 'epistemic', kind: 'context' });
      await linkContradiction(host, berth, older);
    }
    assert.deepEqual(await opens(), [false, 9]);
  });

  it('loads memories by page, and says how many there are', async () => {
    await rememberOld(treePageSize + 5);
    const first = await outline();
    assert.deepEqual(
      [first.length, first.at(-1)],
      [1 + treePageSize + 1, `  more of facts (${treePageSize} of ${treePageSize + 5})`],
    );
    const both = await outline({ loadedPages: new Map([['facts', 2]]) });
    assert.deepEqual([both.length, both.at(-1)], [1 + treePageSize + 5, `  Buoy number ${treePageSize + 4} is green.`]);
  });

  it('filters by words that the text has, and counts all of them', async () => {
    await remember('The ferry is called Perpetua.', { gate: 'epistemic', kind: 'context', tags: ['harbour'] });
    await remember('The harbour master is Inger.', { gate: 'relational', kind: 'context' });
    for (const filter of ['FERRY', 'Perpe', '#harbour', 'called ferry', 'called #harbour'])
      assert.deepEqual(await outline({ filter }), ['The ferry is called Perpetua.'], filter);
    for (const filter of ['submarine', 'ferries', 'ship', '@pinned'])
      assert.deepEqual(await outline({ filter }), [], filter);
    await rememberOld(treePageSize + 20);
    const { matches, active } = await new TreeModel(engine, { ...everything, filter: 'buoy green' }).loadRoots();
    assert.deepEqual([matches, active], [treePageSize + 20, treePageSize + 22]);
    assert.equal(
      (await outline({ filter: 'buoy green' })).at(-1),
      `more of memories (${treePageSize} of ${treePageSize + 20})`,
    );
  });

  it('reports exactly the nodes that look different', async () => {
    const id = await remember('The ferry is called Perpetua.', { gate: 'epistemic', kind: 'context' });
    const other = await remember('The skipper is called Inger.', { gate: 'relational', kind: 'context' });
    const check = async (change: () => unknown, expected: readonly string[] | 'all'): Promise<void> => {
      const before = new TreeModel(engine, everything);
      const unfold = async (nodes: readonly ExplorerNode[]): Promise<void> => {
        for (const node of nodes) await unfold(await before.childrenOf(node));
      };
      await unfold((await before.loadRoots()).nodes);
      await change();
      const next = new TreeModel(engine, everything);
      await next.preload(before);
      assert.deepEqual(await next.diff(before), expected);
    };
    await check(() => undefined, []);
    await check(() => engine.pin(id), [`memories/${id}`]);
    await check(async () => {
      await engine.unpin(id);
      await engine.pin(other);
    }, [`memories/${other}`, `memories/${id}`]);
    await check(() => remember('The buoy is green.', { gate: 'epistemic', kind: 'context' }), 'all');
    await check(() => engine.forget(id), 'all');
    await check(() => engine.list(), []);
  });

  it('covers another model once it has loaded what was loaded there in the meantime', async () => {
    await rememberOld(maxUngrouped + 1);
    const before = new TreeModel(engine, everything);
    const [group] = (await before.loadRoots()).nodes;
    const next = new TreeModel(engine, everything);
    await next.preload(before);
    assert.ok(next.covers(before));
    await before.childrenOf(group!);
    assert.ok(!next.covers(before));
    await next.preload(before);
    assert.ok(next.covers(before));
  });

  it('returns a loaded node by its id', async () => {
    await rememberOld(maxUngrouped + 1);
    const model = new TreeModel(engine, everything);
    assert.equal(model.node('facts'), undefined);
    const [group] = (await model.loadRoots()).nodes;
    const [memory] = await model.childrenOf(group!);
    assert.equal(model.node(memory!.id), memory);
    assert.equal(model.node('facts'), group);
  });

  it('receives a change event for a write of another process', async () => {
    const session = new EngineHolder(() => openEngine(host));
    await session.engine();
    const changes: unknown[] = [];
    session.onDidChangeMemories(change => changes.push(change));
    // A write before the first look of the watcher is no change to it.
    for (let i = 0; changes.length === 0; i++) {
      await remember(`Written elsewhere, ${i}.`);
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    await session.close();
  });
});

function label(node: ExplorerNode): string {
  switch (node.type) {
    case 'memory': {
      const { context, details } = node;
      const { summary } = details.memory;
      if (context === undefined) return summary;
      if ('replacement' in context) return `${summary}: outdated, by a ${context.replacement.by}`;
      if ('request' in context) return `${summary}: ${context.request.action}, by ${context.request.client}`;
      return `${summary}: ${context.planReview.why} since ${context.planReview.since}`;
    }
    case 'undo':
      return `undo: ${node.change.name} ${node.text ?? ''}`;
    case 'conflict':
      return node.conflict.reason;
    case 'intake':
      return `${node.intake.source} (${node.intake.undecided})`;
    case 'sensitive':
      return node.memory.label;
    case 'more':
      return `more of ${node.parentId} (${node.shown} of ${node.total})`;
    case 'group':
    case 'all':
      return `${node.id} (${node.count})`;
  }
}
