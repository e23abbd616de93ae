import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { defaultConfig } from '../../src/engine/model/config.js';
import { answerJson, EmbeddingServer } from '../support/embeddingServer.js';
import { TestHost } from '../support/fixtures.js';
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
    assert.deepEqual(await rows(shell), ['+built-in', '*+static', ...catalogNames]);
    writeTinyModel(path.join(shell.home, 'memory', 'models', 'mine'));
    assert.deepEqual(await rows(shell, '--embeddings', 'mine'), ['+built-in', '+static', ...catalogNames, '*+mine']);
    const { out } = await shell.run('models');
    assert.match(
      out,
      /^built-in +installed +comes with Recollect\nstatic +in use +comes .+\nbge-small-en-v1\.5 +34\.7 MB {2}MIT +English/u,
    );
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

  it('embeds by a server on this machine, without asking', async () => {
    const server = await startServer();
    const shell = new Shell();
    shell.embeddings = '';
    for (const it of [`address ${server.url}/v1`, 'model tiny']) await shell.run(`config embeddingEndpoint.${it}`);
    await shell.run('config embeddings endpoint');
    const stored = await shell.run(['remember', 'The blue mallet hangs over the bench.']);
    assert.equal(stored.code, 0);
    const { data } = await shell.json('recall sledge');
    const { hits, trace } = data as { hits: { memory: { content: string } }[]; trace: { degraded: string[] } };
    assert.deepEqual([hits[0]?.memory.content, trace.degraded], ['The blue mallet hangs over the bench.', []]);
    const { out } = await shell.run('models endpoint');
    assert.match(
      out,
      /^tiny at http:\/\/127\.0\.0\.1:\d+\/v1\/embeddings \(on this machine\), 96 dimensions\n\S+ \(UTC\): [\d,]+ of 2,000,000 tokens, 6 calls\nWith a vector from this model: 1 of 1 memory\.\n$/u,
    );
    assert.match((await shell.run('models')).out, /^endpoint +in use +tiny at http/mu);
  });

  it('asks before the first text goes to a server elsewhere, and takes the key from the environment alone', async () => {
    const shell = new Shell();
    const run = (args: string, key: string): Promise<ProcessResult> =>
      runRecollect(args.split(' '), {
        home: shell.home,
        cwd: shell.project,
        env: {
          RECOLLECT_HOME: `${shell.home}/memory`,
          RECOLLECT_EMBEDDINGS: 'endpoint',
          RECOLLECT_EMBEDDINGS_ADDRESS: 'http://embeddings.invalid/v1',
          RECOLLECT_EMBEDDINGS_MODEL: 'tiny',
          RECOLLECT_EMBEDDINGS_KEY: key,
        },
      });
    const remembered = await run('remember Apple hammer.', 'key-of-the-test');
    assert.equal(remembered.code, 0);
    assert.match(remembered.err, /No text is sent to http:\/\/embeddings\.invalid before you allow it/u);
    const asked = await run('models endpoint', 'key-of-the-test');
    assert.equal(asked.code, 2);
    assert.match(
      asked.err,
      /Send the text of memories .* to http:\/\/embeddings\.invalid\/v1\/embeddings.*not encrypted/u,
    );
    const failed = await run('models endpoint --yes', 'key-of-the-test');
    assert.equal(failed.code, 1);
    assert.match(
      failed.err,
      /The embedding endpoint http:\/\/embeddings\.invalid gives no vectors: it cannot be reached\./u,
    );
    assert.match((await run('models endpoint --status', '')).out, /\(allowed\)/u);
    assert.match(
      (await run('models endpoint --forbid', '')).out,
      /^No text is sent to http:\/\/embeddings\.invalid\/v1\/embeddings any more\.\n$/u,
    );
    assert.match((await run('models endpoint --status', '')).out, /\(not allowed: nothing is sent\)/u);
    const files = readdirSync(shell.home, { recursive: true, encoding: 'utf8' }).map(it => path.join(shell.home, it));
    const withKey = files.filter(it => statSync(it).isFile() && readFileSync(it).includes('key-of-the-test'));
    assert.deepEqual(withKey, []);
  });

  for (const [name, value, expected] of [
    ['DIMENSIONS', 'many', /^RECOLLECT_EMBEDDINGS_DIMENSIONS must be a whole number from 8 to 4096/mu],
    ['DAILY_TOKENS', '12.5', /^RECOLLECT_EMBEDDINGS_DAILY_TOKENS must be a whole number from 1000 to/mu],
  ] as const) {
    it(`says what is wrong with the ${name} of an endpoint in the environment`, async () => {
      const shell = new Shell();
      const { code, err } = await runRecollect(['recall', 'apple'], {
        home: shell.home,
        env: { RECOLLECT_HOME: `${shell.home}/memory`, [`RECOLLECT_EMBEDDINGS_${name}`]: value },
      });
      assert.equal(code, 2);
      assert.match(err, expected);
    });
  }

  it('says at a recall and a remember that the server fails, and in the status how, until it works', async () => {
    const server = await startServer();
    const shell = new Shell();
    shell.embeddings = '';
    for (const it of [`address ${server.url}/v1`, 'model tiny']) await shell.run(`config embeddingEndpoint.${it}`);
    assert.match(
      (await shell.run('models endpoint')).err,
      /^No embedding endpoint is in use\. To use one: recollect config embeddings endpoint\n$/u,
    );
    await shell.run('config embeddings endpoint');
    assert.match((await shell.run('models endpoint --status')).out, /^Its model was not measured yet/mu);
    await shell.run(['remember', 'The blue mallet hangs over the bench.']);
    server.respond = response => {
      answerJson(response, 401, {});
    };
    const recalled = await shell.run('recall mallet');
    assert.equal(recalled.code, 0);
    assert.match(
      recalled.err,
      /^Incomplete: the embedding endpoint gives no vectors now: searched by words alone.*\. See why: recollect models endpoint --status$/mu,
    );
    const stored = await shell.run(['remember', 'The ferry sails at noon.']);
    assert.equal(stored.code, 0);
    assert.match(stored.err, /^The embedding endpoint gives no vectors now/mu);
    const failure =
      /^The last request failed at \S+Z: it does not take the key \(401\)\. Test it: recollect models endpoint$/mu;
    assert.match((await shell.run('models endpoint --status')).out, failure);
    server.respond = undefined;
    const working = await shell.run('recall mallet');
    assert.doesNotMatch(working.err, /gives no vectors/u);
    assert.doesNotMatch((await shell.run('models endpoint --status')).out, /failed/u);
    const off = await shell.run('recall mallet --embeddings off');
    assert.doesNotMatch(off.err, /words alone/u);
  });

  it('takes the consent back for any address, whatever is in use, and lists those that are allowed', async () => {
    const shell = new Shell();
    const none = await shell.run('models endpoint --forbid');
    assert.deepEqual([none.code, none.out.includes('nothing to take back')], [0, true]);
    const host = new TestHost();
    host.dataDir = path.join(shell.home, 'memory');
    host.time = Date.now();
    for (const name of ['one', 'two']) {
      const address = `http://${name}.invalid/v1`;
      host.settings = {
        ...defaultConfig,
        embeddings: 'endpoint',
        embeddingEndpoint: { address, model: 'tiny', dimensions: 0, dailyTokens: 1_000_000 },
      };
      const engine = await host.open();
      await engine.embeddingEndpoint!.setAllowed(true);
      await engine.close();
    }
    const both = /Allowed: http:\/\/two\.invalid\/v1\/embeddings, http:\/\/one\.invalid\/v1\/embeddings$/mu;
    for (const [args, code] of [
      ['models endpoint --forbid', 2],
      ['models endpoint --forbid http://three.invalid/v1', 3],
    ] as const) {
      const found = await shell.run(args);
      assert.deepEqual([found.code, found.out], [code, '']);
      assert.match(found.err, both);
    }
    const forbidden = await shell.run('models endpoint --forbid http://one.invalid/v1');
    assert.equal(
      forbidden.out,
      'No text is sent to http://one.invalid/v1/embeddings any more.\nAllowed: http://two.invalid/v1/embeddings\n',
    );
    const { data } = await shell.json('models endpoint --forbid http://two.invalid/v1/embeddings');
    assert.deepEqual(data, { forbidden: 'http://two.invalid/v1/embeddings', allowed: [] });
  });

  it('says in one line what an endpoint without an address needs', async () => {
    const shell = new Shell();
    const { code, out, err } = await shell.run('models endpoint --embeddings endpoint');
    assert.deepEqual([code, out], [1, '']);
    assert.equal(
      err,
      'No embedding endpoint is in use. To use one: recollect config embeddingEndpoint.address http://127.0.0.1:11434/v1, then recollect config embeddingEndpoint.model NAME\n',
    );
  });

  it('takes the limit of the day from the environment, before that of the settings file', async () => {
    const server = await startServer();
    const shell = new Shell();
    const { out } = await runRecollect(['models', 'endpoint', '--status'], {
      home: shell.home,
      env: {
        RECOLLECT_HOME: `${shell.home}/memory`,
        RECOLLECT_EMBEDDINGS: 'endpoint',
        RECOLLECT_EMBEDDINGS_ADDRESS: `${server.url}/v1`,
        RECOLLECT_EMBEDDINGS_MODEL: 'tiny',
        RECOLLECT_EMBEDDINGS_DAILY_TOKENS: '5000',
      },
    });
    assert.match(out, /0 of 5,000 tokens/u);
  });
});

const servers: EmbeddingServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map(it => it.stop()));
});

async function startServer(): Promise<EmbeddingServer> {
  const server = new EmbeddingServer();
  servers.push(server);
  server.synonyms = [['hammer', 'mallet', 'sledge']];
  await server.start();
  return server;
}
