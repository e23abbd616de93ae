import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { lineAuthorsOf } from '../../../src/engine/team/lineAuthors.js';
import { cloneRepository, createRepository, git } from '../../support/git.js';

const line = '{"v":1,"by":"Ada"}';
const changed = '{"v":1,"by":"Ben"}';

describe('authors of lines', function () {
  let repository: string;
  const commitAs = (name: string, text: string): string => {
    writeFileSync(path.join(repository, 'team.jsonl'), `${text}\n`);
    git(repository, 'add', '-A');
    git(repository, '-c', `user.name=${name}`, '-c', 'user.email=x@example.com', 'commit', '-q', '-m', name);
    return git(repository, 'rev-parse', 'HEAD').trim();
  };
  const authorOf = async (text: string, folder = repository): Promise<string> =>
    (await lineAuthorsOf(folder, 'team.jsonl'))(text);

  beforeEach(() => {
    repository = createRepository();
    commitAs('Ada', line);
  });

  it('names who committed a line, whatever commits a setting has blame pass over', async () => {
    const newest = commitAs('Ben', changed);
    writeFileSync(path.join(repository, '..', 'ignored'), `${newest}\n`);
    git(repository, 'config', 'blame.ignoreRevsFile', path.join(repository, '..', 'ignored'));
    assert.equal(await authorOf(changed), 'Ben <x@example.com>');
    git(repository, 'config', 'blame.ignoreRevsFile', path.join(repository, '..', 'none'));
    assert.equal(await authorOf(changed), 'Ben <x@example.com>');
  });

  it('names no author where the history is cut off, also where a setting hides that', async () => {
    commitAs('Ben', `${line}\n${changed}`);
    const clone = cloneRepository(`file://${repository}`, { args: ['--depth=1'] });
    git(clone, 'config', 'blame.showRoot', 'true');
    assert.equal(await authorOf(line, clone), 'author unknown');
  });

  it('reads names and addresses alike, whatever settings say of colors, dates, renames and encodings', async () => {
    const settings = [
      ['i18n.logOutputEncoding', 'ISO-8859-1'],
      ['color.ui', 'always'],
      ['blame.coloring', 'highlightRecent'],
      ['blame.date', 'relative'],
      ['blame.showEmail', 'true'],
      ['blame.blankBoundary', 'true'],
      ['blame.markIgnoredLines', 'true'],
      ['blame.markUnblamableLines', 'true'],
      ['core.abbrev', '5'],
      ['log.mailmap', 'true'],
      ['log.showSignature', 'true'],
    ] as const;
    for (const [key, value] of settings) git(repository, 'config', key, value);
    writeFileSync(path.join(repository, '.mailmap'), 'Eve <eve@example.com> <x@example.com>\n');
    commitAs('Zoë', changed);
    assert.equal(await authorOf(changed), 'Zoë <x@example.com>');
    assert.equal(await authorOf(line), 'not committed yet');
  });
});
