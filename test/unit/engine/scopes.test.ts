import assert from 'node:assert/strict';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { EngineError } from '../../../src/engine/base/errors.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { storeScopes } from '../../../src/engine/model/memory.js';
import { storeMemory, memoryInput, temporaryFolder, TestHost } from '../../support/fixtures.js';
import { cloneRepository, createRepository } from '../../support/git.js';

/** The contents that a scope shows, by list and by recall: they must agree. */
async function seen(
  engine: MemoryEngine,
  query: string,
  scope: (typeof storeScopes)[number],
  scopeId?: string,
): Promise<string[]> {
  const where = { scope, ...(scopeId === undefined ? {} : { scopeId }) };
  const listed = (await engine.list(where)).map(it => it.content).sort();
  const recalled = (await engine.recall({ query, ...where })).hits.map(it => it.memory.content).sort();
  assert.deepEqual(recalled, listed);
  const counted = (await engine.groups(where)).reduce((sum, it) => sum + it.count, 0);
  assert.equal(counted, listed.length);
  return listed;
}

describe('scopes', () => {
  it('read the project, the global store, or both', async () => {
    const engine = await new TestHost({ project: true }).open();
    await storeMemory(engine, 'port one', { store: 'project' });
    await storeMemory(engine, 'port two');
    const found = await Promise.all(storeScopes.map(it => seen(engine, 'port', it)));
    assert.deepEqual(found, [['port one', 'port two'], ['port one'], ['port two']]);
  });

  it('read no other store where no folder is open: what is asked of a project only is not there', async () => {
    const engine = await new TestHost().open();
    const outcomes = await engine.remember(memoryInput('port one', { store: 'project' }));
    assert.deepEqual(
      outcomes.map(it => it.outcome === 'stored' && it.store),
      ['global'],
    );
    const found = await Promise.all(storeScopes.map(it => seen(engine, 'port', it)));
    assert.deepEqual(found, [['port one'], [], ['port one']]);
    assert.equal((await engine.recall({ query: 'port', scope: 'project-only' })).context, '');
    assert.deepEqual((await engine.explainer.listTraces({ limit: 1 })).length, 1);
  });

  it('take a scopeId of one line only', async () => {
    const engine = await new TestHost({ project: true }).open();
    for (const scopeId of ['a\nb', ' a', 'a ', 'a\u001b[31m', 'a\u202eb', 'x'.repeat(201)])
      await assert.rejects(engine.remember(memoryInput('port one', { scopeId })), it =>
        EngineError.is(it, 'invalidInput'),
      );
    assert.deepEqual(await engine.sets.list(), []);
  });

  it('keep a project to itself', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    await storeMemory(engine, 'port one', { store: 'project' });
    host.workspaceFolders = [temporaryFolder()];
    assert.deepEqual(await seen(await host.open(), 'port', 'project-then-global'), []);
  });

  it('separate memories by their scopeId', async () => {
    const engine = await new TestHost({ project: true }).open();
    const sets = [undefined, 'a', 'A', "a' OR 1=1 --", '%'] as const;
    for (const set of sets) {
      for (const store of ['project', 'global'] as const) {
        await storeMemory(engine, `port ${store}`, { store, ...(set === undefined ? {} : { scopeId: set }) });
      }
    }
    const found = await Promise.all(sets.map(it => seen(engine, 'port', 'project-then-global', it)));
    assert.deepEqual(
      found,
      sets.map(() => ['port global', 'port project']),
    );
    const ofSetA = await engine.list({ scopeId: 'a' });
    assert.deepEqual(ofSetA.map(it => [it.scopeId, it.store, it.reinforcementCount, it.sequence]).sort(), [
      ['a', 'project', 1, 1],
      ['a', 'project', 1, 2],
    ]);
    assert.deepEqual(await seen(engine, 'port', 'project-then-global', 'b'), []);
  });

  it('send a memory about a document to the project it lies in', async () => {
    const host = new TestHost();
    const [one, two] = [temporaryFolder(), createRepository()];
    const clone = cloneRepository(two);
    host.workspaceFolders = [one, two, clone];
    const engine = await host.open();
    const inFolder = (folder: string): string => pathToFileURL(path.join(folder, 'src', 'a b.ts')).href;
    const uris = [
      inFolder(one),
      inFolder(two),
      inFolder(clone),
      inFolder(`${one}-not`),
      'untitled:1',
      'file://host/x',
      'file:///%2F',
      'x',
    ];
    for (const [i, uri] of uris.entries()) await storeMemory(engine, `port ${i}`, { store: 'project', uri });
    await engine.close();
    const projectOf = async (folder: string): Promise<string[]> => {
      host.workspaceFolders = [folder];
      return (await (await host.open()).list({ scope: 'project-only' })).map(it => it.content.slice(5)).sort();
    };
    assert.deepEqual(
      [await projectOf(one), await projectOf(two), await projectOf(clone)],
      [
        ['0', '3', '4', '5', '6', '7'],
        ['1', '2'],
        ['1', '2'],
      ],
    );
  });
});
