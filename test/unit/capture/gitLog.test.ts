import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../../../src/engine/base/errors.js';
import { TestHost } from '../../support/fixtures.js';
import { git } from '../../support/git.js';

describe('the history of a repository', () => {
  let host: TestHost;
  let folder: string;
  const commit = (...messages: readonly string[]): void => {
    writeFileSync(path.join(folder, 'pool.txt'), messages.join(' '));
    git(folder, 'add', '.');
    git(folder, 'commit', '-q', ...messages.flatMap(it => ['-m', it]));
  };

  beforeEach(() => {
    host = new TestHost({ project: true });
    folder = host.workspaceFolders[0]!;
  });

  it('offers what reverts and merges say as candidates, once, and keeps nothing', async () => {
    git(folder, 'init', '-q');
    commit('Raise the pool to 50');
    commit('revert: the pool of 50 took down staging');
    commit('Revert "Cache the tides"', 'This reverts commit 0123456789012345678901234567890123456789.');
    commit(
      'Revert "Use Redis"',
      'This reverts commit 0123456789012345678901234567890123456789.',
      'The ferries have no network.',
    );
    commit(
      'Move the jobs (#12)',
      'We always run the jobs on the harbor machine, not on the office one.',
      'Signed-off-by: Bea <bea@example.com>',
    );
    commit('Tidy up', 'We always tidy up on Fridays, not on Mondays.');
    const engine = await host.open();
    assert.deepEqual(await engine.capture.readGitLog(), { commits: 6, candidates: 3 });
    const found = await engine.capture.candidates();
    assert.deepEqual(found.map(it => it.content).sort(), [
      '"Use Redis" was reverted: The ferries have no network.',
      'Reverted: the pool of 50 took down staging',
      'We always run the jobs on the harbor machine, not on the office one.',
    ]);
    assert.deepEqual(await engine.list({ limit: 10 }), []);
    await engine.capture.decide({ keep: [], drop: found.map(it => it.id) });
    commit('revert: the mirror was a day behind');
    assert.deepEqual(await engine.capture.readGitLog(), { commits: 1, candidates: 1 });
    assert.equal((await engine.capture.candidates()).length, 1);
  });

  it('says so where there is none', async () => {
    const engine = await host.open();
    await assert.rejects(engine.capture.readGitLog(), (it: unknown) => EngineError.is(it, 'invalidInput'));
  });
});
