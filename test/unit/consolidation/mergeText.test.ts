import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  compareDetails,
  extractDetails,
  preservesAllDetails,
  mergeByRule,
} from '../../../src/engine/consolidation/mergeText.js';
import { isStopWord, analyzeText } from '../../../src/engine/text/analyzer.js';

function merges(texts: readonly string[], expected: string): void {
  it(`${texts.join(' + ')} → ${expected}`, () => {
    assert.equal(mergeByRule(texts), expected);
  });
}

describe('mergeByRule', () => {
  merges(
    ['The API listens on port 8080.', 'In staging the API listens on port 8080.'],
    'In staging the API listens on port 8080.',
  );
  merges(['We deploy on Tuesdays', 'We deploy on Tuesdays with make'], 'We deploy on Tuesdays with make');
  merges(
    ['Sarah leads the auth team.', 'Sarah leads the auth team and she reviews every migration.'],
    'Sarah leads the auth team and she reviews every migration.',
  );
  merges(
    [
      'Tests run with mocha on every push to the main branch.',
      'Tests run with mocha. Snapshots are never committed. Coverage must stay above 80%.',
    ],
    'Tests run with mocha. Snapshots are never committed. Coverage must stay above 80%. Tests run with mocha on every push to the main branch.',
  );
  merges(
    ['Marcus owns the CI of the shop', 'Marcus owns the CI of the shop, and Inger owns `deploy/prod.yml`.'],
    'Marcus owns the CI of the shop, and Inger owns `deploy/prod.yml`.',
  );
  merges(
    ['Use `npm ci` in CI.\nNever `npm install`.', 'Use npm ci in CI'],
    'Use `npm ci` in CI.\nNever `npm install`.',
  );
  merges(['时间表每晚更新。', '时间表每晚更新，来自挪威。'], '时间表每晚更新，来自挪威。');

  const words =
    'deploy not never the on Friday 8080 v1.2 src/app.ts getUserById DATABASE_URL use tabs only before 5% 🙂 データ . , ; \n and but we Sarah leads <= - "a b" (x) don\'t http://a.b/c?d=1'.split(
      ' ',
    );
  const text = fc
    .oneof(
      fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 25 }).map(it => it.join(' ')),
      fc.string({ unit: 'grapheme' }),
    )
    .filter(it => it.trim() !== '');

  it('loses no detail of any text', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), texts => {
        const merged = mergeByRule(texts);
        assert.ok(preservesAllDetails(merged, texts), JSON.stringify({ texts, merged }));
        // Compares by search terms: no content word or number is missing.
        const kept = new Set(analyzeText(merged));
        // "never" may become "don't": negations are compared above, by what they negate.
        const lost = texts.flatMap(analyzeText).filter(it => !isStopWord(it) && !kept.has(it) && it !== 'never');
        assert.deepEqual(lost, [], JSON.stringify({ texts, merged }));
      }),
      { numRuns: 2_000 },
    );
  });

  it('returns a text merged with itself unchanged', () => {
    fc.assert(fc.property(text, it => mergeByRule([it, it]) === it.trim()));
  });
});

function agree(one: string, other: string, expected: string): void {
  it(`finds that "${one}" and "${other}" ${expected}`, () => {
    const [a, b] = [extractDetails(one), extractDetails(other)];
    assert.deepEqual([compareDetails(a, b), compareDetails(b, a)], [expected, expected]);
  });
}

describe('compareDetails', () => {
  agree('We deploy on Tuesdays', 'On Tuesdays we deploy with make', 'agree');
  agree('Tests run with mocha', 'We run our tests using mocha', 'agree');
  agree('In staging the API listens on 8080', 'The API listens on port 8080 in staging', 'agree');
  agree('Use npm for installing', 'Use pnpm for installing', 'differ');
  agree('The API listens on port 8080', 'The API listens on port 8081', 'differ');
  agree('Heights are above chart datum', 'Heights are below chart datum', 'differ');
  agree('Run the linter before pushing', 'Run the linter after pushing', 'differ');
  agree('Sarah leads auth', 'Marcus leads auth', 'differ');
  agree('The file is src/a.ts', 'The file is src/b.ts', 'differ');
  agree('Deploy on Fridays', 'Never deploy on Fridays', 'conflict');
  agree('The cache is shared between workers', "The cache isn't shared between workers", 'conflict');
  agree('Commit without tests', 'Commit tests', 'conflict');
  agree('Push to dev, do not push to main', 'Push to dev', 'agree');
});
