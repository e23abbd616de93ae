import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { projectNoticeForModel } from '../../../src/engine/model/project.js';
import { storeKey } from '../../../src/engine/store/projectIdentity.js';
import { closeAfterTest, storeMemory, temporaryFolder, TestHost } from '../../support/fixtures.js';
import { cloneRepository, commit, createRepository, git } from '../../support/git.js';

const remote = 'git@github.com:acme/shop.git';
const fact = 'The shop listens on port 7001.';

/** What a project's memory shows in a folder, and what a person is asked or shown there. */
interface View {
  readonly memories: readonly string[];
  readonly notices: readonly string[];
}

const sees = { memories: [fact], notices: [] };
const asks = (likeness: string): View => ({ memories: [], notices: [`similar: ${likeness}`] });
const nothing = { memories: [], notices: [] };

async function open(host: TestHost, folder: string): Promise<MemoryEngine> {
  host.workspaceFolders = [folder];
  return host.open();
}

async function view(host: TestHost, folder: string): Promise<View> {
  const engine = await open(host, folder);
  const memories = (await engine.list({ scope: 'project-only' })).filter(it => it.store === 'project');
  return {
    memories: memories.map(it => it.content).sort(),
    notices: engine.projects.notices.map(it => (it.kind === 'similar' ? `similar: ${it.likeness}` : it.kind)),
  };
}

/** A host that remembers the fact in a folder. */
async function hostWithMemory(folder: string): Promise<TestHost> {
  const host = new TestHost();
  await storeMemory(await open(host, folder), fact, { store: 'project' });
  return host;
}

describe('the memory of a project', () => {
  it('is found in every folder of it and in its worktrees', async () => {
    const shop = createRepository();
    const host = await hostWithMemory(shop);
    const worktree = path.join(temporaryFolder(), 'worktree');
    git(shop, 'worktree', 'add', '-q', worktree);
    mkdirSync(path.join(worktree, 'src', 'deep'), { recursive: true });
    const folders = [path.join(worktree, 'src', 'deep'), worktree, shop];
    for (const folder of folders) assert.deepEqual(await view(host, folder), sees, folder);
  });

  it('is found in the worktrees of a bare repository', async () => {
    const bare = cloneRepository(createRepository(), { args: ['--bare'] });
    const worktrees = ['one', 'two'].map(it => path.join(temporaryFolder(), it));
    for (const [i, it] of worktrees.entries()) git(bare, 'worktree', 'add', '-q', '-b', `branch-${i}`, it);
    const host = await hostWithMemory(worktrees[0]!);
    assert.deepEqual(await view(host, worktrees[1]!), sees);
  });

  it('survives every change of the remotes of its folder', async () => {
    const shop = createRepository();
    const host = await hostWithMemory(shop);
    const changes = [
      ['remote', 'add', 'origin', remote],
      ['remote', 'set-url', 'origin', 'https://github.com/acme/store'],
      ['remote', 'set-url', 'origin', 'https://example.com/new-host/store'],
      ['remote', 'rename', 'origin', 'upstream'],
      ['remote', 'add', 'origin', 'https://github.com/ada/store'],
      ['remote', 'remove', 'upstream'],
      ['remote', 'remove', 'origin'],
    ];
    for (const change of changes) {
      git(shop, ...change);
      assert.deepEqual(await view(host, shop), sees, change.join(' '));
    }
  });

  it('survives a folder that becomes a repository, and a rewritten history', async () => {
    const folder = temporaryFolder();
    const host = await hostWithMemory(folder);
    createRepository(folder, remote);
    assert.deepEqual(await view(host, folder), sees);
    rmSync(path.join(folder, '.git'), { recursive: true });
    createRepository(folder, remote);
    assert.deepEqual(await view(host, folder), sees);
  });

  it('follows a folder that was moved, and says so once', async () => {
    const shop = createRepository();
    const host = await hostWithMemory(shop);
    const moved = path.join(temporaryFolder(), 'elsewhere');
    renameSync(shop, moved);
    assert.deepEqual(await view(host, moved), { memories: [fact], notices: ['moved'] });
    assert.deepEqual(await view(host, moved), sees);
  });

  it('is shared with a clone that has its history and its remote, which is said once', async () => {
    const shop = createRepository(undefined, remote);
    const host = await hostWithMemory(shop);
    const clone = cloneRepository(shop, { origin: 'https://token@github.com/acme/shop' });
    assert.deepEqual(await view(host, clone), { memories: [fact], notices: ['copy'] });
    await storeMemory(await open(host, clone), 'The shop sells tea.', { store: 'project' });
    assert.deepEqual(await view(host, shop), { memories: [fact, 'The shop sells tea.'].sort(), notices: [] });
  });

  it('is shared with a clone of its folder', async () => {
    const shop = createRepository();
    const host = await hostWithMemory(shop);
    assert.deepEqual(await view(host, cloneRepository(shop)), { memories: [fact], notices: ['copy'] });
  });

  it('is shared by clones that are opened before anything is remembered', async () => {
    const shop = createRepository(undefined, remote);
    const host = new TestHost();
    await open(host, shop);
    const clone = cloneRepository(shop, { origin: remote });
    await storeMemory(await open(host, clone), fact, { store: 'project' });
    assert.deepEqual(await view(host, shop), sees);
  });

  it('is found by a remote that insteadOf abbreviates', async () => {
    const config = path.join(temporaryFolder(), 'gitconfig');
    writeFileSync(config, '[url "git@github.com:"]\n\tinsteadOf = gh:\n');
    const before = process.env.GIT_CONFIG_GLOBAL;
    process.env.GIT_CONFIG_GLOBAL = config;
    closeAfterTest(() => {
      if (before === undefined) delete process.env.GIT_CONFIG_GLOBAL;
      else process.env.GIT_CONFIG_GLOBAL = before;
      return Promise.resolve();
    });
    const shop = createRepository(undefined, remote);
    const host = await hostWithMemory(shop);
    assert.deepEqual((await view(host, cloneRepository(shop, { origin: 'gh:acme/shop' }))).memories, [fact]);
  });

  it('is not that of a submodule, nor of a folder beside it', async () => {
    const shop = createRepository(undefined, remote);
    const host = await hostWithMemory(shop);
    git(shop, 'submodule', '--quiet', 'add', createRepository(undefined, 'https://example.com/lib'), 'lib');
    for (const it of [path.join(shop, 'lib'), createRepository(), temporaryFolder()])
      assert.deepEqual(await view(host, it), nothing);
  });
});

