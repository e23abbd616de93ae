import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { readAccesses } from '../../src/engine/access/accessLog.js';
import { writeClientSetting } from '../../src/engine/access/settingsFile.js';
import { contextTool } from '../../src/operations/context.js';
import { embedTool } from '../../src/operations/embed.js';
import { listTool } from '../../src/operations/list.js';
import { maintainTool } from '../../src/operations/maintain.js';
import { memoryViewSchema } from '../../src/operations/memoryView.js';
import { metricsTool } from '../../src/operations/metrics.js';
import { recallTool } from '../../src/operations/recall.js';
import { rememberTool } from '../../src/operations/remember.js';
import type { Tool } from '../../src/operations/tool.js';
import { tracesTool } from '../../src/operations/traces.js';
import { temporaryFolder, TestHost } from '../support/fixtures.js';
import { sql } from '../support/sqlite.js';
import { bearer, callHttp, startServe, type HttpAnswer, type ServeProcess } from '../support/serveProcess.js';

interface Outcome {
  readonly outcome: string;
  readonly id: string;
  readonly store?: string;
  readonly reason?: string;
}

const outcomesOf = ({ data }: HttpAnswer): readonly Outcome[] => data.outcomes as readonly Outcome[];

/** Stores one fact and returns its id. */
async function storeFact(server: ServeProcess, content: string): Promise<string> {
  const answer = await server.call('/memory', { body: { content } });
  assert.equal(answer.status, 201, answer.text);
  return outcomesOf(answer)[0]!.id;
}

/** An engine on the same stores. */
function openSameStores({ dataDir, cwd }: ServeProcess): ReturnType<TestHost['open']> {
  const host = new TestHost();
  host.dataDir = dataDir;
  host.workspaceFolders = [cwd];
  host.time = Date.now();
  return host.open();
}

/** An answer is a sentence and a code, in JSON. */
function assertRefused(answer: HttpAnswer, status: number, code: string, sentence: RegExp): void {
  assert.deepEqual([answer.status, answer.data.code], [status, code], answer.text);
  assert.match(String(answer.data.error), sentence);
}

