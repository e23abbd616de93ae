import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import type { SyncInput, SyncReport } from '../../../src/engine/model/sync.js';
import { hashContent } from '../../../src/engine/store/contentHash.js';
import { sql } from '../../support/sqlite.js';
import { writeToStore, storeMemory, storeProblems, temporaryFolder, TestHost } from '../../support/fixtures.js';

const statuses = ['active', 'archived', 'superseded'] as const;

/** A project with its memory and its mirror. */
class Desk {
  readonly host = new TestHost({ project: true });
  engine!: MemoryEngine;

  get root(): string {
    return path.join(this.host.workspaceFolders[0]!, '.recollect', 'memory');
  }

  async open(): Promise<this> {
    this.engine = await this.host.open();
    return this;
  }

  /** The project's store file. */
  get file(): string {
    const projects = path.join(this.host.dataDir, 'projects');
    return path.join(projects, readdirSync(projects)[0]!, 'memory.db');
  }

  sync(input: SyncInput = {}): Promise<SyncReport> {
    return this.engine.sync.run(input);
  }

  /** Syncs, and decides for the file where it proposes a change. */
  async accept(): Promise<SyncReport> {
    const { conflicts } = await this.sync({ dryRun: true });
    return this.sync({
      decisions: Object.fromEntries(conflicts.filter(it => it.isProposal).map(it => [it.name, 'file'])),
    });
  }

  keep(content: string, rest: Parameters<typeof storeMemory>[2] = {}): Promise<string> {
    return storeMemory(this.engine, content, { store: 'project', gate: 'epistemic', kind: 'decision', ...rest });
  }

  files(): string[] {
    if (!existsSync(this.root)) return [];
    return readdirSync(this.root, { recursive: true, encoding: 'utf8' })
      .filter(it => it.endsWith('.md'))
      .map(it => it.replaceAll('\\', '/'))
      .sort();
  }

  read(name: string): string {
    return readFileSync(path.join(this.root, name), 'utf8');
  }

  write(name: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.root, name)), { recursive: true });
    writeFileSync(path.join(this.root, name), text);
  }

  edit(name: string, from: string | RegExp, to: string): void {
    const before = this.read(name);
    assert.notEqual(before.replace(from, to), before);
    this.write(name, before.replace(from, to));
  }

  async all(): Promise<Memory[]> {
    return this.engine.list({ statuses, scope: 'project-only', limit: 1_000 });
  }

  /** Changes a memory in the store. */
  async change(id: string, what: Partial<Memory>): Promise<void> {
    await writeToStore(this.host, 'project', this.file, async tx => {
      const now = (await tx.get(id))!;
      const contentHash = hashContent(what.content ?? now.content);
      await tx.update({ ...now, ...what, contentHash }, 'edit');
    });
  }

  /** Asserts that another sync has nothing to do. */
  async quiet(): Promise<void> {
    const { steps } = await this.sync();
    assert.deepEqual(steps, []);
    assert.deepEqual(await storeProblems(this.engine), []);
  }
}

const steps = (report: SyncReport): string[] => report.steps.map(it => `${it.what} ${it.name}`).sort();

