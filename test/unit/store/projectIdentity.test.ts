import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseGitConfig, remoteUrls } from '../../../src/engine/store/gitConfig.js';
import {
  folderKey,
  normalizeRemote,
  readProjectKeys,
  readRootCommit,
} from '../../../src/engine/store/projectIdentity.js';
import { commit, cloneRepository, createRepository, git } from '../../support/git.js';

describe('a remote', () => {
  const remotes: readonly (readonly [string, string | undefined])[] = [
    ['git@github.com:Acme/shop.git', 'github.com/acme/shop'],
    ['github.com:acme/shop', 'github.com/acme/shop'],
    ['https://github.com/acme/shop', 'github.com/acme/shop'],
    ['https://github.com/acme/shop.git/', 'github.com/acme/shop'],
    ['https://user:token@github.com/Acme/shop.git', 'github.com/acme/shop'],
    ['ssh://git@github.com:22/acme/shop.git', 'github.com/acme/shop'],
    ['ssh://git@ssh.github.com:443/acme/shop.git', 'github.com/acme/shop'],
    ['ssh://git@altssh.gitlab.com:443/acme/shop.git', 'gitlab.com/acme/shop'],
    ['git://github.com/acme/shop.git', 'github.com/acme/shop'],
    ['  https://github.com/acme/shop.git  ', 'github.com/acme/shop'],
    ['https://dev.azure.com/acme/My%20Project/_git/shop', 'dev.azure.com/acme/my project/_git/shop'],
    ['https://example.com/100%/shop', 'example.com/100%/shop'],
    ['/srv/git/shop.git', undefined],
    ['../shop.git', undefined],
    ['file:///srv/git/shop.git', undefined],
    ['C:\\git\\shop', undefined],
    ['C:/git/shop', undefined],
    ['https://github.com', undefined],
    ['', undefined],
    ['not a remote at all', undefined],
  ];
  for (const [remote, name] of remotes) {
    it(`${JSON.stringify(remote)} is ${name ?? 'no address'}`, () => {
      assert.equal(normalizeRemote(remote), name);
    });
  }
});

describe('a git configuration', () => {
  it('is read with its quotes, comments and continued lines', () => {
    const text = [
      '[core] bare = false ; a comment',
      '[remote "a\\"b"]',
      '\turl = "https://example.com/a#b" # a comment',
      '  Fetch = +refs/heads/*:\\',
      'refs/remotes/*',
      '[Branch.Main]',
      'remote = a\\\\b',
      '[broken',
      'flag',
    ].join('\r\n');
    assert.deepEqual(
      parseGitConfig(text).map(it => [it.section, it.subsection, it.key, it.value]),
      [
        ['core', '', 'bare', 'false'],
        ['remote', 'a"b', 'url', 'https://example.com/a#b'],
        ['remote', 'a"b', 'fetch', '+refs/heads/*:refs/remotes/*'],
        ['branch', 'main', 'remote', 'a\\b'],
      ],
    );
  });

  it('gives its remotes as git does, origin first and the longest insteadOf replaced', async () => {
    const repository = createRepository();
    const settings = [
      ['remote.upstream.url', 'gh:acme/shop'],
      ['remote.origin.url', 'gh:me/shop'],
      ['url.https://github.com/.insteadOf', 'gh:'],
      ['url.ssh://git@github.com/me/.insteadOf', 'gh:me/'],
    ];
    for (const [name, value] of settings) git(repository, 'config', name!, value!);
    const expected = ['origin', 'upstream'].map(it => git(repository, 'remote', 'get-url', it).trim());
    assert.deepEqual((await readProjectKeys(repository)).remotes, expected.map(normalizeRemote));
    const text = readFileSync(path.join(repository, '.git', 'config'), 'utf8');
    assert.deepEqual(remoteUrls(parseGitConfig(text), []), expected);
  });
});

describe('the keys of a folder', () => {
  it('have the first commit of its own history, also after another history was merged', async () => {
    const [shop, library] = [createRepository(), createRepository()];
    const root = git(shop, 'rev-list', '--max-parents=0', 'HEAD').trim();
    git(shop, 'fetch', '-q', library, 'HEAD');
    git(shop, 'merge', '-q', '--allow-unrelated-histories', '-m', 'Merge', 'FETCH_HEAD');
    commit(shop);
    assert.equal(await readRootCommit(shop), root);
  });

  it('have no first commit in a shallow clone', async () => {
    const shop = createRepository();
    commit(shop);
    assert.equal(await readRootCommit(cloneRepository(`file://${shop}`, { args: ['--depth', '1'] })), undefined);
  });

  it('have no credentials', async () => {
    const keys = await readProjectKeys(createRepository(undefined, 'https://ada:s3cr3t@example.com/acme/shop'));
    assert.deepEqual([keys.remotes, JSON.stringify(keys).includes('s3cr3t')], [['example.com/acme/shop'], false]);
  });
});

describe('the same folder', () => {
  const pairs: readonly (readonly [NodeJS.Platform, string, string, boolean])[] = [
    ['win32', 'C:\\Users\\Ada\\Shop', 'c:\\users\\ada\\shop', true],
    ['win32', 'C:/Users/Ada/Shop/', 'C:\\Users\\Ada\\Shop', true],
    ['win32', '\\\\?\\C:\\Users\\Ada', 'C:\\Users\\Ada', true],
    ['win32', '\\\\?\\UNC\\server\\share\\shop', '\\\\server\\share\\shop', true],
    ['win32', 'C:\\', 'c:\\', true],
    ['win32', 'C:\\shop', 'D:\\shop', false],
    ['darwin', '/Users/Ada/Shop', '/users/ada/shop/', true],
    ['darwin', '/Users/ada/Caf\u00e9', '/Users/ada/Cafe\u0301', true],
    ['linux', '/home/ada/Shop', '/home/ada/shop', false],
    ['linux', '/home/ada/./shop//', '/home/ada/shop', true],
    ['linux', '/', '/', true],
  ];
  for (const [platform, one, other, expected] of pairs) {
    it(`is ${expected ? '' : 'not '}written ${one} and ${other} on ${platform}`, () => {
      assert.equal(folderKey(one, platform) === folderKey(other, platform), expected);
    });
  }
});
