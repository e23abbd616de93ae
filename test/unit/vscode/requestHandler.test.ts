import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { BriefedProgram } from '../../../src/engine/model/briefing.js';
import type { HookMoment } from '../../../src/engine/model/guards.js';
import {
  maxSearchLength,
  type BriefingView,
  type RequestMessage,
  type RequestName,
  type Requests,
} from '../../../src/protocol.js';
import type { UndoableChange } from '../../../src/vscode/undo/undoHistory.js';
import { handleInspectorRequest, type TransferSource } from '../../../src/vscode/inspector/requestHandler.js';
import { renderInspectorHtml } from '../../../src/vscode/inspector/inspectorHtml.js';
import { defaultInspectorState, parseInspectorState } from '../../../webview-ui/inspectorState.js';
import { storeMemory, temporaryFolder, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

/** Changes that were kept for "Undo Last Change", as `name count`. */
const noted: string[] = [];

const services = {
  translate: (sentence: string) => `said: ${sentence}`,
  pickMemory: (_engine: MemoryEngine, text?: string) => Promise.resolve(`picked of ${text}`),
  promptToRecall: () => Promise.resolve(),
  promptToRemember: () => Promise.resolve(),
  promptForAids: () => Promise.resolve(),
  openCode: () => Promise.resolve(),
  share: () => Promise.resolve(),
  embeddingsSetting: () => 'built-in',
  transfer: (_engine: MemoryEngine, sources: readonly TransferSource[]) =>
    Promise.resolve(sources.some(it => it.from === 'harbor')),
  briefing: (program: BriefedProgram = 'claude-code'): Promise<BriefingView> =>
    Promise.resolve({
      ...{ program, isInstalled: true, hasAsked: false },
      refused: program === 'codex',
      ...{ moments: [], notices: [], tokens: 0, lines: [], leftOut: [], others: 0 },
    }),
  copyText: () => Promise.resolve(),
  copyDiagnostics: () => Promise.resolve(),
  runCommand: (name: string) => (name === 'merge' ? Promise.resolve() : Promise.reject(new Error(name))),
  noteChange: (_engine: MemoryEngine, { name, ids }: UndoableChange) => {
    noted.push(`${name} ${ids.length}`);
    return Promise.resolve();
  },
  noteFinalChange: () => {
    noted.push('final');
    return Promise.resolve();
  },
  noteTakenBack: (_engine: MemoryEngine, { name }: Pick<UndoableChange, 'name'>) => {
    noted.push(`${name} taken back`);
    return Promise.resolve();
  },
  setMoment: (_engine: MemoryEngine, moment: HookMoment) =>
    moment === 'prompt' ? Promise.resolve() : Promise.reject(new Error(moment)),
  listAssistants: () => Promise.resolve([{ id: 'zed', title: 'Zed', installed: true, connected: false }]),
  setConnected: (id: string, connected: boolean) => Promise.resolve(id === 'zed' && connected),
  confirmAndRunMaintenance: (engine: MemoryEngine) => engine.maintenance.run(),
};

describe("the inspector's HTML document", () => {
  const page = renderInspectorHtml({
    cspSource: 'https://own',
    scriptUri: 's.js',
    styleUri: 's.css',
    nonce: 'n0nce',
    language: 'de',
  });

  it('allows only its own script, style and font', () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/u.exec(page)?.[1];
    assert.equal(policy, "default-src 'none'; script-src 'nonce-n0nce'; style-src https://own; font-src https://own");
    assert.deepEqual(page.match(/<(?:script|style|link)\b[^>]*>/gu), [
      '<link rel="stylesheet" href="s.css" />',
      '<script nonce="n0nce" src="s.js">',
    ]);
  });

  it('has a script that never renders text as HTML', () => {
    const script = readFileSync('dist/webview/inspector.js', 'utf8');
    // lit itself creates templates from strings; our code must not.
    assert.equal(script.match(/unsafeHTML|unsafe-html|document\.write|insertAdjacentHTML|\beval\(/gu), null);
  });
});

describe('the stored state of the inspector', () => {
  it('is parsed unchanged', () => {
    const state = {
      ...defaultInspectorState,
      page: 'forecast',
      memory: 'id',
      drafts: [{ id: 'id', before: 'The quay is lit.', text: 'The quay is lit until ten.' }],
      graph: { hidden: ['contradicts'], expanded: ['id'], search: 'tide', community: 'id' },
      review: { intake: 'i' },
      outlook: { days: 30, by: 'decayClass' },
      list: { query: 'tide', words: 'table', order: 'fading', outOfUse: true },
    } as const;
    assert.deepEqual(parseInspectorState(JSON.parse(JSON.stringify(state))), state);
  });

  const broken: readonly unknown[] = [
    undefined,
    null,
    'x',
    7,
    {},
    { ...defaultInspectorState, version: 0, filter: 'old' },
  ];
  for (const kept of broken) {
    it(`is the default after ${JSON.stringify(kept)}`, () => {
      assert.deepEqual(parseInspectorState(kept), defaultInspectorState);
    });
  }

  it('leads from a page of an earlier version to where its content is now', () => {
    const pageOf = (page: string): string => parseInspectorState({ version: 1, page }).page;
    assert.deepEqual(
      ['traces', 'memory', 'timeline', 'projects', 'review', 'health', 'graph', 'toString'].map(pageOf),
      ['answers', 'memories', 'memories', 'memories', 'inbox', 'access', 'graph', 'memories'],
    );
  });

  it('gets the default for an invalid field', () => {
    const kept = {
      version: 1,
      page: 'gone',
      filter: 3,
      trace: 't',
      outlook: { days: 31, by: 'gate' },
      review: { intake: 3 },
      list: { order: 'loudest', outOfUse: 'yes', query: 3 },
      graph: { hidden: ['gone'], search: 3 },
    };
    assert.deepEqual(parseInspectorState(kept), { ...defaultInspectorState, trace: 't' });
  });

  it('has no longer text to search for than a request may have', () => {
    const text = 'tide '.repeat(1_000);
    const { filter, graph } = parseInspectorState({ version: 1, filter: text, graph: { search: text } });
    for (const it of [filter, graph.search]) assert.equal(it, text.slice(0, maxSearchLength));
  });
});

describe('the requests of the inspector', () => {
  it('are answered by the engine', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const ask = async <Name extends RequestName>(name: Name, input: Requests[Name]['input']) =>
      (await handleInspectorRequest(
        engine,
        { type: 'request', requestId: 1, name, input } as RequestMessage,
        services,
      )) as Requests[Name]['result'];
    assert.equal(await ask('hasMemories', undefined), false);
    const id = await storeMemory(engine, 'The ferry is called Perpetua.');
    assert.equal(await ask('hasMemories', undefined), true);
    await engine.recall({ query: 'the ferry', limit: 4, asker: 'model' });
    const [first] = await ask('traces', { limit: 10_000 });
    const view = await ask('trace', { id: first!.id });
    assert.deepEqual([Object.keys(view.memories), view.parts.length], [[id], 1]);

    host.advanceDays(0.001);
    const again = await ask('trace', { id: await ask('recallAgain', { id: first!.id }) });
    const { query, cache, asker, request } = again.trace;
    assert.deepEqual(
      { query, cache, asker, request },
      { query: 'the ferry', cache: 'miss', asker: 'person', request: { limit: 4 } },
    );

    assert.equal((await ask('feedback', { id, useful: false })).feedback, -1);
    const memory = await ask('memory', { id });
    assert.deepEqual(
      [memory.memory.id, memory.events.map(it => it.action).sort(), memory.aids, memory.neighbors, memory.replacement],
      [id, ['create', 'feedback', 'recall', 'recall'], { questions: [], keywords: [] }, [], undefined],
    );
    const content = 'The ferry is called Felicity.';
    const edited = await ask('editText', { id, edit: { content, before: memory.memory.content } });
    assert.equal(edited.content, content);
    assert.equal(noted.at(-1), 'edited 1');
    assert.equal((await ask('undoEdit', { id })).content, memory.memory.content);
    assert.equal(noted.at(-1), 'edited taken back');
    await ask('editAids', { id });
    await ask('openCode', { id });
    assert.equal((await ask('unpin', { id: (await ask('pin', { id })).id })).pinned, false);
    assert.equal((await ask('forecast', { days: 30 })).times.length, 61);
    assert.equal(await ask('pickMemory', { text: 'ferry' }), 'picked of ferry');
    assert.deepEqual(
      (await ask('assistants', undefined)).map(it => it.id),
      ['zed'],
    );
    assert.equal((await ask('briefing', { program: 'codex' })).refused, true);
    await ask('setMoment', { moment: 'prompt', on: false });
    await assert.rejects(ask('setMoment', { moment: 'stop', on: false }), { message: 'stop' });
    const [place] = await ask('places', undefined);
    const list = { place: place!.id, offset: 0, limit: 10 } as const;
    const { memories, hasMore, total } = await ask('memories', { ...list, query: 'ferry' });
    assert.deepEqual([place!.memories, memories.map(it => it.id), hasMore, total], [1, [id], false, undefined]);
    assert.equal((await ask('memories', { offset: 0, limit: 10, words: 'FERRY' })).total, 1);
    assert.equal(await ask('transfer', { place: 'harbor', ids: [id] }), true);
    assert.equal(await ask('transfer', { ids: [id] }), false);
    assert.equal((await ask('forget', { id })).status, 'archived');
    assert.equal(noted.at(-1), 'forgot 1');
    assert.equal((await ask('memories', { ...list, outOfUse: true })).total, 1);
    assert.equal((await ask('restore', { id })).status, 'active');
    await ask('copyText', { text: 'ferry' });
    await ask('copyDiagnostics', undefined);
    await ask('runCommand', { name: 'merge' });
    await assert.rejects(ask('runCommand', { name: 'rights' }), { message: 'rights' });
    assert.equal(await ask('setConnected', { id: 'zed', connected: true }), true);
    assert.deepEqual(await ask('intakes', undefined), []);
    const file = path.join(temporaryFolder(), 'notes.md');
    writeFileSync(file, '- The crane lifts two tonnes.\n');
    const imported = (await engine.exchange.import({ path: file, format: 'markdown' })).id!;
    const [intake] = await ask('intakes', undefined);
    const review = await ask('review', { id: imported, limit: 5 });
    assert.deepEqual([intake, review.items[0]?.memory?.effectiveConfidence !== undefined], [review.intake, true]);
    const crane = review.items[0]!.memory!.id;
    const { counts } = await ask('decideIntake', { id: imported, choices: { [crane]: 'drop' } });
    assert.equal(noted.at(-1), 'reviewed 1');
    assert.deepEqual(counts, { keep: 0, drop: 1, global: 0 });
    assert.deepEqual(await ask('undoIntake', { id: imported }), { undone: 1, kept: [] });
    await engine.exchange.undoImport(imported);
    await ask('remember', undefined);
    await ask('recall', undefined);
    assert.deepEqual((await ask('neighbors', { id }))?.neighbors, []);
    assert.equal(await ask('neighbors', { id: '00000000-0000-7000-8000-000000000000' }), undefined);
    const { metrics, embeddingsSetting, runs } = await ask('health', undefined);
    assert.deepEqual([metrics.recall.recalls, embeddingsSetting, runs], [2, 'built-in', []]);
    host.advanceDays(1_000);
    const preview = await ask('previewMaintenance', undefined);
    assert.deepEqual(
      preview.runs[0]!.decisions.faded.map(it => preview.memories[it.id]?.content),
      ['The ferry is called Perpetua.'],
    );
    const [ran] = (await ask('runMaintenance', undefined))!;
    assert.deepEqual([ran!.counts.faded, (await engine.get(id)).status], [1, 'archived']);
    const lines = async (): Promise<readonly number[]> =>
      (await ask('health', undefined)).runs.map(it => it.undoableCount);
    assert.deepEqual(await lines(), [1]);
    assert.equal(await ask('undoMaintenance', { run: ran!.id }), 1);
    assert.deepEqual([await lines(), (await engine.get(id)).status], [[0], 'active']);
    assert.equal((await ask('pin', { id })).pinned, true);
    assert.deepEqual(
      (await ask('verify', undefined)).flatMap(it => it.problems),
      [],
    );
  });

  it('list what wants a decision, carry it out and take it back', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const ask = <Name extends RequestName>(name: Name, input: Requests[Name]['input']) =>
      handleInspectorRequest(
        engine,
        { type: 'request', requestId: 1, name, input } as RequestMessage,
        services,
      ) as Promise<Requests[Name]['result']>;
    const older = await storeMemory(engine, 'The ferry leaves at eight.');
    const byModel = { lane: 'note', source: 'mcp', links: { replaces: [older] } } as const;
    const newer = await storeMemory(engine, 'The ferry leaves at nine.', byModel);
    const plan = await storeMemory(engine, 'Paint the pier.', {
      gate: 'promissory',
      dueAt: '2026-03-03T00:00:00.000Z',
    });
    await engine.actionRequests.add(newer, 'forget');
    host.advanceDays(2);
    const count = async (): Promise<readonly number[]> => {
      const { conflicts, plans, requests } = await ask('needs', undefined);
      return [conflicts.length, plans.length, requests.length];
    };
    const statuses = async (): Promise<readonly string[]> => [
      (await engine.get(older)).status,
      (await engine.get(newer)).status,
    ];
    assert.deepEqual(await count(), [1, 1, 1]);
    assert.equal(await ask('decideRequest', { id: newer, accept: false }), true);
    assert.equal(noted.at(-1), 'final');
    await ask('settle', { a: older, b: newer, resolution: 'keepA' });
    assert.deepEqual(
      [await count(), await statuses()],
      [
        [0, 1, 0],
        ['active', 'superseded'],
      ],
    );
    await ask('unsettle', { a: older, b: newer });
    assert.deepEqual(noted.slice(-2), ['settled 1', 'settled taken back']);
    assert.deepEqual(
      [await count(), await statuses()],
      [
        [1, 1, 0],
        ['active', 'active'],
      ],
    );
    assert.equal((await ask('decidePlan', { id: plan, decision: 'done' })).archiveReason, 'done');
    await ask('restore', { id: plan });
    assert.equal((await ask('extendPlan', { id: plan, day: '2026-04-01' })).dueAt?.slice(0, 10), '2026-04-01');
    const note = await storeMemory(engine, 'The quay is lit.', { lane: 'note' });
    assert.equal((await ask('confirm', { id: note })).lane, 'confirmed');
    assert.deepEqual(noted.slice(-2), ['final', 'confirmed 1']);
    assert.deepEqual((await ask('memory', { id: note })).place, { id: 'global', name: '' });
  });

  it('are answered with localized messages of the engine', async () => {
    const host = new TestHost();
    host.settings = { ...host.settings, embeddings: 'off' };
    const engine = await host.open();
    const ask = <Name extends RequestName>(name: Name, input: Requests[Name]['input']) =>
      handleInspectorRequest(
        engine,
        { type: 'request', requestId: 1, name, input } as RequestMessage,
        services,
      ) as Promise<Requests[Name]['result']>;
    const id = await storeMemory(engine, 'We deploy from eu-west-1.');
    await storeMemory(engine, 'We deploy from eu-central-1.', { links: { replaces: [id] } });
    await engine.recall({ query: 'deploy' });
    const [first] = await ask('traces', { limit: 1 });
    assert.deepEqual((await ask('trace', { id: first!.id })).trace.degraded, [
      'said: embeddings are off: searched by words alone',
    ]);
    const { neighbors } = (await ask('neighbors', { id }))!;
    assert.deepEqual(
      neighbors.map(it => [it.edge.type, it.edge.reason.slice(0, 6)]),
      [['contradicts', 'said: ']],
    );
    const between = await ask('edgesBetween', { ids: [id, neighbors[0]!.memory.id, 'gone'] });
    assert.deepEqual(
      between.map(it => [it.type, it.reason.slice(0, 6)]),
      [['contradicts', 'said: ']],
    );
    await engine.close();
    await sql(host.globalFile, 'DELETE FROM memory_terms');
    const again = { type: 'request', requestId: 2, name: 'verify', input: undefined } as const;
    const [report] = (await handleInspectorRequest(await host.open(), again, services)) as Requests['verify']['result'];
    assert.deepEqual(report!.problems, ['said: Memories missing from the search index: 2.']);
  });
});
