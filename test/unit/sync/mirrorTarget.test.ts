import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { SyncInput, SyncReport } from '../../../src/engine/model/sync.js';
import { storeMemory, storeProblems, temporaryFolder, TestHost } from '../../support/fixtures.js';

const steps = (report: SyncReport): string[] => report.steps.map(it => `${it.what} ${it.name}`).sort();

/** All files below a folder with their bytes, by name. */
function readFolder(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(it => it.isFile());
  return Object.fromEntries(
    names
      .map(it => path.join(it.parentPath, it.name))
      .sort()
      .map(it => [path.relative(folder, it).replaceAll(path.sep, '/'), readFileSync(it, 'utf8')]),
  );
}

function writeFolder(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}

/** What lerim itself leaves in its folder in the home folder, with files that a sync has no part in. */
const lerimHome = {
  'config.toml': '# mine\n[memory]\nscope = "project_fallback_global"   # the default\n\n[server]\nport = 8765\n',
  'index/sessions.sqlite3': 'not Markdown',
  'memory/archived/learnings/old.md': '---\nid: lrn-000001\ntitle: Old\n---\n\nThe old pier is closed.\n',
  'memory/learnings/tabs.md':
    '---\nid: lrn-def456\ntitle: Tabs\ncreated: "2026-02-21T14:00:00Z"\nupdated: "2026-02-21T14:00:00Z"\nsource: sync\nconfidence: 0.7 # by hand\ntags: [style]\nkind: preference\nstars: 3\n---\n\nI indent by tabs.\r\n\n',
  'memory/summaries/20260222/153000/auth.md':
    '---\nid: sum-ghi789\ntitle: Refactored auth\ndescription: Added rate limiting\ndate: "2026-02-22"\ntime: "15:30:00"\ncoding_agent: claude\nraw_trace_path: meta/traces/sessions/claude/abc123.jsonl\nrun_id: abc123\nrepo_name: my-project\n---\n\nThe tests of the gateway pass.\n',
  'meta/traces/sessions/claude/abc123.jsonl': '{}\n',
};

