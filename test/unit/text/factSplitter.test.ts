import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hasFact, splitFacts } from '../../../src/engine/text/factSplitter.js';
import { arbitraryProse } from './arbitraryProse.js';
import { arbitraryText } from './arbitraryText.js';
import { propertyRuns } from '../../support/propertyRuns.js';
import { isWhatWasSaid } from './whatWasSaid.js';

describe('splitFacts', () => {
  const table: readonly (readonly [title: string, text: string, expected: readonly string[]])[] = [
    [
      'sentences that each name their subject',
      'Ines leads the search service. Tomek handles the data pipeline. The design team uses Figma and ships weekly.',
      [
        'Ines leads the search service.',
        'Tomek handles the data pipeline.',
        'The design team uses Figma and ships weekly.',
      ],
    ],
    ['a subject that two verbs share', 'I prefer tabs and use pnpm', ['I prefer tabs and use pnpm']],
    [
      'a second clause with a subject of its own',
      'Ines owns search, and releases go through Tomek.',
      ['Ines owns search', 'releases go through Tomek.'],
    ],
    [
      'a contrast',
      'The site runs on Deno, but the jobs are in Go.',
      ['The site runs on Deno', 'but the jobs are in Go.'],
    ],
    [
      'a clause that points back',
      'The cache stores tokens, and it drops them',
      ['The cache stores tokens, and it drops them'],
    ],
    [
      'a condition for all of the sentence',
      'If the build fails, clear the cache, and the bot posts a note',
      ['If the build fails, clear the cache, and the bot posts a note'],
    ],
    [
      'a place for all of the sentence',
      'On the test box the queue is Redis; the mailer is a stub',
      ['On the test box the queue is Redis; the mailer is a stub'],
    ],
    [
      'a reason',
      'We froze the schema because Ines owns the release, and Tomek handles QA',
      ['We froze the schema because Ines owns the release, and Tomek handles QA'],
    ],
    [
      'a label before several clauses',
      'About the mailer: bounces go to ops, the sender is noreply, and the limit is 50 a minute.',
      [
        'About the mailer: bounces go to ops',
        'About the mailer: the sender is noreply',
        'About the mailer: the limit is 50 a minute.',
      ],
    ],
    [
      'a label before a list of words',
      'Python: type hints, ruff, no notebooks',
      ['Python: type hints, ruff, no notebooks'],
    ],
    ['a semicolon', 'We use Go; the API is in Rust', ['We use Go', 'the API is in Rust']],
    ['sentences in lower case', 'i use vim. we deploy to aws.', ['i use vim.', 'we deploy to aws.']],
    [
      'file names, versions, abbreviations, links',
      'Never commit .env files, e.g. Prod.env. v1.2 is out, see https://a.b/c.d?e. Node.js 20.1 is required.',
      ['Never commit .env files, e.g. Prod.env.', 'v1.2 is out, see https://a.b/c.d?e.', 'Node.js 20.1 is required.'],
    ],
    ['initials and titles', 'Ask J. P. Smith or Dr. Wu about it.', ['Ask J. P. Smith or Dr. Wu about it.']],
    [
      'a German ordinal',
      'Die 3. Runde ist am 7. Mai. Wir brauchen Tests.',
      ['Die 3. Runde ist am 7. Mai.', 'Wir brauchen Tests.'],
    ],
    ['a number at the end', 'We run Postgres 15. Redis is on 7.', ['We run Postgres 15.', 'Redis is on 7.']],
    [
      'a French title',
      'M. Petit gère les accès. Le reste est public.',
      ['M. Petit gère les accès.', 'Le reste est public.'],
    ],
    ['Spanish initials', 'Trabajamos en EE. UU. y en Perú.', ['Trabajamos en EE. UU. y en Perú.']],
    ['a Russian abbreviation', 'Сервер в г. Казань. Деплой днём.', ['Сервер в г. Казань.', 'Деплой днём.']],
    ['Chinese', '我们使用Go。数据库是Postgres。它在云上。', ['我们使用Go。', '数据库是Postgres。它在云上。']],
    ['Japanese', '本番は東京です。「はい。」と答える。', ['本番は東京です。', '「はい。」と答える。']],
    ['operators', 'Skip jobs while a != B. The lint step runs.', ['Skip jobs while a != B.', 'The lint step runs.']],
    ['an ellipsis in code', 'So no MERGE ... RETURNING here.', ['So no MERGE ... RETURNING here.']],
    [
      'a quotation',
      'The error is "Not found. Try again and check it." in prod. We retry.',
      ['The error is "Not found. Try again and check it." in prod.', 'We retry.'],
    ],
    ['inline code', 'Run `a. B; c` first.', ['Run `a. B; c` first.']],
    ['a regular expression', 'Match /^v. [a-z]; x/i only.', ['Match /^v. [a-z]; x/i only.']],
    ['brackets', 'We use Go (fast. And simple.) here.', ['We use Go (fast. And simple.) here.']],
    [
      'a pronoun stays with its noun',
      'The proxy is in Rust. It caches for an hour. Tomek wrote most of that.',
      ['The proxy is in Rust. It caches for an hour. Tomek wrote most of that.'],
    ],
    [
      'an instruction about the sentence before',
      'Lint runs in CI. Never skip it.',
      ['Lint runs in CI. Never skip it.'],
    ],
    [
      'a pronoun with a noun of its own sentence',
      'The proxy is in Rust. Ines is away until May, so do not ask her.',
      ['The proxy is in Rust.', 'Ines is away until May, so do not ask her.'],
    ],
    ['this project', 'Use tabs. This repo needs Node 22.', ['Use tabs.', 'This repo needs Node 22.']],
    [
      'an alternative',
      'Tag Ines on schema changes. Otherwise merge.',
      ['Tag Ines on schema changes. Otherwise merge.'],
    ],
    [
      'a reason after its decision',
      'We chose NATS. The reason: it is small.',
      ['We chose NATS. The reason: it is small.'],
    ],
    [
      'a question and its answer',
      'Which bucket holds the logs? logs-eu. Who pays? Finance.',
      ['Which bucket holds the logs? logs-eu.', 'Who pays? Finance.'],
    ],
    ['small talk beside a fact', 'ok great, thanks! The limit is 40 MB. Hm.', ['The limit is 40 MB.']],
    ['small talk alone', 'ok great, thanks!', ['ok great, thanks!']],
    ['list items', '- use tabs\n- no semicolons', ['use tabs', 'no semicolons']],
    ['a list on one line', '1) use tabs 2) no semicolons', ['use tabs', 'no semicolons']],
    ['signs alone', 'Separate the columns by this sign:\n|', ['Separate the columns by this sign: |']],
    ['signs after a sentence', 'We retry. !!! Use tabs.', ['We retry. !!!', 'Use tabs.']],
    ['a heading over small talk', '# Deploys on Fridays\nno', ['Deploys on Fridays: no']],
    ['a heading over a heading without text', '# App\n## Frozen', ['App: Frozen']],
    ['an "and" that only joins', 'We use Go; and the API is in Rust', ['We use Go', 'the API is in Rust']],
    ['checkboxes', '- [ ] add docs\n- [x] ship v2', ['[ ] add docs', '[x] ship v2']],
    [
      'nested items',
      '- mailer\n  - limit 50\n  - sender noreply\n- queue',
      ['mailer\n  - limit 50\n  - sender noreply', 'queue'],
    ],
    [
      'a lead-in goes before each item',
      'Our rules:\n- use tabs\n- no semicolons\n\nWe deploy daily.',
      ['Our rules: use tabs', 'Our rules: no semicolons', 'We deploy daily.'],
    ],
    [
      'headings go before their items',
      '# App\n\n## Testing\n\n* vitest\n* no mocks',
      ['App: Testing: vitest', 'App: Testing: no mocks'],
    ],
    ['an underlined heading', 'Ports\n-----\napi 8000', ['Ports: api 8000']],
    ['steps under a lead-in', 'To deploy:\n1. build\n2. push', ['To deploy:\n1. build\n2. push']],
    ['steps under a heading', '## Deploy\n1. build\n2. push', ['Deploy:\n1. build\n2. push']],
    ['lines without bullets', 'use pnpm\nwe deploy on fridays', ['use pnpm', 'we deploy on fridays']],
    ['lines after a colon', 'Limits (test):\nrate = 5\nburst = 9', ['Limits (test):\nrate = 5\nburst = 9']],
    ['indented lines', 'queue:\n  retry:\n    max: 4\n\nUse tabs.', ['queue:\n  retry:\n    max: 4', 'Use tabs.']],
    ['a configuration', '[mail]\nhost = m1\nport = 25', ['[mail]\nhost = m1\nport = 25']],
    ['an object', 'Formatter:\n{\n  "semi": false\n}', ['Formatter:\n{\n  "semi": false\n}']],
    [
      'a table',
      'Use tabs.\n\n| Who | What |\n| --- | --- |\n| Ines | search |\n',
      ['Use tabs.', '| Who | What |\n| --- | --- |\n| Ines | search |'],
    ],
    [
      'a quoted block',
      'From the audit:\n> Hash it. Always.\n> Twice.',
      ['From the audit:\n> Hash it. Always.\n> Twice.'],
    ],
    [
      'hard-wrapped prose',
      'The importer reads the file in chunks of ten megabytes and then\nhands them to the worker pool.',
      ['The importer reads the file in chunks of ten megabytes and then hands them to the worker pool.'],
    ],
    [
      'code blocks stay with what they show',
      'Run this:\n```sh\nmake. Now\n\nmake install\n```\nUse tabs.',
      ['Run this:\n```sh\nmake. Now\n\nmake install\n```', 'Use tabs.'],
    ],
    [
      'reporting phrases',
      'Please remember that I told you that we use Go. Note: FYI, the API is in Rust.',
      ['we use Go.', 'the API is in Rust.'],
    ],
    [
      'two facts that were reported',
      'Please remember that we squash and that Ines writes the notes.',
      ['we squash', 'Ines writes the notes.'],
    ],
    [
      'reporting phrases of other languages',
      'Recuerda que usamos Nix. Merk dir: Tests zuerst.',
      ['usamos Nix.', 'Tests zuerst.'],
    ],
    ['what the user says', 'The user says they prefer small diffs', ['prefer small diffs']],
    [
      'whom the user works for, and what is done there',
      'The user says they work at a startup building dev tools and prefer TypeScript',
      ['works at a startup', 'startup builds dev tools', 'prefers TypeScript'],
    ],
    [
      'a place where the user does something',
      'The user says they work at a desk writing docs',
      ['work at a desk writing docs'],
    ],
    [
      'with whom the user works',
      'User mentioned they work with a colleague testing the parser',
      ['work with a colleague testing the parser'],
    ],
    ['nouns joined by and', 'The user says they use read and write locks', ['use read and write locks']],
    ['a purpose with two verbs', 'The user said they want to learn Go and use it', ['want to learn Go and use it']],
    ['a condition', 'The user says they use vim when they live abroad', ['use vim when they live abroad']],
    ['the past', 'The user says they moved to a team doing research', ['moved to a team doing research']],
    ['whom the user speaks of', 'The user says she is on call', ['The user says she is on call']],
    ['remember to is an instruction', 'Remember to run the linter', ['Remember to run the linter']],
    ['CRLF', 'We use Go.\r\nWe use Rust.', ['We use Go.', 'We use Rust.']],
    ['nothing', ' \n--- ', []],
    ['a heading that ends with a sign', '# C#\n- typed\n\nF#\n===\n- typed too ##', ['C#: typed', 'F#: typed too ##']],
    ['a heading with closing signs', '## Deploys: ##\n- We use Go', ['Deploys: We use Go']],
    [
      'sections with the same heading',
      '# Deploys\n- We use Go\n# Deploys\n- It is cached',
      ['Deploys: We use Go', 'Deploys: It is cached'],
    ],
  ];
  for (const [title, text, expected] of table) {
    it(title, () => {
      assert.deepEqual(splitFacts(text), expected);
    });
  }

  it('stores what was said: the facts have the characters of the text, in their order', () => {
    fc.assert(
      fc.property(arbitraryProse, text => {
        assert.ok(isWhatWasSaid(text, splitFacts(text)) || !/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text));
      }),
      { numRuns: propertyRuns(2000) },
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
