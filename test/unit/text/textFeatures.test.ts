import assert from 'node:assert/strict';
import fc from 'fast-check';
import { featureFlag, extractTextFeatures } from '../../../src/engine/text/textFeatures.js';
import { arbitraryText } from './arbitraryText.js';

type Name = keyof typeof featureFlag;

const all = Object.keys(featureFlag) as Name[];

/** Exactly the traits that the text has. */
function check(text: string, ...expected: readonly Name[]): void {
  it(`${text.slice(0, 60)} → ${expected.join(', ') || 'none'}`, () => {
    const { flags } = extractTextFeatures(text);
    assert.deepEqual(
      all.filter(it => (flags & featureFlag[it]) !== 0),
      all.filter(it => expected.includes(it)),
    );
  });
}

describe('extractTextFeatures', () => {
  check('The service runs in Oslo.');
  check('Does it run in Oslo?', 'question', 'endsWithQuestion');
  check('Why? Because it must.', 'question');
  check('Always run the linter.', 'instruction');
  check('Bob: Always run the linter.', 'instruction');
  check('Show the code when I ask about types.', 'instruction');
  check('It always runs.');
  check('I prefer tabs.', 'preference');
  check("I'd like to avoid mocks.", 'preference');
  check('My preference is tea.', 'preference');
  check('We met yesterday.', 'temporal');
  check('It shipped in 2024.', 'temporal', 'number');
  check('The port is 8443.', 'temporal', 'number'); // Four digits may be a year.
  check('The port is 80.', 'number');
  check('She has two dogs.', 'number');
  check(`${'so '.repeat(400)}I prefer tabs and two spaces, always.`);

  const speakers: readonly (readonly [text: string, speaker: string | undefined, body: string])[] = [
    ['Caroline: I moved to Oslo.', 'caroline', 'I moved to Oslo.'],
    ['Mary Ann: Hello.', 'mary ann', 'Hello.'],
    ['note: this is no speaker', undefined, 'note: this is no speaker'],
    ['One Two Three: no', undefined, 'One Two Three: no'],
    ['Https://x', undefined, 'Https://x'],
    ['Plain text.', undefined, 'Plain text.'],
  ];
  for (const [text, speaker, body] of speakers) {
    it(`tell who speaks in "${text}"`, () => {
      const read = extractTextFeatures(text);
      assert.deepEqual([read.speaker, read.body], [speaker, body]);
    });
  }

  it('counts distinct capitalized words inside sentences', () => {
    assert.equal(extractTextFeatures('We met Alice, Bob and Alice in Paris. Then we left.').properNouns, 3);
    assert.equal(extractTextFeatures('Nothing here.').properNouns, 0);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(arbitraryText(), text => {
        const { body, speaker, properNouns } = extractTextFeatures(text);
        assert.ok(text.endsWith(body) && (speaker !== undefined || body === text));
        assert.ok(properNouns >= 0 && properNouns <= 255);
      }),
    );
  });
});
