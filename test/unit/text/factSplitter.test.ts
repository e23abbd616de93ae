import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hasFact, splitFacts } from '../../../src/engine/text/factSplitter.js';
import { arbitraryText } from './arbitraryText.js';

describe('splitFacts', () => {
  const table: readonly (readonly [title: string, text: string, expected: readonly string[]])[] = [
    [
      'memcone’s example',
      'The user says they work at a startup building dev tools and prefer TypeScript',
      ['works at a startup building dev tools', 'prefers TypeScript'],
    ],
    [
      'cmk’s example',
      'Sarah leads the auth service. Marcus handles the data pipeline. The design team uses Figma and ships weekly.',
      [
        'Sarah leads the auth service.',
        'Marcus handles the data pipeline.',
        'The design team uses Figma',
        'The design team ships weekly.',
      ],
    ],
    ['two predicates without a subject', 'works at Acme and prefers Go', ['works at Acme', 'prefers Go']],
    [
      'a verb that ends like a past',
      'The user says they work at Acme and need two monitors',
      ['works at Acme', 'needs two monitors'],
    ],
    ['two predicates of I', 'I prefer tabs and use pnpm', ['I prefer tabs', 'I use pnpm']],
    ['two objects are one fact', 'uses tabs and spaces', ['uses tabs and spaces']],
    ['verbs that share an object', 'We build and test in Docker', ['We build and test in Docker']],
    [
      'subjects of their own',
      'Sarah leads auth, Marcus handles data, and Priya owns CI.',
      ['Sarah leads auth', 'Marcus handles data', 'Priya owns CI.'],
    ],
    [
      'a clause that points back stays',
      'The cache stores tokens and expires them after 5 min',
      ['The cache stores tokens and expires them after 5 min'],
    ],
    [
      'a dependent clause stays',
      'If the build fails and prints nothing, the cache is stale',
      ['If the build fails and prints nothing, the cache is stale'],
    ],
    [
      'a clause after because stays',
      'We froze the schema because Sarah owns the release and Marcus handles QA',
      ['We froze the schema because Sarah owns the release and Marcus handles QA'],
    ],
    [
      'a plural noun is no verb',
      'The repo contains docs and tests for the API',
      ['The repo contains docs and tests for the API'],
    ],
    [
      'an infinitive is shared',
      'I want to migrate to Rust and write more tests',
      ['I want to migrate to Rust and write more tests'],
    ],
    [
      'a rule and a prohibition',
      'Use pnpm and never commit package-lock.json',
      ['Use pnpm', 'never commit package-lock.json'],
    ],
    ['semicolons', 'We use Go; the API is in Rust', ['We use Go', 'the API is in Rust']],
    ['sentences in lower case', 'i use vim. we deploy to aws.', ['i use vim.', 'we deploy to aws.']],
    [
      'file names, versions, abbreviations, links',
      'Never commit .env files, e.g. Prod.env. v1.2 is out, see https://a.b/c.d?e. Node.js 20.1 is required.',
      ['Never commit .env files, e.g. Prod.env.', 'v1.2 is out, see https://a.b/c.d?e.', 'Node.js 20.1 is required.'],
    ],
    ['initials', 'Ask J. Smith about it.', ['Ask J. Smith about it.']],
    [
      'quotations stay whole',
      'The error is "Not found. Try again and check it." in prod. We retry.',
      ['The error is "Not found. Try again and check it." in prod.', 'We retry.'],
    ],
    ['inline code stays whole', 'Run `a. B; c` first.', ['Run `a. B; c` first.']],
    ['brackets stay whole', 'We use Go (it is fast. And simple.) here.', ['We use Go (it is fast. And simple.) here.']],
    ['list items', '- use tabs\n- no semicolons', ['use tabs', 'no semicolons']],
    [
      'a lead-in goes before each item',
      'Our rules:\n- use tabs\n- no semicolons\n\nWe deploy daily.',
      ['Our rules: use tabs', 'Our rules: no semicolons', 'We deploy daily.'],
    ],
    [
      'a Markdown heading goes before its items',
      '## Testing\n\n* vitest\n* no mocks',
      ['Testing: vitest', 'Testing: no mocks'],
    ],
    ['steps under a lead-in stay whole', 'To deploy:\n1. build\n2. push', ['To deploy:\n1. build\n2. push']],
    ['lines without bullets', 'use pnpm\nwe deploy on fridays', ['use pnpm', 'we deploy on fridays']],
    [
      'hard-wrapped prose',
      'The importer reads the file in chunks of ten megabytes and then\nhands them to the worker pool.',
      ['The importer reads the file in chunks of ten megabytes and then hands them to the worker pool.'],
    ],
    [
      'code blocks stay with what they show',
      'Run this:\n```sh\nmake. Now\n\nmake install\n```\nThen restart.',
      ['Run this:\n```sh\nmake. Now\n\nmake install\n```', 'Then restart.'],
    ],
    [
      'reporting phrases go',
      'Please remember that I told you that we use Go. Note: FYI, the API is in Rust.',
      ['we use Go.', 'the API is in Rust.'],
    ],
    ['remember to is an instruction', 'Remember to run the linter', ['Remember to run the linter']],
    ['Chinese', '我们使用Go。数据库是Postgres。', ['我们使用Go。', '数据库是Postgres。']],
    ['CRLF', 'We use Go.\r\nWe use Rust.', ['We use Go.', 'We use Rust.']],
    ['nothing', ' \n--- ', []],
  ];
  for (const [title, text, expected] of table) {
    it(title, () => {
      assert.deepEqual(splitFacts(text), expected);
      assert.deepEqual(splitFacts(text).flatMap(splitFacts), expected, 'splitting a fact again gives that fact');
    });
  }

  const clauses = fc.constantFrom(
    'I prefer tabs',
    'we deploy to AWS',
    'Sarah owns the API',
    'the cache uses Redis',
    'never force push',
    'ships weekly',
    'node_modules',
    'if it fails',
    'because of CI',
    'e.g. this',
    'v1.2',
    '.env',
    '"a. b"',
    '`x; y`',
    'and',
    'but',
    '(so. it goes)',
    'it runs',
  );
  const joints = fc.constantFrom(
    ' and ',
    ', ',
    '. ',
    '; ',
    '\n',
    '\n- ',
    ' but ',
    ': ',
    '\n\n',
    '! ',
    ':\n- ',
    ':\n1. ',
    '\n2. ',
    '\n# ',
  );
  const prose = fc.array(fc.tuple(clauses, joints), { minLength: 1, maxLength: 8 }).map(parts => parts.flat().join(''));

  it('keeps every word but those of reporting phrases', () => {
    fc.assert(
      fc.property(prose, text => {
        const words = (of: string): string[] => of.replace(/^\s*\d\. /gm, '').match(/[\p{L}\p{N}_]+/gu) ?? [];
        const kept = new Set(splitFacts(text).flatMap(words));
        const joining = new Set(['and', 'but']);
        assert.deepEqual(
          words(text).filter(word => !kept.has(word) && !joining.has(word)),
          [],
        );
      }),
    );
  });

  it('splits at a conjunction that another clause had hidden', () => {
    const facts = splitFacts('I prefer tabs and I prefer spaces: and\nI prefer vim and ');
    assert.deepEqual(facts.flatMap(splitFacts), facts);
  });

  it('returns the same facts when its facts are split again', () => {
    fc.assert(
      fc.property(prose, text => {
        const facts = splitFacts(text);
        assert.deepEqual(facts.flatMap(splitFacts), facts);
      }),
    );
  });

  it('never throws, and returns a fact for every text with a word', () => {
    fc.assert(
      fc.property(arbitraryText(200), text => {
        assert.equal(splitFacts(text).length > 0, /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text));
      }),
    );
  });
});

describe('hasFact', () => {
  const none = [
    'ok thanks!',
    'sounds good',
    'Hi Claude',
    'Thank you so much!',
    'lgtm 👍',
    'What does this do?',
    'can you fix it',
    'yes please',
    '…',
    '',
    'Perfect. Go ahead.',
    'danke, super',
  ];
  const some = [
    'We use Go',
    'ok, but never use lodash',
    'Thanks! The API is in Rust.',
    'no semicolons',
    'How to deploy: run make deploy',
    'good tests need good names',
    'pnpm',
  ];
  for (const text of none)
    it(`no: ${text}`, () => {
      assert.equal(hasFact(text), false);
    });
  for (const text of some)
    it(`yes: ${text}`, () => {
      assert.equal(hasFact(text), true);
    });
});
