import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { IndexStatus } from '../../src/engine/model/codeIndex.js';
import { sql } from '../support/sqlite.js';
import { Shell } from './shell.js';

describe('recollect index', function () {
  it('indexes the project or one of its files, and reports the result', async () => {
    const shell = new Shell();
    const file = path.join(shell.project, 'net.go');
    const text =
      '// Package net reads settings.\npackage net\n\n// ParsePort reads a port.\nfunc ParsePort(text string) int {\n\treturn atoi(text)\n}\n';
    writeFileSync(file, text);
    assert.match((await shell.run('index --status')).out, /^No code is indexed\. /u);
    assert.equal(
      (await shell.run('index --dry-run')).out,
      '1 file would be indexed, 0 unchanged, 0 gone; 2 descriptions would be made\n',
    );
    assert.equal(
      (await shell.run('index')).out,
      '1 file indexed, 0 unchanged, 0 gone; 2 descriptions made, 0 memories forgotten\n',
    );
    assert.match(
      (await shell.run(['recall', 'where is the port parsed'])).out,
      /Function ParsePort\(text string\) int in net\.go: ParsePort reads a port\./u,
    );
    writeFileSync(file, text.replace('atoi(text)', 'atoi(trim(text))'));
    assert.match((await shell.run(['index', 'net.go'])).out, /^1 file indexed, 0 unchanged, 0 gone; /u);
    const { data } = await shell.json(['index', '--status']);
    assert.deepEqual([(data as IndexStatus).files, (data as IndexStatus).pairs], [1, 2]);
    assert.equal((await shell.run(['index', shell.home])).code, 2);
  });

  it('ends when each description has its vector, so that the next question finds it by its meaning', async () => {
    const shell = new Shell();
    shell.embeddings = 'built-in';
    const functions = Array.from(
      { length: 40 },
      (_, i) => `// Opens pier ${i}.\nfunc Open${i}() int {\n\treturn ${i}\n}\n`,
    );
    writeFileSync(path.join(shell.project, 'piers.go'), `package piers\n\n${functions.join('\n')}`);
    assert.match((await shell.run('index')).out, /^1 file indexed, .* 41 descriptions made/u);
    const projects = path.join(shell.home, 'memory', 'projects');
    const store = path.join(projects, readdirSync(projects)[0]!, 'memory.db');
    const count = async (table: string): Promise<unknown> =>
      (await sql(store, `SELECT count(*) AS n FROM ${table}`))[0]!.n;
    assert.equal(await count('vectors'), await count('memories'));
  });
});
