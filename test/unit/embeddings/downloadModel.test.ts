import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { EngineError, type EngineErrorCode } from '../../../src/engine/base/errors.js';
import { downloadRetryPolicy } from '../../../src/engine/base/retryPolicy.js';
import { downloadSizeOf, modelCatalog } from '../../../src/engine/embeddings/modelCatalog.js';
import { downloadModel, installedModels, type DownloadOptions } from '../../../src/engine/embeddings/downloadModel.js';
import { readModelFolder } from '../../../src/engine/embeddings/modelFolder.js';
import { storeMemory, temporaryFolder, TestHost } from '../../support/fixtures.js';
import {
  etag,
  ModelDownloadServer,
  servePart,
  respondWithStatus,
  type DownloadResponder,
} from '../../support/modelDownloadServer.js';
import { tinyModel } from '../../support/tinyModel.js';

const retryPolicy = { ...downloadRetryPolicy, timeoutMs: 60_000, initialBackoffMs: 5, maxAttempts: 3 };
/** For a server that stalls; a busy machine must answer within this time, too. */
const stallingPolicy = { ...retryPolicy, timeoutMs: 2_000 };
const [modelBytes, cutAt] = [300_000, 100_000];

const servers: ModelDownloadServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map(it => it.stop()));
});

/** A model server and a models folder to download into. */
class Download {
  readonly modelsDir = path.join(temporaryFolder(), 'models');
  readonly folder = path.join(this.modelsDir, 'tiny');
  readonly progress: number[] = [];

  private constructor(readonly server: ModelDownloadServer) {}

  static async from(...answers: readonly DownloadResponder[]): Promise<Download> {
    return this.of({ 'model.onnx': randomBytes(modelBytes), 'tokenizer.json': Buffer.from('{}') }, ...answers);
  }

  static async of(
    files: Readonly<Record<string, Buffer>>,
    ...answers: readonly DownloadResponder[]
  ): Promise<Download> {
    const server = new ModelDownloadServer(files);
    server.responders.push(...answers);
    servers.push(server);
    await server.start();
    return new Download(server);
  }

  run(options: DownloadOptions = {}, entry = this.server.catalogEntry()): Promise<string> {
    return downloadModel(this.modelsDir, entry, {
      retryPolicy,
      onProgress: received => {
        this.progress.push(received);
      },
      ...options,
    });
  }

  /** Asserts that the download succeeds, with correct bytes and no leftovers. */
  async succeeds(options?: DownloadOptions): Promise<void> {
    assert.equal(await this.run(options), this.folder);
    assert.deepEqual(this.left, ['model.json', 'model.onnx', 'tokenizer.json']);
    for (const [name, body] of Object.entries(this.server.files)) {
      assert.deepEqual(readFileSync(path.join(this.folder, name)), body);
    }
    assert.equal(this.progress.at(-1), downloadSizeOf(this.server.catalogEntry()));
  }

  /** Asserts that the download fails with a message and a next step, and leaves no model. */
  async fails(code: EngineErrorCode, message: RegExp, options?: DownloadOptions): Promise<void> {
    await assert.rejects(this.run(options), error => {
      assert.ok(EngineError.is(error, code), String(error));
      assert.match(error.message, message);
      assert.match(error.message, /^[^\n]{30,400}[.]$/u);
      return true;
    });
    assert.ok(!existsSync(path.join(this.folder, 'model.onnx')));
    assert.deepEqual(await installedModels(this.modelsDir), []);
  }

  get left(): string[] {
    return readdirSync(this.folder).sort();
  }

  /** The ranges requested of `model.onnx`. */
  get ranges(): (string | undefined)[] {
    return this.server.requests.filter(it => it.url === '/model.onnx').map(it => it.range);
  }

  get partialBytes(): number {
    return statSync(path.join(this.folder, 'model.onnx.partial')).size;
  }
}