describe('sync with Markdown files', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await new Desk().open();
  });

  it('carries questions and keywords both ways, as metadata of the file', async () => {
    const aids = { questions: ['Which engine holds the tides?'], keywords: ['database', 'SQL'] };
    const id = await desk.keep('Use PostgreSQL 16.', { aids });
    const plain = await desk.keep('Tests run in UTC.');
    await desk.sync();
    const [name, plainName] = ['decisions/use-postgresql-16.md', 'decisions/tests-run-in-utc.md'];
    assert.match(
      desk.read(name),
      /\nquestions:\n {2}- Which engine holds the tides\?\nkeywords:\n {2}- database\n {2}- SQL\n/u,
    );
    assert.doesNotMatch(desk.read(plainName), /questions|keywords/u);
    await desk.quiet();
    desk.edit(name, '  - SQL\n', '  - relational\n');
    desk.write('learnings/pier.md', '---\nkeywords: [jetty]\n---\n\nPier nine has a crane.\n');
    assert.deepEqual(steps(await desk.accept()), ['added learnings/pier.md', `changed ${name}`]);
    const found = await desk.engine.aids((await desk.all()).map(it => it.id));
    assert.deepEqual(found.get(id), { ...aids, keywords: ['database', 'relational'] });
    const edits = (await desk.engine.explainer.history(id)).filter(it => it.action === 'edit');
    assert.deepEqual(
      edits.map(it => it.detail),
      [{ by: 'sync' }, { change: 'aids' }],
    );
    assert.deepEqual(
      [...found.values()].map(it => it.keywords),
      [['database', 'relational'], ['jetty']],
    );
    await desk.engine.revise({ id: plain, keywords: ['time zone'] }, 'person');
    await desk.engine.revise({ id, questions: [], keywords: [] }, 'person');
    assert.deepEqual(steps(await desk.sync()), [`written ${plainName}`, `written ${name}`].sort());
    assert.match(desk.read(plainName), /\nkeywords:\n {2}- time zone\n/u);
    assert.doesNotMatch(desk.read(name), /questions|keywords/u);
    await desk.quiet();
  });

  it('carries the priority and the day of a plan both ways', async () => {
    const id = await desk.keep('Ship the quay map.', {
      gate: 'promissory',
      priority: 8,
      dueAt: '2031-05-04T10:00:00.000Z',
    });
    const plain = await desk.keep('Tests run in UTC.');
    const [name, plainName] = ['decisions/ship-the-quay-map.md', 'decisions/tests-run-in-utc.md'];
    const planOf = async (of: string): Promise<unknown> => {
      const { priority, dueAt } = await desk.engine.get(of);
      return [priority, dueAt];
    };
    await desk.sync();
    assert.match(desk.read(name), /\npriority: 8\ndue: 2031-05-04\n/u);
    assert.doesNotMatch(desk.read(plainName), /priority|due/u);
    await desk.quiet();
    desk.edit(name, '\n\nShip the quay map.', '\n\nShip the quay map to all.');
    await desk.accept();
    assert.deepEqual(await planOf(id), [8, '2031-05-04T10:00:00.000Z']);
    desk.edit(name, 'priority: 8\ndue: 2031-05-04\n', 'priority: 3\ndue: 2031-05-09\n');
    desk.edit(plainName, 'kind:', 'priority: 99\ndue: soon\nkind:');
    desk.write('learnings/pier.md', '---\npriority: 9\ndue: 2031-06-01\n---\n\nPaint pier nine.\n');
    await desk.accept();
    const pier = (await desk.all()).find(it => it.content.startsWith('Paint'))!;
    assert.deepEqual(
      [await planOf(id), await planOf(plain), await planOf(pier.id)],
      [
        [3, '2031-05-09T23:59:59.999Z'],
        [5, undefined],
        [9, '2031-06-01T23:59:59.999Z'],
      ],
    );
    await desk.engine.setPriority(plain, 7);
    await desk.sync();
    assert.match(desk.read(plainName), /\npriority: 7\n/u);
    desk.edit(name, /priority: 3\ndue: .*\n/u.exec(desk.read(name))![0], '');
    await desk.accept();
    assert.deepEqual(await planOf(id), [5, undefined]);
    await desk.quiet();
  });

  it('writes a file per memory, in the layout and with the frontmatter of lerim', async () => {
    const id = await desk.keep('Use PostgreSQL 16.\n\nIt is what the tide service runs on.', { tags: ['db'] });
    await desk.keep('Tests run in UTC.', { kind: 'gotcha', lane: 'note' });
    await desk.keep('We moved the quay.', { kind: 'summary' });
    await desk.keep('日本語の記憶。', { kind: 'insight' });
    await desk.keep('con', { kind: 'insight' });
    await desk.keep('function x() {}', { kind: 'code' });
    await desk.keep('This is apart.', { scopeId: 'apart' });
    await storeMemory(desk.engine, 'I prefer tabs.', { gate: 'behavioral' });
    assert.equal((await desk.sync({ dryRun: true })).steps.length, 5);
    assert.deepEqual(desk.files(), []);
    await desk.sync();
    assert.deepEqual(
      desk.files().map(it => it.replace(/memory-[0-9a-f]{8}/u, 'memory-ID')),
      [
        'decisions/use-postgresql-16-it-is-what-the-tide-service-runs-on.md',
        'learnings/memory-ID.md',
        'learnings/memory-ID.md',
        'learnings/tests-run-in-utc.md',
        'summaries/20260302/090000/we-moved-the-quay.md',
      ],
    );
    assert.equal(
      desk
        .read('decisions/use-postgresql-16-it-is-what-the-tide-service-runs-on.md')
        .replace(/confidence: 0\.\d+/u, 'confidence: N'),
      `---
id: ${id}
title: Use PostgreSQL 16. It is what the tide service runs on.
created: 2026-03-02T09:00:00.000Z
updated: 2026-03-02T09:00:00.000Z
source: explicit
confidence: N
tags:
  - db
kind: decision
lane: confirmed
---

Use PostgreSQL 16.

It is what the tide service runs on.
`,
    );
    await desk.quiet();
  });

  it('carries an edit of the text, the tags, the kind and the lane to the memory', async () => {
    const id = await desk.keep('The port is 1.', { lane: 'note' });
    await desk.sync();
    const name = 'decisions/the-port-is-1.md';
    desk.edit(name, /\n\nThe port is 1\.\n$/u, '\r\n\r\nThe port is 2.\r\n');
    desk.edit(name, 'tags: []', 'tags: [Net, net] # why');
    desk.edit(name, 'kind: decision', 'kind: architecture\nowner: Inger');
    desk.edit(name, 'lane: note', 'lane: confirmed');
    assert.deepEqual(steps(await desk.accept()), [`changed ${name}`]);
    const { content, summary, tags, kind, lane, expiresAt, status } = await desk.engine.get(id);
    assert.deepEqual(
      [content, summary, tags, kind, lane, expiresAt, status],
      ['The port is 2.', 'The port is 2.', ['net'], 'architecture', 'confirmed', undefined, 'active'],
    );
    assert.equal((await desk.engine.recall({ query: 'port 2' })).hits[0]?.memory.id, id);
    assert.match(desk.read(name), /title: The port is 2\.\r?\n[\s\S]*owner: Inger/u);
    await desk.quiet();
  });

  it('drops the vector of the previous text, also without a model', async () => {
    await desk.keep('The port is 1.');
    await desk.sync();
    await desk.engine.close();
    desk.host.settings = { ...desk.host.settings, embeddings: 'off' };
    await desk.open();
    const vectors = (): Promise<unknown[]> => sql(desk.file, 'SELECT row FROM vectors');
    assert.equal((await vectors()).length, 1);
    desk.edit('decisions/the-port-is-1.md', /\nThe port is 1\.\n$/u, '\nThe port is 2.\n');
    await desk.accept();
    assert.equal((await vectors()).length, 0);
  });

  it('archives the memory of a deleted file, and restores it when the file returns', async () => {
    const id = await desk.keep('The port is 1.');
    await desk.sync();
    const [name = ''] = desk.files();
    const text = desk.read(name);
    rmSync(path.join(desk.root, name));
    assert.deepEqual(steps(await desk.accept()), [`archived ${name}`]);
    const gone = await desk.engine.get(id);
    assert.deepEqual([gone.status, gone.archiveReason, desk.files()], ['archived', 'forgotten', []]);
    await desk.quiet();
    desk.write(name, text);
    assert.deepEqual(steps(await desk.accept()), [`restored ${name}`]);
    assert.equal((await desk.engine.get(id)).status, 'active');
    await desk.quiet();
  });

  it('archives nothing without a decision where the folder is gone, empty or a link', async () => {
    const ids = [await desk.keep('The port is 1.'), await desk.keep('The crane is red.')];
    await desk.sync();
    const names = desk.files();
    const missing = async (): Promise<unknown> => {
      const report = await desk.sync();
      assert.deepEqual(
        [steps(report), (await desk.engine.getMany(ids)).map(it => it.status)],
        [[], ['active', 'active']],
      );
      return report.missing;
    };
    for (const name of names) rmSync(path.join(desk.root, name));
    assert.deepEqual(await missing(), { why: 'empty', memories: 2 });
    rmSync(desk.root, { recursive: true });
    assert.deepEqual(await missing(), { why: 'gone', memories: 2 });
    symlinkSync(temporaryFolder(), desk.root);
    assert.deepEqual(await missing(), { why: 'link', memories: 2 });
    rmSync(desk.root);
    assert.deepEqual(
      steps(await desk.sync({ missing: 'write' })).sort(),
      names.map(it => `written ${it}`),
    );
    await desk.quiet();
    rmSync(desk.root, { recursive: true });
    assert.deepEqual(
      steps(await desk.sync({ missing: 'archive' })).sort(),
      names.map(it => `archived ${it}`),
    );
  });

  it('names and skips damaged files, reads those at the top, and goes on', async () => {
    await desk.keep('The port is 1.');
    await desk.sync();
    const [name = ''] = desk.files();
    desk.edit(name, 'The port is 1.\n', '<<<<<<< HEAD\nThe port is 1.\n=======\nThe port is 2.\n>>>>>>> other\n');
    desk.write('learnings/two.md', '---\nlink: a\n---\n\n---\nname: two\n---\nThe ferry is late.\n');
    desk.write('learnings/alias.md', '---\ntitle: *x\n---\nThe ferry is early.\n');
    desk.write('mast.md', 'The mast is oak.\n');
    const report = await desk.sync();
    assert.deepEqual(report.refused.map(it => it.name).sort(), [name, 'learnings/alias.md', 'learnings/two.md'].sort());
    assert.deepEqual(steps(report), ['added mast.md']);
    assert.deepEqual((await desk.all()).map(it => it.content).sort(), ['The mast is oak.', 'The port is 1.']);
  });

  it('archives the file of a forgotten memory, and moves it back when it is restored', async () => {
    const id = await desk.keep('The port is 1.');
    await desk.sync();
    await desk.engine.forget(id);
    await desk.sync();
    assert.deepEqual(desk.files(), ['archived/decisions/the-port-is-1.md']);
    await desk.quiet();
    await desk.engine.restore(id);
    await desk.sync();
    assert.deepEqual(desk.files(), ['decisions/the-port-is-1.md']);
    await desk.quiet();
  });

  it('follows a moved file, also into the archive', async () => {
    const id = await desk.keep('The port is 1.');
    await desk.sync();
    const move = (from: string, to: string): void => {
      mkdirSync(path.dirname(path.join(desk.root, to)), { recursive: true });
      renameSync(path.join(desk.root, from), path.join(desk.root, to));
    };
    move('decisions/the-port-is-1.md', 'decisions/net/port.md');
    assert.deepEqual(steps(await desk.sync()), []);
    move('decisions/net/port.md', 'archived/decisions/port.md');
    assert.deepEqual(steps(await desk.accept()), ['archived archived/decisions/port.md']);
    assert.equal((await desk.engine.get(id)).status, 'archived');
    await desk.quiet();
  });

  it('adds new files as notes, or as confirmed memories on request, and reads a lerim folder', async () => {
    const jwtFile =
      '---\nid: dec-1\ntitle: Use JWT\ncreated: "2026-02-20T10:30:00Z"\nsource: sync\nconfidence: 0.85\nlane: confirmed\n---\n\nShort expiry.\n';
    desk.write('decisions/jwt.md', jwtFile);
    desk.write('learnings/plain.md', 'Fixtures live in conftest.py.\n');
    assert.deepEqual(steps(await desk.sync()), ['added decisions/jwt.md', 'added learnings/plain.md']);
    const [plain, jwt] = (await desk.all()).sort((a, b) => (a.content < b.content ? -1 : 1));
    assert.deepEqual(
      [jwt?.content, jwt?.kind, jwt?.lane, jwt?.confidence, jwt?.createdAt],
      ['Use JWT\n\nShort expiry.', 'decision', 'note', 85, '2026-02-20T10:30:00.000Z'],
    );
    assert.deepEqual([plain?.content, plain?.kind, plain?.lane], ['Fixtures live in conftest.py.', 'insight', 'note']);
    assert.equal(desk.read('decisions/jwt.md'), jwtFile, 'a file with an id stays, for other machines');
    assert.match(desk.read('learnings/plain.md'), new RegExp(`^---\nid: ${plain!.id}\n`, 'u'));
    await desk.quiet();
    desk.edit('decisions/jwt.md', 'title: Use JWT', 'title: Use PASETO');
    await desk.sync();
    assert.equal((await desk.engine.get(jwt!.id)).content, 'Use PASETO\n\nShort expiry.');
    desk.write('learnings/mine.md', 'Boats are named after fish.\n');
    await desk.sync({ lane: 'confirmed' });
    assert.deepEqual(
      (await desk.engine.list({ lane: 'confirmed' })).map(it => it.content),
      ['Boats are named after fish.'],
    );
    await desk.quiet();
  });

  it('leaves the files of a lerim folder as they are, byte for byte, until something changes', async () => {
    const front = (id: string, title: string, rest: string): string =>
      `---\nid: ${id}\ntitle: ${title}\ncreated: "2026-02-20T10:30:00Z"\nupdated: "2026-02-20T10:30:00Z"\nsource: sync\nconfidence: 0.85\n${rest}---\n\n`;
    const folder = '../../.lerim/memory';
    const inFolder = (name: string): string => `${folder}/${name}`;
    const files = {
      'decisions/use-jwt.md': `${front('dec-abc123', 'Use JWT bearer tokens', 'tags:\n  - auth\n  - security\n')}Bearer tokens expire after 15 minutes.\n`,
      'learnings/fixtures.md': `${front('lrn-def456', 'Fixtures live in conftest.py', 'tags:\n  - pytest\nkind: insight\n')}Fixtures of other files are not found.\r\n\n`,
      'summaries/20260222/153000/auth.md':
        '---\nid: sum-ghi789\ntitle: Refactored auth module\ndescription: Added rate limiting # of the gateway\ndate: "2026-02-22"\ntime: "15:30:00"\ncoding_agent: claude\nraw_trace_path: meta/traces/sessions/claude/abc123.jsonl\nrun_id: abc123\nrepo_name: my-project\nsource: sync\ntags:\n  - auth\n---\n\n## Session Summary\n\nThe tests of the gateway pass.\n',
    };
    for (const [name, text] of Object.entries(files)) desk.write(inFolder(name), text);
    const sync = (): Promise<SyncReport> => desk.sync({ mirror: path.join('.lerim', 'memory') });
    assert.deepEqual(
      steps(await sync()),
      Object.keys(files).map(it => `added ${it}`),
    );
    const readAll = (): string[] => Object.keys(files).map(it => desk.read(inFolder(it)));
    assert.deepEqual(readAll(), Object.values(files));
    const memories = await desk.all();
    const summary = memories.find(it => it.kind === 'summary')!;
    assert.deepEqual(
      [summary.content, summary.createdAt, summary.provenance.session],
      [
        'Refactored auth module\n\nAdded rate limiting\n\n## Session Summary\n\nThe tests of the gateway pass.',
        '2026-02-22T15:30:00.000Z',
        'abc123',
      ],
    );
    const jwt = memories.find(it => it.kind === 'decision')!;
    assert.deepEqual([jwt.confidence, jwt.tags, jwt.createdAt], [85, ['auth', 'security'], '2026-02-20T10:30:00.000Z']);
    assert.deepEqual(steps(await sync()), []);
    await desk.change(jwt.id, { tags: ['auth'] });
    await desk.change(summary.id, { tags: ['gateway'] });
    await sync();
    const [decision, learning, changed] = readAll();
    assert.match(decision!, /^---\nid: dec-abc123\n[\s\S]*tags:\n {2}- auth\n(?! {2}-)/u);
    assert.equal(learning, files['learnings/fixtures.md']);
    assert.match(
      changed!,
      /description: Added rate limiting # of the gateway\ndate: "2026-02-22"\ntime: "15:30:00"\ncoding_agent: claude\nraw_trace_path: meta\/traces\/sessions\/claude\/abc123\.jsonl\nrun_id: abc123\nrepo_name: my-project\n/u,
    );
    assert.deepEqual(steps(await sync()), []);
  });

  it('writes the keys of a session summary, and no place of this machine', async () => {
    await desk.keep('Moved the quay.\n\n- The crane came first.\n- Then the rails.', {
      kind: 'summary',
      session: '0f8fad5b',
    });
    await desk.sync();
    const [name] = desk.files();
    const repository = path.basename(desk.host.workspaceFolders[0]!);
    const frontmatter = desk.read(name!).split('---\n')[1]!;
    assert.deepEqual(
      frontmatter
        .split('\n')
        .filter(it => /^(?:description|date|time|coding_agent|raw_trace_path|run_id|repo_name):/u.test(it)),
      [
        'description: "- The crane came first."',
        'date: 2026-03-02',
        'time: 09:00:00',
        'run_id: 0f8fad5b',
        `repo_name: ${repository}`,
      ],
    );
    await desk.quiet();
    desk.edit(name!, '- Then the rails', '- Then the cables');
    await desk.accept();
    assert.equal((await desk.all())[0]?.content, 'Moved the quay.\n\n- The crane came first.\n- Then the cables.');
    await desk.quiet();
  });

  it('applies no change of a file to what a person confirmed, pinned or put away, and proposes it with a diff', async () => {
    const ids = [
      await desk.keep('The port is 1.'),
      await desk.keep('Lunch is at noon.', { lane: 'note' }),
      await desk.keep('Soup.'),
      await desk.keep('The mast is oak.', { lane: 'note' }),
      await desk.keep('The sail is red.', { lane: 'note' }),
    ];
    await desk.engine.pin(ids[1]!);
    await desk.sync();
    await desk.engine.forget(ids[4]!);
    await desk.sync();
    const before = (await desk.all()).sort((a, b) => (a.id < b.id ? -1 : 1));
    desk.edit('decisions/the-port-is-1.md', '\nThe port is 1.', '\nThe port is 2.');
    desk.edit('decisions/lunch-is-at-noon.md', '\nLunch is at noon.', '\nLunch is at one.');
    rmSync(path.join(desk.root, 'decisions/soup.md'));
    desk.edit('decisions/the-mast-is-oak.md', 'lane: note', 'lane: confirmed');
    renameSync(
      path.join(desk.root, 'archived/decisions/the-sail-is-red.md'),
      path.join(desk.root, 'decisions/the-sail-is-red.md'),
    );
    const report = await desk.sync();
    assert.deepEqual(report.steps, []);
    assert.deepEqual(report.conflicts.map(it => [it.isProposal, it.name]).sort(), [
      [true, 'decisions/lunch-is-at-noon.md'],
      [true, 'decisions/soup.md'],
      [true, 'decisions/the-mast-is-oak.md'],
      [true, 'decisions/the-port-is-1.md'],
      [true, 'decisions/the-sail-is-red.md'],
    ]);
    assert.match(report.conflicts.find(it => it.id === ids[0])!.diff, /^-The port is 2\.\n\+The port is 1\.$/mu);
    assert.deepEqual(
      (await desk.all()).sort((a, b) => (a.id < b.id ? -1 : 1)),
      before,
    );
    const kept = await desk.sync({ decisions: { 'decisions/the-mast-is-oak.md': 'memory' } });
    assert.deepEqual(
      kept.steps.map(it => [it.what, it.name]),
      [['written', 'decisions/the-mast-is-oak.md']],
    );
    assert.match(desk.read('decisions/the-mast-is-oak.md'), /^lane: note$/mu);
    desk.edit('decisions/the-mast-is-oak.md', 'lane: note', 'lane: confirmed');
    await desk.accept();
    const after = await desk.engine.getMany(ids);
    assert.deepEqual(
      after.map(it => [it.content, it.lane, it.status]),
      [
        ['The port is 2.', 'confirmed', 'active'],
        ['Lunch is at one.', 'note', 'active'],
        ['Soup.', 'confirmed', 'archived'],
        ['The mast is oak.', 'confirmed', 'active'],
        ['The sail is red.', 'note', 'active'],
      ],
    );
    await desk.quiet();
  });

  it('reports a conflict, touches neither side, and applies the decision', async () => {
    const [one, other, third] = [
      await desk.keep('The port is 1.'),
      await desk.keep('Lunch is at noon.'),
      await desk.keep('Soup.'),
    ];
    await desk.sync();
    desk.edit('decisions/the-port-is-1.md', '\nThe port is 1.', '\nThe port is 2.');
    desk.edit('decisions/lunch-is-at-noon.md', '\nLunch is at noon.', '\nLunch is at one.');
    rmSync(path.join(desk.root, 'decisions/soup.md'));
    await desk.change(one, { content: 'The port is 3.' });
    await desk.change(other, { content: 'Lunch is at two.' });
    await desk.change(third, { content: 'Soup at eight.' });
    const before = desk.files().map(it => desk.read(it));
    const report = await desk.sync();
    assert.deepEqual(
      [report.steps, report.conflicts.map(it => it.name).sort()],
      [[], ['decisions/lunch-is-at-noon.md', 'decisions/soup.md', 'decisions/the-port-is-1.md']],
    );
    const port = report.conflicts.find(it => it.id === one)!;
    assert.match(port.diff, /^-The port is 2\.\n\+The port is 3\.$/mu);
    assert.deepEqual(
      desk.files().map(it => desk.read(it)),
      before,
    );
    await desk.sync({
      decisions: {
        'decisions/the-port-is-1.md': 'file',
        'decisions/lunch-is-at-noon.md': 'memory',
        'decisions/soup.md': 'memory',
      },
    });
    assert.equal((await desk.engine.get(one)).content, 'The port is 2.');
    assert.match(desk.read('decisions/lunch-is-at-noon.md'), /\n\nLunch is at two\.\n$/u);
    assert.match(desk.read('decisions/soup-at-eight.md'), /\n\nSoup at eight\.\n$/u);
    await desk.quiet();
  });

  it("keeps a confirmation when the file is chosen, unless the file's lane was edited", async () => {
    const [promoted, demoted, both] = [
      await desk.keep('The ferry is Perpetua.', { lane: 'note' }),
      await desk.keep('The buoy is red.'),
      await desk.keep('The gate is shut.', { lane: 'note' }),
    ];
    await desk.sync();
    desk.edit('decisions/the-ferry-is-perpetua.md', '\nThe ferry is Perpetua.', '\nThe ferry is Inger.');
    desk.edit('decisions/the-buoy-is-red.md', 'lane: confirmed', 'lane: note');
    desk.edit('decisions/the-gate-is-shut.md', '\nThe gate is shut.', '\nThe gate is open.');
    desk.edit('decisions/the-gate-is-shut.md', 'lane: note', 'lane: confirmed');
    await desk.engine.promote(promoted);
    await desk.change(demoted, { content: 'The buoy is green.' });
    await desk.change(both, { content: 'The gate is ajar.' });
    const { conflicts } = await desk.sync();
    assert.equal(conflicts.length, 3);
    await desk.sync({ decisions: Object.fromEntries(conflicts.map(it => [it.name, 'file'] as const)) });
    const kept = await desk.engine.getMany([promoted, demoted, both]);
    assert.deepEqual(
      kept.map(it => [it.content, it.lane, it.expiresAt !== undefined]),
      [
        ['The ferry is Inger.', 'confirmed', false],
        ['The buoy is red.', 'note', true],
        ['The gate is open.', 'confirmed', false],
      ],
    );
    assert.match(desk.read('decisions/the-ferry-is-perpetua.md'), /^lane: confirmed$/mu);
    await desk.quiet();
  });

  it('keeps a confirmation where the last synced lane is unknown', async () => {
    const id = await desk.keep('The ferry is Perpetua.', { lane: 'note' });
    await desk.sync();
    const [name] = desk.files();
    await sql(desk.file, "DELETE FROM records WHERE kind = 'syncedFile'");
    await desk.engine.promote(id);
    desk.edit(name!, /The ferry is Perpetua/gu, 'The ferry is Inger');
    await desk.sync({ decisions: { [name!]: 'file' } });
    const { content, lane } = await desk.engine.get(id);
    assert.deepEqual([content, lane], ['The ferry is Inger.', 'confirmed']);
  });

  it('skips files that it cannot read or keep, with the reason', async () => {
    const id = await desk.keep('The port is 1.');
    await desk.sync();
    desk.write('decisions/the-port-is-1.md', '---\ntitle: [\n---\nThe port is 2.\n');
    const guarded = await desk.keep('The key is in the vault.');
    await desk.sync();
    desk.edit('decisions/the-key-is-in-the-vault.md', /in the vault/gu, 'AKIAIOSFODNN7EXAMPLE');
    desk.write('decisions/secret.md', 'The key is AKIAIOSFODNN7EXAMPLE.\n');
    desk.write('decisions/empty.md', '');
    desk.write('decisions/copy.md', 'The port is 1!\n');
    symlinkSync(temporaryFolder(), path.join(desk.root, 'learnings'));
    await desk.keep('Tests run in UTC.', { kind: 'gotcha' });
    const { steps: done, refused } = await desk.sync();
    assert.deepEqual(done, []);
    assert.deepEqual(refused.map(it => `${it.name}: ${it.reason.replace(/#\w+/u, '#ID').slice(0, 30)}`).sort(), [
      'Tests run in UTC.: learnings/tests-run-in-utc.md ',
      'decisions/copy.md: The memory #ID says the same a',
      'decisions/empty.md: There is nothing to remember: ',
      'decisions/secret.md: It contains a secret (API key)',
      'decisions/the-key-is-in-the-vault.md: It contains a secret (API key)',
      'decisions/the-port-is-1.md: The frontmatter is no YAML: Fl',
    ]);
    assert.equal((await desk.engine.get(id)).content, 'The port is 1.');
    assert.equal((await desk.engine.get(guarded)).content, 'The key is in the vault.');
    assert.equal(readdirSync(path.join(desk.root, 'learnings')).length, 0);
  });

  it('continues without its records, as after a restored checkpoint or in another clone', async () => {
    const id = await desk.keep('The port is 1.');
    await desk.sync();
    const other = new Desk();
    other.host.workspaceFolders = desk.host.workspaceFolders;
    await other.open();
    assert.deepEqual(steps(await other.sync()), ['added decisions/the-port-is-1.md']);
    assert.equal((await other.all())[0]?.lane, 'note');
    assert.deepEqual((await desk.engine.get(id)).content, 'The port is 1.');
  });

  it('leaves what another machine wrote byte for byte, with its id, and gives it nothing to decide', async () => {
    const id = await desk.keep('The port is 1.', { tags: ['net'] });
    await desk.sync();
    const [name] = desk.files();
    const written = desk.read(name!);
    const other = new Desk();
    other.host.workspaceFolders = desk.host.workspaceFolders;
    await other.open();
    await other.sync();
    assert.equal(desk.read(name!), written);
    await other.quiet();
    await desk.quiet();
    await other.change((await other.all())[0]!.id, { tags: ['net', 'harbor'] });
    await other.sync();
    assert.match(desk.read(name!), new RegExp(`^---\nid: ${id}\n`, 'u'));
    const { conflicts } = await desk.sync();
    assert.deepEqual(
      conflicts.filter(it => !it.isProposal),
      [],
    );
    assert.equal((await desk.engine.get(id)).lane, 'confirmed');
  });

  it('loses no memory and no edit in any sequence of changes on both sides', async function () {
    const operation = fc.record({
      what: fc.constantFrom(
        'keep',
        'write',
        'editFile',
        'editMemory',
        'delete',
        'forget',
        'restore',
        'tag',
        'move',
        'sync',
      ),
      which: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 4, maxLength: 14 }), async operations => {
        const it = await new Desk().open();
        it.host.settings = { ...it.host.settings, embeddings: 'off' };
        /** Every text that was written and not replaced on its side. */
        const texts = new Map<string, string>();
        let count = 0;
        const fresh = (): string => `Berth ${++count} takes boat number ${count * 7}.`;
        for (const { what, which } of operations) {
          const files = it.files();
          const memories = (await it.all()).sort((a, b) => (a.id < b.id ? -1 : 1));
          const name = files[which % Math.max(1, files.length)];
          const memory = memories[which % Math.max(1, memories.length)];
          if (what === 'keep')
            texts.set(`memory ${await it.keep((texts.set('', fresh()), texts.get('')!))}`, texts.get('')!);
          if (what === 'write') {
            const text = fresh();
            it.write(`learnings/new-${count}.md`, `${text}\n`);
            texts.set(`file ${text}`, text);
          }
          if (what === 'editFile' && name !== undefined) {
            const [old, text] = [it.read(name), fresh()];
            const replaced = /Berth \d+ takes boat number \d+\.(?=\n$)/u.exec(old)?.[0];
            if (replaced === undefined) continue;
            it.write(name, old.replace(/Berth \d+ takes boat number \d+\.(?=\n$)/u, text));
            // Also where the memory says it: what a person writes into its file takes the place of that.
            texts.forEach((value, key) => value === replaced && texts.delete(key));
            texts.set(`file ${text}`, text);
          }
          if (what === 'editMemory' && memory !== undefined) {
            const text = fresh();
            await it.change(memory.id, { content: text, summary: text });
            texts.forEach((value, key) => value === memory.content && texts.delete(key));
            texts.set(`memory ${memory.id}`, text);
          }
          if (what === 'delete' && name !== undefined) {
            const text = /Berth \d+ takes boat number \d+\.(?=\n$)/u.exec(it.read(name))?.[0];
            rmSync(path.join(it.root, name));
            // What a person deletes before a sync has seen it is theirs to lose.
            if (!memories.some(other => other.content === text))
              texts.forEach((value, key) => value === text && texts.delete(key));
          }
          if (what === 'move' && name !== undefined && !name.startsWith('archived/')) {
            mkdirSync(path.join(it.root, 'archived', 'learnings'), { recursive: true });
            renameSync(path.join(it.root, name), path.join(it.root, 'archived', 'learnings', `moved-${++count}.md`));
          }
          if (what === 'forget' && memory !== undefined) await it.engine.forget(memory.id);
          if (what === 'restore' && memory !== undefined) await it.engine.restore(memory.id);
          if (what === 'tag' && name !== undefined)
            it.write(name, it.read(name).replace(/^tags: \[\]$/mu, `tags: [t${which}]`));
          if (what === 'sync') await it.sync();
        }
        texts.delete('');
        let last = await it.sync();
        for (let i = 0; i < 4 && last.steps.length > 0; i++) last = await it.sync();
        assert.deepEqual(last.steps, []);
        const memories = await it.all();
        const files = it.files().map(name => it.read(name));
        const everywhere = [...memories.map(memory => memory.content), ...files].join('\n');
        for (const text of texts.values()) assert.ok(everywhere.includes(text), `${text} is lost`);
        // Where there is no conflict, both sides say the same; a folder that lost all of its files waits for a person's word.
        const disputed = new Set(last.conflicts.map(conflict => conflict.id));
        const compared = last.missing === undefined ? memories : [];
        for (const memory of compared.filter(other => other.status === 'active' && !disputed.has(other.id))) {
          assert.equal(files.filter(text => text.endsWith(`\n${memory.content}\n`)).length >= 1, true, memory.content);
        }
        await it.engine.close();
      }),
      { numRuns: 25 },
    );
  });
});
