import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EncoderEmbedder, type EncoderOptions } from '../../../src/engine/embeddings/encoderEmbedder.js';
import { InstrumentedEmbedder } from '../../../src/engine/embeddings/instrumentedEmbedder.js';
import { readModelFolder } from '../../../src/engine/embeddings/modelFolder.js';
import { relationClasses, type RelationPair } from '../../../src/engine/embeddings/relation.js';
import { defaultConfig } from '../../../src/engine/model/config.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { bundlePaths } from '../../support/bundlePaths.js';
import { closeAfterTest, storeMemory, temporaryFolder, TestHost } from '../../support/fixtures.js';
import { encoderHost, waitForEncoder } from '../../support/encoderHost.js';
import { sql } from '../../support/sqlite.js';
import { staticConfig } from '../../support/staticConfig.js';
import { recallTool } from '../../../src/operations/recall.js';
import { writeTinyModel } from '../../support/tinyModel.js';

const folder = path.join(bundlePaths.modelsDir, 'encoder');
const waitForever = { query: Infinity, passage: Infinity };

async function openEncoder(options: EncoderOptions = {}): Promise<EncoderEmbedder> {
  const encoder = new EncoderEmbedder(await readModelFolder(folder), bundlePaths.bundleDir, {
    waits: waitForever,
    ...options,
  });
  closeAfterTest(() => encoder.close());
  return encoder;
}

/** A folder with the models that come with Recollect, for a test to damage. */
function copyModels(): string {
  const copy = temporaryFolder();
  cpSync(bundlePaths.modelsDir, copy, { recursive: true });
  return copy;
}

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, it, i) => sum + it * b[i]!, 0);

describe('the relation of two texts', () => {
  const pairs: readonly RelationPair[] = [
    ['The API runs on port 8080.', 'The API runs on port 9090 now, no longer on 8080.'],
    ['We deploy on Fridays.', 'We never deploy on Fridays.'],
    ['The user prefers dark themes in every editor.', 'Invoices are stored for ten years in the archive bucket.'],
  ];

  it('has the classes of the model, in its order', () => {
    const description = JSON.parse(readFileSync(path.join(folder, 'model.json'), 'utf8')) as {
      readonly outputs: { readonly relation: readonly string[] };
    };
    assert.deepEqual(description.outputs.relation, relationClasses);
  });

  it('is given as one probability per class', async () => {
    const relations = await (await openEncoder()).relate!(pairs, 'passage');
    assert.deepEqual(
      relations.map(it => relationClasses.reduce((sum, key) => sum + it[key], 0).toFixed(4)),
      pairs.map(() => '1.0000'),
    );
    const [changed, denied, other] = relations;
    const touches = (it: (typeof relations)[number]): number => it.replaces + it.contradicts + it.same + it.refines;
    assert.ok(changed!.replaces > 0.5, JSON.stringify(changed));
    assert.ok(touches(denied!) > 0.8, JSON.stringify(denied));
    assert.ok(touches(other!) < 0.3, JSON.stringify(other));
  });

  it('reads the newer text as newer', async () => {
    const [old, now] = ['The linter is ESLint.', 'We moved the linter from ESLint to Biome.'];
    const [forward, backward] = await (
      await openEncoder()
    ).relate!(
      [
        [old, now],
        [now, old],
      ],
      'passage',
    );
    assert.ok(forward!.replaces > backward!.replaces, JSON.stringify([forward, backward]));
  });
});

describe('the encoder', () => {
  it('gives texts in other words similar vectors, in the order of the texts', async () => {
    const texts = ['how to delete a file', 'the train leaves at nine', 'remove a file from disk'];
    const vectors = await (await openEncoder()).embed(texts, 'passage');
    const [a, b, c] = vectors as [Float32Array, Float32Array, Float32Array];
    assert.ok(dot(a, c) > 0.5 && dot(a, b) < 0.25, `${dot(a, c)} ${dot(a, b)}`);
    assert.equal(a.length, 384);
  });

  it('gives a text the same vector alone and among many of other lengths', async () => {
    const encoder = await openEncoder();
    const texts = Array.from({ length: 30 }, (_, i) => `Fact ${i}: ${'the build is slow on Windows '.repeat(i % 7)}`);
    const vectors = await encoder.embed(texts, 'passage');
    for (const i of [0, 13, 29]) {
      const [alone] = await encoder.embed([texts[i]!], 'query');
      assert.deepEqual(alone, vectors[i]);
    }
  });
});