describe('the folder that a sync is with', () => {
  let host: TestHost;
  let engine: MemoryEngine;
  let home: string;
  beforeEach(async () => {
    host = new TestHost({ project: true });
    engine = await host.open();
    home = path.join(temporaryFolder(), '.lerim');
  });
  const sync = (input: SyncInput = { globalFolder: home }): Promise<SyncReport> => engine.sync.run(input);
  const inProject = (...names: string[]): string => path.join(host.workspaceFolders[0]!, ...names);

  it('is written for the global memory only where a person names it, and has no memory of a project', async () => {
    await storeMemory(engine, 'I prefer tabs.', { gate: 'behavioral', kind: 'preference' });
    await storeMemory(engine, 'Use PostgreSQL 16.', { store: 'project', gate: 'epistemic', kind: 'decision' });
    await storeMemory(engine, 'We moved the quay.', { kind: 'summary', session: '0f8fad5b' });
    assert.deepEqual(steps(await sync({})), ['written decisions/use-postgresql-16.md']);
    assert.deepEqual(readFolder(path.dirname(home)), {});
    const names = ['memory/learnings/i-prefer-tabs.md', 'memory/summaries/20260302/090000/we-moved-the-quay.md'];
    assert.equal((await sync({ globalFolder: home, dryRun: true })).steps.length, 2);
    assert.deepEqual(readFolder(home), {});
    const report = await sync();
    assert.deepEqual([report.mirror, Object.keys(readFolder(home))], [path.join(home, 'memory'), names]);
    assert.doesNotMatch(readFolder(home)[names[1]!]!, /repo_name/u);
    assert.deepEqual(Object.keys(readFolder(inProject())), ['.recollect/memory/decisions/use-postgresql-16.md']);
    assert.deepEqual([steps(await sync()), steps(await sync({}))], [[], []]);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('stays as lerim wrote it, byte for byte, and takes what a person changes, both ways', async () => {
    writeFolder(home, lerimHome);
    assert.deepEqual(steps(await sync()), ['added learnings/tabs.md', 'added summaries/20260222/153000/auth.md']);
    assert.deepEqual(readFolder(home), lerimHome);
    assert.deepEqual([steps(await sync()), readFolder(home)], [[], lerimHome]);
    const [tabs] = await engine.list({ kinds: ['preference'] });
    assert.deepEqual(
      [tabs!.store, tabs!.lane, tabs!.content, tabs!.tags, tabs!.createdAt],
      ['global', 'note', 'Tabs\n\nI indent by tabs.', ['style'], '2026-02-21T14:00:00.000Z'],
    );
    const file = path.join(home, 'memory', 'learnings', 'tabs.md');
    writeFileSync(file, lerimHome['memory/learnings/tabs.md'].replace('by tabs', 'by two spaces'));
    writeFolder(home, { 'memory/decisions/names.md': 'Boats are named after fish.\n' });
    assert.deepEqual(steps(await sync()), ['added decisions/names.md', 'changed learnings/tabs.md']);
    assert.equal((await engine.get(tabs!.id)).content, 'Tabs\n\nI indent by two spaces.');
    assert.deepEqual(
      (await engine.list({ kinds: ['decision'] })).map(it => [it.store, it.content]),
      [['global', 'Boats are named after fish.']],
    );
    await engine.forget(tabs!.id);
    assert.deepEqual(steps(await sync()), ['moved archived/learnings/tabs-i-indent-by-two-spaces.md']);
    assert.deepEqual(steps(await sync()), []);
    rmSync(path.join(home, 'memory'), { recursive: true });
    assert.deepEqual((await sync()).missing?.why, 'gone');
    assert.equal(readFolder(home)['config.toml'], lerimHome['config.toml']);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('is a folder of its own, absolute, and no folder of another memory', async () => {
    const none = [undefined, '.', 'mine', os.homedir(), host.dataDir, inProject(), path.parse(home).root];
    for (const globalFolder of none.slice(1))
      await assert.rejects(sync({ globalFolder: globalFolder! }), { code: 'invalidInput' }, globalFolder);
    await assert.rejects(sync({ globalFolder: home, mirror: 'notes' }), { code: 'invalidInput' });
    await storeMemory(engine, 'Use PostgreSQL 16.', { store: 'project', kind: 'decision' });
    await storeMemory(engine, 'I prefer tabs.', { kind: 'preference' });
    await sync({});
    const mine = inProject('.recollect', 'memory');
    const before = readFolder(mine);
    await assert.rejects(sync({ globalFolder: mine }), /holds the Markdown of another memory/u);
    await sync();
    await assert.rejects(sync({ mirror: home }), /holds the Markdown of another memory/u);
    assert.deepEqual(
      [readFolder(mine), Object.keys(readFolder(home))],
      [before, ['memory/learnings/i-prefer-tabs.md']],
    );
  });

  it('is asked by its config.toml what is global and what is of the project', async () => {
    await storeMemory(engine, 'Use PostgreSQL 16.', { store: 'project', kind: 'decision' });
    await storeMemory(engine, 'I prefer tabs.', { kind: 'preference' });
    const run = async (folder: string, config: string, input: SyncInput): Promise<readonly [string[], unknown]> => {
      writeFolder(folder, { 'config.toml': config });
      const { steps: done, notes } = await sync(input);
      assert.equal(readFolder(folder)['config.toml'], config);
      return [done.map(it => it.name), notes];
    };
    const ofProject = inProject('.lerim');
    const global = '[memory]\nscope = "global_only"\n';
    await assert.rejects(run(ofProject, global, { mirror: '.lerim' }), /no memory of a project belongs there/u);
    assert.deepEqual(Object.keys(readFolder(ofProject)), ['config.toml']);
    assert.deepEqual(await run(ofProject, 'colour = 1\n[memory]\nscope = "project_only"\n', { mirror: '.lerim' }), [
      ['decisions/use-postgresql-16.md'],
      ['config.toml has settings that mean nothing here: colour.'],
    ]);
    assert.ok('memory/decisions/use-postgresql-16.md' in readFolder(ofProject));
    assert.deepEqual(await run(home, '[memory]\nscope = "project_only"\n', { globalFolder: home }), [
      ['learnings/i-prefer-tabs.md'],
      ['memory.scope in config.toml is project_only: lerim reads none of these files in a project.'],
    ]);
    assert.deepEqual(await run(home, global, { globalFolder: path.join(home, 'memory') }), [[], undefined]);
    const [, broken] = await run(home, '= [', { globalFolder: home });
    assert.match(String(broken), /^config\.toml is no valid TOML/u);
    // Of a folder that is not lerim's, a config.toml of any program means nothing.
    assert.deepEqual(await run(inProject('site'), '= [', { mirror: 'site/memory' }), [
      ['decisions/use-postgresql-16.md'],
      undefined,
    ]);
  });

  it('brings new files into the memory of its project, also where another project is open first', async () => {
    const second = temporaryFolder();
    host.workspaceFolders = [host.workspaceFolders[0]!, second];
    engine = await host.open();
    writeFolder(second, { '.recollect/memory/decisions/pier.md': 'Pier nine has a crane.\n' });
    assert.deepEqual(steps(await sync({ folder: second })), ['added decisions/pier.md']);
    assert.deepEqual([steps(await sync({ folder: second })), steps(await sync({}))], [[], []]);
  });
});
