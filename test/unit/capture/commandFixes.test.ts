import assert from 'node:assert/strict';
import { CommandFixes } from '../../../src/engine/capture/commandFixes.js';
import type { LineWork } from '../../../src/engine/capture/sources/sessionLine.js';

const nothing: LineWork = { changedFiles: [], testRuns: [], failedCalls: [], commands: [], results: [] };

/** What a session shows. @param steps `- command` failed, `+ command` passed, `edit` changed a file */
function found(...steps: readonly string[]): readonly string[] {
  const fixes = new CommandFixes();
  return steps.flatMap((step, i) => {
    if (step === 'edit') return fixes.read({ ...nothing, changedFiles: ['/work/a.ts'] });
    const call = String(i);
    fixes.read({ ...nothing, commands: [{ call, command: step.slice(2) }] });
    return fixes.read({ ...nothing, results: [{ call, hasFailed: step.startsWith('-') }] });
  });
}

describe('a command that failed and passed', () => {
  const shows = (what: string, steps: readonly string[], ...expected: readonly string[]): void => {
    it(what, () => {
      assert.deepEqual(found(...steps), expected);
    });
  };
  const needs = '`npm test` needs `docker compose up -d` first.';
  shows('needs the one command that ran between', ['- npm test', '+ docker compose up -d', '+ npm test'], needs);
  shows('needs what stands before it in the same line', ['- npm test', '+ docker compose up -d && npm test'], needs);
  shows(
    'needs what stands before it in a shell of its own',
    ['- pytest', '+ (source .venv/bin/activate && pytest)'],
    '`pytest` needs `source .venv/bin/activate` first.',
  );
  shows(
    'needs it wherever it runs, with what only looks around it passed over',
    [
      '- cd /work/harbour && npm test 2>&1',
      '+ cat package.json',
      '+ git status',
      '+ docker compose up -d 2>&1 | tail -3',
      '+ git commit -m x',
      '+ cd /work && npm test',
    ],
    needs,
  );
  shows(
    'needs what ran after its last failure',
    ['- npm test', '+ npm ci', '- npm test', '+ make db', '+ npm test'],
    '`npm test` needs `make db` first.',
  );
  shows(
    'is one of two',
    ['- npm test', '- git push', '+ git pull --rebase', '+ git push'],
    '`git push` needs `git pull --rebase` first.',
  );
  shows('is said once', ['- npm test', '+ docker compose up -d', '+ npm test', '+ npm test'], needs);

  shows('needs nothing where nothing ran between', ['- npm test', '+ ls', '+ npm test']);
  shows('may need any of two commands', ['- npm test', '+ npm ci', '+ make db', '+ npm test']);
  shows('may owe it to an edit', ['- npm test', 'edit', '+ docker compose up -d', '+ npm test']);
  shows('may owe it to an edit by a command', ['- npm test', '+ sed -i s/a/b/ x.ts', '+ npm ci', '+ npm test']);
  shows('may owe it to a file that a command wrote', ['- npm test', '+ echo A=1 > .env', '+ npm ci', '+ npm test']);
  shows('may owe it to other code', ['- npm test', '+ git stash', '+ npm ci', '+ npm test']);
  shows('may have waited', ['- npm test', '+ sleep 5', '+ npm ci', '+ npm test']);
  shows('has not passed behind a pipe', ['- npm test', '+ npm ci', '+ npm test | tail -5']);
  shows('is not one that only reads', ['- grep -r pier src', '+ npm ci', '+ grep -r pier src']);
  shows('is not a script', ['- python -c "import a"', '+ pip install a', '+ python -c "import a"']);
  shows('may be part of a line of which another part failed', ['- npm ci && npm test', '+ make db', '+ npm test']);
});
