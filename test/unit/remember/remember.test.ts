import assert from 'node:assert/strict';
import { EngineError, type EngineErrorCode } from '../../../src/engine/base/errors.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { storeMemory, storeProblems, memoryInput, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

type Fields = Readonly<Partial<Record<keyof Memory, unknown>>>;

/** What came of each fact, and what the stores hold then. */
interface Expected {
  readonly outcomes: readonly string[];
  readonly kept: readonly Fields[];
}

/** Remembers the inputs one after another, with days between them, and looks at the outcomes and at every memory. */
function check(name: string, inputs: readonly (RememberInput | number)[], expected: Expected): void {
  it(name, async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    const outcomes: string[] = [];
    for (const input of inputs) {
      if (typeof input === 'number') host.advanceDays(input);
      else {
        for (const it of await engine.remember(input)) {
          outcomes.push(it.outcome === 'refused' ? it.reason : `${it.outcome} (${it.store}): ${it.content}`);
        }
      }
    }
    const kept = (await engine.list({ statuses: ['active', 'archived', 'superseded'] })).reverse();
    const fields = (memory: Memory, like: Fields): Fields =>
      Object.fromEntries(Object.keys(like).map(key => [key, memory[key as keyof Memory]]));
    assert.deepEqual(
      {
        outcomes,
        kept: kept.map((it, i) => fields(it, expected.kept[i] ?? {})),
        problems: await storeProblems(engine),
      },
      { ...expected, problems: [] },
    );
  });
}

function refuses(name: string, input: Partial<RememberInput>, code: EngineErrorCode): void {
  it(name, async () => {
    const engine = await new TestHost().open();
    await assert.rejects(engine.remember(memoryInput('The build runs on Node 20.', input)), it =>
      EngineError.is(it, code),
    );
    assert.deepEqual(await engine.list(), []);
  });
}

