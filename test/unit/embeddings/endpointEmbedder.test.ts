import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { EngineError } from '../../../src/engine/base/errors.js';
import { parseEndpointAddress } from '../../../src/engine/embeddings/endpointAddress.js';
import { calibrationPairs } from '../../../src/engine/embeddings/endpointCalibration.js';
import { EndpointEmbedder, type EndpointPatience } from '../../../src/engine/embeddings/endpointEmbedder.js';
import type { EndpointRecords, EndpointConsent } from '../../../src/engine/embeddings/endpointRecords.js';
import { defaultConfig, type Config } from '../../../src/engine/model/config.js';
import { isPrivateText } from '../../../src/engine/secrets/personalData.js';
import { answerJson, EmbeddingServer, type EmbeddingResponder } from '../../support/embeddingServer.js';
import { TestHost } from '../../support/fixtures.js';

/** Long enough that nothing is asked again in a test. */
const longMs = 3_600_000;

class MemoryRecords implements EndpointRecords {
  readonly consents: EndpointConsent[] = [];
  /** The store is closed: a write would fail. */
  isClosed = false;
  lateWrites = 0;
  private readonly records = new Map<string, unknown>();
  readState = (): Promise<unknown> => Promise.resolve(this.records.get('state'));
  updateState = (change: (before: unknown) => unknown, consent?: EndpointConsent): Promise<void> => {
    if (this.isClosed) this.lateWrites++;
    if (consent !== undefined) this.consents.push(consent);
    this.records.set('state', change(this.records.get('state')));
    return Promise.resolve();
  };
  readUse = (day: string): Promise<unknown> => Promise.resolve(this.records.get(day));
  updateUse = (day: string, change: (before: unknown) => unknown): Promise<void> => {
    if (this.isClosed) this.lateWrites++;
    this.records.set(day, change(this.records.get(day)));
    return Promise.resolve();
  };
}

interface SetUp {
  readonly server: EmbeddingServer;
  readonly records: MemoryRecords;
  readonly host: KeyHost;
  readonly create: () => EndpointEmbedder;
}

const servers: EmbeddingServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map(it => it.stop()));
});

class KeyHost extends TestHost {
  key: string | undefined;
  readonly origins: (string | undefined)[] = [];
  secret(name: string, origin?: string): Promise<string | undefined> {
    this.origins.push(origin);
    return Promise.resolve(name === 'embeddingApiKey' ? this.key : undefined);
  }
}

/** @param address of another machine, as it were, if `isLoopback` is false */
async function setUp(
  settings: Partial<Config['embeddingEndpoint']> = {},
  { isLoopback = true, patience = {} }: { isLoopback?: boolean; patience?: Partial<EndpointPatience> } = {},
): Promise<SetUp> {
  const server = new EmbeddingServer();
  servers.push(server);
  await server.start();
  const host = new KeyHost();
  const records = new MemoryRecords();
  const embeddingEndpoint = { ...defaultConfig.embeddingEndpoint, model: 'tiny', address: server.url, ...settings };
  host.settings = { ...defaultConfig, embeddings: 'endpoint', embeddingEndpoint };
  const create = (): EndpointEmbedder =>
    new EndpointEmbedder({
      host,
      address: { ...parseEndpointAddress(server.url)!, isLoopback },
      settings: host.settings.embeddingEndpoint,
      records,
      isPrivate: isPrivateText,
      patience: {
        timeoutMs: { query: longMs, passage: longMs, backlog: longMs },
        initialBackoffMs: longMs,
        maxBackoffMs: longMs,
        ...patience,
      },
    });
  return { server, records, host, create };
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, it, i) => sum + it * b[i]!, 0);
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(EngineError.is(error, 'embedderUnavailable'), String(error));
    return error.message;
  }
  return 'no failure';
}

const status =
  (code: number, headers: object = {}): EmbeddingResponder =>
  response => {
    answerJson(response, code, { error: { message: 'The text was: apple' } }, headers);
  };
const text =
  (body: string): EmbeddingResponder =>
  (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(body);
  };

