import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { writeTinyModel } from '../support/tinyModel.js';
import type { ProcessResult } from '../support/runProcess.js';
import { runRecollect, Shell } from './shell.js';

interface Row {
  readonly name: string;
  readonly installed: boolean;
  readonly current: boolean;
}

describe('recollect models', function () {
  const catalogNames = ['bge-small-en-v1.5', 'all-MiniLM-L6-v2', 'gte-small'];

  async function rows(shell: Shell, ...args: readonly string[]): Promise<string[]> {
    const { code, data } = await shell.json(['models', ...args]);
    assert.equal(code, 0);
    const marks = (it: Row): string => `${it.current ? '*' : ''}${it.installed ? '+' : ''}${it.name}`;
    return (data as Row[]).map(marks);
  }

  it('lists the installed models, the downloadable ones and the one in use', async () => {
    const shell = new Shell();
    assert.deepEqual(await rows(shell), ['*+built-in', ...catalogNames]);
    writeTinyModel(path.join(shell.home, 'memory', 'models', 'mine'));
    assert.deepEqual(await rows(shell, '--embeddings', 'mine'), ['+built-in', ...catalogNames, '*+mine']);
    const { out } = await shell.run('models');
    assert.match(out, /^built-in +in use +comes with Recollect\nbge-small-en-v1\.5 +34\.7 MB {2}MIT +English/u);
  });

  it('downloads nothing without confirmation, and no model outside the catalog', async () => {
    const shell = new Shell();
    const [unasked, unknown] = [
      await shell.run('models download gte-small'),
      await shell.run('models download gpt --yes'),
    ];
    assert.deepEqual([unasked.code, unknown.code], [2, 2]);
    assert.match(
      unasked.err,
      /^Download gte-small \(34\.7 MB, MIT\) from https:\/\/huggingface\.co\/.* say --yes\.\n$/u,
    );
    assert.match(unknown.err, /^gpt cannot be downloaded\. There are bge-small/u);
    assert.ok(!existsSync(path.join(shell.home, 'memory')));
  });

  it('finds by the model that the option or the environment names', async () => {
    const shell = new Shell();
    const folder = writeTinyModel(path.join(shell.home, 'memory', 'models', 'mine'));
    assert.equal((await shell.run('remember --embeddings mine Apple hammer.')).code, 0);
    const run = (args: string, embeddings: string): Promise<ProcessResult> =>
      runRecollect(['recall', 'hammer', '--json', ...args.split(' ').filter(it => it !== '')], {
        home: shell.home,
        cwd: shell.project,
        env: { RECOLLECT_HOME: `${shell.home}/memory`, RECOLLECT_EMBEDDINGS: embeddings },
      });
    const degraded = async (args: string, embeddings: string): Promise<unknown> =>
      (JSON.parse((await run(args, embeddings)).out) as { trace: { degraded: unknown } }).trace.degraded;
    assert.deepEqual(
      [await degraded('', 'mine'), await degraded(`--embeddings ${folder}`, 'off'), await degraded('', 'off')],
      [[], [], ['embeddings are off: searched by words alone']],
    );
    const { err, code } = await run('', 'gte-small');
    assert.match(err, /^There is no embedding model in \S+gte-small/u);
    assert.equal(code, 0);
    assert.equal((await run('--embeddings ..', '')).code, 2);
  });
});
