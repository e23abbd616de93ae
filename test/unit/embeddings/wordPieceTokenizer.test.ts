import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { openTokenizer } from '../../../src/engine/base/tokenizer.js';
import { openStaticModelFile } from '../../../src/engine/embeddings/staticModelFile.js';
import { WordPieceTokenizer } from '../../../src/engine/embeddings/wordPieceTokenizer.js';
import { builtInSource, bundlePaths } from '../../support/bundlePaths.js';

describe('the WordPiece tokenizer', () => {
  const { header, vocabulary } = openStaticModelFile(path.join(bundlePaths.modelsDir, 'built-in', 'model.bin'));
  const tokenizer = new WordPieceTokenizer(header.tokenizer, vocabulary);
  const json = JSON.parse(readFileSync(path.join(builtInSource, 'tokenizer.json'), 'utf8')) as {
    readonly model: { readonly vocab: Readonly<Record<string, number>> };
  };
  const reference = openTokenizer(json);
  const unknown = reference.token_to_id('[UNK]');

  it('has the ids of tokenizer.json', () => {
    assert.deepEqual(Object.fromEntries(vocabulary.map(token => [token, tokenizer.id(token)])), json.model.vocab);
    for (const it of ['', '##', 'constructor##', 'zzqqxzz', 'thé', '"the"']) assert.equal(tokenizer.id(it), undefined);
  });

  it('returns the tokens of @huggingface/tokenizers, without unknown ones', () => {
    const same = (text: string): void => {
      assert.deepEqual(
        tokenizer.ids(text),
        reference.encode(text).ids.filter(it => it !== unknown),
        text,
      );
    };
    for (const it of ['README.md', 'docs/architecture.md']) same(readFileSync(it, 'utf8'));
    same(`${'a'.repeat(100)} ${'a'.repeat(101)} ${'😀'.repeat(60)} C++ c# naïve Ünïcode 日本語 ﬁne İstanbul GitHub`);
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 60 }), same), { numRuns: 500 });
  });

  it('throws for a model of another type', () => {
    const model = { ...header.tokenizer.model, type: 'BPE' };
    assert.throws(() => new WordPieceTokenizer({ ...header.tokenizer, model }, vocabulary), /it is BPE/u);
  });
});