describe('recollect serve', () => {
  it('answers each path with what its tool answers', async () => {
    const server = await startServe();
    const check = async (
      tool: Pick<Tool, 'output'>,
      answer: Promise<HttpAnswer>,
      status = 200,
    ): Promise<HttpAnswer> => {
      const { data, text } = await answer;
      assert.equal((await answer).status, status, text);
      const { notes, ...structured } = data;
      assert.ok(tool.output.safeParse(structured).success, text);
      return answer;
    };
    const stored = await check(
      rememberTool,
      server.call('/memory', {
        body: { type: 'long-term', content: 'I prefer black coffee.', metadata: { tags: ['drinks'] } },
      }),
      201,
    );
    assert.deepEqual(stored.data.notes, ['Not an option of this tool, and ignored: type.']);
    const { id } = outcomesOf(stored)[0]!;
    const fact = { content: 'The staging database is stg-pg-02.internal.', appliesTo: 'project' };
    await check(rememberTool, server.call('/v1/remember', { body: { facts: [fact] } }), 201);
    const again = await check(rememberTool, server.call('/v1/remember', { body: { facts: [fact] } }));
    assert.deepEqual(
      outcomesOf(again).map(it => [it.outcome, it.store]),
      [['reinforced', 'project']],
    );
    const list = await check(listTool, server.call('/memory?limit=1&gates=behavioral&gates=epistemic'));
    assert.deepEqual([(list.data.memories as unknown[]).length, list.data.next], [1, 1]);
    const tagged = await check(listTool, server.call('/memory?tags=drinks'));
    assert.deepEqual(
      (tagged.data.memories as Outcome[]).map(it => it.id),
      [id],
    );
    const one = await check({ output: memoryViewSchema }, server.call(`/memory/${id}`));
    assert.deepEqual([one.data.id, one.data.content, one.data.lane], [id, 'I prefer black coffee.', 'note']);
    for (const [target, body] of [
      ['/memory/query', { query: 'staging database', top_k: 1, filters: { gates: ['epistemic'] } }],
      ['/v1/recall', { query: 'staging database' }],
    ] as const) {
      const { data } = await check(recallTool, server.call(target, { body }));
      assert.match(JSON.stringify(data.memories), /stg-pg-02/u);
    }
    const { data: context } = await check(contextTool, server.call('/v1/context', { body: { task: 'order coffee' } }));
    assert.match(String(context.context), /<recollect_memories[^]*black coffee/u);
    const { data: traces } = await check(tracesTool, server.call('/v1/traces?limit=2'));
    assert.deepEqual(
      (traces.traces as { client: string; query: string }[]).map(it => [it.client, it.query]),
      [
        ['http', 'order coffee'],
        ['http', 'staging database'],
      ],
    );
    const { data: metrics } = await check(metricsTool, server.call('/memory/metrics'));
    const { model } = metrics.embedding as { readonly model: string };
    const { data: preview } = await check(maintainTool, server.call('/memory/meditate', { method: 'POST' }));
    assert.equal(preview.dryRun, true);
    const vector = Array.from({ length: 384 }, (_, i) => (i === 7 ? 2 : 0));
    await dropVectors(server, id);
    const { data: embedded } = await check(embedTool, server.call('/memory/embed', { body: { id, model, vector } }));
    assert.deepEqual(embedded.outcomes, [{ outcome: 'stored', id }]);
    const engine = await openSameStores(server);
    const { provenance } = await engine.get(id);
    assert.deepEqual([provenance.source, provenance.client], ['http', 'http']);
  });

  it('stores no text that a client marks as sensitive, and says why', async () => {
    const server = await startServe();
    const content = 'The harbor master is called Ines.';
    for (const body of [
      { content, metadata: { sensitive: true } },
      { content, sensitive: true },
      { facts: [{ content, sensitive: true }] },
    ])
      assertRefused(await server.call('/memory', { body }), 403, 'notAllowed', /a sensitive memory is encrypted/u);
    const { data } = await server.call('/memory');
    assert.deepEqual(data.memories, []);
  });

  it('takes vectors of the model in use alone, each of its dimensions', async () => {
    const server = await startServe();
    const id = await storeFact(server, 'I prefer black coffee.');
    const embed = (body: object): Promise<HttpAnswer> => server.call('/memory/embed', { body });
    const model = 'devdoc-static-384';
    const vector = new Array<number>(384).fill(1);
    assertRefused(
      await embed({ id, model: 'other', vector }),
      400,
      'invalidInput',
      /with devdoc-static-384 \(384 dim/u,
    );
    assertRefused(
      await embed({ id, model, vector: [1, 2] }),
      422,
      'refused',
      /has 2 dimensions, and those .* have 384/u,
    );
    assertRefused(await embed({ id: 'ffffffff', model, vector }), 422, 'refused', /There is no memory "ffffffff"/u);
    assertRefused(await embed({ id, model, vector: vector.map(() => 0) }), 422, 'refused', /has no direction/u);
    assertRefused(await embed({ id, model }), 400, 'invalidInput', /give either id and vector, or vectors/u);
    const vectors = [
      { id, vector },
      { id: 'ffffffff', vector },
    ];
    assertRefused(await embed({ id, model, vector }), 422, 'refused', /This memory has a vector of devdoc-static-384/u);
    await dropVectors(server, id);
    const mixed = await embed({ model, vectors });
    assert.deepEqual(
      outcomesOf(mixed).map(it => it.outcome),
      ['stored', 'refused'],
    );
    const off = await startServe({ args: ['--embeddings', 'off'] });
    const { status, text } = await off.call('/memory/embed', { body: { id, model, vector } });
    assert.deepEqual([status, text.includes('Embeddings are off')], [409, true], text);
  });

  it('ranks a memory by the vector that it was given', async () => {
    const server = await startServe();
    const query = 'An espresso machine stands in the kitchen.';
    await storeFact(server, 'The kitchen of the lighthouse has an old coffee machine.');
    await storeFact(server, 'An espresso stands for the crew of the ferry at noon.');
    const machine = await storeFact(server, query);
    const found = async (): Promise<readonly string[]> => {
      const { data } = await server.call('/v1/recall', { body: { query, mode: 'fresh' } });
      return (data.memories as Outcome[]).map(it => it.id);
    };
    const vector = await readVector(server, machine);
    const engine = await openSameStores(server);
    await engine.deletion.purge([machine]);
    const [first, last] = await found();
    assert.ok(first !== undefined && last !== undefined);
    await dropVectors(server, last);
    const { status } = await server.call('/memory/embed', {
      body: { id: last, model: 'devdoc-static-384', vector: vector.map(it => it * 3) },
    });
    assert.equal(status, 200);
    assert.deepEqual(await found(), [last, first]);
  });

  it('asks for the token, whatever the path, and compares it whole', async () => {
    const server = await startServe();
    const wrong = [undefined, '', 'Bearer', `Bearer ${server.token}x`, `Bearer ${server.token.slice(1)}`, server.token];
    for (const target of ['/memory', '/v1/traces', '/mcp', '/nothing'])
      for (const authorization of wrong) {
        const headers = authorization === undefined ? {} : { authorization };
        const answer = await callHttp(server.port, target, { headers });
        assertRefused(answer, 401, 'unauthorized', authorization === undefined ? /has no token/u : /is not the one/u);
        assert.match(String(answer.headers['www-authenticate']), /^Bearer/u);
      }
    const { status } = await callHttp(server.port, '/memory', {
      headers: { authorization: `bearer  ${server.token}` },
    });
    assert.equal(status, 200);
  });

  it('refuses a foreign Host and a foreign Origin before it looks at anything else', async () => {
    const server = await startServe();
    const { port } = server;
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`, `[::1]:${port}`])
      assertRefused(await server.call('/memory', { headers: { host } }), 403, 'foreignHost', /is not this server/u);
    for (const origin of ['http://evil.example', 'null', `http://localhost:${port + 1}`, `https://127.0.0.1:${port}`])
      for (const target of ['/memory', '/openapi.json'])
        assertRefused(await server.call(target, { headers: { origin } }), 403, 'foreignOrigin', /another origin/u);
    for (const headers of [{ host: `LOCALHOST:${port}` }, { origin: `http://127.0.0.1:${port}` }]) {
      const { status, headers: sent } = await server.call('/memory', { headers });
      assert.deepEqual([status, sent['access-control-allow-origin']], [200, undefined]);
    }
  });

  it('says in JSON what is wrong with a request', async () => {
    const server = await startServe();
    const json = { 'content-type': 'application/json' };
    assertRefused(await server.call('/nothing'), 404, 'notFound', /openapi\.json lists/u);
    assertRefused(await server.call('/memory/a/b'), 404, 'notFound', /no such path/u);
    assertRefused(await server.call('/memory/ffffffff'), 404, 'notFound', /There is no memory "ffffffff"/u);
    const wrong = await server.call('/memory', { method: 'PUT' });
    assertRefused(wrong, 405, 'wrongMethod', /takes POST, GET only/u);
    assert.equal(wrong.headers.allow, 'POST, GET');
    assert.equal((await server.call('/memory/')).status, 200);
    const head = await server.call('/memory', { method: 'HEAD' });
    assert.deepEqual([head.status, head.text], [200, '']);
    assertRefused(await server.call('/memory/query'), 405, 'wrongMethod', /takes POST only/u);
    assertRefused(await server.call('/mcp', { method: 'PATCH' }), 405, 'wrongMethod', /takes GET, POST, DELETE only/u);
    for (const rawBody of ['{"query":', 'null x', Buffer.from([0x22, 0xff, 0x22])])
      assertRefused(await server.call('/v1/recall', { rawBody, headers: json }), 400, 'malformedJson', /is no JSON/u);
    assertRefused(await server.call('/v1/recall', { rawBody: 'query=x' }), 415, 'unsupportedType', /Content-Type/u);
    const zipped = { ...json, 'content-encoding': 'gzip' };
    assertRefused(
      await server.call('/v1/recall', { rawBody: '{}', headers: zipped }),
      415,
      'unsupportedEncoding',
      /without Content-Encoding/u,
    );
    for (const body of [{}, [], 7, { query: {} }])
      assertRefused(
        await server.call('/v1/recall', { body }),
        400,
        'invalidInput',
        /The input of recall is not valid/u,
      );
    assertRefused(await server.call('/memory?limit=many'), 400, 'invalidInput', /limit/u);
  });

  it('refuses a body over 4 MB before and while it is sent, and goes on', async () => {
    const server = await startServe();
    const json = { 'content-type': 'application/json' };
    const rawBody = JSON.stringify({ content: 'x'.repeat(5_000_000) });
    for (const headers of [json, { ...json, 'transfer-encoding': 'chunked' }])
      assertRefused(await server.call('/memory', { rawBody, headers }), 413, 'tooLarge', /longer than 4000000 bytes/u);
    assertRefused(await server.call('/mcp', { rawBody, headers: json }), 413, 'tooLarge', /longer than/u);
    const unknown = await callHttp(server.port, '/memory', { rawBody, headers: json });
    assertRefused(unknown, 401, 'unauthorized', /has no token/u);
    assert.equal((await server.call('/memory')).status, 200);
  });

  it('answers others while a body comes slowly, and takes it when it is there', async () => {
    const server = await startServe();
    const body = JSON.stringify({ content: 'The harbor closes at nine.' });
    const socket = net.connect(server.port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').on('data', (it: string) => (answer += it));
    socket.write(
      `POST /memory HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body.slice(0, 9)}`,
    );
    assert.deepEqual((await server.call('/memory')).data.memories, []);
    for (const it of body.slice(9)) socket.write(it);
    await new Promise(resolve => socket.once('close', resolve));
    assert.match(answer, /^HTTP\/1\.1 201 [^]*"stored"/u);
  });

  it('gives no place to requests without a token, however many send their bodies slowly', async () => {
    const server = await startServe();
    const sockets = Array.from({ length: 80 }, () => net.connect(server.port, '127.0.0.1'));
    const refusals = sockets.map(it => new Promise(resolve => it.once('data', resolve).once('close', resolve)));
    await Promise.all(sockets.map(it => new Promise(resolve => it.once('connect', resolve))));
    for (const it of sockets)
      it.on('error', () => undefined).write(
        `POST /memory HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"content`,
      );
    const answers = await Promise.all(Array.from({ length: 40 }, () => server.call('/memory')));
    assert.deepEqual([...new Set(answers.map(it => it.status))], [200]);
    for (const it of sockets) it.destroy();
    await Promise.all(refusals);
  });

  it('keeps to the rights of a client and notes what each has read', async () => {
    const server = await startServe();
    const id = await storeFact(server, 'The harbor closes at nine.');
    const as = (name: string, target: string, body?: object): Promise<HttpAnswer> =>
      server.call(target, { headers: { 'recollect-client': name }, ...(body === undefined ? {} : { body }) });
    await writeClientSetting(server.dataDir, 'reader', { access: 'read', tools: ['recall', 'list'] });
    await writeClientSetting(server.dataDir, 'nosy', { access: 'none' });
    assert.match((await as('Reader', '/v1/recall', { query: 'harbor' })).text, /closes at nine/u);
    assert.equal((await as('reader', `/memory/${id}`)).status, 200);
    assertRefused(await as('reader', '/v1/traces'), 403, 'notAllowed', /does not let reader use traces/u);
    const vector = new Array<number>(384).fill(1);
    for (const [target, body] of [
      ['/memory', { content: 'It closes at ten.' }],
      ['/memory/embed', { id, model: 'devdoc-static-384', vector }],
    ] as const)
      assertRefused(await as('reader', target, body), 403, 'notAllowed', /does not let reader use/u);
    for (const target of ['/memory', `/memory/${id}`, '/memory/metrics'])
      assertRefused(await as('nosy', target), 403, 'notAllowed', /does not let nosy use these memories/u);
    await as('a name\twith <marks>', '/memory');
    await server.call('/memory');
    assert.equal(await server.end('SIGTERM'), 0);
    const lines = (await readAccesses(server.dataDir)).map(it => [
      it.client,
      it.via,
      it.ids.length,
      it.refused === true,
    ]);
    assert.deepEqual(lines.sort().map(String), [
      'http,list,1,false',
      'http,remember,0,false',
      'http:Reader,recall,1,false',
      'http:a namewith marks,list,1,false',
      'http:nosy,list,0,true',
      'http:nosy,list,0,true',
      'http:nosy,metrics,0,true',
      'http:reader,embed,0,true',
      'http:reader,remember,0,true',
      'http:reader,resource,1,false',
      'http:reader,traces,0,true',
    ]);
  });

  it('refuses what only a person may do, and keeps a request for them', async () => {
    const server = await startServe();
    const id = await storeFact(server, 'The harbor closes at nine.');
    for (const [target, body] of [
      ['/memory/meditate?dry_run=false', {}],
      ['/memory/meditate', { dryRun: false }],
    ] as const)
      assertRefused(
        await server.call(target, { body }),
        403,
        'needsPerson',
        /only the user may decide.*recollect maintain/u,
      );
    const forgotten = await server.call(`/memory/${id}`, { method: 'DELETE' });
    assertRefused(forgotten, 403, 'needsPerson', /Nothing was changed.*recollect requests --accept/u);
    const engine = await openSameStores(server);
    assert.equal((await engine.get(id)).status, 'active');
    assert.deepEqual(
      (await engine.actionRequests.list()).map(it => it.client),
      ['http'],
    );
  });

  it('with --owner forgets notes and runs maintenance, and nothing that a person confirmed or pinned', async () => {
    const server = await startServe({ args: ['--owner'] });
    const note = await storeFact(server, 'The harbor closes at nine.');
    const confirmed = await storeFact(server, 'The pier is made of oak.');
    const pinned = await storeFact(server, 'The ferry has three decks.');
    const engine = await openSameStores(server);
    await engine.promote(confirmed);
    await engine.pin(pinned);
    assert.equal((await server.call(`/memory/${note}`, { method: 'DELETE' })).status, 200);
    for (const id of [confirmed, pinned])
      assertRefused(
        await server.call(`/memory/${id}`, { method: 'DELETE' }),
        403,
        'needsPerson',
        /recollect requests --accept/u,
      );
    const maintenance = await server.call('/memory/meditate', { body: { dryRun: false } });
    assert.deepEqual([maintenance.status, maintenance.data.dryRun], [200, false], maintenance.text);
    const statuses = await Promise.all([note, confirmed, pinned].map(async it => (await engine.get(it)).status));
    assert.deepEqual(statuses, ['archived', 'active', 'active']);
    assert.equal((await engine.actionRequests.list()).length, 2);
  });

  it('with --owner refuses maintenance that would archive what a person confirmed', async () => {
    const server = await startServe({ args: ['--owner'] });
    const id = await storeFact(server, 'The pier is made of oak.');
    const engine = await openSameStores(server);
    await engine.promote(id);
    const [file] = engine.stores.map(it => it.file).filter(it => it.includes('projects'));
    const past = '2020-01-01T00:00:00.000Z';
    await sql(file!, `UPDATE memories SET created_at = '${past}', updated_at = '${past}', reinforced_at = '${past}'`);
    const preview = await server.call('/memory/meditate', { method: 'POST' });
    assert.match(preview.text, /"(?:faded|expired)":1/u);
    const refused = await server.call('/memory/meditate', { body: { dryRun: false } });
    assertRefused(refused, 403, 'needsPerson', /recollect maintain/u);
    assert.equal((await engine.get(id)).status, 'active');
  });

  it('keeps no secret and shows none in its log', async () => {
    const server = await startServe({ args: ['--verbose'] });
    const secret = 'AKIAIOSFODNN7EXAMPLE';
    const answer = await server.call('/v1/remember', { body: { facts: [{ content: `The key is ${secret}.` }] } });
    assertRefused(answer, 422, 'refused', /contains a secret/u);
    await server.call('/v1/recall', { body: { query: `what is ${secret}` } });
    await server.call(`/${secret}`);
    await server.call('/memory', { headers: bearer('wrong-token') });
    assert.equal(await server.end('SIGINT'), 0);
    const [first = '', ...rest] = server.output().split('\n');
    assert.ok(first.includes(server.token));
    const log = rest.join('\n');
    assert.match(log, /POST \/v1\/remember: 422/u);
    for (const it of [secret, server.token, 'wrong-token']) assert.ok(!log.includes(it), log);
  });

  it('takes a token from a file of its owner or from the environment, and prints neither', async () => {
    const file = path.join(temporaryFolder(), 'token');
    const made = await startServe({ args: ['--token-file', file] });
    const token = readFileSync(file, 'utf8').trim();
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal((await made.call('/memory', { headers: bearer(token) })).status, 200);
    const again = await startServe({ args: ['--token-file', file], env: { RECOLLECT_TOKEN: 'x'.repeat(40) } });
    assert.equal((await again.call('/memory', { headers: bearer(token) })).status, 200);
    const given = await startServe({ env: { RECOLLECT_TOKEN: 'x'.repeat(40) } });
    assert.equal((await given.call('/memory', { headers: bearer('x'.repeat(40)) })).status, 200);
    for (const it of [made, again, given]) assert.ok(!it.output().includes(token) && !it.output().includes('xxx'));
    await assert.rejects(
      startServe({ env: { RECOLLECT_TOKEN: 'short' } }),
      /ended with 2: \{"error":"The token in RECOLLECT_TOKEN/u,
    );
    if (process.platform === 'win32') return;
    chmodSync(file, 0o644);
    await assert.rejects(
      startServe({ args: ['--token-file', file] }),
      /ended with 1: \{"error":"Other users .* may read .*one is made for you alone/u,
    );
  });

  it('serves the project of its folder, and lets a request name one where it has none', async () => {
    const [project, other] = [temporaryFolder(), temporaryFolder()];
    const content = 'The build of this project needs Node 22.';
    const here = await startServe({ cwd: project });
    await storeFact(here, content);
    const elsewhere = await here.call('/v1/recall', { body: { query: 'build', project: other } });
    assertRefused(elsewhere, 400, 'invalidInput', /works in .* and in no other project/u);
    assert.equal((await here.call(`/memory?project=${encodeURIComponent(project)}`)).status, 200);
    const nowhere = await startServe({ dataDir: here.dataDir, cwd: '/' });
    assertRefused(await nowhere.call('/memory', { body: { content } }), 422, 'refused', /No project is known here/u);
    const unplaced = await nowhere.call('/v1/recall', { body: { query: 'build' } });
    assert.deepEqual(
      [unplaced.data.memories, String(unplaced.data.notes).startsWith('No project is known')],
      [[], true],
    );
    const named = await nowhere.call('/v1/recall', { body: { query: 'build', project } });
    assert.match(JSON.stringify(named.data.memories), /Node 22/u);
    // Each request stands alone.
    assert.deepEqual(
      (await nowhere.call('/v1/recall', { body: { query: 'build', project: other } })).data.memories,
      [],
    );
    assert.deepEqual((await nowhere.call('/v1/recall', { body: { query: 'build' } })).data.memories, []);
    const missing = await nowhere.call('/v1/recall', { body: { query: 'build', project: '/no/such/folder' } });
    assertRefused(missing, 400, 'invalidInput', /is no folder of a project/u);
  });

  it('serves two clients at once, whose facts are kept once each', async () => {
    const server = await startServe();
    const count = 12;
    const store = async (client: string): Promise<readonly string[]> => {
      const ids: string[] = [];
      for (let i = 0; i < count; i++) {
        const content = `Service ${client} ${i} listens on port ${7000 + i}.`;
        const headers = { 'recollect-client': client };
        ids.push(outcomesOf(await server.call('/memory', { body: { content }, headers }))[0]!.id);
      }
      return ids;
    };
    const [first, second] = await Promise.all([store('alpha'), store('omega')]);
    const { data } = await server.call('/memory?limit=100');
    const kept = (data.memories as Outcome[]).map(it => it.id);
    assert.deepEqual([...kept].sort(), [...first, ...second].sort());
  });

  for (const signal of ['SIGKILL', 'SIGTERM'] as const)
    it(`keeps every acknowledged fact when it gets ${signal} while it writes`, async () => {
      const server = await startServe();
      const acknowledged: string[] = [];
      const refusals: (number | string)[] = [];
      const write = async (worker: number): Promise<void> => {
        for (let i = 0; i < 1_000; i++) {
          const content = `Worker ${worker} says that service ${i} listens on port ${1000 + i}.`;
          try {
            const answer = await server.call('/memory', { body: { facts: [{ content }] } });
            if (answer.status !== 201) {
              refusals.push(answer.status);
              return;
            }
            acknowledged.push(outcomesOf(answer)[0]!.id);
          } catch (error) {
            refusals.push((error as NodeJS.ErrnoException).code ?? String(error));
            return;
          }
          if (acknowledged.length === 12) server.child.kill(signal);
        }
      };
      await Promise.all([write(1), write(2), write(3)]);
      assert.equal(await server.end(signal), signal === 'SIGKILL' ? 'SIGKILL' : 0);
      assert.ok(acknowledged.length >= 12 && refusals.length === 3, String(refusals));
      if (signal === 'SIGTERM')
        for (const it of refusals) assert.ok([503, 'ECONNREFUSED', 'ECONNRESET'].includes(it), String(it));
      const engine = await openSameStores(server);
      const kept = (await engine.list({ limit: 1_000 })).map(it => it.id.slice(-8));
      assert.deepEqual(
        acknowledged.filter(it => !kept.includes(it)),
        [],
      );
      assert.deepEqual(
        (await engine.verify()).flatMap(it => it.problems),
        [],
      );
    });

  it('listens on loopback alone, and says where a port cannot be had', async () => {
    const server = await startServe();
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/u);
    await assert.rejects(
      startServe({ args: ['--port', String(server.port)] }),
      /ended with 2: \{"error":"Port \d+ is in use by another program/u,
    );
    await assert.rejects(
      startServe({ args: ['--port', '70000'] }),
      /ended with 2: [^]*from 0 \(a free one\) to 65535/u,
    );
    const answers = await new Promise<boolean>(resolve => {
      const socket = net.connect(server.port, '127.0.0.2');
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => {
        resolve(false);
      });
    });
    assert.equal(answers, false);
  });

  it('opens no store before it is asked', async () => {
    const dataDir = path.join(temporaryFolder(), 'memory');
    const server = await startServe({ dataDir });
    assert.equal((await callHttp(server.port, '/openapi.json', {})).status, 200);
    assert.equal(await server.end('SIGTERM'), 0);
    assert.equal(existsSync(dataDir), false);
  });

  it('says to a person where it listens, for whom, and how it ends', async () => {
    const server = await startServe({ args: ['--embeddings', 'off'] });
    const home = temporaryFolder();
    const file = path.join(home, 'token');
    writeFileSync(file, 'y'.repeat(40), { mode: 0o600 });
    const command = [process.execPath, path.resolve('dist/cli.js'), 'serve', '--token-file', file] as const;
    assert.equal(await server.end('SIGTERM'), 0);
    const child = spawn(command[0], command.slice(1), {
      cwd: home,
      env: { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_HOME: path.join(home, 'memory') },
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (it: string) => {
      out += it;
      if (out.includes('Ctrl+C ends it.')) child.kill('SIGINT');
    });
    const code = await new Promise(resolve => child.once('close', resolve));
    assert.equal(code, 0);
    assert.match(out, /^Listening on http:\/\/127\.0\.0\.1:\d+, for programs on this machine\.\n/u);
    assert.ok(out.includes(`Token: the one in ${file}`) && !out.includes('yyy'), out);
    assert.match(out, /^Project: none; a request may name one/mu);
  });
});

/** The vector of a memory, as the store has it. */
async function readVector({ dataDir }: ServeProcess, shortId: string): Promise<readonly number[]> {
  for (const file of storeFiles(dataDir)) {
    const rows = await sql(
      file,
      `SELECT hex(vector) AS hex FROM vectors v JOIN memories m ON m.row = v.row WHERE m.id LIKE '%${shortId}'`,
    );
    const [row] = rows as { readonly hex: string }[];
    if (row !== undefined) return [...new Int8Array(Buffer.from(row.hex, 'hex'))];
  }
  throw new Error(`There is no vector of ${shortId}.`);
}

/** As a memory is that was stored while embeddings were off. */
async function dropVectors({ dataDir }: ServeProcess, shortId: string): Promise<void> {
  for (const file of storeFiles(dataDir))
    await sql(file, `DELETE FROM vectors WHERE row IN (SELECT row FROM memories WHERE id LIKE '%${shortId}')`);
}

const storeFiles = (dataDir: string): readonly string[] =>
  readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter(it => path.basename(it) === 'memory.db')
    .map(it => path.join(dataDir, it));