describe('a folder that matches a project in part', () => {
  const cases: readonly (readonly [string, View, (shop: string) => string])[] = [
    ['a repository that only names its remote', asks('remote'), () => createRepository(undefined, remote)],
    [
      'a fork with a remote of its own',
      asks('history'),
      shop => cloneRepository(shop, { origin: 'https://github.com/ada/shop' }),
    ],
    [
      'a shallow clone',
      asks('remote'),
      shop => cloneRepository(`file://${shop}`, { args: ['--depth', '1'], origin: remote }),
    ],
    [
      'a copy without a remote while the folder is still there',
      asks('history'),
      shop => {
        const copy = path.join(temporaryFolder(), 'copy');
        cpSync(shop, copy, { recursive: true });
        git(copy, 'remote', 'remove', 'origin');
        return copy;
      },
    ],
    [
      'a moved folder with another remote',
      asks('history'),
      shop => {
        const moved = path.join(temporaryFolder(), 'moved');
        renameSync(shop, moved);
        git(moved, 'remote', 'set-url', 'origin', 'https://github.com/ada/other');
        return moved;
      },
    ],
    [
      'another repository in the folder of the project',
      asks('folder'),
      shop => {
        rmSync(shop, { recursive: true });
        return createRepository(shop, 'https://github.com/acme/other');
      },
    ],
    [
      'a folder of the same name whose namesake is gone',
      asks('name'),
      shop => {
        rmSync(shop, { recursive: true });
        const folder = path.join(temporaryFolder(), 'shop');
        mkdirSync(folder);
        return folder;
      },
    ],
    [
      'a folder whose .git is a link to the repository',
      asks('history'),
      shop => {
        const folder = temporaryFolder();
        symlinkSync(path.join(shop, '.git'), path.join(folder, '.git'), 'junction');
        return folder;
      },
    ],
    [
      'a folder whose .git file points into the repository',
      asks('history'),
      shop => {
        const folder = temporaryFolder();
        writeFileSync(path.join(folder, '.git'), `gitdir: ${path.join(shop, '.git')}\n`);
        return folder;
      },
    ],
    [
      'a made-up worktree',
      asks('history'),
      shop => {
        const folder = temporaryFolder();
        const gitDir = path.join(folder, 'worktrees', 'x');
        mkdirSync(gitDir, { recursive: true });
        writeFileSync(path.join(folder, '.git'), `gitdir: ${gitDir}\n`);
        writeFileSync(path.join(gitDir, 'gitdir'), `${path.join(folder, '.git')}\n`);
        writeFileSync(path.join(gitDir, 'commondir'), `${path.join(shop, '.git')}\n`);
        cpSync(path.join(shop, '.git', 'HEAD'), path.join(gitDir, 'HEAD'));
        return folder;
      },
    ],
    [
      'a clone that borrows the objects of the repository',
      asks('history'),
      shop => cloneRepository(shop, { args: ['--shared'], origin: remote }),
    ],
  ];
  for (const [name, expected, makeFolder] of cases) {
    it(`is asked about and reads nothing: ${name}`, async () => {
      const shop = createRepository(undefined, remote);
      const host = await hostWithMemory(shop);
      const folder = makeFolder(shop);
      assert.deepEqual(await view(host, folder), expected);
      assert.deepEqual(await view(host, folder), expected); // It says so until a person answers.
    });
  }

  it('reads the memory once a person agrees, and no more when they take it back', async () => {
    const shop = createRepository(undefined, remote);
    const host = await hostWithMemory(shop);
    const other = createRepository(undefined, remote);
    await (await open(host, other)).projects.link();
    assert.deepEqual(await view(host, other), sees);
    await (await open(host, other)).projects.unlink(storeKey('shop', shop));
    assert.deepEqual(await view(host, other), nothing);
  });

  it('is not asked about again when a person declines', async () => {
    const host = await hostWithMemory(createRepository(undefined, remote));
    const other = createRepository(undefined, remote);
    await (await open(host, other)).projects.unlink();
    assert.deepEqual(await view(host, other), nothing);
  });

  it('keeps reading its own memories beside those of the project it is linked to', async () => {
    const shop = createRepository(undefined, remote);
    const host = await hostWithMemory(shop);
    const other = createRepository();
    const engine = await open(host, other);
    await storeMemory(engine, 'The other one sells tea.', { store: 'project' });
    await engine.projects.link('shop-' + storeKey('shop', shop).slice(5));
    assert.deepEqual(await view(host, other), { memories: [fact, 'The other one sells tea.'].sort(), notices: [] });
    await storeMemory(await open(host, other), 'Both sell milk.', { store: 'project' });
    assert.deepEqual((await view(host, shop)).memories, ['Both sell milk.', fact].sort());
  });

  it('splits off a clone that a person keeps apart', async () => {
    const shop = createRepository(undefined, remote);
    const host = await hostWithMemory(shop);
    const clone = cloneRepository(shop, { origin: remote });
    const engine = await open(host, clone);
    const { projects } = await engine.projects.unlink();
    assert.deepEqual([await view(host, clone), await view(host, shop)], [nothing, sees]);
    await (await open(host, clone)).projects.link(projects[0]!.key);
    assert.deepEqual(await view(host, clone), sees);
  });

  it('takes back what a project learned from a folder when that is unlinked', async () => {
    const shop = createRepository(undefined, remote);
    const host = await hostWithMemory(shop);
    const fork = cloneRepository(shop, { origin: 'https://github.com/ada/shop' });
    await (await open(host, fork)).projects.link();
    assert.deepEqual(await view(host, fork), sees);
    await (await open(host, fork)).projects.unlink();
    const clone = cloneRepository(fork, { origin: 'https://github.com/ada/shop' });
    assert.deepEqual(await view(host, clone), { memories: [], notices: ['similar: history', 'copy'] });
  });

  it('is described to a model without a path', async () => {
    const shop = createRepository(undefined, remote);
    const host = await hostWithMemory(shop);
    const { projects } = await open(host, createRepository(undefined, remote));
    const notice = projectNoticeForModel(projects.notices);
    assert.match(notice, /looks like the project "shop"/u);
    assert.ok(!notice.includes(path.dirname(shop)));
  });

  it('runs no program that the settings of the repository name', async () => {
    const shop = createRepository(undefined, remote);
    const host = await hostWithMemory(shop);
    const folder = createRepository(undefined, remote);
    const witness = path.join(temporaryFolder(), 'ran');
    const program = path.join(folder, 'program.sh');
    writeFileSync(program, `#!/bin/sh\ntouch ${witness}\n`, { mode: 0o755 });
    const names = ['core.fsmonitor', 'core.sshCommand', 'core.pager', 'core.editor', 'gpg.program', 'diff.external'];
    for (const name of [...names, 'alias.rev-list', 'pager.rev-list', 'remote.origin.uploadpack', 'credential.helper'])
      git(folder, 'config', name, name.startsWith('alias') ? `!${program}` : program);
    git(folder, 'config', 'core.hooksPath', folder);
    appendFileSync(path.join(folder, '.git', 'config'), `[include]\n\tpath = ${path.join(folder, 'missing')}\n`);
    git(folder, 'config', 'extensions.partialClone', 'origin');
    git(folder, 'config', 'remote.origin.promisor', 'true');
    git(folder, 'config', 'remote.origin.url', `ext::${program}`);
    rmSync(path.join(folder, '.git', 'objects'), { recursive: true });
    mkdirSync(path.join(folder, '.git', 'objects'));
    await view(host, folder);
    assert.equal(existsSync(witness), false);
  });

  it('notices that another process has changed its link', async () => {
    const host = await hostWithMemory(createRepository(undefined, remote));
    const other = createRepository(undefined, remote);
    const [long, short] = [await open(host, other), await open(host, other)];
    assert.equal(await long.projects.isOutdated(), false);
    await short.projects.link();
    assert.equal(await long.projects.isOutdated(), true);
  });
});

