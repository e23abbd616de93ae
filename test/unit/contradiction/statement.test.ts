import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { compareStatements, parseStatement } from '../../../src/engine/contradiction/statement.js';
import type { Relation, RelationResult } from '../../../src/engine/contradiction/relationResult.js';
import { arbitraryText } from '../text/arbitraryText.js';

type Row = readonly [older: string, newer: string, relation: Relation, reason?: string];

const verdictOf = (older: string, newer: string): RelationResult =>
  compareStatements(parseStatement(older), parseStatement(newer));

function check(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    for (const [older, newer, relation, reason = ''] of rows) {
      it(`${older} | ${newer} → ${relation}`, () => {
        const verdict = verdictOf(older, newer);
        assert.deepEqual(
          { relation: verdict.relation, reason: verdict.reason.includes(reason) },
          { relation, reason: true },
          verdict.reason,
        );
      });
    }
  });
}

describe('pairs that look alike, and pairs that contradict', () => {
  const pairs: readonly (readonly [older: string, newer: string, isConflict: boolean])[] = [
    ['Wir deployen donnerstags.', 'Ab sofort deployen wir montags.', true],
    ['Wir deployen donnerstags.', 'Wir besprechen uns montags.', false],
    ['Crane number 0 lifts 5 tons.', 'Crane number 5 lifts 10 tons.', false],
    ['Crane 2 lifts 4 tons.', 'Crane 4 lifts 8 tons.', false],
    ['The mailer client waits 1, 2, 4 seconds.', 'The crawler client waits 2, 4, 8 seconds.', false],
    ['Run 12 took 40 seconds.', 'Run 40 took 12 seconds.', false],
    ['In run 5 the cache held 12 entries.', 'In run 12 the cache held 30 entries.', false],
    ['The test for 5 users takes 10 seconds.', 'The test for 10 users takes 25 seconds.', false],
    ['Shard 1 holds 3 replicas.', 'Shard 3 holds 5 replicas.', false],
    ['Table 5 has 20 rows per page.', 'Table 20 has 50 rows per page.', false],
    ['Queue 10 keeps 3 days of messages.', 'Queue 3 keeps 7 days of messages.', false],
    ['Server 1 listens on port 8001.', 'Server 2 listens on port 8002.', false],
    ['The admin API listens on port 8081.', 'The public API listens on port 8082.', false],
    ['Node 18 needs npm 9.', 'Node 20 needs npm 10.', false],
    ['Version 1.2 of the SDK needs Java 11.', 'Version 2.0 of the SDK needs Java 17.', false],
    ['Build 210 has 4 warnings.', 'Build 215 has 2 warnings.', false],
    ['Reads time out after 5 seconds.', 'Writes time out after 30 seconds.', false],
    ['The read quorum is 2.', 'The write quorum is 3.', false],
    ['The upload limit is 5 MB.', 'The download limit is 50 MB.', false],
    ['Mila owns the billing service.', 'Jonas owns the search service.', false],
    ['Mila is on call on Mondays.', 'Jonas is on call on Tuesdays.', false],
    ['Level 3 support answers in 4 hours.', 'Level 1 support answers in 1 hour.', false],
    ['Map: docs/piers.md — Guide to the piers', 'Map: docs/cranes.md — Table of the cranes', false],
    ['Commands: Start the map: `npm run map`', 'Commands: Measure the tiles: `npm run tiles`', false],
    ['We use Kotlin.', 'We use Python.', false],
    ['Our team uses Linux.', 'Our team uses Windows.', false],
    ['We support Firefox.', 'We support Safari.', false],
    ['Shed 18 is required.', 'Shed 20 is required.', false],
    ['Python 3.10 is supported.', 'Python 3.12 is supported.', false],
    ['Docs are mandatory, not optional: keep a.md and b.md alike', 'a.md and b.md must be kept alike', false],
    ['The crane firmware uses Rust.', 'The crane firmware uses C++.', true],
    ['We use Kotlin.', 'We switched from Kotlin to Python.', true],
    ['We use Yarn.', 'We use pnpm.', true],
    ['Node.js 18 is required.', 'Node.js 20 is required.', true],
    ['Java 17 is needed to build.', 'Java 21 is needed to build.', true],
    ['Never: push to main', 'Push to main', true],
    ['Piers are drawn in src/piers.ts.', 'Piers are drawn in src/map.ts now.', true],
    ['The config file is etc/quay.toml.', 'The config file is etc/quay.yaml now.', true],
    ['The crane lifts 5 tons.', 'The crane lifts 10 tons.', true],
    ['Crane number 5 lifts 10 tons.', 'Crane number 5 lifts 12 tons.', true],
    ['The API listens on port 8081.', 'The API listens on port 8082 now.', true],
    ['Server 1 listens on port 8001.', 'Server 1 listens on port 8005.', true],
    ['The read quorum is 2.', 'The read quorum is 3.', true],
    ['Writes time out after 30 seconds.', 'Writes time out after 10 seconds.', true],
    ['Mila owns the billing service.', 'Jonas owns the billing service now.', true],
    ['The stand-up is on Monday.', 'The stand-up is on Thursday.', true],
    ['We use Yarn.', 'We switched from Yarn to pnpm.', true],
    ['The demo database has 2 replicas.', 'The demo database has 3 replicas.', true],
    ['Queue 10 keeps 3 days of messages.', 'Queue 10 keeps 7 days of messages.', true],
    ['Team 1 meets at 9:00.', 'Team 1 meets at 10:30.', true],
    ['Level 3 support answers in 4 hours.', 'Level 3 support answers in 2 hours.', true],
    ['The cache is enabled.', 'The cache is disabled.', true],
    ['Phase 2 starts on 3 May.', 'Phase 2 starts on 17 May.', true],
    ['We deploy to eu-west-1.', 'We deploy to us-east-1 now.', true],
    ['The upload limit is 10 MB.', 'The upload limit is 25 MB.', true],
    ['The worker retries 5 times.', 'The worker retries 3 times.', true],
    ['Never rebase shared branches.', 'Always rebase shared branches.', true],
    ['The default branch is main.', 'The default branch is trunk.', true],
  ];
  for (const [older, newer, isConflict] of pairs) {
    it(`${older} | ${newer}: ${isConflict ? 'a contradiction' : 'no contradiction'}`, () => {
      assert.equal(verdictOf(older, newer).relation === 'conflicting', isConflict);
      if (!isConflict) assert.equal(verdictOf(newer, older).relation === 'conflicting', false);
    });
  }

  it('does not take the same words with other numbers in each place for the same', () => {
    assert.notEqual(verdictOf('Run 12 took 40 seconds.', 'Run 40 took 12 seconds.').relation, 'same');
  });
});

