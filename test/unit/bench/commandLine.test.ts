import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const commands: readonly (readonly [string, readonly string[]])[] = [
  ['npm run bench', ['out/test/bench/run.js', 'locomo', '--limt', '5']],
  ['npm test', ['test/support/runTests.mjs', 'unit', '--limt', '5']],
  ['npm start', ['test/support/start.mjs', '--limt', '5']],
];

describe('the commands for developers', () => {
  for (const [name, args] of commands) {
    it(`${name} says which option it does not know, and how it is called, and does nothing`, () => {
      const { status, stderr, stdout } = spawnSync(process.execPath, args, {
        cwd: path.resolve(__dirname, '..', '..', '..', '..'),
        encoding: 'utf8',
      });
      assert.notEqual(status, 0);
      assert.equal(stdout, '');
      assert.match(stderr, new RegExp(`^Unknown option '--limt'\\. Usage: ${name}[^\\n]*\\n$`, 'u'));
    });
  }
});
