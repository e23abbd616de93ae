import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  appendToRegularFile,
  maxFileBytes,
  openRegularFile,
  readRegularText,
  readRegularTextSync,
  replaceFile,
  touchFileSync,
} from '../../../src/engine/base/regularFile.js';
import { EngineError } from '../../../src/engine/base/errors.js';
import { temporaryFolder } from '../../support/fixtures.js';

/** Names of what is no regular file of ordinary size, and what is said of it. */
const refused = {
  'link.md': /is a link to .*text\.md\. Name the file itself\.$/u,
  'folder.md': /is a folder\. Name a file\.$/u,
  'large.md': /is larger than 10 MB\./u,
  ...(process.platform === 'win32' ? {} : { 'pipe.md': /is a pipe, a socket or a device\./u }),
};

function makeFiles(): string {
  const folder = temporaryFolder();
  const file = (name: string): string => path.join(folder, name);
  writeFileSync(file('text.md'), '\uFEFFThe ferry leaves at nine.\n');
  symlinkSync('text.md', file('link.md'));
  mkdirSync(file('folder.md'));
  writeFileSync(file('large.md'), '');
  truncateSync(file('large.md'), maxFileBytes + 1);
  if (process.platform !== 'win32') execFileSync('mkfifo', [file('pipe.md')]);
  return folder;
}

describe('readRegularText', () => {
  it('reads a text without its byte order mark', async () => {
    const file = path.join(makeFiles(), 'text.md');
    assert.equal(await readRegularText(file), 'The ferry leaves at nine.\n');
    assert.equal(readRegularTextSync(file), 'The ferry leaves at nine.\n');
  });

  it('refuses a pipe, a folder, a link and a file that is too large, by name and without waiting', async () => {
    const folder = makeFiles();
    for (const [name, sentence] of Object.entries(refused)) {
      const file = path.join(folder, name);
      const isRefused = (error: unknown): boolean =>
        EngineError.is(error, 'unsupportedFile') && error.message.includes(name);
      await assert.rejects(readRegularText(file), error => isRefused(error) && sentence.test((error as Error).message));
      assert.throws(() => readRegularTextSync(file), isRefused);
    }
  });

  it('follows a link and takes any size where that is wanted, and no pipe even then', async () => {
    const folder = makeFiles();
    const limits = { maxBytes: Infinity, followLinks: true };
    assert.equal(await readRegularText(path.join(folder, 'link.md'), limits), 'The ferry leaves at nine.\n');
    await (await openRegularFile(path.join(folder, 'large.md'), limits)).close();
    if (process.platform === 'win32') return;
    symlinkSync('pipe.md', path.join(folder, 'toPipe.md'));
    await assert.rejects(openRegularFile(path.join(folder, 'toPipe.md'), limits), /is a pipe/u);
  });

  it('is how the engine opens every file that it did not just write itself', () => {
    const openers = /import \{[^}]*\b(?:readFile|readFileSync|open|openSync|createReadStream)\b[^}]*\} from 'node:fs/u;
    const files = ['engine', 'connect'].flatMap(room =>
      readdirSync(path.join('src', room), { recursive: true, encoding: 'utf8' })
        .filter(it => it.endsWith('.ts'))
        .map(it => `${room}/${it.replaceAll(path.sep, '/')}`),
    );
    const others = files.filter(it => openers.test(readFileSync(path.join('src', it), 'utf8')));
    assert.deepEqual(others.sort(), [
      // A part of our own package.
      'connect/plugin.ts',
      // Makes a file that must not be there yet.
      'engine/access/sessionRecords.ts',
      // Writes a draft.
      'engine/base/atomicFile.ts',
      'engine/base/regularFile.ts',
      // Written now, or a moment before.
      'engine/embeddings/downloadModel.ts',
      'engine/embeddings/resumableDownload.ts',
      'engine/search/index/indexSnapshot.ts',
    ]);
  });
});

describe('appendToRegularFile', () => {
  it('makes a file for its owner alone and adds to it', async () => {
    const file = path.join(makeFiles(), 'log.jsonl');
    await appendToRegularFile(file, 'one\n');
    await appendToRegularFile(file, 'two\n');
    assert.equal(readFileSync(file, 'utf8'), 'one\ntwo\n');
    if (process.platform !== 'win32') assert.equal(lstatSync(file).mode & 0o777, 0o600);
  });

  it('refuses a pipe and a link without waiting, and adds nothing to what the link leads to', async () => {
    const folder = makeFiles();
    for (const name of ['link.md', ...(process.platform === 'win32' ? [] : ['pipe.md'])])
      await assert.rejects(appendToRegularFile(path.join(folder, name), 'more'), (error: unknown) =>
        EngineError.is(error, 'unsupportedFile'),
      );
    await assert.rejects(appendToRegularFile(path.join(folder, 'folder.md'), 'more'));
    assert.equal(readFileSync(path.join(folder, 'text.md'), 'utf8'), '\uFEFFThe ferry leaves at nine.\n');
  });

  it('is how the engine appends: no file of it uses another way, or writes while everything waits', () => {
    const writers =
      /import \{[^}]*\b(?:appendFile|appendFileSync|writeFileSync|createWriteStream)\b[^}]*\} from 'node:fs/u;
    const files = readdirSync('src/engine', { recursive: true, encoding: 'utf8' }).filter(it => it.endsWith('.ts'));
    assert.deepEqual(
      files.filter(it => writers.test(readFileSync(path.join('src/engine', it), 'utf8'))),
      [],
    );
  });
});

describe('replaceFile and touchFileSync', () => {
  it('put a file in the place of a file, a pipe or a link, and leave what the link leads to', async () => {
    const folder = makeFiles();
    for (const name of ['text.md', 'link.md', ...(process.platform === 'win32' ? [] : ['pipe.md'])]) {
      const file = path.join(folder, name);
      await replaceFile(file, `new ${name}`);
      assert.deepEqual([lstatSync(file).isFile(), readFileSync(file, 'utf8')], [true, `new ${name}`]);
    }
    assert.equal(readFileSync(path.join(folder, 'text.md'), 'utf8'), 'new text.md');
    await assert.rejects(replaceFile(path.join(folder, 'folder.md'), 'new'), /folder\.md cannot be read or written/u);
    assert.deepEqual(
      readdirSync(folder).filter(it => it.endsWith('.tmp')),
      [],
    );
  });

  it('leave whatever is there, without waiting', () => {
    const folder = makeFiles();
    for (const name of readdirSync(folder)) touchFileSync(path.join(folder, name));
    touchFileSync(path.join(folder, 'marker'));
    assert.equal(readFileSync(path.join(folder, 'text.md'), 'utf8'), '\uFEFFThe ferry leaves at nine.\n');
    assert.equal(lstatSync(path.join(folder, 'marker')).size, 0);
  });
});
