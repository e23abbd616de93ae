import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { SensitiveMemory } from '../../src/engine/model/sensitive.js';
import { runRecollect, Shell } from './shell.js';

const secret = 'The staging password is hunter2Xk9.';

describe('recollect sensitive and key', function () {
  it('keep a secret only with a key that a command created, and with a yes to this text', async () => {
    const shell = new Shell();
    const file = path.join(shell.home, '.config', 'recollect.keys');
    const refused = await shell.run(['remember', secret]);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /recollect remember --sensitive/u);
    const withoutKey = await shell.run(['remember', '--sensitive', '--yes', secret]);
    assert.equal(withoutKey.code, 1);
    assert.match(withoutKey.err, /Create one: recollect key create\./u);
    assert.equal(existsSync(file), false);

    assert.equal((await shell.run('key create')).code, 0);
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
    const key = readFileSync(file, 'utf8');
    assert.equal((await shell.run('key create')).code, 1);
    assert.equal(readFileSync(file, 'utf8'), key);
    const unasked = await shell.run(['remember', '--sensitive', secret]);
    assert.equal(unasked.code, 2);
    assert.match(unasked.err, /Keep this text, encrypted with your key\?/u);
    assert.deepEqual((await shell.json('sensitive')).data, []);
    assert.equal((await shell.run(['remember', '--sensitive', '--yes', '--label', 'Staging', secret])).code, 0);
  });

  it('show the text after --reveal alone, and only with its key', async () => {
    const shell = new Shell();
    await shell.run('key create');
    await shell.run(['remember', '--sensitive', '--yes', '--label', 'Staging', secret]);
    const [{ id, key }] = (await shell.json('sensitive')).data as [SensitiveMemory];
    for (const args of [
      ['sensitive'],
      ['list'],
      ['show', id],
      ['export'],
      ['verify'],
      ['audit'],
      ['recall', 'staging'],
      ['key'],
    ]) {
      const { out, err } = await shell.run(args);
      assert.ok(!`${out}${err}`.includes('hunter2Xk9'), args.join(' '));
    }
    assert.match((await shell.run(['show', id.slice(-8), '--reveal'])).out, /^The staging password is hunter2Xk9\.\n/u);
    assert.match((await shell.run('list')).err, /^1 sensitive memory: recollect sensitive$/mu);

    const elsewhere = { RECOLLECT_HOME: `${shell.home}/memory`, RECOLLECT_KEY_FILE: `${shell.home}/other.keys` };
    const run = (...args: string[]): ReturnType<typeof runRecollect> =>
      runRecollect(args, { home: shell.home, cwd: shell.project, env: elsewhere });
    assert.match((await run('sensitive')).err, new RegExp(`The key ${key} is not here, .*#${id.slice(-8)}`, 'u'));
    assert.equal((await run('show', id, '--reveal')).code, 1);
    const exported = (await shell.run('key export --yes')).out;
    const imported = await runRecollect(['key', 'import'], { home: shell.home, env: elsewhere, input: exported });
    assert.equal(imported.code, 0, imported.err);
    assert.equal((await run('show', id, '--reveal')).code, 0);
    const byVariable = {
      RECOLLECT_HOME: `${shell.home}/memory`,
      RECOLLECT_KEY: exported.trim(),
      XDG_CONFIG_HOME: '/none',
    };
    const shown = await runRecollect(['show', id, '--reveal'], {
      home: shell.home,
      cwd: shell.project,
      env: byVariable,
    });
    assert.match(shown.out, /hunter2Xk9/u);
  });

  it('refuse a file of keys that other users may read', async () => {
    const shell = new Shell();
    await shell.run('key create');
    chmodSync(path.join(shell.home, '.config', 'recollect.keys'), 0o644);
    const { code, err } = await shell.run(['remember', '--sensitive', '--yes', secret]);
    assert.equal(code, 1);
    assert.match(err, /Other users of this machine may read the keys.*chmod 600/u);
  });

  it('offer encryption for personal data, and delete the plain text of a memory for good', async () => {
    const shell = new Shell();
    await shell.run('key create');
    const { err } = await shell.run(['remember', 'I have diabetes.']);
    const id = /recollect sensitive keep (\w{8})/u.exec(err)?.[1];
    assert.ok(id !== undefined, err);
    assert.equal((await shell.run(['sensitive', 'keep', id, '--yes'])).code, 0);
    assert.deepEqual((await shell.json('list')).data, []);
    const withdrawn = await shell.run('sensitive withdraw --all --yes');
    assert.match(withdrawn.out, /^Deleted for good: 1 memory/u);
    assert.deepEqual((await shell.json('sensitive')).data, []);
  });
});
