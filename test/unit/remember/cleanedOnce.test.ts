import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { TestHost } from '../../support/fixtures.js';

const text = 'Über die Fähre: wir fahren um 07:10 ab.\nDer Anleger ist der Süd-Anleger.';

/** The texts that a method is called on or with while work runs. */
async function textsOf<Key extends string>(
  owner: Record<Key, (...values: never[]) => unknown>,
  key: Key,
  textOf: (self: unknown, values: readonly unknown[]) => unknown,
  work: () => Promise<unknown>,
): Promise<readonly string[]> {
  const original = owner[key];
  const texts: string[] = [];
  owner[key] = function (this: unknown, ...values: never[]): unknown {
    const found = textOf(this, values);
    if (typeof found === 'string') texts.push(found);
    return Reflect.apply(original, this, values);
  };
  try {
    await work();
  } finally {
    owner[key] = original;
  }
  return texts;
}

describe('a text on its way into a store', () => {
  it('passes the sanitizer once as a whole, and none of its facts again', async () => {
    const engine = await new TestHost({ project: true }).open();
    // Sanitizing is what composes letters.
    const composed = await textsOf(
      String.prototype as never,
      'normalize',
      (self, [form]) => (form === 'NFC' ? self : undefined),
      () => engine.remember({ content: text, source: 'mcp' }),
    );
    assert.deepEqual(composed, [text]);
  });

  it('gets its canonical form once for each fact', async () => {
    const engine = await new TestHost({ project: true }).open();
    const hashed = await textsOf(
      crypto as never,
      'hash',
      (_, [algorithm, value, encoding]) => (algorithm === 'sha256' && encoding === 'base64url' ? value : undefined),
      () => engine.remember({ content: text, source: 'mcp' }),
    );
    assert.deepEqual(
      hashed.filter(it => /Fähre|Anleger/u.test(it)),
      ['Über die Fähre: wir fahren um 07:10 ab', 'Der Anleger ist der Süd-Anleger'],
    );
  });
});