describe('a download', () => {
  it('installs a model that runs', async () => {
    const { onnx, tokenizer } = tinyModel();
    const it = await Download.of({ 'model.onnx': onnx, 'tokenizer.json': Buffer.from(tokenizer) });
    const host = new TestHost();
    const entry = it.server.catalogEntry();
    await downloadModel(path.join(host.dataDir, 'models'), entry);
    assert.deepEqual(await installedModels(path.join(host.dataDir, 'models')), ['tiny']);
    host.settings = { ...host.settings, embeddings: 'tiny' };
    const engine = await host.open();
    await storeMemory(engine, 'Apple pear.');
    const { trace } = await engine.recall({ query: 'pear' });
    assert.deepEqual([trace.degraded, engine.notices], [[], []]);
  });

  it('verifies the files, reports progress and writes model.json', async () => {
    const it = await Download.from();
    await it.succeeds();
    assert.deepEqual(
      it.progress,
      [...it.progress].sort((a, b) => a - b),
    );
    const { description } = await readModelFolder(it.folder);
    assert.deepEqual(description, it.server.catalogEntry().description);
    const kept = JSON.parse(readFileSync(path.join(it.folder, 'model.json'), 'utf8')) as Record<string, unknown>;
    assert.deepEqual([kept.licence, kept.source], ['MIT', it.server.source]);
  });

  it('requests only files that are missing or damaged', async () => {
    const it = await Download.from();
    await it.succeeds();
    await it.succeeds();
    assert.equal(it.server.requests.length, 2);
    writeFileSync(path.join(it.folder, 'model.onnx'), randomBytes(modelBytes));
    await it.succeeds();
    assert.equal(it.server.requests.length, 3);
  });

  it('accepts any of the pinned contents', async () => {
    const it = await Download.from();
    const entry = it.server.catalogEntry();
    const [file, tokenizer] = entry.files;
    const other = { bytes: modelBytes + 1, sha256: '0'.repeat(64) };
    await it.run({}, { ...entry, files: [{ ...file!, pins: [other, ...file!.pins] }, tokenizer!] });
    assert.deepEqual(it.left, ['model.json', 'model.onnx', 'tokenizer.json']);
  });

  it('resumes after a cut connection if the file is unchanged', async () => {
    const it = await Download.from(servePart(cutAt, 'cut'), servePart(cutAt, 'cut'));
    await it.succeeds();
    assert.deepEqual(it.ranges, [undefined, `bytes=${cutAt}-`, `bytes=${2 * cutAt}-`]);
    const [, second] = it.server.requests;
    assert.equal(second?.ifRange, etag(it.server.files['model.onnx']!));
  });

  it('restarts if the file has changed', async () => {
    const old: DownloadResponder = (_request, response, body) => {
      response.writeHead(200, { 'content-length': body.length, etag: '"old"' }).write(randomBytes(cutAt), () => {
        setTimeout(() => response.destroy(), 20);
      });
    };
    const it = await Download.from(old);
    await it.succeeds();
    assert.deepEqual(it.ranges, [undefined, `bytes=${cutAt}-`]);
  });

  const ignoring: readonly (readonly [string, DownloadResponder])[] = [
    ['that ignores ranges', (_request, response, body) => response.writeHead(200).end(body)],
    [
      'that sends a different range',
      (_request, response, body) =>
        response.writeHead(206, { 'content-range': `bytes 0-${body.length - 1}/${body.length}` }).end(body),
    ],
    ['that rejects the range', respondWithStatus(416, { 'content-range': 'bytes */7' })],
  ];
  for (const [name, answer] of ignoring) {
    it(`restarts with a server ${name}`, async () => {
      const it = await Download.from(servePart(cutAt, 'cut'), answer);
      await it.succeeds();
      assert.equal(it.ranges[1], `bytes=${cutAt}-`);
    });
  }

  it('fails if the connection is cut repeatedly', async () => {
    const it = await Download.from(...Array.from({ length: 9 }, () => servePart(0, 'cut')));
    await it.fails('downloadFailed', /the connection (?:was cut|failed)/u);
    assert.equal(it.ranges.length, retryPolicy.maxAttempts);
  });

  it('rejects a file that is too short', async () => {
    const it = await Download.from((_request, response, body) => response.end(body.subarray(0, cutAt)));
    await it.fails('checksumMismatch', /deleted and not used/u);
    assert.deepEqual(it.left, []);
  });

  it('rejects a file with another hash and deletes it', async () => {
    const it = await Download.from((_request, response) => response.end(randomBytes(modelBytes)));
    await it.fails('checksumMismatch', /SHA-256/u);
    assert.deepEqual(it.left, []);
    await it.succeeds();
  });

  it('reads no more bytes than expected', async () => {
    const it = await Download.from((_request, response) => {
      const send = (): void => {
        while (response.write(randomBytes(65_536)));
      };
      response.on('drain', send);
      send();
    });
    await it.fails('checksumMismatch', /SHA-256/u);
  });

  for (const code of [403, 404, 410]) {
    it(`fails at once with status ${code}`, async () => {
      const it = await Download.from(respondWithStatus(code), respondWithStatus(code));
      await it.fails('downloadFailed', new RegExp(`answered ${code}`, 'u'));
      assert.equal(it.ranges.length, 1);
    });
  }

  it('waits as long as a busy server requests', async () => {
    const it = await Download.from(respondWithStatus(429, { 'retry-after': '1' }), respondWithStatus(503));
    const start = performance.now();
    await it.succeeds();
    // A timer of Node may go off a millisecond early.
    assert.ok(performance.now() - start > 990);
    assert.equal(it.ranges.length, 3);
  });

  it('fails if the server keeps failing', async () => {
    const it = await Download.from(...Array.from({ length: 9 }, () => respondWithStatus(500)));
    await it.fails('downloadFailed', /answered 500/u);
    assert.equal(it.ranges.length, retryPolicy.maxAttempts);
  });

  it('replaces a stalled connection', async () => {
    const silent: DownloadResponder = () => undefined;
    const it = await Download.from(silent, servePart(cutAt, 'silence'));
    await it.succeeds({ retryPolicy: stallingPolicy });
    assert.deepEqual(it.ranges, [undefined, undefined, `bytes=${cutAt}-`]);
  });

  it('fails if every connection stalls', async () => {
    const it = await Download.from(...Array.from({ length: 9 }, () => servePart(0, 'silence')));
    await it.fails('downloadFailed', /nothing came/u, { retryPolicy: { ...retryPolicy, timeoutMs: 150 } });
  });

  it('fails if the server cannot be reached', async () => {
    const it = await Download.from();
    const { source } = it.server;
    const entry = it.server.catalogEntry();
    await it.server.stop();
    await assert.rejects(it.run({ source }, entry), /the connection failed \(ECONNREFUSED\)/u);
  });

  it('is canceled at once, and resumes the next time', async () => {
    const it = await Download.from(servePart(cutAt, 'silence'));
    const controller = new AbortController();
    await it.fails('aborted', /cancelled/u, {
      signal: controller.signal,
      onProgress: received => {
        if (received === cutAt) controller.abort();
      },
    });
    assert.equal(it.partialBytes, cutAt);
    await it.succeeds();
    assert.deepEqual(it.ranges, [undefined, `bytes=${cutAt}-`]);
  });

  it('can be canceled during a pause', async () => {
    const it = await Download.from(respondWithStatus(503, { 'retry-after': '30' }));
    await it.fails('aborted', /cancelled/u, { signal: AbortSignal.timeout(100) });
  });

  it('follows local redirects', async () => {
    const to = (location: string): DownloadResponder => respondWithStatus(302, { location });
    const it = await Download.from(to('/model.onnx?1'), (_request, response) => response.writeHead(307).end());
    Object.assign(it.server.files, { 'model.onnx?1': it.server.files['model.onnx'] });
    await it.run();
    assert.equal(it.server.requests[1]?.url, '/model.onnx?1');
  });

  for (const [location, message] of [
    ['http://example.com/model.onnx', /http:\/\/example\.com, which is not safe/u],
    ['file:///etc/passwd', /not safe/u],
    ['http://', /not safe/u],
    ['/model.onnx', /circles/u],
  ] as const) {
    it(`does not follow a redirect to ${location}`, async () => {
      const it = await Download.from(...Array.from({ length: 9 }, () => respondWithStatus(302, { location })));
      await it.fails('downloadFailed', message);
    });
  }

  it('rejects a source without encryption', async () => {
    const it = await Download.from();
    await it.fails('invalidInput', /https:/u, { source: 'http://example.com/' });
  });

  it('happens once at a time', async () => {
    let finish = (): unknown => undefined;
    const it = await Download.from((_request, response, body) => {
      response.writeHead(200, { 'content-length': body.length, etag: etag(body) }).write(body.subarray(0, cutAt));
      finish = () => response.end(body.subarray(cutAt));
    });
    const first = it.run();
    while (it.progress.at(-1) !== cutAt) await new Promise(resolve => setTimeout(resolve, 5));
    await it.fails('storeBusy', /another window/u);
    finish();
    await first;
    assert.deepEqual(it.left, ['model.json', 'model.onnx', 'tokenizer.json']);
  });

  it('ignores the lock of a program that ended', async () => {
    const it = await Download.from();
    mkdirSync(it.folder, { recursive: true });
    const lock = path.join(it.folder, 'download.lock');
    writeFileSync(lock, '999999999');
    await it.run();
    writeFileSync(lock, String(process.pid));
    utimesSync(lock, new Date(0), new Date(0));
    await it.succeeds();
  });

  it('uses a complete partial file without a request', async () => {
    const it = await Download.from();
    mkdirSync(it.folder, { recursive: true });
    writeFileSync(path.join(it.folder, 'model.onnx.partial'), it.server.files['model.onnx']!);
    await it.succeeds();
    assert.deepEqual(it.ranges, []);
  });

  it('discards a partial file that is too long or wrong', async () => {
    const it = await Download.from();
    mkdirSync(it.folder, { recursive: true });
    writeFileSync(path.join(it.folder, 'model.onnx.partial'), randomBytes(modelBytes + 5));
    await it.succeeds();
    assert.deepEqual(it.ranges, [undefined]);
  });
});

