import assert from 'node:assert/strict';
import fc from 'fast-check';
import { extractFacts } from '../../../src/engine/capture/extractFacts.js';

const worthKeeping = [
  'No, we use pnpm here, not npm.',
  'I prefer short answers without emojis.',
  'Please always run the linter before you commit.',
  'From now on, write commit messages in the imperative mood.',
  "Don't add comments that restate the code.",
  'We decided to go with Postgres instead of MongoDB.',
  "Let's go with SQLite for the local cache",
  'The staging database is in Frankfurt.',
  'Never push directly to main.',
  "I'd rather have small pull requests.",
  'Sarah owns the billing service.',
  'Use tabs, not spaces',
  'We deploy on Tuesdays only.',
  "I'll finish the migration by Friday.",
  'All dates in the API are UTC.',
  'Stop using any in TypeScript.',
  "We don't use default exports.",
  "That's wrong, the port is 8443 in production",
  'The release is due on March 15.',
  'I like early returns',
  'Always answer in German.',
  'You should never edit generated files.',
  'Tests must not hit the network',
  'We no longer support Node 18',
  'Prefer composition over inheritance.',
  'Keep functions under 40 lines',
  'The customer forbids third-party cookies.',
  'I want you to ask before you add a dependency',
  'Every endpoint needs an integration test.',
  'Our convention is kebab-case for file names.',
];

const forTheMoment = [
  'Can you fix the failing test?',
  'Thanks, that works!',
  'Add a rate limiter to the login endpoint.',
  'Now run the tests again.',
  'ok',
  'Why does this crash?',
  'I get TypeError: x is undefined',
  'Still failing, look at the log.',
  'Please fix the bug in parser.ts',
  'looks good, continue',
  'Implement the function foo in bar.ts and add a test for it.',
  "I'm seeing a 500 when I click save",
  "Let's try another approach",
  'commit this please',
  'Rename the variable x to count',
  'The build is broken on my machine',
  'Hi Claude, how are you?',
  'write a readme for this project',
  'Please update the changelog and push.',
  'I think there is a race condition somewhere',
  'Make the button blue',
  'Great job, thank you so much',
  'It should return 3 but it returns 4',
  'check the logs and tell me what happened',
  'Write tests for the parser',
  'now do the same for the other endpoint',
  'please create a branch and open a pull request',
];

describe('extractFacts', () => {
  it('keeps lasting statements', () => {
    assert.deepEqual(
      worthKeeping.flatMap(it => (extractFacts(it).length === 1 ? [] : [it])),
      [],
    );
  });

  it('leaves out statements about the moment', () => {
    assert.deepEqual(forTheMoment.flatMap(extractFacts), []);
  });

  const check = (turn: string, facts: readonly string[]): void => {
    it(JSON.stringify(turn).slice(0, 70), () => {
      assert.deepEqual(extractFacts(turn), facts);
    });
  };
  // What points back brings along what it points at.
  check('We have the `@traced` decorator. Add this decorator to all your methods.', [
    'We have the `@traced` decorator. Add this decorator to all your methods.',
  ]);
  check('Apply this to everything from now on.', []);
  check('Hi! Great work. Okay, also: always use kebab-case for file names. Can you rename them?', [
    'Always use kebab-case for file names.',
  ]);
  check('Our rules:\n- never commit to main\n- use tabs for indentation\n\nThanks!', [
    'Our rules: never commit to main',
    'Our rules: use tabs for indentation',
  ]);
  check('Please look at this.\n\n```\nalways use tabs in code\n```', []);

  it('never throws and returns no duplicates for any text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom(...worthKeeping, ...forTheMoment, '\n', '. ', '`'))),
        parts => {
          const facts = extractFacts(parts.join(' '));
          assert.equal(new Set(facts).size, facts.length);
        },
      ),
    );
  });

  it('takes time linear in the length of a turn; quadratic time would exceed the timeout', () => {
    for (const it of ['always use x ', 'when ', 'I want you to ', '`', '_', 'please please ', "we don't "]) {
      extractFacts(it.repeat(20_000));
    }
  });
});