describe('an embedding endpoint', () => {
  it('gets texts in the form of the API and gives unit vectors in the order of the texts', async () => {
    const { server, host, create } = await setUp();
    host.key = 'secret-of-the-test';
    const embedder = create();
    await embedder.prepare('passage');
    server.seen.length = 0;
    const [apple, crate, same] = await embedder.embed(['An apple hammer.', 'A crate.', 'Hammer, apple'], 'passage');
    const [request] = server.seen;
    assert.deepEqual(
      [request?.method, request?.url, request?.headers.authorization, request?.body],
      [
        'POST',
        '/v1/embeddings',
        'Bearer secret-of-the-test',
        { model: 'tiny', input: ['An apple hammer.', 'A crate.', 'Hammer, apple'], encoding_format: 'float' },
      ],
    );
    assert.ok(Math.abs(dot(apple!, apple!) - 1) < 1e-5);
    assert.ok(dot(apple!, same!) > 0.99 && dot(apple!, crate!) < 0.5);
  });

  it('gets the key of its own address, also after another one was set', async () => {
    const { server, host, create } = await setUp();
    const embedder = create();
    const { embeddingEndpoint } = host.settings;
    host.settings = {
      ...host.settings,
      embeddingEndpoint: { ...embeddingEndpoint, address: 'https://other.example/v1' },
    };
    await embedder.prepare('passage');
    assert.deepEqual([...new Set(host.origins)], [server.url]);
  });

  for (const [name, work] of [
    ['measuring', it => it.prepare('backlog')],
    ['a check', it => it.check()],
  ] as readonly (readonly [string, (it: EndpointEmbedder) => Promise<unknown>])[]) {
    it(`ends ${name} when it closes, and writes nothing afterwards`, async () => {
      const { server, records, create } = await setUp();
      const embedder = create();
      const requested = new Promise<void>(resolve => {
        server.respond = () => {
          resolve();
        };
      });
      const working = assert.rejects(work(embedder), error => EngineError.is(error, 'aborted'));
      await requested;
      await embedder.close();
      records.isClosed = true;
      await working;
      assert.deepEqual([embedder.model, records.lateWrites], [undefined, 0]);
    });
  }

  it('closes after what it has measured is written', async () => {
    const { records, create } = await setUp();
    const embedder = create();
    const order: string[] = [];
    let closing: Promise<unknown> | undefined;
    const { updateState } = records;
    records.updateState = async (...args) => {
      closing = embedder.close().then(() => order.push('closed'));
      await new Promise(resolve => setTimeout(resolve, 20));
      await updateState(...args);
      order.push('written');
    };
    await embedder.prepare('backlog');
    await closing;
    assert.deepEqual(order, ['written', 'closed']);
  });

  it('is measured at first use with made-up pairs, and known from then on', async () => {
    const { server, create } = await setUp();
    const first = create();
    assert.deepEqual([first.model, first.unavailableReason], [undefined, 'endpointFails']);
    await first.prepare('query');
    assert.deepEqual(server.seen, [], 'a question does not wait for it');
    await Promise.all([first.prepare('passage'), first.prepare('passage')]);
    assert.deepEqual(server.texts, [
      ...calibrationPairs.map(it => it.memory),
      ...calibrationPairs.map(it => it.paraphrase),
    ]);
    const { model } = first;
    assert.deepEqual([model?.name, model?.dimensions, first.unavailableReason], ['tiny', 96, undefined]);
    const { answer, related, duplicate } = model!.thresholds;
    assert.ok(answer! < related && related < duplicate && duplicate < 1, JSON.stringify(model));
    const second = create();
    await second.prepare('query');
    assert.deepEqual(second.model, model);
    assert.equal(server.seen.length, 2);
  });

  it('of another model or other dimensions makes vectors of another space', async () => {
    const { server, host, create } = await setUp();
    const ids: (string | undefined)[] = [];
    for (const change of [{}, { model: 'other' }, { dimensions: 768 }, { dimensions: 1024 }]) {
      host.settings = { ...host.settings, embeddingEndpoint: { ...host.settings.embeddingEndpoint, ...change } };
      server.dimensions = host.settings.embeddingEndpoint.dimensions || 96;
      const embedder = create();
      await embedder.prepare('passage');
      const [vector] = await embedder.embed(['apple'], 'query');
      assert.deepEqual(
        [vector?.length, server.seen.at(-1)?.body.dimensions ?? 96],
        [server.dimensions, server.dimensions],
      );
      ids.push(embedder.model?.id);
    }
    assert.equal(new Set(ids).size, 4);
  });

  it('that does not tell paraphrases from other texts is not used', async () => {
    const { server, create } = await setUp();
    server.respond = (response, { body }) => {
      answerJson(response, 200, { data: body.input.map(() => ({ embedding: [1, 0, 0, 0, 0, 0, 0, 0] })) });
    };
    const embedder = create();
    assert.match(await failureOf(embedder.check()), /takes what means the same.*choose another model/u);
    assert.equal(embedder.model, undefined);
  });

  const problems: readonly (readonly [string, EmbeddingResponder, RegExp])[] = [
    ['429', status(429), /it answered 429/u],
    ['500', status(500), /it answered 500/u],
    ['a wrong key', status(401), /does not take the key \(401\)/u],
    ['no such model', status(404), /no such model.*\(404\)/u],
    [
      'a redirect',
      status(307, { location: 'http://127.0.0.1:1/v1/embeddings' }),
      /another address, which is not followed/u,
    ],
    ['malformed JSON', text('{"data": [{"embedding": [0.1,'), /its answer is not what/u],
    ['no numbers', text('{"data": [{"embedding": "AAAA"}]}'), /its answer is not what/u],
    ['too few vectors', text('{"data": []}'), /its answer is not what/u],
    ['an infinite number', text(`{"data": [{"embedding": [1e999,${'0,'.repeat(94)}0]}]}`), /its answer is not what/u],
    ['wrong dimensions', text(`{"data": [{"embedding": [${'0.1,'.repeat(31)}0.1]}]}`), /of 32 numbers instead of 96/u],
    ['an end in the middle', response => void response.destroy(), /cannot be reached/u],
  ];
  for (const [name, responder, expected] of problems) {
    it(`that answers with ${name} is left alone for a while, and its text is not repeated`, async () => {
      const { server, create } = await setUp();
      const embedder = create();
      await embedder.prepare('passage');
      server.seen.length = 0;
      server.respond = responder;
      const reported: unknown[] = [];
      embedder.onDidChange = () => reported.push(embedder.unavailableReason);
      const failure = await failureOf(embedder.embed(['apple'], 'passage'));
      assert.match(failure, expected);
      assert.doesNotMatch(failure, /apple/u);
      assert.match(await failureOf(embedder.embed(['pear'], 'query')), expected);
      assert.equal(server.seen.length, 1, 'the second text was not sent');
      assert.ok(reported.includes('endpointFails'));
      assert.ok(embedder.retryDelayMs! > 0);
    });
  }

  it('that answers again after a pause is asked again, after the pause that it asked for', async () => {
    const { server, create } = await setUp();
    const embedder = create();
    await embedder.prepare('passage');
    server.respond = status(429, { 'retry-after': '0.01' });
    await failureOf(embedder.embed(['apple'], 'passage'));
    server.respond = undefined;
    while (embedder.unavailableReason !== undefined) await new Promise(resolve => setTimeout(resolve, 5));
    assert.equal((await embedder.embed(['apple'], 'passage')).length, 1);
  });

  it('that hangs is given up, and the caller can cancel', async () => {
    const patience = { timeoutMs: { query: 20, passage: longMs, backlog: longMs } };
    const { server, create } = await setUp({}, { patience });
    const embedder = create();
    await embedder.prepare('passage');
    server.respond = () => undefined;
    const controller = new AbortController();
    const canceled = embedder.embed(['apple'], 'passage', controller.signal);
    controller.abort();
    await assert.rejects(canceled, error => EngineError.is(error, 'aborted'));
    assert.match(await failureOf(embedder.embed(['apple'], 'query')), /did not answer in time/u);
  });

  it('that does not take one text embeds the others', async () => {
    const { server, create } = await setUp();
    const embedder = create();
    await embedder.prepare('passage');
    server.respond = (response, { body }) => {
      if (!body.input.some(it => it.includes('pear'))) return false;
      answerJson(response, 400, { error: {} });
      return true;
    };
    const vectors = await embedder.embed(['apple', 'pear', 'crate', 'anchor'], 'passage');
    assert.deepEqual(
      vectors.map(it => it.some(component => component !== 0)),
      [true, false, true, true],
    );
    assert.equal(embedder.unavailableReason, undefined);
  });

  it('never gets a text with a secret or personal data, nor an empty one', async () => {
    const { server, create } = await setUp();
    const embedder = create();
    await embedder.prepare('passage');
    server.seen.length = 0;
    const texts = [
      'apple',
      `The deploy token is ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}.`,
      'I live at 12 Sheep Street, Norwich.',
      '',
      `${'crate '.repeat(500)} my passport number is X1234567`,
    ];
    const vectors = await embedder.embed(texts, 'passage');
    assert.deepEqual(server.texts, ['apple']);
    assert.deepEqual(
      vectors.map(it => [it.length, it.some(component => component !== 0)]),
      [[96, true], ...texts.slice(1).map(() => [96, false])],
    );
  });

  it('of another machine gets nothing before a person allows it, and nothing after they take it back', async () => {
    const { server, records, create } = await setUp({}, { isLoopback: false });
    const embedder = create();
    await embedder.prepare('passage');
    assert.deepEqual([embedder.unavailableReason, embedder.model], ['endpointUnasked', undefined]);
    assert.match(await failureOf(embedder.check()), /have not allowed/u);
    assert.match(String(embedder.consentNotice), /^No text is sent to http:\/\/127\.0\.0\.1:\d+ before you allow it/u);
    assert.deepEqual(server.seen, []);
    // Another program asks the person.
    await create().setAllowed(true);
    await embedder.prepare('passage');
    assert.equal((await embedder.embed(['apple'], 'passage')).length, 1);
    await create().setAllowed(false);
    server.seen.length = 0;
    assert.match(await failureOf(embedder.embed(['apple'], 'passage')), /have not allowed/u);
    assert.deepEqual(server.seen, []);
    assert.deepEqual(
      records.consents.map(it => it.isAllowed),
      [true, false],
    );
  });

  it('counts calls and tokens, and stops at the cap of the day until there is more', async () => {
    const { server, host, create } = await setUp({ dailyTokens: 1_000 });
    const embedder = create();
    await embedder.prepare('passage');
    const measured = (await embedder.status()).today;
    assert.equal(measured.calls, 2);
    await embedder.embed(['one two three'], 'query');
    assert.deepEqual((await embedder.status()).today, { ...measured, calls: 3, tokens: measured.tokens + 3 });
    server.seen.length = 0;
    const long = Array.from({ length: 40 }, (_, i) => `apple ${i} ${'crate '.repeat(30)}`);
    assert.match(await failureOf(embedder.embed(long, 'passage')), /1,000 tokens of the day are used up/u);
    const { waits } = await embedder.status();
    assert.deepEqual(
      [server.seen.length, embedder.unavailableReason, waits?.isOverBudget, waits?.until.toISOString()],
      [0, 'endpointBudget', true, '2026-03-03T00:00:00.000Z'],
    );
    host.settings = {
      ...host.settings,
      embeddingEndpoint: { ...host.settings.embeddingEndpoint, dailyTokens: 1_000_000 },
    };
    assert.equal((await embedder.embed(long, 'passage')).length, 40);
    assert.equal(server.seen.length, 2);
  });
});

describe('the address of an embedding endpoint', () => {
  const addresses: readonly (readonly [string, string | undefined, boolean?])[] = [
    ['http://127.0.0.1:11434', 'http://127.0.0.1:11434/v1/embeddings', true],
    ['http://localhost:1234/v1/', 'http://localhost:1234/v1/embeddings', true],
    ['http://[::1]:8080/v1/embeddings', 'http://[::1]:8080/v1/embeddings', true],
    ['https://api.voyageai.com/v1', 'https://api.voyageai.com/v1/embeddings', false],
    ['http://127.0.0.1.example.com/v1', 'http://127.0.0.1.example.com/v1/embeddings', false],
    ['http://localhost.example.com', 'http://localhost.example.com/v1/embeddings', false],
    ['https://user:key@example.com/v1', undefined],
    ['https://example.com/v1?key=1', undefined],
    ['file:///etc/passwd', undefined],
    ['ollama', undefined],
  ];
  for (const [given, url, isLoopback] of addresses) {
    it(`${given} is ${url ?? 'refused'}${isLoopback === true ? ', on this machine' : ''}`, () => {
      const address = parseEndpointAddress(given);
      assert.deepEqual([address?.url, address?.isLoopback], [url, isLoopback]);
    });
  }
});
