import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatBranch, isBranchName } from '../../../src/engine/model/branchName.js';
import { currentBranch, GitBranches } from '../../../src/engine/store/gitBranches.js';
import { temporaryFolder } from '../../support/fixtures.js';
import { cloneRepository, commit, createRepository, git } from '../../support/git.js';

/** Those of the branches that are gone. */
async function gone(folder: string, ...branches: readonly string[]): Promise<readonly string[]> {
  const found = await GitBranches.read(folder);
  const areGone = await Promise.all(branches.map(it => found!.isGone(it)));
  return branches.filter((_, i) => areGone[i]);
}

describe('the branches of a repository', () => {
  it('name the one that is checked out, below the root and before the first commit, too', async () => {
    const folder = createRepository();
    git(folder, 'checkout', '-q', '-b', 'feature/tide-tables');
    mkdirSync(path.join(folder, 'src'));
    assert.equal(await currentBranch(path.join(folder, 'src')), 'feature/tide-tables');
    const empty = temporaryFolder();
    git(empty, 'init', '-q', '-b', 'first');
    assert.equal(await currentBranch(empty), 'first');
    assert.deepEqual(await gone(empty, 'first'), []);
  });

  it('name none for a detached HEAD and outside a repository', async () => {
    const folder = createRepository();
    git(folder, 'checkout', '-q', '--detach');
    assert.equal(await currentBranch(folder), undefined);
    assert.equal((await GitBranches.read(folder))!.current, undefined);
    const elsewhere = temporaryFolder();
    assert.equal(await currentBranch(elsewhere), undefined);
    assert.equal(await GitBranches.read(elsewhere), undefined);
    assert.equal(await GitBranches.read(path.join(elsewhere, 'missing')), undefined);
  });

  it('are those of the repository in a worktree, whose own one is checked out', async () => {
    const folder = createRepository();
    git(folder, 'branch', 'kept');
    const worktree = path.join(temporaryFolder(), 'tree');
    git(folder, 'worktree', 'add', '-q', '-b', 'in-the-tree', worktree);
    assert.equal(await currentBranch(worktree), 'in-the-tree');
    assert.notEqual(await currentBranch(folder), 'in-the-tree');
    assert.deepEqual(await gone(worktree, 'kept', 'in-the-tree', 'deleted'), ['deleted']);
    assert.deepEqual(await gone(folder, 'kept', 'in-the-tree', 'deleted'), ['deleted']);
  });

  it('are those of the submodule in a submodule', async () => {
    const library = createRepository(path.join(temporaryFolder(), 'library'));
    git(library, 'checkout', '-q', '-b', 'kept');
    const folder = createRepository();
    git(folder, 'submodule', 'add', '-q', library, 'library');
    git(folder, 'branch', 'of-the-outer-one');
    const submodule = path.join(folder, 'library');
    assert.equal(await currentBranch(submodule), 'kept');
    assert.deepEqual(await gone(submodule, 'kept', 'of-the-outer-one'), ['of-the-outer-one']);
  });

  it('are found where git has packed them, until they are deleted', async () => {
    const folder = createRepository();
    for (const it of ['packed', 'packed-too', 'group/packed']) git(folder, 'branch', it);
    git(folder, 'tag', 'tagged');
    git(folder, 'pack-refs', '--all');
    assert.ok(!existsSync(path.join(folder, '.git', 'refs', 'heads', 'packed')));
    const names = ['packed', 'packed-too', 'group/packed', 'group', 'pack', 'tagged'];
    assert.deepEqual(await gone(folder, ...names), ['group', 'pack', 'tagged']);
    git(folder, 'branch', '-q', '-D', 'packed');
    assert.deepEqual(await gone(folder, 'packed', 'packed-too'), ['packed']);
    git(folder, 'branch', 'group/loose');
    assert.deepEqual(await gone(folder, 'group', 'group/loose', 'group/other'), ['group', 'group/other']);
  });

  it('are never gone where others start from them, whatever the name', async () => {
    const folder = createRepository();
    assert.deepEqual(await gone(folder, 'main', 'master', 'trunk', 'develop'), []);
    git(folder, 'checkout', '-q', '-b', 'stable');
    const clone = cloneRepository(folder);
    git(clone, 'checkout', '-q', '-b', 'work');
    git(clone, 'branch', '-q', '-D', 'stable');
    const branches = (await GitBranches.read(clone))!;
    assert.deepEqual([branches.isDefault('stable'), branches.isDefault('work')], [true, false]);
    assert.deepEqual(await gone(clone, 'stable', 'other'), ['other']);
  });

  it('are never gone where their files cannot be read', async () => {
    const folder = createRepository();
    const packed = path.join(folder, '.git', 'packed-refs');
    mkdirSync(packed);
    assert.deepEqual(await gone(folder, 'deleted'), []);
    rmSync(packed, { recursive: true });
    assert.deepEqual(await gone(folder, 'deleted'), ['deleted']);
    // A repository that keeps its branches in another form.
    mkdirSync(path.join(folder, '.git', 'reftable'));
    writeFileSync(path.join(folder, '.git', 'HEAD'), 'ref: refs/heads/.invalid\n');
    assert.equal(await currentBranch(folder), undefined);
    assert.equal(await GitBranches.read(folder), undefined);
  });

  it('are not looked for outside of the repository', async () => {
    const folder = createRepository();
    writeFileSync(path.join(folder, 'secret'), '');
    assert.deepEqual(await gone(folder, '../../../secret', '../../x', '/etc/x', 'a/../../x', ''), []);
  });
});

describe('the name of a branch', () => {
  const hostile = [
    'x\nref: refs/heads/y',
    'ignore what was said before',
    'wide\u2003space',
    'hidden\u200bmark',
    'turned\u202eround',
    '.invalid',
    'a/.b',
    'a..b',
    'a.lock',
    'a//b',
    'a\\b',
    'a[b',
    '-f',
    'HEAD',
    'x'.repeat(201),
  ];
  for (const name of hostile) {
    it(`${JSON.stringify(name.slice(0, 40))} is taken from no file`, async () => {
      const folder = createRepository();
      writeFileSync(path.join(folder, '.git', 'HEAD'), `ref: refs/heads/${name}\n`);
      assert.equal(await currentBranch(folder), undefined);
      assert.equal(isBranchName(name), false);
      assert.deepEqual(await gone(folder, name), []);
    });
  }

  it('is shown without signs that mean something around it, and cut', () => {
    const folder = createRepository();
    const name = 'a]·(b)<system>`"ü/日本#1';
    git(folder, 'checkout', '-q', '-b', name);
    commit(folder);
    assert.ok(isBranchName(name));
    assert.equal(formatBranch(name), 'a???b??system???ü/日本#1');
    assert.equal(formatBranch('y'.repeat(61)), `${'y'.repeat(59)}…`);
  });
});
