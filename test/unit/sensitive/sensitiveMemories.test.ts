import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createSensitiveKey, findPersonalDataIn, type MemoryEngine } from '../../../src/engine/engine.js';
import { EngineError } from '../../../src/engine/base/errors.js';
import type { SecretName } from '../../../src/engine/model/host.js';
import { tools } from '../../../src/operations/registry.js';
import { runTool } from '../../../src/operations/tool.js';
import { storeMemory, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

const text = 'The vault door code is Quixotic-77-Zebra, kept by Ulrike.';
/** The text, its rare words, and its bytes in other spellings. */
const needles = [
  text,
  'Quixotic',
  'quixot',
  'Zebra',
  'Ulrike',
  'ulrik',
  Buffer.from(text).toString('base64').slice(0, 24),
];

/** A host that holds keys. */
class KeyHost extends TestHost {
  keys: string | undefined = createSensitiveKey();

  secret(name: SecretName): Promise<string | undefined> {
    return Promise.resolve(name === 'sensitiveKeys' ? this.keys : undefined);
  }
}

/** Files below the folder that hold one of the texts. */
function filesWith(folder: string, wanted: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(it => it.isFile())
    .map(it => path.join(it.parentPath, it.name))
    .filter(file => {
      const bytes = readFileSync(file);
      return wanted.some(it => bytes.includes(it));
    });
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => undefined,
    (error: unknown) => (EngineError.is(error) ? error.code : String(error)),
  );
}