describe('remember', () => {
  it('keeps a fact with every field it has', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    const input: RememberInput = {
      content: 'We deploy the api with Helm charts.',
      source: 'mcp',
      tags: [' Ops ', 'ops', 'helm'],
      priority: 8,
      session: 's1',
      uri: 'file:///src/deploy.ts',
      range: { startLine: 3, endLine: 9 },
      symbol: 'deploy',
      anchorHash: 'abc',
      branch: 'main',
      commit: 'c0ffee',
    };
    const [outcome] = await engine.remember(input);
    assert.ok(outcome?.outcome === 'stored');
    const { id, contentHash, confidence, ...memory } = await engine.get(outcome.id);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
    assert.match(contentHash, /^[\w-]{43}$/u);
    assert.ok(confidence >= 60 && confidence <= 95);
    const at = '2026-03-02T09:00:00.000Z';
    assert.deepEqual(memory, {
      store: 'project',
      content: 'We deploy the api with Helm charts.',
      summary: 'We deploy the api with Helm charts.',
      gate: 'epistemic',
      kind: memory.kind,
      lane: 'note',
      decayClass: 'durable',
      priority: 8,
      pinned: false,
      reinforcementCount: 1,
      accessCount: 0,
      usefulCount: 0,
      centrality: 0,
      feedback: 0,
      tags: ['ops', 'helm'],
      status: 'active',
      sequence: 1,
      provenance: {
        source: 'mcp',
        session: 's1',
        uri: 'file:///src/deploy.ts',
        client: 'test',
        workspace: host.workspaceFolders[0],
        range: { startLine: 3, endLine: 9 },
        symbol: 'deploy',
        anchorHash: 'abc',
        branch: 'main',
        commit: 'c0ffee',
      },
      createdAt: at,
      updatedAt: at,
      reinforcedAt: at,
    });
  });

  check(
    'splits a text and keeps each fact for the project',
    [{ content: 'I prefer tabs over spaces. The payments service runs on port 8443.', source: 'explicit' }],
    {
      outcomes: [
        'stored (project): I prefer tabs over spaces.',
        'stored (project): The payments service runs on port 8443.',
      ],
      kept: [{}, {}],
    },
  );
  check(
    'keeps a selected text whole',
    [{ content: 'I prefer tabs. The service runs on port 1.', source: 'explicit', whole: true, store: 'project' }],
    {
      outcomes: ['stored (project): I prefer tabs. The service runs on port 1.'],
      kept: [{ content: 'I prefer tabs. The service runs on port 1.' }],
    },
  );
  check(
    'strengthens what it knows instead of keeping it twice',
    [
      memoryInput('The build runs on Node 20.', { tags: ['node'], gate: 'epistemic' }),
      3,
      memoryInput('The build runs on  Node 20', { tags: ['ci'] }),
    ],
    {
      outcomes: ['stored (global): The build runs on Node 20.', 'reinforced (global): The build runs on Node 20.'],
      kept: [
        {
          content: 'The build runs on Node 20.',
          reinforcementCount: 2,
          sequence: 2,
          tags: ['node', 'ci'],
          createdAt: '2026-03-02T09:00:00.000Z',
          updatedAt: '2026-03-02T09:00:00.000Z',
          reinforcedAt: '2026-03-05T09:00:00.000Z',
        },
      ],
    },
  );
  check(
    'does not turn the clock of a memory back when an older statement arrives',
    [
      memoryInput('The build runs on Node 20.'),
      memoryInput('The build runs on Node 20.', { at: '2025-01-01T00:00:00.000Z' }),
    ],
    {
      outcomes: ['stored (global): The build runs on Node 20.', 'reinforced (global): The build runs on Node 20.'],
      kept: [{ reinforcedAt: '2026-03-02T09:00:00.000Z', createdAt: '2026-03-02T09:00:00.000Z' }],
    },
  );
  check(
    'makes a note confirmed and lasting when a person says it too',
    [memoryInput('The build runs on Node 20.', { lane: 'note' }), 1, memoryInput('The build runs on Node 20.')],
    {
      outcomes: ['stored (global): The build runs on Node 20.', 'reinforced (global): The build runs on Node 20.'],
      kept: [{ lane: 'confirmed', expiresAt: undefined }],
    },
  );
  check(
    'takes nothing from a person when a model notes the same',
    [memoryInput('The build runs on Node 20.'), memoryInput('The build runs on Node 20.', { lane: 'note' })],
    {
      outcomes: ['stored (global): The build runs on Node 20.', 'reinforced (global): The build runs on Node 20.'],
      kept: [{ lane: 'confirmed', expiresAt: undefined }],
    },
  );
  check(
    'puts off the end of a captured note that is captured again',
    [
      memoryInput('The build runs on Node 20.', { lane: 'note', source: 'conversation' }),
      10,
      memoryInput('The build runs on Node 20.', { lane: 'note', source: 'conversation' }),
    ],
    {
      outcomes: ['stored (global): The build runs on Node 20.', 'reinforced (global): The build runs on Node 20.'],
      kept: [{ lane: 'note', expiresAt: '2026-05-11T09:00:00.000Z' }],
    },
  );
  check(
    'lets a captured note last that a model is asked to remember',
    [
      memoryInput('The build runs on Node 20.', { lane: 'note', source: 'conversation' }),
      memoryInput('The build runs on Node 20.', { lane: 'note', source: 'mcp' }),
      memoryInput('The build runs on Node 20.', { lane: 'note', source: 'conversation' }),
    ],
    {
      outcomes: [
        'stored (global): The build runs on Node 20.',
        'reinforced (global): The build runs on Node 20.',
        'reinforced (global): The build runs on Node 20.',
      ],
      kept: [{ lane: 'note', expiresAt: undefined }],
    },
  );
  check(
    'takes what a caller says about gate, kind, class and store for granted',
    [
      memoryInput('Ship the beta.', {
        gate: 'relational',
        kind: 'friction',
        decayClass: 'permanent',
        store: 'project',
      }),
    ],
    {
      outcomes: ['stored (project): Ship the beta.'],
      kept: [{ gate: 'relational', kind: 'friction', decayClass: 'permanent' }],
    },
  );
  check(
    'takes the kind from a gate that a caller chose, and no short life',
    [memoryInput('Ports are numbers.', { gate: 'promissory' })],
    {
      outcomes: ['stored (global): Ports are numbers.'],
      kept: [{ gate: 'promissory', kind: 'progress', decayClass: 'durable' }],
    },
  );
  check(
    'finds the due date of a plan, also where a caller chose the gate',
    [memoryInput('Invoices before 2026-04-01.', { gate: 'promissory' })],
    {
      outcomes: ['stored (global): Invoices before 2026-04-01.'],
      kept: [{ gate: 'promissory', dueAt: '2026-04-01T23:59:59.999Z' }],
    },
  );
  check(
    'refuses one fact without stopping the others',
    [
      {
        content: 'The build runs on Node 20.\nThe deploy password is hunter2!x9.\nThe docs are in docs/.',
        source: 'explicit',
        store: 'global',
      },
    ],
    {
      outcomes: [
        'stored (global): The build runs on Node 20.',
        'It contains a secret (password), and secrets are not kept. Leave the secret out and say where it is found instead.',
        'stored (global): The docs are in docs/.',
      ],
      kept: [{}, {}],
    },
  );
  check(
    'refuses more facts than a call may hold',
    [{ content: Array.from({ length: 51 }, (_, i) => `Port ${i} is open.`).join('\n'), source: 'explicit' }],
    {
      outcomes: ['The text has 51 facts; at most 50 can be remembered at once. Send it in parts.'],
      kept: [],
    },
  );

  it('restores a forgotten fact when the user repeats it, but not when a model notes it', async () => {
    const engine = await new TestHost().open();
    const id = await storeMemory(engine, 'The build runs on Node 20.');
    await engine.forget(id);
    const states: string[] = [];
    for (const lane of ['note', 'confirmed'] as const) {
      const [result] = await engine.remember(memoryInput('The build runs on Node 20.', { lane }));
      const { status, archiveReason, reinforcementCount } = await engine.get(id);
      states.push(`${result!.outcome}: ${status} ${archiveReason ?? ''}, count ${reinforcementCount}`);
    }
    assert.deepEqual(states, ['refused: archived forgotten, count 1', 'reinforced: active , count 2']);
  });

  it('keeps the confidence of a pinned memory when it is repeated', async () => {
    const engine = await new TestHost().open();
    const id = await storeMemory(engine, 'The build runs on Node 20.');
    const { confidence } = await engine.pin(id);
    await storeMemory(engine, 'The build runs on Node 20.');
    const pinned = (await engine.get(id)).confidence;
    await engine.unpin(id);
    await storeMemory(engine, 'The build runs on Node 20.');
    assert.deepEqual([pinned, (await engine.get(id)).confidence], [confidence, confidence + 5]);
  });

  it('raises confidence by five for each repetition, up to a hundred', async () => {
    const engine = await new TestHost().open();
    const id = await storeMemory(engine, 'The build runs on Node 20.');
    const first = (await engine.get(id)).confidence;
    for (let i = 0; i < 10; i++) await storeMemory(engine, 'The build runs on Node 20.');
    const { confidence, reinforcementCount } = await engine.get(id);
    assert.deepEqual([confidence, reinforcementCount], [Math.min(100, first + 50), 11]);
  });

  refuses('a permanent note', { decayClass: 'permanent', lane: 'note' }, 'invalidInput');
  refuses('21 tags', { tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, 'invalidInput');
  refuses('a tag that is a page', { tags: ['x'.repeat(65)] }, 'invalidInput');
  refuses('a time that is none', { at: 'yesterday-ish' }, 'invalidInput');
  refuses('a priority of 11', { priority: 11 }, 'invalidInput');
  refuses('a priority of 1.5', { priority: 1.5 }, 'invalidInput');
  refuses('a session name of a megabyte', { session: 'x'.repeat(1_000_000) }, 'invalidInput');

  it('refuses calls after close, and can be closed twice', async () => {
    const engine = await new TestHost().open();
    await Promise.all([engine.close(), engine.close()]);
    await assert.rejects(engine.remember(memoryInput('Too late.')), it => EngineError.is(it, 'closed'));
  });

  it('finishes the calls made before it was closed', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await storeMemory(engine, 'The first fact is about Node.');
    const calls = [
      engine.remember(memoryInput('The last fact is about Node.')).then(it => it[0]?.outcome),
      engine.recall({ query: 'Node' }).then(it => it.hits.length > 0),
      engine.list().then(it => it.length > 0),
      engine.verify().then(it => it.flatMap(report => report.problems).length),
    ];
    await engine.close();
    assert.deepEqual(await Promise.all(calls), ['stored', true, true, 0]);
    const again = await host.open();
    assert.equal((await again.list()).length, 2);
    assert.equal((await again.traces()).length, 1);
  });

  it('takes many texts at once as it takes them one by one', async () => {
    // They are written in several groups, and what one says is said again in the next.
    const texts = Array.from({ length: 300 }, (_, i) => `Module ${i % 170} writes to port ${(i % 170) * 3}.`);
    const facts = [...texts.map(it => memoryInput(it)), memoryInput('Module 1 writes to port 3.', { scopeId: 'set' })];
    const outcomesOf = async (all: boolean): Promise<unknown> => {
      const host = new TestHost();
      const engine = await host.open();
      const outcomes = [];
      if (all) outcomes.push(...(await engine.rememberAll(facts)));
      else for (const it of facts) outcomes.push(await engine.remember(it));
      const kept = await sql(
        host.globalFile,
        'SELECT content, scope_id, sequence, reinforcement_count, confidence FROM memories ORDER BY row',
      );
      const audit = await sql(host.globalFile, 'SELECT seq, action FROM audit ORDER BY seq');
      const { hits } = await engine.recall({ query: 'which port does module 79 write to', isUntracked: true });
      return [
        outcomes.flat().map(it => it.outcome),
        kept,
        audit,
        await sql(host.globalFile, 'SELECT * FROM sequences'),
        hits[0]?.memory.content,
        await storeProblems(engine),
      ];
    };
    assert.deepEqual(await outcomesOf(true), await outcomesOf(false));
  });

  it('keeps all of one store or nothing, whatever comes of another store', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    await storeMemory(engine, 'The first one of the project.', { store: 'project' });
    const { file } = engine.stores.find(it => it.kind === 'project')!;
    await sql(
      file,
      "CREATE TRIGGER full BEFORE INSERT ON memories WHEN NEW.content LIKE '%250%' BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    const facts = Array.from({ length: 300 }, (_, i) => {
      return memoryInput(`Quay ${i} has bollards.`, { store: i % 2 === 0 ? 'project' : 'global' });
    });
    await assert.rejects(engine.rememberAll(facts), { name: 'EngineError' });
    const kept = (await engine.list({ limit: 500 })).map(it => it.store);
    assert.deepEqual([kept.filter(it => it === 'global').length, kept.filter(it => it === 'project').length], [150, 1]);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('reports each store that could not be written', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    await storeMemory(engine, 'The first one of the project.', { store: 'project' });
    await storeMemory(engine, 'The first one of all projects.', { store: 'global' });
    const files = engine.stores.map(it => it.file);
    for (const file of files) {
      await sql(file, "CREATE TRIGGER full BEFORE INSERT ON memories BEGIN SELECT RAISE(ABORT, 'no'); END");
    }
    const facts = (['project', 'global'] as const).map(store => memoryInput(`The ${store} has a quay.`, { store }));
    await assert.rejects(engine.rememberAll(facts), (error: Error) => {
      for (const file of files) assert.ok(error.message.includes(file), error.message);
      return true;
    });
  });

  it('keeps nothing of a long list in which one text has a field that no fact can have', async () => {
    const engine = await new TestHost().open();
    const facts = Array.from({ length: 300 }, (_, i) => memoryInput(`Harbour ${i} pays its pilots ${i + 7} crowns.`));
    await assert.rejects(engine.rememberAll([...facts, memoryInput('The last one.', { priority: 11 })]), {
      code: 'invalidInput',
    });
    assert.deepEqual(await engine.list({}), []);
  });
});