describe('compareStatements', () => {
  check('finds another value in the same slot', [
    [
      "always start variable names with 'n_'",
      "always start variable names with 'm_'",
      'conflicting',
      "'n_' and now 'm_'",
    ],
    ['The gateway listens on port 8443.', 'the gateway now runs on 9443', 'conflicting', '8443 and now 9443'],
    ['We deploy to eu-north-1.', 'Deploys go to us-west-2', 'conflicting', 'eu-north-1 and now us-west-2'],
    ['Tokens are valid for one hour', 'the token expires after 20 minutes', 'conflicting'],
    ['Bea leads the mobile team', 'the mobile team is led by Chidi', 'conflicting', 'Bea and now Chidi'],
    ['The retro is on Tuesday', 'Retro moved to Thursday', 'conflicting', 'Tuesday and now Thursday'],
    ['Indent Rust code with tabs', 'indent Rust code with spaces', 'conflicting', 'tabs and now spaces'],
    ['The wiki is public', 'our wiki is private', 'conflicting', 'public and now private'],
    ['Backups are made daily', 'Backups are made every 12 hours', 'conflicting'],
    ['Backups are made weekly', 'we make backups every 7 days', 'refining'],
    ['Image uploads are limited to 5 MB', 'image uploads are limited to 5000 kB', 'refining'],
  ]);
  check('recognizes a value in different notations', [
    ['The memory limit of the worker is 512 MB', 'worker memory limit bumped to 1 GB', 'conflicting'],
    ['The backup starts at 2am', 'backup starts at 4 in the morning', 'conflicting'],
    ['The momentum is 0.9', 'momentum is 9e-1', 'same'],
    ['The digest is sent at 08:30', 'the digest goes out at 8:30', 'refining'],
    ['I use bash as my shell', 'my shell is fish now', 'conflicting', 'bash and now fish'],
    ['The flag `dark` is on', '`dark` flag is off', 'conflicting'],
    ['I prefer tabs', 'I prefer spaces', 'conflicting', 'tabs and now spaces'],
  ]);
  check('finds the same words with the negation on the other side', [
    ['Label issues by area, not by team', 'Label issues by team, not by area', 'conflicting'],
    ['Dates are written with dots, not slashes', 'Dates are written with slashes, not dots', 'conflicting'],
    ['Semicolons, not commas', 'Commas, not semicolons', 'conflicting'],
  ]);
  check('finds the days of the week in other languages', [
    ['Das Backup läuft sonntags', 'Das Backup läuft jetzt mittwochs', 'conflicting'],
    ['La réunion est le lundi', 'La réunion est le jeudi', 'conflicting'],
    ['The review is every other Friday', 'The review is fortnightly on Fridays', 'same'],
  ]);
  check('does not take values of two things for a change of one', [
    ['Load test 7 took 40 s', 'Load test 8 took 52 s', 'unrelated'],
    ['Trial run 7 took 40 s', 'Trial run 8 took 40 s', 'unrelated'],
    ['Migration 12 touched 80 rows', 'Migration 13 touched 80 rows', 'unrelated'],
    ['The connect timeout is 5 s', 'The idle timeout is 60 s', 'unrelated'],
    ['The send buffer holds 4 KB', 'The receive buffer holds 8 KB', 'unrelated'],
    ['The quota of the read is 10 MB', 'The quota of the write is 20 MB', 'unrelated'],
    ['The first retry waits 1 s', 'The second retry waits 2 s', 'unrelated'],
    ['The red lever stops the mill', 'The green lever starts the mill', 'unrelated'],
    ['Search has 2 shards', 'billing grew a lot, it has 6 shards now', 'unrelated'],
    ['The shop is written in Kotlin', 'the scheduler was redone, it is Go instead of Kotlin', 'unrelated'],
  ]);
  check('lets several people have the same duty, unless one takes it over', [
    ['Ines reviews the schema', 'Karl reviews the schema', 'unrelated'],
    ['Ines maintains the docs', 'Karl maintains the docs', 'unrelated'],
    ['Ines maintains the docs', 'Karl maintains the docs now', 'conflicting'],
    ['Ines owns the docs', 'Karl owns the docs', 'conflicting'],
  ]);
  check('keeps apart what must be done before and what must not be done after', [
    ['Warm the cache before a release', 'Never warm the cache after a release', 'unrelated'],
    ['Warm the cache before a release', 'Never warm the cache before a release', 'conflicting'],
  ]);

  const undecided: readonly (readonly [older: string, newer: string])[] = [
    ['Painters work in Gouache', 'painters work in Tempera'],
    ['The ferry leaves from Oslo.', 'The ferry leaves from Bergen.'],
    ['The team is based in Lisbon.', 'The team is based in Porto.'],
    ['Routes are named with verbs', 'name routes with nouns'],
    ['The events go through Kafka', 'Producers publish to RabbitMQ'],
  ];
  for (const [older, newer] of undecided) {
    it(`leaves undecided whether both hold: ${older} | ${newer}`, () => {
      const { relation, uncertain } = verdictOf(older, newer);
      assert.deepEqual({ relation, uncertain }, { relation: 'unrelated', uncertain: true });
    });
  }

  check('compares the right one of several numbers', [
    ['Module 12 uses port 3007', 'module 12 uses port 3008', 'conflicting', '3007 and now 3008'],
    ['Retry 3 times with 2 workers', 'retry 5 times with 2 workers', 'conflicting', '3 and now 5'],
    ['Wait 5 s, give up after 60 s', 'wait 10 s, give up after 60 s', 'conflicting', '5 s and now 10 s'],
    ['The 3 workers use port 80', 'the workers use port 81', 'conflicting', '80 and now 81'],
    ['We moved to Berlin in 2021', 'we moved to Berlin in 2022', 'conflicting', '2021 and now 2022'],
    ['Module V229 uses port 3007', 'Module H241 uses port 3008', 'unrelated', '229'],
    ['Queue 12 keeps 30 messages', 'Queue Aspen keeps 40 messages', 'unrelated', '12'],
    ['Module 3 uses port 9', 'Module 9 uses port 27', 'unrelated', '3'],
    ['PR 812 needs 2 approvals', 'PR 815 needs 1 approval', 'unrelated', '812'],
    ['In 2024 we sold 300 boxes', 'In 2025 we sold 400 boxes', 'unrelated'],
  ]);
  check('finds incompatible modalities', [
    ['Captions are optional', 'All videos must have captions', 'conflicting', 'need not'],
    ['You may edit the lexer by hand', 'never touch the lexer', 'conflicting', 'must not'],
    ['Without a ticket no branch is made', 'each branch needs a ticket', 'refining'],
    ['It is forbidden to log emails', 'emails must never be logged', 'unrelated'],
    ['Guests may read drafts', 'guests may not delete comments', 'unrelated'],
  ]);
  check('finds another slot value or agent', [
    ['Handbooks are typeset in Quark', 'handbooks are typeset in Scribus these days', 'conflicting', 'Quark'],
    ['Routes are named with verbs', 'routes are now named with nouns', 'conflicting', 'verb'],
    ['The manual is written in Markdown', 'the manual is hosted on Netlify', 'unrelated'],
    ['The train leaves from Oslo.', 'The ferry leaves from Bergen.', 'unrelated'],
    ['Anna sings in Oslo.', 'Anna was born in Bergen.', 'unrelated'],
    ['Use doctests in modules', 'use annotations in modules', 'unrelated'],
    ['The release is decided by Bea', 'release dates are decided by the board', 'conflicting', 'board'],
  ]);
  check('finds another name, and other people whom a rule is for', [
    ['The ferry is called Perpetua.', 'Our ferry is named Felicity', 'conflicting', 'Perpetua and now Felicity'],
    ['Coaches must wear a badge', 'visitors need not wear a badge', 'unrelated'],
    ['Phone numbers are optional for guests', "guests don't need a phone number", 'unrelated'],
  ]);
  check('finds negated, ended and replaced statements', [
    ['Deploys need an approval', 'deploys seldom need an approval', 'conflicting'],
    ['Feature flags live in LaunchDarkly', 'Feature flags used to live in LaunchDarkly', 'conflicting'],
    ['The key used to sign builds is in the vault', 'The key used to sign builds is in the vault.', 'same'],
    ['Cosign signs builds', 'The key used to sign builds is in the vault', 'unrelated'],
    ['Use lodash in the frontend', "don't use lodash in the frontend", 'conflicting', 'denies or ends it'],
    ['Never rebase shared branches', 'rebase shared branches', 'conflicting', 'The older one denies'],
    ['We run Jenkins for nightly builds', 'Jenkins is gone', 'conflicting', '"Jenkins"'],
    ['Reports are sent with Mailgun', 'We switched from Mailgun to Postmark', 'conflicting', '"Mailgun"'],
    ['The helper is called `toSlug`', 'we renamed toSlug to slugify', 'conflicting', 'toSlug'],
    ['The key is api_url', 'it is base_url, not api_url', 'conflicting', 'api_url'],
    [
      'API pagination is cursor-based: ?after=<id>&limit=50, max 200.',
      'Actually the max page size is 100, not 200.',
      'conflicting',
      '200 and now 100',
    ],
    ['Styles are written in Sass', 'Use CSS modules instead of Sass', 'conflicting', 'Sass'],
  ]);
  check('does not relate statements about other subjects', [
    ["always start variable names with 'n_'", "always start function names with 'm_'", 'unrelated', 'variable'],
    ["always start method names with 'n_'", "always end method names with '_n'", 'unrelated', 'prefix'],
    ["always start function names with 'a_'", "always start function argument names with 'b_'", 'unrelated'],
    ['Staging runs on port 80', 'Production runs on port 443', 'unrelated', 'staging'],
    ['Use Mocha for unit tests', 'use Cypress for e2e tests', 'unrelated', 'unit'],
    ['Bea leads search', 'Chidi leads checkout', 'unrelated', 'search'],
    ['Readers can comment on drafts', "guests can't comment on drafts", 'unrelated'],
    ['`minAge` is 18', '`maxAge` is 99', 'unrelated'],
    ['Bea likes tea', 'Chidi likes coffee', 'unrelated'],
  ]);
  check('does not take an added value for a conflict', [
    ["always import the 'gzip' module", "always import the 'bz2' module", 'unrelated'],
    ['The exporter writes CSV', 'we also export JSON', 'unrelated'],
    ["include 'Fixes' in commit messages", "include 'Refs' in commit messages", 'unrelated'],
  ]);
  check('finds refinements', [
    ['Use Redis for the session cache', 'use Redis 7 for the session cache, with a TTL of 10 minutes', 'refining'],
    ['All endpoints need a token', 'all endpoints need a token except `/health`', 'refining', 'endpoints'],
    ['The importer retries failed rows', 'the importer retries failed rows at night, in batches', 'refining'],
  ]);
  check('finds the same statement in other words', [
    ['I use two spaces.', 'i use two spaces', 'same'],
    ['Use snake_case for tables', 'Tables should use snake_case.', 'same'],
    ['Bea owns the parser', 'the parser is owned by Bea', 'same'],
  ]);
  // To take one of these for the other would lose a fact.
  check('does not take similar words for the same statement', [
    ['Run the linter before the tests', 'Run the linter after the tests', 'unrelated'],
    ['The api calls the worker', 'The worker calls the api', 'refining'],
    ['Bea reports to Chidi', 'Chidi reports to Bea', 'refining'],
    ['The build was green', 'The build is green', 'refining'],
  ]);
  check('compares the claims of long texts', [
    [
      'The shop sells tea. Orders are stored in MySQL. The office is blue.',
      'We painted the office. Orders are stored in Postgres now. All is well.',
      'conflicting',
      'MySQL and now Postgres',
    ],
    ['Orders are stored in MySQL.', 'Orders are stored in MySQL. Invoices are made at night.', 'refining'],
  ]);

  it('shares a topic key between an update and the statement that it replaces', () => {
    const keys = (text: string): readonly string[] => parseStatement(text).topicKeys;
    const shared = (a: string, b: string): string[] => keys(a).filter(it => keys(b).includes(it));
    assert.ok(shared("always start variable names with 'n_'", "always start variable names with 'm_'").length > 0);
    assert.ok(shared('The gateway listens on port 8443', 'the gateway now runs on 9443').length > 0);
    assert.deepEqual(shared('The gateway listens on port 8443', 'The cache holds 500 pages'), []);
  });
});