describe('the encoder of an engine', () => {
  waitForEncoder();

  /** Models of the vectors of the global store, without their versions. */
  async function vectorModels(host: TestHost): Promise<readonly unknown[]> {
    const rows = await sql(host.globalFile, 'SELECT DISTINCT id FROM vectors JOIN models ON model = number');
    return rows.map(it => (it.id as string).split('@')[0]);
  }

  it('finds memories in other words by default', async () => {
    const host = encoderHost();
    const engine = await host.open();
    const id = await storeMemory(engine, 'Remove a file from disk with the trash command.');
    await storeMemory(engine, 'The train to the office leaves at nine.');
    const { hits, trace } = await engine.recall({ query: 'how can I delete documents' });
    assert.deepEqual([hits[0]?.memory.id, trace.degraded], [id, []]);
    assert.deepEqual(await vectorModels(host), ['recollect-encoder-384']);
  });

  it('embeds the memories of the static model again, and words find them until then', async () => {
    const host = encoderHost();
    host.settings = staticConfig;
    const before = await host.open();
    const id = await storeMemory(before, 'The gateway listens on port 8443.');
    await before.close();
    host.settings = defaultConfig;
    const engine = await host.open();
    const { hits, trace } = await engine.recall({ query: 'gateway port' });
    assert.deepEqual(
      hits.map(it => it.memory.id),
      [id],
    );
    assert.match(trace.degraded.join(), /searched by meaning: 0 of 1 memories/u);
    assert.deepEqual(await engine.embedMissing(), { embedded: 1, total: 1 });
    assert.deepEqual((await engine.recall({ query: 'port of the gateway' })).trace.degraded, []);
  });

  it('keeps the cut of an answer where some memories have no vector yet', async () => {
    const host = encoderHost();
    host.settings = { ...defaultConfig, embeddings: 'off' };
    const before = await host.open();
    await storeMemory(before, 'The gateway listens on port 8443.');
    await before.close();
    host.settings = defaultConfig;
    const engine = await host.open();
    const id = await storeMemory(engine, 'Remove a file from disk with the trash command.');
    for (const it of ['The office has a file cabinet.', 'The disk of the train computer is full.'])
      await storeMemory(engine, it);
    const { hits, trace } = await engine.recall({ query: 'how can I remove a file from the disk' });
    assert.match(trace.degraded.join(), /searched by meaning: 3 of 4 memories/u);
    assert.deepEqual([hits.map(it => it.memory.id), trace.candidateCount > 1], [[id], true]);
  });

  it('embeds a note again whose wording or questions have changed', async () => {
    const host = encoderHost();
    const engine = await host.open();
    const note = async (content: string, rest: Partial<RememberInput> = {}): Promise<string> => {
      const [outcome] = await engine.remember({ content, source: 'mcp', lane: 'note', ...rest });
      assert.ok(outcome !== undefined && outcome.outcome !== 'refused');
      return outcome.id;
    };
    const id = await note('Merge requests go to develop.', { aids: { questions: ['Which branch takes changes?'] } });
    await note('Merge requests target develop, never main.', { links: { sameAs: id } });
    assert.deepEqual((await engine.recall({ query: 'merge requests' })).trace.degraded, []);
    const counted = `SELECT models.id, count(*) AS vectors FROM vectors JOIN models ON model = number GROUP BY 1`;
    const vectors = async (): Promise<readonly unknown[]> =>
      (await sql(host.globalFile, counted)).map(it => it.vectors as number);
    assert.deepEqual(await vectors(), [1]);
    await engine.embedMissing();
    assert.deepEqual(await vectors(), [1, 1], 'the memory and its questions');
    await engine.revise({ id, questions: ['Where do merge requests go?'] }, 'model');
    assert.deepEqual(await vectors(), [1]);
    // In the background, for this process embeds there.
    while ((await vectors()).length < 2) await sleep(100);
  });

  it('is not waited for longer than a call may take, and reports a memory that got no vector', async () => {
    const slow = new InstrumentedEmbedder(await openEncoder({ waits: { query: 0, passage: 0 } }));
    let missed = 0;
    slow.onDidMiss = () => missed++;
    await assert.rejects(slow.embed(['a question'], 'query'), { code: 'embedderLate' });
    await assert.rejects(slow.embed(['a memory'], 'passage'), { code: 'embedderLate' });
    const [vector] = await slow.embed(['a memory'], 'backlog');
    assert.deepEqual([missed, slow.counts.failures], [1, 0]);
    assert.equal(vector!.length, 384);
  });

  it('lets what has every word of one wording be answered while it is late', async () => {
    process.env.RECOLLECT_ENCODER_WAIT = '0';
    const engine = await encoderHost().open();
    const named = 'The harbour pilot boards at the outer buoy, an hour before the tide turns.';
    const other = 'The pilot light of the stove is off.';
    for (const it of [named, other]) await storeMemory(engine, it);
    for (const it of ['crane', 'light', 'office', 'ferry', 'master'])
      await storeMemory(engine, `The harbour ${it} is closed on Sundays.`);
    const { hits, trace } = await engine.recall({
      query: 'What is closed on Sundays?',
      alternatives: ['harbour pilot', 'harbour closed on Sundays'],
      keywords: ['closed', 'Sundays', 'office', 'ferry'],
      isUntracked: true,
    });
    const found = new Map(hits.map(it => [it.memory.content, it.probability ?? 0]));
    assert.deepEqual([found.has(named), found.has(other), trace.degraded.length], [true, false, 1]);
    assert.ok(found.get(named)! < trace.cut!.minProbability, 'the cut alone would take it');
  });

  it('asks a model to try again where it was late and nothing was found, and not once it was in time', async () => {
    process.env.RECOLLECT_ENCODER_WAIT = '0';
    const host = encoderHost();
    let engine = await host.open();
    await storeMemory(engine, 'The harbour pilot boards at the outer buoy.');
    const ask = async (query: string): Promise<string> =>
      (await recallTool.run(engine, { query }, { source: 'mcp' })).text;
    assert.match(await ask('xylophone lessons'), /Only words were searched, [^.]*: ask again\./u);
    assert.doesNotMatch(await ask('harbour pilot'), /Only words/u);
    await engine.close();
    process.env.RECOLLECT_ENCODER_WAIT = 'forever';
    engine = await host.open();
    assert.doesNotMatch(await ask('xylophone lessons'), /Only words/u);
  });

  it('embeds what calls did not wait for before the engine is closed', async () => {
    process.env.RECOLLECT_ENCODER_WAIT = '0';
    const host = encoderHost();
    const engine = await host.open();
    await storeMemory(engine, 'The gateway listens on port 8443.');
    assert.deepEqual(await vectorModels(host), []);
    // However busy the machine is, the second that closing takes is not over.
    const timeout = mock.method(AbortSignal, 'timeout', () => new AbortController().signal);
    await engine.close().finally(() => {
      timeout.mock.restore();
    });
    assert.deepEqual(await vectorModels(host), ['recollect-encoder-384']);
  });

  it('gives texts of scripts that it cannot read no vector, and finds them by words', async () => {
    const encoder = await openEncoder();
    const texts = ['デプロイは毎週金曜日に行います。', '我们每周五部署新版本。', '🎉🎉', 'Wir liefern freitags aus.'];
    const vectors = await encoder.embed(texts, 'passage');
    assert.deepEqual(
      vectors.map(it => Math.round(Math.hypot(...it))),
      [0, 0, 0, 1],
    );
    const engine = await encoderHost().open();
    const id = await storeMemory(engine, texts[0]!);
    await storeMemory(engine, texts[1]!);
    const { hits } = await engine.recall({ query: '金曜日のデプロイ', withoutCut: true });
    assert.equal(hits[0]?.memory.id, id);
  });

  const damages: readonly (readonly [string, (folder: string) => void])[] = [
    [
      'cut',
      it => {
        truncateSync(path.join(it, 'model.onnx'), 1_000_000);
      },
    ],
    [
      'missing',
      it => {
        rmSync(it, { recursive: true });
      },
    ],
    [
      'of another model',
      it => {
        writeTinyModel(it);
        writeFileSync(path.join(it, 'model.json'), readFileSync(path.join(folder, 'model.json')));
      },
    ],
  ];
  for (const [how, damage] of damages) {
    it(`is replaced by the static model where its files are ${how}, in one clear line`, async () => {
      const host = encoderHost();
      host.modelsDir = copyModels();
      damage(path.join(host.modelsDir, 'encoder'));
      const engine = await host.open();
      await storeMemory(engine, 'The gateway listens on port 8443.');
      assert.deepEqual((await engine.recall({ query: 'gateway port' })).trace.degraded, []);
      assert.deepEqual(await vectorModels(host), ['devdoc-static-384']);
      assert.match(
        engine.notices.join('\n'),
        /^The embedding model in \S+encoder is missing or damaged, .* static\.$/u,
      );
    });
  }

  it('is replaced by the static model where it cannot be loaded, after two calls by words', async () => {
    const host = encoderHost();
    host.modelsDir = copyModels();
    const file = path.join(host.modelsDir, 'encoder', 'model.onnx');
    writeFileSync(file, Buffer.alloc(statSync(file).size, 1));
    const engine = await host.open();
    await storeMemory(engine, 'The gateway listens on port 8443.');
    const degraded = [];
    for (let i = 0; i < 3; i++) degraded.push((await engine.recall({ query: `gateway port ${i}` })).trace.degraded);
    assert.deepEqual(degraded[0], ['the embedding model does not run: searched by words alone']);
    assert.deepEqual(await engine.embedMissing(), { embedded: 1, total: 1 });
    assert.deepEqual(await vectorModels(host), ['devdoc-static-384']);
    assert.deepEqual((await engine.recall({ query: 'the port' })).trace.degraded, []);
  });
});

