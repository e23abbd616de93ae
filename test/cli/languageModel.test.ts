import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../../src/engine/base/errors.js';
import { defaultConfig } from '../../src/engine/model/config.js';
import { readModelConfig, createSecretReader } from '../../src/cli/environment.js';
import { temporaryFolder } from '../support/fixtures.js';
import { MessagesServer, answersWith } from '../support/messagesApiServer.js';
import { runRecollect, Shell } from './shell.js';

describe('recollect language-model', function () {
  it('prints that no model is configured', async () => {
    const shell = new Shell();
    const { code, out } = await shell.run('language-model');
    assert.equal(code, 0);
    assert.match(out, /^No language model: rules do the work\.\n\d{4}-\d\d-\d\d \(UTC\): 0 of 200000 tokens, 0 calls/u);
    const test = await shell.run('language-model test');
    assert.deepEqual([test.code, test.out.split('.')[0]], [1, 'No language model is chosen']);
  });

  it('sends nothing unasked, and nothing without a key', async () => {
    const shell = new Shell();
    const unasked = await shell.run('language-model test --model-provider anthropic');
    assert.equal(unasked.code, 2);
    assert.match(unasked.err, /Send one test request .* to claude-haiku-5-5\? .* say --yes\.\n$/u);
    const keyless = await shell.run('language-model test --yes --model-provider anthropic');
    assert.equal(keyless.code, 1);
    assert.match(keyless.err, /No Anthropic API key is set/u);
    const { data } = await shell.json('language-model --model-provider anthropic --model claude-x');
    const { provider, name } = data as { readonly provider: string; readonly name: string };
    assert.deepEqual([provider, name], ['anthropic', 'claude-x']);
  });

  it('is asked at its own address, with the key of the environment, and shares its budget', async () => {
    const server = new MessagesServer();
    await server.start();
    server.answers = [answersWith({ word: 'recollect' })];
    try {
      const home = temporaryFolder();
      // The address is no option: the process is given another fetch, which says what was asked for.
      const preload = path.join(home, 'preload.cjs');
      writeFileSync(
        preload,
        `const original = fetch; globalThis.fetch = (url, init) =>
          original(String(url).replace(/^https:\\/\\/api\\.anthropic\\.com\\//, ${JSON.stringify(`${server.url}/`)}), init);`,
      );
      const env = {
        RECOLLECT_HOME: path.join(home, 'memory'),
        RECOLLECT_MODEL_PROVIDER: 'anthropic',
        ANTHROPIC_API_KEY: 'sk-ant-x',
        // A trap: neither may be followed.
        ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/',
        ANTHROPIC_AUTH_TOKEN: 'other',
        NODE_OPTIONS: `--require ${preload}`,
      };
      const test = await runRecollect(['language-model', 'test', '--yes'], { home, env });
      assert.deepEqual([test.code, test.out], [0, 'claude-haiku-5-5 answers. The test took 120 tokens.\n'], test.err);
      assert.deepEqual(
        server.seen.map(it => it.headers.authorization),
        ['Bearer sk-ant-x'],
      );
      const status = await runRecollect(['language-model'], { home, env });
      assert.match(status.out, /: 120 of 200000 tokens, 1 call, about \$0\.0000\n$/u);
    } finally {
      await server.stop();
    }
  });

  it('is chosen by an option before the environment', () => {
    const env = { RECOLLECT_MODEL_PROVIDER: 'anthropic', RECOLLECT_MODEL: 'a', RECOLLECT_MODEL_DAILY_TOKENS: '5000' };
    assert.deepEqual(readModelConfig({}, {}), { provider: 'none', name: '', dailyTokens: 200_000 });
    assert.deepEqual(readModelConfig({}, env), { provider: 'anthropic', name: 'a', dailyTokens: 5000 });
    assert.deepEqual(readModelConfig({ modelProvider: 'none', model: 'b' }, env), {
      provider: 'none',
      name: 'b',
      dailyTokens: 5000,
    });
    for (const wrong of [{ RECOLLECT_MODEL_PROVIDER: 'vscode' }, { RECOLLECT_MODEL_DAILY_TOKENS: '-1' }]) {
      assert.throws(
        () => readModelConfig({}, wrong),
        (it: unknown) => EngineError.is(it, 'invalidInput'),
      );
    }
  });

  it('gets the key of the environment only where it was chosen', async () => {
    const env = { ANTHROPIC_API_KEY: 'sk-ant-x' };
    const keys = (['none', 'anthropic'] as const).map(provider =>
      createSecretReader({ ...defaultConfig, model: { provider, name: '', dailyTokens: 1 } }, env)('anthropicApiKey'),
    );
    assert.deepEqual(await Promise.all(keys), [undefined, 'sk-ant-x']);
  });
});