/** The rules may be changed as long as these hold; `npm run bench -- conflicts --pairs FILE --errors` lists what is wrong. */
for (const [file, least] of [
  ['dev', { precision: 0.99, recall: 0.87, keyed: 0.9 }],
  ['dev2', { precision: 0.97, recall: 0.7, keyed: 0.88 }],
] as const) {
  describe(`of labelled pairs (${file})`, () => {
    const pairs = JSON.parse(readFileSync(path.resolve(`test/fixtures/conflicts/${file}.json`), 'utf8')) as readonly {
      readonly older: string;
      readonly newer: string;
      readonly relation: Relation;
    }[];
    const judged = pairs.map(it => ({ ...it, given: verdictOf(it.older, it.newer).relation }));
    const conflicting = judged.filter(it => it.relation === 'conflicting');
    const found = conflicting.filter(it => it.given === 'conflicting').length;

    it('finds conflicts with high precision and recall', () => {
      const called = judged.filter(it => it.given === 'conflicting').length;
      assert.ok(
        found / called >= least.precision && found / conflicting.length >= least.recall,
        `${found} of ${called} called and of ${conflicting.length} labelled`,
      );
    });

    it('shares a topic key in most conflicting pairs', () => {
      const keyed = conflicting.filter(it => {
        const known = new Set(parseStatement(it.older).topicKeys);
        return parseStatement(it.newer).topicKeys.some(key => known.has(key));
      }).length;
      assert.ok(keyed / conflicting.length >= least.keyed, `${keyed} of ${conflicting.length}`);
    });

    it('never takes different statements for the same', () => {
      assert.equal(judged.filter(it => it.given === 'same' && it.relation !== 'same').length, 0);
    });
  });
}

