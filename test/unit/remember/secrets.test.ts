import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../../../src/engine/base/errors.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { guardHost } from '../../../src/engine/secrets/guardHost.js';
import { memoryInput, TestHost } from '../../support/fixtures.js';

// Put together here so that no scanner takes them for real ones.
const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
const pem = (kind: string): string =>
  [
    `-----BEGIN ${kind}-----`,
    'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj',
    'MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu',
    'NMoSfm76oqFvAp8Gy0iz5sxjZmSnXyCdPEovGhLa0VzMaQ8s+CLOyS56YyCFGeJZ',
    `-----END ${kind}-----`,
  ].join('\n');
const fragment = 'NMoSfm76oqFvAp8Gy0iz5sxjZmSnXyCdPEovGhLa0VzMaQ8s';

/** Nothing of the secret is anywhere afterwards: not in any file's bytes, the log, a trace or an announcement. */
function check(name: string, secrets: readonly string[], input: RememberInput, kept: readonly string[] = []): void {
  it(name, async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    const announced: string[] = [];
    engine.onDidChange(it => announced.push(JSON.stringify(it)));
    const outcomes = await engine.remember(input).catch((error: unknown) => {
      assert.ok(EngineError.is(error, 'invalidInput'), String(error));
      return [{ outcome: 'refused', reason: error.message } as const];
    });
    assert.ok(outcomes.some(it => it.outcome === 'refused'));
    assert.deepEqual(
      outcomes.flatMap(it => (it.outcome === 'stored' ? [it.content] : [])),
      kept,
    );
    await engine.recall({ query: input.content }).catch(() => undefined);
    const open = bytesOf(host.dataDir); // With what is still in the write-ahead log.
    const traces = JSON.stringify(await engine.traces());
    await engine.close();
    const places = {
      open,
      traces,
      closed: bytesOf(host.dataDir),
      log: host.logLines.join(),
      said: JSON.stringify(outcomes),
      announced: announced.join(),
    };
    const found = Object.entries(places).flatMap(([place, text]) =>
      secrets.filter(it => text.toLowerCase().includes(it.toLowerCase())).map(it => `${it} in ${place}`),
    );
    assert.deepEqual(found, []);
  });
}

function bytesOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(it => it.isFile())
    .map(it => readFileSync(path.join(it.parentPath, it.name), 'latin1'))
    .join('\n');
}

describe('secrets', () => {
  check('a token', [token], memoryInput(`The deploy token is ${token}.`));
  check('a token in the note lane', [token], memoryInput(`The deploy token is ${token}.`, { lane: 'note' }));
  check(
    'a password in a connection string',
    ['s3cr3tPw'],
    memoryInput('The db is postgres://app:s3cr3tPw9@db:5432/x.'),
  );
  check('a spoken password', ['hunter2!x9'], memoryInput('The deploy password is hunter2!x9.', { whole: false }));
  check(
    'a token beside facts that may stay',
    [token],
    { content: `The build runs on Node 20. The deploy token is ${token}. The docs are in docs/.`, source: 'explicit' },
    ['The build runs on Node 20.', 'The docs are in docs/.'],
  );
  check('a private key kept whole', [fragment], memoryInput(pem('PRIVATE KEY')));
  for (const kind of ['PRIVATE KEY', 'RSA PRIVATE KEY', 'OPENSSH PRIVATE KEY']) {
    check(
      `a ${kind} that splitting would tear apart`,
      [fragment],
      { content: `Our deploy key:\n${pem(kind)}`, source: 'explicit' },
      [],
    );
    check(
      `a ${kind} after another secret`,
      [fragment, token],
      {
        content: `We use pnpm. The token is ${token}.\n\nThis is the key.\n\n${pem(kind)}\n\nThe docs are in docs/.`,
        source: 'explicit',
      },
      ['We use pnpm.', 'The docs are in docs/.'],
    );
  }
  check('in a tag', [token], memoryInput('The build runs on Node 20.', { tags: [token] }));
  for (const field of ['session', 'uri', 'symbol', 'branch', 'commit', 'scopeId', 'anchorHash'] as const) {
    check(`in the field ${field}`, [token], memoryInput('The build runs on Node 20.', { [field]: `x/${token}` }));
  }

  it('stay out of the trace of a query, also where the query is cut', async () => {
    const engine = await new TestHost().open();
    const found = [];
    for (const lead of ['', 'x '.repeat(985)]) {
      const { trace } = await engine.recall({ query: `${lead}what is ${token} for` });
      found.push(trace.query.includes('ghp_'));
    }
    found.push(JSON.stringify(await engine.traces()).includes('ghp_'));
    assert.deepEqual(found, [false, false, false]);
  });

  it('reach no byte from the names and filters that come with a call', async () => {
    const host = new TestHost({ project: true });
    host.client = `mcp:${token}`;
    const [folder] = host.workspaceFolders;
    execFileSync('git', ['init', '-q', '-b', `fix-${token}`], { cwd: folder });
    for (const name of [`use-${token}.ts`, 'greet.ts']) {
      writeFileSync(path.join(folder!, name), '/** Greets one person. */\nexport function greet(): void {}\n');
    }
    const session = path.join(folder!, `${token}.jsonl`);
    const line = {
      type: 'user',
      uuid: 'line-1',
      sessionId: 'session-1',
      cwd: folder,
      gitBranch: `fix-${token}`,
      timestamp: '2026-03-02T08:00:00.000Z',
      message: { role: 'user', content: 'From now on always use pnpm in this repo.' },
    };
    writeFileSync(session, `${JSON.stringify(line)}\n`);
    const engine = await host.open();
    await engine.remember(memoryInput('The build runs on Node 20.', { store: 'project' }));
    await engine.recall({ query: 'build', scopeId: token, tags: [token] });
    const { leftOut, indexed } = await engine.codeIndex.run({});
    await engine.capture.allow('claudeCode');
    await engine.capture.run({ source: 'claudeCode', files: [session] });
    await engine.maintenance.run({});
    host.log.info('The host itself is asked for nothing.');
    await engine.close();
    assert.deepEqual({ leftOut, indexed }, { leftOut: { 'named like a secret': 2 }, indexed: 1 });
    assert.deepEqual(
      { bytes: bytesOf(host.dataDir).includes(token), log: host.logLines.join().includes(token) },
      { bytes: false, log: false },
    );
  });

  it('are left out of log lines and of the errors in them', () => {
    const host = new TestHost();
    const guarded = guardHost(host);
    guarded.log.info(`Opened ${token}`);
    guarded.log.error('Failed.', new Error(`No file ${token}`, { cause: new Error(token) }));
    assert.deepEqual(host.logLines, ['Opened [secret: GitHub token]', 'Failed. Error: No file [secret: GitHub token]']);
  });
});
