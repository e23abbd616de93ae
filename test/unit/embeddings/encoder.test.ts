import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { EncoderEmbedder, type EncoderOptions } from '../../../src/engine/embeddings/encoderEmbedder.js';
import { readModelFolder } from '../../../src/engine/embeddings/modelFolder.js';
import { relationClasses, type RelationPair } from '../../../src/engine/embeddings/relation.js';
import { bundlePaths } from '../../support/bundlePaths.js';
import { closeAfterTest } from '../../support/fixtures.js';

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