describe('the thread of the encoder', () => {
  it('is one for all engines of a process, loaded at the first text and unloaded with the last engine', async () => {
    const [one, two] = [await openEncoder(), await openEncoder()];
    assert.deepEqual([one.isLoaded, two.isLoaded], [false, false]);
    await one.embed(['hello'], 'query');
    assert.deepEqual([one.isLoaded, two.isLoaded], [true, false]);
    const vectors = two.embed(['hello'], 'query');
    assert.equal(two.isLoaded, true);
    await one.close();
    assert.equal((await vectors)[0]!.length, 384);
    await two.close();
    assert.deepEqual([one.isLoaded, two.isLoaded], [false, false]);
  });

  it('is unloaded when idle, and loaded again by the next call', async () => {
    const encoder = await openEncoder({ idleMs: 20 });
    const before = await encoder.embed(['hello'], 'query');
    while (encoder.isLoaded) await sleep(5);
    assert.deepEqual(await encoder.embed(['hello'], 'query'), before);
  });

  it('lets a question pass before what is embedded in the background', async () => {
    const encoder = await openEncoder();
    const order: string[] = [];
    const backlog = encoder
      .embed(
        Array.from({ length: 24 }, (_, i) => `Memory ${i}.`),
        'backlog',
      )
      .then(() => order.push('backlog'));
    const query = encoder.embed(['a question'], 'query').then(() => order.push('query'));
    await Promise.all([backlog, query]);
    assert.deepEqual(order, ['query', 'backlog']);
  });
});
