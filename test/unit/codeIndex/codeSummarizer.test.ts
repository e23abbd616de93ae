import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { closeAfterTest, temporaryFolder } from '../../support/fixtures.js';
import { answersWith, MessagesServer } from '../../support/messagesApiServer.js';
import { ModelHost } from '../llm/modelHost.js';

interface Setup {
  readonly server: MessagesServer;
  readonly host: ModelHost;
  readonly write: (name: string, text: string) => void;
}

async function setUp(): Promise<Setup> {
  const server = new MessagesServer();
  await server.start();
  closeAfterTest(() => server.stop());
  const host = new ModelHost();
  host.workspaceFolders = [temporaryFolder()];
  host.messagesUrl = server.url;
  host.model = {};
  const write = (name: string, text: string): void => {
    const file = path.join(host.workspaceFolders[0]!, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  return { server, host, write };
}

const bareFunction = (name: string): string =>
  `export function ${name}(x: number): number {\n  const y = x * 2;\n  return y;\n}\n`;
/** A comment of a file. */
const commented = "/** Of ships. */\nimport 'sails';\n\n";
const sailAnswer = { number: 1, text: 'Doubles the width of a sail.' };

describe('descriptions of code by a language model', () => {
  it('asks about the uncommented declarations of several files in one call, and keeps the answers', async () => {
    const { server, host, write } = await setUp();
    write('a.ts', `${commented}${bareFunction('qux')}\n/** Moors a ship. */\n${bareFunction('moor')}`);
    write('b.ts', commented + bareFunction('zap'));
    write('test/c.test.ts', bareFunction('helperOfTests'));
    server.answers = [
      answersWith({ descriptions: [sailAnswer, { number: 2, text: 'Doubles the depth of the keel.' }] }),
    ];
    const engine = await host.open();
    const report = await engine.codeIndex.run();
    assert.deepEqual([report.describedByModel, report.waitingForModel], [2, undefined]);
    assert.equal(server.seen.length, 1);
    const prompt = server.seen[0]!.body.messages[0]!.content;
    assert.match(prompt, /^1\. qux in a\.ts\n[^]*\n\n2\. zap in b\.ts\n/u);
    assert.doesNotMatch(prompt, /moor|helperOfTests/u);
    const descriptions = async (): Promise<string[]> =>
      (await engine.list({ kinds: ['code-description'] })).map(it => it.content);
    assert.ok(
      (await descriptions()).includes('Function `qux(x: number): number` in a.ts: doubles the width of a sail.'),
    );
    // The description still fits code that only moved.
    write('a.ts', `${commented}const one = 1;\n${bareFunction('qux')}`);
    await engine.codeIndex.run();
    assert.equal(server.seen.length, 1);
    assert.ok((await descriptions()).some(it => it.includes('width of a sail')));
  });

  it('asks about a file without a comment as well, by what its declarations leave', async () => {
    const { server, host, write } = await setUp();
    write('a.ts', `/** Moors a ship. */\n${bareFunction('moor')}\n/** Hoists a sail. */\n${bareFunction('hoist')}`);
    write('b.ts', `/** Furls a sail. */\n${bareFunction('furl')}`);
    server.answers = [answersWith({ descriptions: [{ number: 1, text: 'Everything about mooring.' }] })];
    const engine = await host.open();
    assert.equal((await engine.codeIndex.run()).describedByModel, 1);
    const prompt = server.seen[0]!.body.messages[0]!.content;
    assert.match(prompt, /^1\. The file a\.ts\n[^]*moor\(x: number\): number \{ …/u);
    assert.doesNotMatch(prompt, /furl/u);
    const contents = (await engine.list({ kinds: ['code-description'] })).map(it => it.content);
    assert.ok(contents.includes('File a.ts (TypeScript): everything about mooring. It defines `moor` and `hoist`.'));
  });

  it('goes on by rule when the budget of the day is used up, and with the model in a later run', async () => {
    const { server, host, write } = await setUp();
    write('a.ts', commented + bareFunction('qux'));
    server.answers = [answersWith({ descriptions: [sailAnswer] })];
    const budget = 10_000;
    host.model = { dailyTokens: budget };
    const engine = await host.open();
    server.answers = [answersWith({ descriptions: [] }, { usage: { input_tokens: budget, output_tokens: 1 } })];
    const first = await engine.codeIndex.run();
    assert.deepEqual([first.status, first.indexed, first.describedByModel, first.waitingForModel], ['done', 1, 0, 1]);
    const asked = server.seen.length;
    const second = await engine.codeIndex.run();
    assert.deepEqual([second.waitingForModel, server.seen.length], [1, asked]);
    host.advanceDays(1);
    server.answers = [answersWith({ descriptions: [sailAnswer] })];
    const third = await engine.codeIndex.run();
    assert.deepEqual([third.describedByModel, third.waitingForModel], [1, undefined]);
    assert.equal((await engine.codeIndex.run()).unchanged, 1);
  });

  it('never sends code with a secret', async () => {
    const { server, host, write } = await setUp();
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    write('a.ts', `${commented}export function signIn(): void {\n  send('${secret}');\n  close();\n}\n`);
    const engine = await host.open();
    await engine.codeIndex.run();
    assert.deepEqual(server.seen, []);
  });
});
