import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createRepository, git } from '../../support/git.js';

describe('commit subjects', () => {
  it('read "area: imperative" in 65 characters', () => {
    const subjects = [
      'recall: cut memories below the answer threshold',
      'memory page: show the strength',
      'Fix the recall',
      `recall: ${'x'.repeat(58)}`,
      'recall: cut memories.',
    ];
    const script = path.resolve('scripts/commitSubject.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script], { input: subjects.join('\n'), encoding: 'utf8' });
    const refused = stderr
      .trim()
      .split('\n')
      .map(it => it.slice(1, it.indexOf('" ')));
    assert.deepEqual([status, refused], [1, subjects.slice(2)]);
  });

  it('want a body where more than twenty lines change, in the hook and for commits that are there', () => {
    const folder = createRepository();
    const script = path.resolve('scripts/commitSubject.mjs');
    const check = (source: string): string =>
      spawnSync(process.execPath, [script, source], { cwd: folder, encoding: 'utf8' }).stderr.trim();
    const message = path.join(folder, 'message');
    writeFileSync(path.join(folder, 'file'), 'line\n'.repeat(21));
    git(folder, 'add', 'file');
    writeFileSync(message, 'recall: cut memories\n# Please enter the commit message.\n');
    const problem = '"recall: cut memories" changes 21 lines and has no body that says why.';
    assert.equal(check(message), problem);
    git(folder, 'commit', '-q', '-m', 'recall: cut memories');
    assert.equal(check('HEAD~1..HEAD'), problem);
    git(folder, 'commit', '-q', '--amend', '-m', 'recall: cut memories', '-m', 'They answered nothing.');
    assert.equal(check('HEAD~1..HEAD'), '');
  });
});
