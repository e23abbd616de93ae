import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const commands: readonly (readonly [string, readonly string[]])[] = [
  ['npm run bench', ['out/test/bench/run.js', 'locomo', '--limt', '5']],
  ['npm test', ['scripts/runTests.mjs', 'unit', '--limt', '5']],
  ['npm start', ['scripts/start.mjs', '--limt', '5']],
];

const root = path.resolve(__dirname, '..', '..', '..', '..');

describe('the commands for developers', () => {
  for (const [name, args] of commands) {
    it(`${name} says which option it does not know, and how it is called, and does nothing`, () => {
      const { status, stderr, stdout } = spawnSync(process.execPath, args, {
        cwd: root,
        encoding: 'utf8',
      });
      assert.notEqual(status, 0);
      assert.equal(stdout, '');
      assert.match(stderr, new RegExp(`^Unknown option '--limt'\\. Usage: ${name}[^\\n]*\\n$`, 'u'));
    });
  }

  it('npm test says which stages there are', () => {
    const args = ['scripts/runTests.mjs', 'recall'];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    assert.deepEqual(
      [status, stderr.split('. Usage', 1)[0]],
      [2, 'There is no stage recall. There are: unit, postgres, contracts, cli, mcp, host, ui, clients'],
    );
  });

  it('npm run bench knows the options of a bench, and of no other', () => {
    const usage = (name: string, option = '--limt'): string => {
      const args = [path.join('out', 'test', 'bench', 'run.js'), name, option];
      return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' }).stderr;
    };
    assert.match(usage('soak'), /\[--json\] \[--minutes N\] \[--processes N\] \[--seed N\]\n$/u);
    assert.match(usage('locomo'), /locomo \[--vscode\] \[--data FILE\] \[--limit N\] \[--json\]\n$/u);
    assert.match(usage('locomo', '--vscode=24'), /^Option '--vscode' does not take an argument\. Usage/u);
  });
});
