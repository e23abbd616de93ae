import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { openTokenizer } from '../../../src/engine/base/tokenizer.js';
import { WordPieceTokenizer } from '../../../src/engine/embeddings/wordPieceTokenizer.js';
import { bundles } from '../../support/bundles.js';

describe('word pieces', () => {
  const file = readFileSync(path.join(bundles.modelsDir, 'built-in', 'tokenizer.json'));
  const json = JSON.parse(file.toString()) as { readonly model: { readonly vocab: Readonly<Record<string, number>> } };
  const pieces = new WordPieceTokenizer(file);
  const tokenizer = openTokenizer(json);
  const unknown = tokenizer.token_to_id('[UNK]');

  it('have the numbers that the vocabulary gives them', () => {
    for (const [token, id] of Object.entries(json.model.vocab)) assert.equal(pieces.id(token), id, token);
    for (const it of ['', '##', 'constructor##', 'zzqqxzz', 'thé', '"the"']) assert.equal(pieces.id(it), undefined, it);
  });

  it('are those of the package that reads such files, but for what it does not know', () => {
    const same = (text: string): void => {
      assert.deepEqual(
        pieces.ids(text),
        tokenizer.encode(text).ids.filter(it => it !== unknown),
        text,
      );
    };
    for (const it of ['README.md', 'docs/architecture.md']) same(readFileSync(it, 'utf8'));
    same(`${'a'.repeat(100)} ${'a'.repeat(101)} ${'😀'.repeat(60)} C++ c# naïve Ünïcode 日本語 ﬁne İstanbul GitHub`);
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 60 }), same), { numRuns: 500 });
  });

  for (const [what, text] of [
    ['no vocabulary', file.toString().replace('"vocab"', '"words"')],
    ['a vocabulary with escapes', file.toString().replace('"the":2', String.raw`"\u0074he":2`)],
    ['another kind of model', file.toString().replace('"WordPiece","unk', '"BPE","unk')],
  ] as const) {
    it(`are refused of ${what}`, () => {
      assert.throws(
        () => new WordPieceTokenizer(Buffer.from(text)),
        /it has no vocabulary|cannot be read at|it is BPE/u,
      );
    });
  }
});