describe('a download to a full disk', () => {
  /** Runs the download in a child process with a small disk of its own. Needs Linux. */
  async function onDisk(it: Download, megabytes: number, filler: boolean): Promise<unknown> {
    mkdirSync(it.modelsDir, { recursive: true });
    const script = `mount -t tmpfs -o size=${megabytes}m none "$DISK" && "$@" && ls -s "$DISK/tiny"`;
    const child = [
      process.execPath,
      path.resolve('out/test/support/downloadProcess.js'),
      it.modelsDir,
      it.server.source,
    ];
    const rest = [JSON.stringify(it.server.catalogEntry()), ...(filler ? [path.join(it.modelsDir, 'filler')] : [])];
    const { stdout } = await promisify(execFile)(
      'unshare',
      ['--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh', ...child, ...rest],
      { env: { ...process.env, DISK: it.modelsDir } },
    );
    const [outcome, ...files] = stdout.trim().split('\n');
    return { ...(JSON.parse(outcome!) as object), files: files.slice(1).map(line => line.trim().split(' ')[1]) };
  }

  it('does not start without enough space', async () => {
    const it = await Download.from();
    assert.deepEqual(await onDisk(it, 8, false), {
      code: 'storeFull',
      message: `EngineError: The disk of ${it.folder} is too full for tiny, which needs 34 MB. Free some space and try again; what has arrived is kept.`,
      files: [],
    });
    assert.deepEqual(it.server.requests, []);
  });

  it('fails when the disk fills up, and keeps the bytes received', async () => {
    const it = await Download.of({ 'model.onnx': randomBytes(4_000_000), 'tokenizer.json': Buffer.from('{}') });
    const { code, files } = (await onDisk(it, 40, true)) as { code: string; files: string[] };
    assert.deepEqual([code, files], ['storeFull', ['model.onnx.partial', 'model.onnx.partial.etag']]);
  });
});

describe('the model catalog', () => {
  it('pins every file of every model at a fixed revision of an encrypted source', () => {
    for (const { name, source, files, description } of modelCatalog) {
      assert.match(source, /^https:\/\/huggingface\.co\/[\w.-]+\/[\w.-]+\/resolve\/[0-9a-f]{40}\/$/u);
      assert.match(name, /^[\w.-]+$/u);
      assert.deepEqual([description.name, files.map(it => it.name)], [name, ['model.onnx', 'tokenizer.json']]);
      for (const { sha256, bytes } of files.flatMap(it => it.pins)) {
        assert.match(sha256, /^[0-9a-f]{64}$/u);
        assert.ok(bytes > 100_000 && bytes < 50_000_000);
      }
    }
    assert.equal(new Set(modelCatalog.map(it => it.name)).size, 3);
  });
});
