import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import type { EngineHost } from '../../../src/engine/model/host.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { TreeModel, treePageSize, type TreeOptions } from '../../../src/vscode/explorer/treeModel.js';
import type { ExplorerNode } from '../../../src/vscode/explorer/treeNodes.js';
import { EngineHolder } from '../../../src/vscode/engineHolder.js';
import { bundlePaths } from '../../support/bundlePaths.js';
import { until } from '../../host/ui/kit/until.js';
import { linkContradiction } from '../../support/fixtures.js';
import { staticConfig } from '../../support/staticConfig.js';

const now = new Date('2026-03-02T09:00:00Z');
const everything: TreeOptions = { grouping: 'gate', filter: '', loadedPages: new Map() };
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

  it('has no nodes where nothing is remembered', async () => {
    assert.deepEqual(await outline(), []);
  });

  it('shows what assistants have requested first, until it is decided', async () => {
    const id = await remember('The pilot boat is called Ingrid.', { gate: 'epistemic', kind: 'context' });
    await engine.actionRequests.add(id, 'forget');
    assert.deepEqual((await outline()).slice(0, 2), [
      'requests (1)',
      '  The pilot boat is called Ingrid.: forget, by test',
    ]);
    await engine.actionRequests.dismiss(id);
    assert.deepEqual((await outline())[0], 'gate/epistemic (1)');
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

  it('groups memories by gate and kind, newest first', async () => {
    await remember('Never deploy on Fridays.', { gate: 'correction', kind: 'pitfall' });
    await remember('I like short functions.', {
      gate: 'behavioral',
      kind: 'preference',
      at: '2026-03-01T09:00:00.000Z',
    });
    await remember('I like long names.', { gate: 'behavioral', kind: 'preference' });
    await remember('Reviews are done in pairs.', { gate: 'behavioral', kind: 'procedure' });
    assert.deepEqual(await outline(), [
      'gate/correction (1)',
      '  gate/correction/pitfall (1)',
      '    Never deploy on Fridays.',
      'gate/behavioral (3)',
      '  gate/behavioral/procedure (1)',
      '    Reviews are done in pairs.',
      '  gate/behavioral/preference (2)',
      '    I like long names.',
      '    I like short functions.',
    ]);
  });

  it('groups memories by decay class', async () => {
    await remember('The standup is at nine today.', { gate: 'promissory', kind: 'progress', decayClass: 'session' });
    await remember('Tabs are four wide.', { gate: 'epistemic', kind: 'context', decayClass: 'permanent' });
    assert.deepEqual(await outline({ grouping: 'decayClass' }), [
      'class/session (1)',
      '  class/session/progress (1)',
      '    The standup is at nine today.',
      'class/permanent (1)',
      '  class/permanent/context (1)',
      '    Tabs are four wide.',
    ]);
  });

  it('groups memories by whether they are in use, also those that a filter finds', async () => {
    await remember('The ferry is called Perpetua.', { gate: 'epistemic', kind: 'context' });
    for (const days of [20, 40]) {
      await engine.close();
      time = new Date(now.getTime() + days * 86_400_000);
      engine = await openEngine(host);
    }
    await remember('The ferry sails at nine.', { gate: 'epistemic', kind: 'decision' });
    const expected = [
      'temperature/hot (1)',
      '  temperature/hot/decision (1)',
      '    The ferry sails at nine.',
      'temperature/cold (1)',
      '  temperature/cold/context (1)',
      '    The ferry is called Perpetua.',
    ];
    assert.deepEqual(await outline({ grouping: 'temperature' }), expected);
    assert.deepEqual(await outline({ grouping: 'temperature', filter: 'ferry' }), expected);
  });

  it('shows what was forgotten under "Archived", until it is restored', async () => {
    const id = await remember('The office is in Bergen.', { gate: 'epistemic', kind: 'context' });
    await engine.forget(id);
    assert.deepEqual(await outline(), ['archived (1)', '  The office is in Bergen.']);
    await engine.restore(id);
    assert.deepEqual(await outline(), [
      'gate/epistemic (1)',
      '  gate/epistemic/context (1)',
      '    The office is in Bergen.',
    ]);
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
      'revisit (2)',
      '  Pay the harbour dues.: overdue since 2026-03-04T23:59:59.999Z',
      '  Send the report.: overdue since 2026-03-05T23:59:59.999Z',
      'gate/promissory (3)',
    ]);
    await engine.planReview.complete(early);
    await engine.planReview.drop(late);
    assert.deepEqual((await outline())[0], 'gate/promissory (1)');
  });

  it('shows conflicts on top until they are resolved', async () => {
    const older = await remember('The ferry is called Perpetua.', { gate: 'epistemic', kind: 'context' });
    const newer = await remember('The ferry is called Felicity.', { gate: 'epistemic', kind: 'context' });
    await linkContradiction(host, newer, older);
    assert.deepEqual((await outline()).slice(0, 5), [
      'conflicts (1)',
      '  Said otherwise with a certainty of 0.8.',
      '    The ferry is called Felicity.: newer',
      '    The ferry is called Perpetua.: older',
      'gate/epistemic (2)',
    ]);
    await engine.conflicts.resolve(newer, older, 'keepA');
    assert.deepEqual(await outline(), [
      'gate/epistemic (1)',
      '  gate/epistemic/context (1)',
      '    The ferry is called Felicity.',
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
    assert.deepEqual(lines.slice(lines.indexOf('gate/epistemic (5)')), [
      'gate/epistemic (5)',
      '  gate/epistemic/context (5)',
      '    Guests leave their cars at the ferry.',
      '    Visitors park behind the shed.',
      '    With its new boom the crane lifts eleven tonnes.',
      '      Since spring the crane lifts eight tonnes.: outdated, by a model',
      '        The crane lifts five tonnes.: outdated, by a model',
    ]);
    await engine.revise({ id: second, stillTrue: true }, 'model');
    const after = await outline();
    assert.deepEqual(after.slice(after.indexOf('    With its new boom the crane lifts eleven tonnes.')), [
      '    With its new boom the crane lifts eleven tonnes.',
      '    Since spring the crane lifts eight tonnes.',
      '      The crane lifts five tonnes.: outdated, by a model',
    ]);
  });

  it('collapses the conflicts when there are more than ten', async () => {
    const opens = async (): Promise<unknown> =>
      (await new TreeModel(engine, everything).loadRoots()).nodes.map(it => 'open' in it && it.open);
    const older = await remember('The ferry is called Perpetua.', { gate: 'epistemic', kind: 'context' });
    for (let i = 0; i < 11; i++) {
      if (i === 10) assert.deepEqual(await opens(), [true, true]);
      await linkContradiction(
        host,
        await remember(`Berth ${i} is closed.`, { gate: 'epistemic', kind: 'context' }),
        older,
      );
    }
    assert.deepEqual(await opens(), [false, true]);
  });

  it('loads memories by page', async () => {
    const facts = Array.from({ length: treePageSize + 5 }, (_, i) => `Buoy number ${i} is green.`);
    for (const [i, content] of facts.entries()) {
      const at = new Date(now.getTime() - 86_400_000 + i).toISOString();
      await remember(content, { gate: 'epistemic', kind: 'context', at });
    }
    const kind = 'gate/epistemic/context';
    const first = await outline();
    assert.deepEqual([first.length, first.at(-1)], [2 + treePageSize + 1, '    more of gate/epistemic/context (5)']);
    const both = await outline({ loadedPages: new Map([[kind, 2]]) });
    assert.deepEqual([both.length, both.at(-1)], [2 + facts.length, '    Buoy number 0 is green.']);
  });

  it('filters by the typed text, also by an incomplete last word', async () => {
    await remember('The ferry is called Perpetua.', { gate: 'epistemic', kind: 'context', tags: ['harbour'] });
    await remember('The harbour master is Inger.', { gate: 'relational', kind: 'context' });
    const ferry = ['gate/epistemic (1)', '  gate/epistemic/context (1)', '    The ferry is called Perpetua.'];
    for (const filter of ['ferries', 'Perpe', '#harbour', 'called #harbour']) {
      assert.deepEqual(await outline({ filter }), ferry, filter);
    }
    assert.deepEqual(await outline({ filter: 'submarine' }), []);
    assert.deepEqual(await outline({ filter: '@pinned' }), []);
  });

  it('does not add memories that contradict a match', async () => {
    const older = await remember('The ferry is called Perpetua.', { gate: 'epistemic', kind: 'context' });
    const newer = await remember('Its name was changed in May.', { gate: 'epistemic', kind: 'context' });
    await linkContradiction(host, newer, older);
    const ferry = ['gate/epistemic (1)', '  gate/epistemic/context (1)', '    The ferry is called Perpetua.'];
    assert.deepEqual(await outline({ filter: 'ferry' }), ferry);
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
    await check(() => engine.pin(id), [`gate/epistemic/context/${id}`]);
    await check(async () => {
      await engine.unpin(id);
      await engine.pin(other);
    }, [`gate/epistemic/context/${id}`, `gate/relational/context/${other}`]);
    await check(() => remember('The buoy is green.', { gate: 'epistemic', kind: 'context' }), ['gate/epistemic']);
    await check(() => engine.forget(id), 'all'); // "Archived" is new.
    await check(() => engine.list(), []);
  });

  it('covers another model once it has loaded what was loaded there in the meantime', async () => {
    await remember('The ferry is called Perpetua.', { gate: 'epistemic', kind: 'context' });
    const before = new TreeModel(engine, everything);
    const [group] = (await before.loadRoots()).nodes;
    const next = new TreeModel(engine, everything);
    await next.preload(before);
    assert.ok(next.covers(before));
    const [kind] = await before.childrenOf(group!);
    await before.childrenOf(kind!);
    assert.ok(!next.covers(before));
    await next.preload(before);
    assert.ok(next.covers(before));
  });

  it('returns a loaded node by its id', async () => {
    const id = await remember('The ferry is called Perpetua.', { gate: 'epistemic', kind: 'context' });
    const model = new TreeModel(engine, everything);
    assert.equal(model.node('gate/epistemic'), undefined);
    const [group] = (await model.loadRoots()).nodes;
    const [kind] = await model.childrenOf(group!);
    const [memory] = await model.childrenOf(kind!);
    assert.equal(model.node(`gate/epistemic/context/${id}`), memory);
    assert.equal(model.node('gate/epistemic'), group);
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
      if (context === undefined) return details.memory.summary;
      if ('replacement' in context) return `${details.memory.summary}: outdated, by a ${context.replacement.by}`;
      if ('request' in context)
        return `${details.memory.summary}: ${context.request.action}, by ${context.request.client}`;
      const why = 'side' in context ? context.side : `${context.planReview.why} since ${context.planReview.since}`;
      return `${details.memory.summary}: ${why}`;
    }
    case 'conflict':
      return node.conflict.reason;
    case 'sensitive':
      return node.memory.label;
    case 'more':
      return `more of ${node.parentId} (${node.remaining})`;
    case 'group':
    case 'kind':
    case 'section':
      return `${node.id} (${node.count})`;
  }
}