/** What every tool answers a model, and every file that is written for one. */
async function everythingSaid(engine: MemoryEngine, host: TestHost): Promise<string> {
  const id = (await engine.sensitive.list())[0]!.id;
  const inputs: Readonly<Record<string, unknown>> = {
    recall: { query: 'the code of the vault door' },
    context: { query: 'the code of the vault door' },
    list: {},
    remember: { content: 'Doors are painted green.' },
    revise: { id, stillTrue: true },
    forget: { id },
    feedback: { id, useful: true },
    pin: { id },
    graph: { id },
    conflicts: {},
    traces: {},
    maintain: { dryRun: true },
    metrics: {},
  };
  const said: string[] = [];
  for (const tool of tools) {
    assert.ok(tool.name in inputs, tool.name);
    const answer = await runTool(tool, engine, inputs[tool.name], { source: 'mcp' }).catch((error: unknown) =>
      String(error),
    );
    said.push(JSON.stringify(answer));
  }
  for (const format of ['jsonl', 'markdown'] as const)
    for await (const chunk of engine.exchange.export(format, 'project-then-global')) said.push(chunk);
  said.push(await engine.identity({ withNotes: true }));
  const folder = host.workspaceFolders[0]!;
  mkdirSync(path.join(folder, '.git'));
  await engine.sync.run({});
  for (const it of await engine.publishing.preview({ withNotes: true })) await engine.publishing.write(it);
  for (const it of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (it.isFile()) said.push(readFileSync(path.join(it.parentPath, it.name), 'utf8'));
  return said.join('\n');
}

describe('sensitive memories', () => {
  it('leave no byte of their text in any file, and none in what a model, an export or a synced file receives', async () => {
    const host = new KeyHost({ project: true });
    const engine = await host.open();
    const kept = await engine.sensitive.keep({ content: text, label: 'Vault' });
    await engine.checkpoints.make('before the move');
    const said = await everythingSaid(engine, host);
    for (const it of [...needles, 'Vault', kept.key]) assert.ok(!said.includes(it), it);
    assert.match(said, /1 sensitive memory: ask the user\./u);
    assert.equal((await engine.sensitive.reveal(kept.id)).content, text);
    await engine.close();
    assert.deepEqual(filesWith(host.dataDir, needles), []);
    assert.deepEqual(
      host.logLines.filter(line => needles.some(it => line.includes(it))),
      [],
    );
  });

  it('name their key, open with it alone, and say how to bring it where it is not at hand', async () => {
    const host = new KeyHost();
    const engine = await host.open();
    const first = await engine.sensitive.keep({ content: text });
    const oldKey = host.keys!;
    host.keys = createSensitiveKey();
    const second = await engine.sensitive.keep({ content: 'The PIN of the safe is 4711.' });
    assert.notEqual(first.key, second.key);
    const readable = async (): Promise<unknown> =>
      Object.fromEntries((await engine.sensitive.list()).map(it => [it.id, it.isReadable]));
    assert.deepEqual(await readable(), { [first.id]: false, [second.id]: true });
    const error: unknown = await engine.sensitive.reveal(first.id).catch((it: unknown) => it);
    assert.match(String(error), new RegExp(`key ${first.key} .*recollect key import`, 'u'));
    host.keys = `${host.keys}\n${oldKey}`;
    assert.equal((await engine.sensitive.reveal(first.id.slice(-8))).content, text);
    host.keys = undefined;
    assert.equal(await codeOf(engine.sensitive.keep({ content: text })), 'notAllowed');
    assert.equal(await engine.sensitive.count(), 2);
  });

  it('do not open where a byte was changed or the row was given another id', async () => {
    const host = new KeyHost();
    const engine = await host.open();
    const { id } = await engine.sensitive.keep({ content: text });
    const other = await engine.sensitive.keep({ content: 'Another text.' });
    await sql(
      host.globalFile,
      `UPDATE records SET body = (SELECT body FROM records WHERE id = '${other.id}') WHERE id = '${id}'`,
    );
    assert.equal(await codeOf(engine.sensitive.reveal(id)), 'storeDamaged');
    assert.equal((await engine.sensitive.reveal(other.id)).content, 'Another text.');
    await sql(
      host.globalFile,
      `UPDATE records SET body = json_set(body, '$.data', 'A' || substr(body ->> '$.data', 2, 200)) WHERE id = '${other.id}'`,
    );
    await sql(
      host.globalFile,
      `UPDATE records SET body = json_set(body, '$.nonce', 'AAAAAAAAAAAAAAAA') WHERE id = '${other.id}'`,
    );
    assert.equal(await codeOf(engine.sensitive.reveal(other.id)), 'storeDamaged');
  });

  it('are gone from every file when the consent is withdrawn, from checkpoints too', async () => {
    const host = new KeyHost();
    const engine = await host.open();
    const { id } = await engine.sensitive.keep({ content: text, label: 'Unmistakable label' });
    const stays = await engine.sensitive.keep({ content: 'Another text.' });
    await engine.checkpoints.make('with both');
    assert.deepEqual(filesWith(path.dirname(host.globalFile), ['Unmistakable']).length > 0, true);
    const { memories, copies, left } = await engine.sensitive.withdraw([id]);
    assert.deepEqual({ memories, copies, left }, { memories: 1, copies: 1, left: [] });
    assert.deepEqual(
      (await engine.sensitive.list()).map(it => it.id),
      [stays.id],
    );
    await engine.checkpoints.restore((await engine.checkpoints.list())[0]!.id);
    assert.equal(await codeOf(engine.sensitive.reveal(id)), 'notFound');
    assert.equal(await codeOf(engine.sensitive.withdraw([id])), 'notFound');
    await engine.close();
    assert.deepEqual(filesWith(host.dataDir, ['Unmistakable']), []);
  });

  it('can be made of a memory, whose plain text then is in no file', async () => {
    const host = new KeyHost();
    const engine = await host.open();
    const plain = 'I was diagnosed with epilepsy by Doctor Quixotic.';
    const id = await storeMemory(engine, plain, { tags: ['doctor'] });
    await engine.recall({ query: 'Quixotic' });
    await engine.checkpoints.make('with the plain text');
    const kept = await engine.makeSensitive(id);
    assert.deepEqual([kept.label, kept.left], ['health data', []]);
    assert.equal((await engine.sensitive.reveal(kept.id)).content, plain);
    assert.deepEqual(await engine.list(), []);
    await engine.close();
    assert.deepEqual(filesWith(host.dataDir, ['Quixotic', 'quixot', 'epilepsy']), []);
  });

  it('have no label that holds the secret, and no blank text', async () => {
    const engine = await new KeyHost().open();
    const inputs = [
      { content: text, label: text },
      { content: text, label: 'password: hunter2Xk9' },
      { content: text, label: 'x'.repeat(81) },
      { content: '  \n' },
      { content: 'x'.repeat(8_001) },
    ];
    for (const it of inputs) assert.equal(await codeOf(engine.sensitive.keep(it)), 'invalidInput');
    const { label } = await engine.sensitive.keep({ content: 'The password is hunter2Xk9.' });
    assert.equal(label, 'password');
  });

  it('record each consent and its withdrawal in the audit log', async () => {
    const host = new KeyHost();
    const engine = await host.open();
    const { id, key } = await engine.sensitive.keep({ content: text });
    await engine.sensitive.withdraw([id]);
    const lines = (await engine.activity.changes()).filter(it => it.action === 'consent').map(it => it.detail);
    assert.deepEqual(lines, [
      { sensitive: id, key },
      { sensitive: id, withdrawn: true },
    ]);
    assert.deepEqual(
      (await engine.verify()).flatMap(it => it.problems),
      [],
    );
  });
});

describe('personal data', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['I have diabetes.', 'health data'],
    ['My medication is on the second shelf.', 'health data'],
    ['Ich habe Asthma.', 'health data'],
    ['I live at 14 Mole Street, Esbjerg.', 'home address'],
    ['Ich wohne in der Hafenstraße 12.', 'home address'],
    ['My passport number is C01X00T47.', 'identity number'],
    ['My passport number is 123456789.', 'identity number'],
    ['My social security number: 123-45-6789.', 'identity number'],
    ['Codice fiscale RSSMRA85T10A562S.', 'identity number'],
    ['I was born on 4 May 1985.', 'date of birth'],
    ['My mobile is +45 20 12 34 56.', 'phone number'],
    ['Send it to DE44 5001 0517 5407 3249 31.', 'bank account'],
    ['The health check of the service runs every 30 seconds.', undefined],
    ['The service has depression of throughput on Mondays.', undefined],
    ['I live in the terminal and dislike mice.', undefined],
    ['The IP address is 10.0.0.12.', undefined],
    ['My address bar hides the port.', undefined],
    ['The passport library signs in with OAuth 2.0.', undefined],
    ['We were born on Kubernetes.', undefined],
    ['Error codes start with E4000.', undefined],
  ];
  for (const [statement, label] of cases) {
    it(`is ${label ?? 'not found'} in "${statement}"`, () => {
      assert.equal(findPersonalDataIn(statement)?.label, label);
    });
  }
});
