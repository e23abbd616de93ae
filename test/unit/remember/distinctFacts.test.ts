import assert from 'node:assert/strict';
import fc from 'fast-check';
import { propertyRuns } from '../../support/propertyRuns.js';
import { storeProblems, TestHost } from '../../support/fixtures.js';

/** Groups of which one stands for another in a fact that means something else. */
const alternatives: readonly (readonly string[])[] = [
  ['-5', '5', '+5', '±5', '−5', '5%', '5‰', '~5', '≈5', '5²', '.5', '5.0', '5e3', '0x5', '#5', '№5'],
  ['$5', '€5', '£5', '¥5', '₹5', '5 $', '¢5'],
  ['>= 500', '<= 500', '> 500', '< 500', '== 500', '!= 500', '=== 500', '≥ 500', '≤ 500', '≠ 500'],
  ['userId', 'userID', 'UserId', 'user_id', 'user-id', 'userid', 'USERID', 'user.id', '$userId', '@userId', '#userId'],
  ['^18', '~18', '18', '>18', '18.x', '18+', 'v18', '=18', '*18'],
  ['a && b', 'a || b', 'a & b', 'a | b', '!a && b', 'a ?? b', 'a ^ b', 'a + b', 'a - b', 'a * b', 'a / b', 'a % b'],
  ['resume', 'résumé', 'resumé', 'Resume', 'RESUME', 'reşume'],
  ['Müller', 'Muller', 'Mueller', 'müller', 'MÜLLER', 'Mûller'],
  ['naïve', 'naive', 'Naïve', "naive'"],
  ['год', 'гóд', 'Год', 'rод'],
  ['が', 'か', 'ガ', 'ヵ'],
  ['src/a.ts', 'src/A.ts', 'src\\a.ts', './src/a.ts', '/src/a.ts', 'src/a.tsx', 'src/*.ts', 'src/**.ts'],
  ['--force', '-force', 'force', '--no-force', '-f', '--Force', '--force?'],
  ['`main`', "'main'", '"main"', 'main', '<main>', '[main]', '{main}', '(main)', '@main', '«main»'],
  ['C', 'C#', 'C++', 'C*', 'c', '.C', 'C--'],
  ['1,000', '1.000', '1000', '1 000', '1_000', '10.00', '1:000', '1;000'],
  ['👍', '👎', '👍🏽', '👍🏿', '👨‍👩‍👧', '👨👩👧'],
  ['10:30', '10.30', '1030', '10-30', '10/30', '10–30', '10—30'],
];
const frames = fc.constantFrom(
  (it: string) => `The crane takes ${it} at the quay.`,
  (it: string) => `${it} is what the harbor log wants`,
  (it: string) => `Retry the ferry while the answer is ${it}`,
  (it: string) => `- ${it} goes to the pier`,
  (it: string) => `Quay: ${it}`,
);
const fact = fc.record({
  frame: frames,
  pair: fc
    .constantFrom(...alternatives)
    .chain(group => fc.shuffledSubarray([...group], { minLength: 2, maxLength: 2 }))
    .map(([a, b]) => [a!, b!] as const),
});
/** Any character in the place of another, or one more. */
const character = fc.oneof(
  fc.constantFrom(...Array.from('-+*/=<>!?#$€%&@^~|\\_\'"`()[]{}²½×÷±§°')),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
);
const edited = fc
  .record({
    frame: frames,
    word: fc.constantFrom('anchor', 'Ölfaß', '港口', 'причал', 'x = y2'),
    at: fc.nat(5),
    character,
  })
  .map(({ frame, word, at, character }) => ({
    frame,
    pair: [word, `${word.slice(0, at)}${character}${word.slice(at)}`] as const,
  }));

/** What does not tell two facts apart: white space and the punctuation at the end. */
function significant(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, '')
    .replace(/[.!…,;:。！，；：]+$/u, '');
}

describe('facts that differ in a character', () => {
  it('are never one row, however they are remembered, and what is one fact is not kept twice', async function () {
    this.timeout(0);
    const host = new TestHost({ project: true });
    const engine = await host.open();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(fact, edited), fc.boolean(), async ({ frame, pair: [a, b] }, isWhole) => {
        const [first, second] = [frame(a), frame(b)];
        fc.pre(significant(first) !== significant(second));
        // A set of its own: pairs of other runs say nothing about this one.
        const scopeId = `set-${run++}`;
        const inputs = [first, second, first].map(
          content => ({ content, source: 'explicit', scopeId, whole: isWhole, store: 'project' }) as const,
        );
        const outcomes = [];
        for (const it of inputs) outcomes.push(await engine.remember(it));
        const ids = outcomes.map(it =>
          it.map(outcome => (outcome.outcome === 'refused' ? outcome.reason : outcome.id)),
        );
        assert.notDeepEqual(ids[0], ids[1], JSON.stringify([first, second]));
        assert.deepEqual(ids[2], ids[0], JSON.stringify(first));
      }),
      { numRuns: propertyRuns(500) },
    );
    assert.deepEqual(await storeProblems(engine), []);
  });
});
