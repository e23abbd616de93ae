import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { answersWith, MessagesServer } from '../support/messagesApiServer.js';
import type { ProcessResult } from '../support/runProcess.js';
import { runRecollect, Shell } from './shell.js';

describe('recollect ab', () => {
  const fact = 'The harbour crane lifts twelve tonnes.';
  const prompt = 'How much does the harbour crane lift?';
  const [known, guessed] = ['Twelve tonnes.', 'That depends on the crane.'];

  it('sends nothing without a model, a prompt, or a yes', async () => {
    const shell = new Shell();
    const modelless = await shell.run(['ab', prompt, '--yes']);
    assert.deepEqual([modelless.code, modelless.err.includes('No language model is chosen.')], [2, true]);
    const promptless = await shell.run('ab --model-provider anthropic --yes');
    assert.deepEqual([promptless.code, promptless.err.includes('There is no prompt.')], [2, true]);
    const unasked = await shell.run(['ab', prompt, '--model-provider', 'anthropic']);
    assert.match(unasked.err, /Send 1 prompt to claude-haiku-5-5, twice each: .* say --yes\.\n$/u);
    assert.match((await shell.run('ab --results')).out, /^No answers were judged yet\./u);
  });

  it('shows both answers without their side, and counts the judgments without a word of them', async () => {
    const server = new MessagesServer();
    await server.start();
    try {
      const shell = new Shell();
      await shell.run(['remember', fact]);
      server.answers = [
        (response, seen) => {
          const knows = seen.body.messages[0]!.content.includes(fact);
          answersWith({ answer: knows ? known : guessed })(response, seen);
        },
      ];
      const preload = path.join(shell.home, 'preload.cjs');
      writeFileSync(
        preload,
        `const original = fetch; globalThis.fetch = (url, init) =>
          original(String(url).replace(/^https:\\/\\/api\\.anthropic\\.com\\//, ${JSON.stringify(`${server.url}/`)}), init);`,
      );
      const prompts = path.join(shell.home, 'prompts.txt');
      writeFileSync(prompts, `${prompt}\r\n\r\nWho paints the lighthouse?\n${prompt}\n`);
      const run = (input: string): Promise<ProcessResult> =>
        runRecollect(['ab', '--file', prompts, '--yes'], {
          home: shell.home,
          cwd: shell.project,
          input,
          env: {
            RECOLLECT_HOME: `${shell.home}/memory`,
            RECOLLECT_MODEL_PROVIDER: 'anthropic',
            ANTHROPIC_API_KEY: 'sk-ant-x',
            NODE_OPTIONS: `--require ${preload}`,
          },
        });
      const first = await run('x\na\ns\n');
      assert.equal(first.code, 0, first.err);
      assert.equal(server.seen.length, 4);
      assert.match(first.out, /Nothing is remembered about this, so both answers would be the same\./u);
      assert.match(first.out, /2 pairs judged\./u);
      const shown = /--- A\n(.*)\n\n--- B\n(.*)\n/u.exec(first.out)!.slice(1, 3);
      assert.deepEqual([...shown].sort(), [guessed, known]);
      const better = shown[0] === known ? 'with' : 'without';
      const { data } = await shell.json('ab --results');
      const { judged, same, tokens, ...counts } = data as Readonly<Record<string, unknown>>;
      assert.deepEqual([judged, same, counts[better], tokens], [2, 1, 1, { with: 240, without: 240 }]);
      const kept = readFileSync(path.join(shell.home, 'memory', 'answer-judgments.jsonl'), 'utf8');
      for (const it of ['crane', 'Twelve', 'depends']) assert.ok(!kept.includes(it), it);

      await shell.run(['remember', 'The password of the crane is asked for at noon.', '--store', 'project']);
      writeFileSync(prompts, 'How much does the harbour crane lift? Its password is hunter2-Quay-9917.\n');
      await run('p\n');
      assert.equal(server.seen.length, 6);
      assert.ok(!JSON.stringify(server.seen.map(it => it.body)).includes('hunter2'));
      assert.match((await shell.run('ab --results')).out, /^2 pairs judged blind, answered by claude-haiku-5-5\.\n/u);
    } finally {
      await server.stop();
    }
  });
});