describe('a store of an earlier version', () => {
  /** Renames the store as earlier versions named it, without what is known of the project. */
  function makeLegacy(host: TestHost, name: string, identity: string): void {
    const projects = path.join(host.dataDir, 'projects');
    const [key] = readdirSync(projects);
    rmSync(path.join(projects, key!, 'project.json'));
    renameSync(path.join(projects, key!), path.join(projects, storeKey(name, identity)));
  }

  async function legacyHost(shop: string, name: string, identity: string): Promise<TestHost> {
    const host = new TestHost();
    const engine = await open(host, shop);
    await storeMemory(engine, fact, { store: 'project' });
    await engine.close();
    makeLegacy(host, name, identity);
    return host;
  }

  it('is found by the folder it was made for', async () => {
    const shop = createRepository();
    const host = await legacyHost(shop, path.basename(shop), shop);
    git(shop, 'remote', 'add', 'origin', remote);
    assert.deepEqual(await view(host, shop), sees);
    git(shop, 'remote', 'rename', 'origin', 'upstream');
    assert.deepEqual(await view(host, shop), sees);
  });

  it('is found by its remote, then in every clone of it', async () => {
    const shop = createRepository(undefined, remote);
    const host = await legacyHost(shop, 'shop', 'github.com/acme/shop');
    const clone = cloneRepository(shop, { origin: remote });
    assert.deepEqual((await view(host, clone)).memories, [fact]);
    assert.deepEqual(await view(host, shop), sees);
  });

  it('is found by a remote whose clones are all gone', async () => {
    const shop = createRepository(undefined, remote);
    const host = await legacyHost(shop, 'shop', 'github.com/acme/shop');
    rmSync(shop, { recursive: true });
    assert.deepEqual(await view(host, createRepository(undefined, remote)), sees);
  });

  it('is not given to a folder that only names its remote while its own folder is there', async () => {
    const shop = createRepository(undefined, remote);
    const host = await legacyHost(shop, 'shop', 'github.com/acme/shop');
    assert.deepEqual(await view(host, createRepository(undefined, remote)), asks('remote'));
    assert.deepEqual(await view(host, shop), sees);
  });

  it('of a worktree is read beside that of its repository', async () => {
    const shop = createRepository();
    const worktree = path.join(temporaryFolder(), 'worktree');
    git(shop, 'worktree', 'add', '-q', worktree);
    const host = await legacyHost(shop, path.basename(worktree), worktree);
    await storeMemory(await open(host, shop), 'The shop sells tea.', { store: 'project' });
    assert.deepEqual((await view(host, worktree)).memories, [fact, 'The shop sells tea.'].sort());
  });

  it('makes no second project of a commit more', async () => {
    const shop = createRepository();
    const host = await hostWithMemory(shop);
    commit(shop);
    assert.deepEqual(await view(host, shop), sees);
    assert.equal(readdirSync(path.join(host.dataDir, 'projects')).length, 1);
  });
});
