import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PublishPreview } from '../../src/engine/model/publishing.js';
import { Shell } from './shell.js';

describe('recollect publish', function () {
  it('shows the difference, asks, and writes', async () => {
    const shell = new Shell();
    const file = path.join(shell.project, 'CLAUDE.md');
    const fact = ['The tide service is asked every minute.', '--whole', '--gate', 'epistemic', '--kind', 'decision'];
    const empty = await shell.run('publish');
    assert.deepEqual([empty.code, existsSync(file)], [0, false]);
    assert.match(empty.out, /CLAUDE\.md: there is nothing to publish\.\n$/u);
    await shell.run(['remember', ...fact]);
    const dry = await shell.run('publish --dry-run');
    assert.equal(dry.code, 0);
    assert.match(dry.out, /^\+\+\+ .*CLAUDE\.md\tthen\n@@ [^\n]*\n\+<!-- recollect:start -->\n/mu);
    assert.match(dry.out, /^\+- The tide service is asked every minute\.$/mu);
    const asked = await shell.run('publish');
    assert.deepEqual([asked.code, asked.err.includes('There is no terminal to ask in: say --yes')], [2, true]);
    const { data } = await shell.json('publish');
    assert.equal((data as { written: boolean; files: PublishPreview[] }).written, false);
    assert.equal(existsSync(file), false);
    const written = await shell.run('publish --yes');
    assert.deepEqual([written.code, written.out], [0, dry.out]);
    assert.match(readFileSync(file, 'utf8'), /tide service/u);
    assert.match((await shell.run('publish --yes')).out, /CLAUDE\.md is up to date\.\n$/u);
    writeFileSync(file, '<!-- recollect:start -->\n');
    const broken = await shell.run('publish --yes');
    assert.deepEqual([broken.code, broken.err.includes('line 1: the section begins here and never ends')], [1, true]);
    assert.equal((await shell.run('publish --yes --dry-run')).code, 2);
  });

  it("goes into a person's own file only when named", async () => {
    const shell = new Shell();
    mkdirSync(path.join(shell.home, '.claude'));
    await shell.run(['remember', 'I prefer small pull requests.', '--gate', 'behavioral', '--store', 'global']);
    assert.equal((await shell.run('publish --target user --yes')).code, 0);
    assert.match(
      readFileSync(path.join(shell.home, '.claude', 'CLAUDE.md'), 'utf8'),
      /- I prefer small pull requests\./u,
    );
    assert.equal(existsSync(path.join(shell.project, 'CLAUDE.md')), false);
  });
});

