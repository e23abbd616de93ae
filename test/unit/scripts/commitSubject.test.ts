import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';

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
});