describe('compareStatements on arbitrary texts', () => {
  const text = fc.oneof(
    arbitraryText(200),
    fc
      .array(
        fc.constantFrom(
          "don't",
          'use',
          'from',
          'to',
          'Redis',
          'not',
          '5',
          'MB',
          'is',
          'gone',
          ',',
          '.',
          'renamed',
          "'x_'",
        ),
        {
          maxLength: 30,
        },
      )
      .map(it => it.join(' ')),
  );

  it('returns a certainty of 0-1, a reason and at most 8 topic keys', () => {
    fc.assert(
      fc.property(text, text, (older, newer) => {
        const { certainty, reason } = verdictOf(older, newer);
        assert.ok(certainty >= 0 && certainty <= 1 && reason.endsWith('.'));
        assert.ok(parseStatement(older).topicKeys.length <= 8);
      }),
    );
  });

  it('finds every text the same as itself', () => {
    fc.assert(
      fc.property(text, it => {
        assert.equal(verdictOf(it, it).relation, 'same');
      }),
    );
  });

  it('finds a conflict of two values of a slot in either order', () => {
    const values = [
      ["'a_'", "'b_'", "'xy'"],
      ['80', '443', '8080'],
      ['MySQL', 'Postgres', 'SQLite'],
      ['Monday', 'Friday', 'Sunday'],
    ];
    const templates = ['The parser cache uses %', 'name the parser cache with %', 'our parser cache is set to %'];
    fc.assert(
      fc.property(
        fc.constantFrom(...values).chain(its => fc.shuffledSubarray([...its], { minLength: 2, maxLength: 2 })),
        fc.constantFrom(...templates),
        ([one, other], template) => {
          const [a, b] = [template.replace('%', one!), template.replace('%', other!)];
          assert.deepEqual([verdictOf(a, b).relation, verdictOf(b, a).relation], ['conflicting', 'conflicting']);
        },
      ),
    );
  });

  // Nothing is timed: what is not linear runs into the time limit by orders of magnitude.
  for (const piece of [
    'a',
    '1',
    '.',
    "'",
    '`',
    'not ',
    'from ',
    'moved from a to ',
    'is gone. ',
    '\n',
    'x.y/',
    'no longer ',
    '. A',
  ]) {
    it(`is soon done with ${JSON.stringify(piece)} over and over`, () => {
      const long = parseStatement(piece.repeat(200_000 / piece.length));
      assert.equal(compareStatements(long, long).relation, 'same');
      compareStatements(long, parseStatement(`${piece.repeat(8_000 / piece.length)} b`));
    });
  }
});