describe('recollect import', function () {
  it('imports an export and a Markdown list, and reports the results', async () => {
    const there = new Shell();
    await there.run(['remember', 'The tide service is asked every minute.', '--whole']);
    const file = path.join(there.home, 'memories.jsonl');
    await there.run(['export', '--out', file]);
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
    const here = new Shell();
    assert.match(
      (await here.run(['import', file, '--own'])).out,
      /^memories\.jsonl: 1 new, 0 known, 0 left out\nUndo it with: recollect import --undo [0-9a-f]{8}\n$/u,
    );
    assert.equal((await here.run(['import', file, '--own'])).out, 'memories.jsonl: 0 new, 1 known, 0 left out\n');
    assert.match((await here.run('list')).out, /tide service .*confirmed/u);
    const [id] = /[0-9a-f]{8}/u.exec((await here.run('import --list')).out)!;
    const brought = await here.run(['import', '--list', id]);
    assert.match(brought.out, /^#\w{8} {2}The tide service .*\.\n {11}project · \w+ · \w+ · confirmed\n$/u);
    assert.match(brought.err, /recollect forget ID….*recollect import --undo /u);
    assert.match((await here.run('audit')).out, / {2}read by import --list #\w+$/mu);
    assert.equal((await here.run('import --list ffffffff')).code, 3);
    const list = path.join(here.project, 'AGENTS.md');
    writeFileSync(list, '- Tests run in UTC.\n- The key is AKIAIOSFODNN7EXAMPLE.\n');
    const taken = await here.run(['import', list]);
    assert.match(taken.out, /^AGENTS\.md: 1 new, 0 known, 1 left out\n {2}line 2: It contains a secret/u);
    assert.equal((await here.run(['import', path.join(here.home, 'none')])).code, 3);
    assert.equal((await here.run(['import', list, '--own', '--lane', 'note'])).code, 2);
  });
});

describe('recollect sync', function () {
  it('carries over both ways, shows conflicts and takes decisions', async () => {
    const shell = new Shell();
    assert.match(
      (await shell.run('sync')).out,
      /^Nothing to sync: there is no memory of this project to write, and no Markdown in .+ to read\.\n$/u,
    );
    await shell.run(['remember', 'The port is 1.', '--whole', '--gate', 'epistemic', '--kind', 'decision']);
    const name = 'decisions/the-port-is-1.md';
    const file = path.join(shell.project, '.recollect', 'memory', name);
    assert.match(
      (await shell.run('sync --dry-run')).out,
      /: 1 to be carried over, 0 conflicts\nwritten {3}decisions\//u,
    );
    assert.equal(existsSync(file), false);
    assert.equal((await shell.run('sync')).code, 0);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/\nThe port is 1\.\n$/u, '\nThe port is 2.\n'));
    // A person said it: the file's change is a proposal.
    const proposal = await shell.run('sync');
    assert.equal(proposal.code, 1);
    assert.match(proposal.out, /0 conflicts, 1 proposal\nproposal {2}decisions\/the-port-is-1\.md\n/u);
    assert.match((await shell.run('list')).out, /The port is 1\./u);
    const accepted = await shell.run(['sync', '--keep-file', name]);
    assert.match(accepted.out, /^changed {3}decisions\/the-port-is-1\.md {2}#/mu);
    assert.match((await shell.run('list')).out, /The port is 2\./u);
    const id = /#([0-9a-f]{8})/u.exec((await shell.run('list')).out)![1]!;
    writeFileSync(file, readFileSync(file, 'utf8').replace(/\nThe port is 2\.\n$/u, '\nThe port is 3.\n'));
    await shell.run(['forget', id]);
    const conflict = await shell.run('sync --keep-memory decisions/the-port.md');
    assert.equal(conflict.code, 1);
    assert.match(conflict.err, /^There was nothing to decide about decisions\/the-port\.md\.$/mu);
    assert.match(
      conflict.out,
      /^conflict {2}decisions\/the-port-is-1\.md\n[\s\S]*^-The port is 3\.\n\+The port is 2\.$/mu,
    );
    const kept = await shell.run(['sync', '--keep-file', name]);
    assert.equal(kept.code, 0);
    assert.doesNotMatch(kept.err, /nothing to decide/u);
    assert.match((await shell.run('list')).out, /The port is 3\./u);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/\nThe port is 3\.\n$/u, '\nThe port is 4.\n'));
    await shell.run(['forget', id]);
    const forgotten = await shell.run(['sync', '--keep-memory', name]);
    assert.match(forgotten.out, /^moved {5}archived\/decisions\/the-port-is-\d\.md/mu);
    assert.doesNotMatch(forgotten.err, /nothing to decide/u);
    const unchanged = await shell.run(['sync', '--keep-file', name]);
    assert.match(unchanged.out, /: 0 carried over, 0 conflicts\n$/u);
    assert.match(unchanged.err, /nothing to decide about decisions/u);
    assert.equal((await shell.run(['sync', '--folder', '.'])).code, 2);
  });

  it('mirrors the global memory in the folder that a person names, and says what its settings mean', async () => {
    const shell = new Shell();
    const mine = path.join(shell.home, '.lerim');
    const nothing = await shell.run(['sync', '--global-folder', mine]);
    assert.match(
      nothing.out,
      /^Nothing to sync: there is no global memory to write, and no Markdown in .+memory to read/u,
    );
    await shell.run(['remember', 'I prefer tabs.', '--whole', '--store', 'global', '--kind', 'preference']);
    mkdirSync(mine, { recursive: true });
    writeFileSync(path.join(mine, 'config.toml'), 'colour = 1\n');
    const synced = await shell.run(['sync', '--global-folder', mine]);
    assert.match(synced.out, /memory: 1 carried over, 0 conflicts\nwritten {3}learnings\/i-prefer-tabs\.md {2}#/u);
    assert.match(synced.err, /^config\.toml has settings that mean nothing here: colour\.$/mu);
    assert.equal(existsSync(path.join(mine, 'memory', 'learnings', 'i-prefer-tabs.md')), true);
    assert.equal((await shell.run(['sync', '--global-folder', mine, '--folder', 'notes'])).code, 2);
    assert.equal((await shell.run(['sync', '--global-folder', shell.project])).code, 2);
  });
});
