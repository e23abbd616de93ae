import assert from 'node:assert/strict';
import path from 'node:path';
import type { Memory } from '../../src/engine/model/memory.js';
import type { ProjectStatus } from '../../src/engine/model/project.js';
import { temporaryFolder } from '../support/fixtures.js';
import { cloneRepository, createRepository } from '../support/git.js';
import type { ProcessResult } from '../support/runProcess.js';
import { runRecollect } from './shell.js';

const remote = 'git@github.com:acme/harbor.git';
const fact = 'The harbor listens on port 7001.';
const [ok, failed, usage, notFound] = [0, 1, 2, 3];

describe('recollect project and move', () => {
  let home: string;
  let known: string;
  let other: string;

  const runIn = (cwd: string, args: readonly string[], input?: string): Promise<ProcessResult> =>
    runRecollect(args, {
      home,
      cwd,
      env: { RECOLLECT_HOME: `${home}/memory` },
      ...(input === undefined ? {} : { input }),
    });
  const recall = (cwd: string): Promise<ProcessResult> =>
    runIn(cwd, ['recall', '--scope', 'project-only', 'harbor port']);

  beforeEach(async () => {
    home = temporaryFolder();
    known = createRepository(path.join(temporaryFolder(), 'harbor'), remote);
    other = createRepository(path.join(temporaryFolder(), 'harbor'), remote);
    await runIn(known, ['remember', '--store', 'project', fact]);
  });

  it('say that an empty project looks like another one, and use its memory once a person agrees', async () => {
    const before = await recall(other);
    assert.equal(before.code, notFound);
    assert.match(
      before.err,
      /has no memories yet and looks like the project harbor \(.*harbor\): it names the same remote/u,
    );
    const linked = await runIn(other, ['project', 'link']);
    assert.equal(linked.code, ok);
    assert.match((await recall(other)).out, /port 7001/u);
    const undo = /Undo: recollect (.+)/u.exec(linked.out)![1]!.split(' ');
    const undone = await runIn(other, undo);
    assert.equal(undone.code, ok);
    assert.deepEqual([(await recall(other)).code, (await recall(other)).err.includes('looks like')], [notFound, false]);
    await runIn(other, /Undo: recollect (.+)/u.exec(undone.out)![1]!.split(' '));
    assert.match((await recall(other)).out, /port 7001/u);
  });

  it('show the project of a folder, and those that it looks like', async () => {
    const { out } = await runIn(other, ['project', '--json']);
    const [status] = JSON.parse(out) as [ProjectStatus];
    assert.deepEqual(
      [
        status.folder,
        status.projects.map(it => it.memories),
        status.similar.map(it => [it.likeness, it.project.memories]),
      ],
      [other, [0], [['remote', 1]]],
    );
    const text = await runIn(other, ['project']);
    assert.match(text.out, /uses {2}harbor-[0-9a-f]{12} · 0 memories/u);
    assert.match(text.out, /looks like harbor-[0-9a-f]{12} · 1 memory .*: it names the same remote/u);
    assert.equal((await runIn(other, ['project', 'list'])).out.trim().split('\n').length, 2);
  });

  it('refuse what they do not know', async () => {
    const unknown = await runIn(known, ['project', 'link', 'lighthouse']);
    assert.deepEqual([unknown.code, unknown.err.includes('There is no project lighthouse.')], [notFound, true]);
    assert.equal((await runIn(known, ['project', 'unlink'])).code, usage);
    assert.equal((await runIn(known, ['move'])).code, usage);
  });

  it('show a new session of an assistant one line about it', async () => {
    const input = JSON.stringify({ cwd: other, hook_event_name: 'SessionStart', source: 'startup' });
    const { out } = await runIn(other, ['hook', 'session-start'], input);
    assert.match(out, /looks like the project \\"harbor\\"/u);
    assert.ok(!out.includes(known) && !out.includes('7001'));
  });

  it('show a new session that a clone was taken for the project, until a program has noted it', async () => {
    const clone = cloneRepository(known, { origin: remote });
    const input = JSON.stringify({ cwd: clone, hook_event_name: 'SessionStart', source: 'startup' });
    const start = async (): Promise<string> => (await runIn(clone, ['hook', 'session-start'], input)).out;
    const taken = /taken for the project \\"harbor\\", since it has its first commit and its remote/u;
    assert.match(await start(), taken);
    await recall(clone);
    assert.doesNotMatch(await start(), taken);
  });

  it('move a memory to the project and back', async () => {
    const added = JSON.parse(
      (await runIn(known, ['remember', '--store', 'global', '--lane', 'note', 'We moor on Fridays.', '--json'])).out,
    ) as {
      outcomes: { id: string }[];
    };
    const { id } = added.outcomes[0]!;
    const suggested = await runIn(known, ['move', '--suggest']);
    assert.match(suggested.out, new RegExp(`${id.slice(-8)}.*We moor on Fridays`, 'u'));
    const moved = await runIn(known, ['move', id.slice(-8), '--to', 'project']);
    assert.equal(moved.code, ok);
    const storeOf = async (): Promise<string> =>
      (JSON.parse((await runIn(known, ['show', id, '--json'])).out) as Memory).store;
    assert.equal(await storeOf(), 'project');
    await runIn(known, /Undo: recollect (.+)/u.exec(moved.out)![1]!.split(' '));
    assert.equal(await storeOf(), 'global');
    await runIn(known, ['remember', '--store', 'project', 'We moor on Fridays.']);
    assert.equal((await runIn(known, ['move', id, '--to', 'project'])).code, failed);
  });
});
