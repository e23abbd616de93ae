import assert from 'node:assert/strict';
import { isNamedBy, isReadingOnly, splitCommandLine } from '../../../src/engine/text/commandLine.js';
import { findNamedKeys } from '../../../src/engine/text/namedKeys.js';

describe('the commands, files and errors that a text names', () => {
  const commands: readonly (readonly [content: string, named: readonly string[]])[] = [
    ['Never run `git push --force` on main.', ['git push --force']],
    ['Never use npm here, pnpm it is.', ['npm']],
    ['Run the tests with npm run test:unit, never all of them.', ['npm run test:unit']],
    ['Flash with `west flash -r jlink`, because openocd loses the option bytes.', ['west flash -r jlink', 'openocd']],
    ['Run `./scripts/seed.sh <port>` first.', ['seed.sh']],
    ['We use docker for the database.', []],
    ['The column is called `deleted_at`.', []],
    ['Make sure that git is installed.', []],
    ['To release, run `npm version minor` and `git push --tags`.', ['npm version minor', 'git push --tags']],
  ];
  for (const [content, named] of commands) {
    it(`finds ${named.join(', ') || 'no command'} in: ${content}`, () => {
      assert.deepEqual(
        findNamedKeys(content).commands.map(it => it.join(' ')),
        named,
      );
    });
  }

  it('finds the paths of files, and errors by their code and their words', () => {
    const { paths, errors } = findNamedKeys(
      'Never edit src/generated/api.ts or `package-lock.json` by hand: the build fails with TS2345 or ECONNREFUSED, "lock file is stale", e.g. on Windows.',
    );
    assert.deepEqual(
      [paths, errors],
      [
        ['package-lock.json', 'src/generated/api.ts'],
        ['TS2345', 'ECONNREFUSED', 'lock file is stale'],
      ],
    );
  });
});

describe('a command line', () => {
  const lines: readonly (readonly [line: string, key: string, isNamed: boolean])[] = [
    ['git push origin main --force', 'git push --force', true],
    ['git push origin main', 'git push --force', false],
    ['cd web && FOO=1 npm run build | tee log', 'npm run build', true],
    ['sudo /usr/bin/docker compose up', 'docker compose', true],
    ['bash -lc "npm ci --ignore-scripts"', 'npm ci', true],
    ['npx --yes eslint src', 'eslint', true],
    ['python3 -m pytest -x', 'pytest', true],
    ['echo "git push --force"', 'git push', false],
    ['npm run test:unit', 'npm run test', false],
    ['./scripts/seed.sh 5432', 'seed.sh', true],
    ['echo $(terraform apply)', 'terraform apply', true],
    ['git --push x', 'git push', false],
  ];
  for (const [line, key, isNamed] of lines) {
    it(`${line} is ${isNamed ? '' : 'not '}what ${key} names`, () => {
      assert.equal(
        splitCommandLine(line).some(it => isNamedBy(it, key.split(' '))),
        isNamed,
      );
    });
  }

  it('only prints what is there where each of its programs does', () => {
    const reading = ['cat a.ts | head -3', 'bash -lc "rg TypeError src"', 'git -C web diff', 'git show HEAD; ls'];
    const others = ['make flash', 'cat a.sql | psql', 'git push', 'bash -lc "npm ci"'];
    assert.deepEqual([...reading, ...others].map(isReadingOnly), [true, true, false, true, false, false, false, false]);
  });
});
