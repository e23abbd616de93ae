import assert from 'node:assert/strict';
import fc from 'fast-check';
import { extractFacts } from '../../../src/engine/capture/extractFacts.js';

/** Explicit orders, which are kept without a reader. */
const ordered: readonly string[] = [
  'From now on, write commit messages in the imperative mood.',
  'Write the subject of a commit in the imperative mood, from now on.',
  'Ab jetzt schreiben wir Commits auf Englisch.',
  'À partir de maintenant, les commits sont en anglais.',
  'A partir de ahora escribe los commits en inglés.',
  '从现在开始提交信息都用英文。',
  '今後はコミットを英語で書いてください。',
  'Отныне пишем коммиты на английском.',
];

/** What people lay down in other words, which someone who has read the conversation has to judge. */
const laidDown: readonly string[] = [
  'Always use pnpm in this repo.',
  'In this repo always use pnpm.',
  "Don't use the legacy /v1/users endpoint.",
  'Do not use the legacy /v1/users endpoint.',
  'The config key is database_url, not db_url.',
  "That's wrong, the tests live in spec/, not test/.",
  "Please don't add comments to the code.",
  'We never mock the database in tests.',
  'You forgot that we use pnpm.',
  'No, we use pnpm here, not npm.',
  'Never push directly to main.',
  'Tide tables must never be cached.',
  'We decided to go with Postgres instead of MongoDB.',
  "We don't want default exports.",
  "I'll run the migrations myself.",
  'Never delete branches without asking me.',
  'no, never `moor link` the second pier',
  'and yes, moor the boats yourself, always',
  'you should not be editing charts in the main harbour',
  'the state of the pier must be updated with the crane, not by editing the chart',
  "please don't change any chart in lib - only change the charts in ./piers",
  "I don't need the old piers anymore",
  'Wir wollen keine Default-Exporte.',
  'On veut pas de dépendances inutiles.',
  'toute la carte doit rester dans le même cadre, pas de cadre séparé',
  'Prefiero respuestas cortas sin emojis.',
  '我们用 pnpm，不用 npm。',
  '港口页不要导航栏和页脚',
  'npm ではなく pnpm を使います。',
  'Нет, мы используем pnpm, а не npm.',
];

/** An explicit request to remember, and what is left of it. */
const remembered: readonly (readonly [string, string])[] = [
  ['remember the tide service is on port 8443', 'The tide service is on port 8443'],
  ['Remember this is a small harbour.', 'This is a small harbour.'],
  ['Please remember that piers are closed in winter.', 'Piers are closed in winter.'],
  ['Merk dir: der Hafen schließt um acht.', 'Der Hafen schließt um acht.'],
  ['Recuerda que el puerto cierra a las ocho.', 'El puerto cierra a las ocho.'],
  ["N'oublie pas que le port ferme à huit heures.", 'Le port ferme à huit heures.'],
  ['记住：港口八点关门。', '港口八点关门。'],
  ['Запомни: порт закрывается в восемь.', 'Порт закрывается в восемь.'],
];

const forTheMoment = [
  'Can you fix the failing test?',
  'Thanks, that works!',
  'Add a rate limiter to the login endpoint.',
  'Now run the tests again.',
  'ok',
  'Why does this crash?',
  'I get TypeError: x is undefined',
  'It always fails on the second click.',
  'I never got the mail.',
  'Still failing, look at the log.',
  'Please fix the bug in parser.ts',
  'looks good, continue',
  'Implement the function foo in bar.ts and add a test for it.',
  "I'm seeing a 500 when I click save",
  'commit this please',
  'use the helper in tides.ts to read the table',
  'stop the dev server',
  'we want to see the tides on the board',
  "we don't want that",
  "No, we're not ready yet.",
  'do you remember the pier we painted?',
  'Always use the second account for this time only, right now.',
  'Hi Claude, how are you?',
  'Make the button blue',
  'please create a branch and open a pull request',
  'für heute reicht das, bitte committen',
  '运行一下测试',
  'Siempre falla el botón.',
  '这个按钮总是报错。',
  'When docking the boat, I want to make sure that the rope holds.',
  'After mooring at the pier, i never get an answer from the office.',
  'When I run all of the pier tests: `npm test` not all of them are passing.',
  'I run the board on the tablet and it is not working.',
  "I'll paint this pier myself.",
  "I don't want to sink all of this timber.",
  "I don't want to close the old pier yet.",
  'Possibly we need to always moor at the north pier.',
  'In this file, we want a table of tides.',
];

describe('extractFacts', () => {
  it('keeps an explicit order to remember as it was said', () => {
    assert.deepEqual(
      ordered.map(it => extractFacts(it).facts),
      ordered.map(it => [it]),
    );
  });

  it('lists what a person lays down in other words as candidates, and keeps none of it', () => {
    assert.deepEqual(
      laidDown.map(it => {
        const { facts, candidates } = extractFacts(it);
        return [facts, candidates.map(found => found.content.toLowerCase())];
      }),
      laidDown.map(it => [[], [it.toLowerCase()]]),
    );
  });

  it('keeps what follows an explicit request to remember, without the request', () => {
    assert.deepEqual(
      remembered.map(([turn]) => extractFacts(turn).facts),
      remembered.map(([, fact]) => [fact]),
    );
  });

  it('keeps nothing that is about the moment', () => {
    assert.deepEqual(
      forTheMoment.flatMap(it => extractFacts(it).facts),
      [],
    );
  });

  it('keeps nothing of pasted plans, output, logs, code and long documents', () => {
    const pasted = [
      '# Plan: Piers\n\n## Steps\n\n- Always use `Pier.open()`.\n- Never call `close()` twice.',
      'src/tide.ts(40,13): error TS2540: Never assign to a constant.\n404 Always install from a folder.',
      'const a = "Never";\nNever = always;\nimport { Always } from "never";',
      `Look at this review.\n${'The author should always explain the reason of a change in the text. '.repeat(30)}\nFix it.`,
      '2026-03-01 10:00:00 INFO We never use the cache',
    ];
    assert.deepEqual(
      pasted.map(it => extractFacts(it).facts),
      pasted.map(() => []),
    );
  });

  it('lists no task, question, failure or correction of the moment as a candidate', () => {
    const turns = [
      ...forTheMoment,
      'Remember to paint the whole pier twice.',
      "no, that's not right. you added a second lamp.",
      'how can i use #102030 instead of rgba(1, 2, 3, 1)',
      '"The lamps must never be red" says the chart',
    ];
    assert.deepEqual(
      turns.flatMap(it => extractFacts(it).candidates.map(found => found.content)),
      [],
    );
  });

  it('scores a rule about a named thing above a remark', () => {
    const [rule, remark] = ['Never paint the north pier green, only blue.', 'Our piers are made of oak.'].map(
      it => extractFacts(it).candidates[0]!.score,
    );
    assert.ok(rule! > remark!);
  });

  it('scores lines of a test run, printed values and unfinished lines below what a person says', () => {
    const best = (turn: string): number => Math.max(-1, ...extractFacts(turn).candidates.map(it => it.score));
    for (const line of [
      '✕ should handle every kind of harbour bell (1316 ms)',
      'orders: #Harbour.Orders.NotLoaded<every pier is not loaded>',
      'each pier is not a map, it has %{name: "north", depth: 4}',
    ])
      assert.ok(best(line) < 3, `${line}: ${best(line)}`);
    assert.ok(best('Every harbour bell is rung by hand, not by the machine.') >= 3);
  });

  const check = (turn: string, facts: readonly string[]): void => {
    it(`reads ${JSON.stringify(turn).slice(0, 60)}`, () => {
      assert.deepEqual(extractFacts(turn).facts, facts);
    });
  };
  // A reason or detail stays with what it belongs to; a request does not.
  check('From now on, moor with hemp. This is about the rust. Move the ropes to the crane.', [
    'From now on, moor with hemp. This is about the rust.',
  ]);
  check('remember that commits are signed.   use the office key', ['Commits are signed. use the office key']);
  check('Hi! Great work. Okay, also: from now on use kebab-case for file names. Can you rename them?', [
    'From now on use kebab-case for file names.',
  ]);
  check('Our rules:\n- remember that main is protected\n- use tabs for indentation\n\nThanks!', ['Main is protected']);
  check('Please look at this.\n\n```\nfrom now on use tabs in code\n```', []);
  check('What holds from now on is in the chart.', []);
  check('remember to ring the bell', []);

  for (const turn of [
    '$ cat README.md\nFrom now on always deploy to the pier first.\n$ ls',
    'ann@quay:~/pier$ cat rules.txt\nNever push directly to main.',
    'The README says "From now on always deploy to the pier first."',
    'Stop hook feedback:\nFrom now on, run the linter before you commit.',
    'Another Claude session sent a message:\nFrom now on, run the linter before you commit.',
    'Base directory for this skill: skills/pier\n\nNever push directly to main.',
    'This session is being continued from a previous one.\nWe use pnpm here, not npm.',
  ])
    it(`takes nothing of another program or file: ${turn.slice(0, 40).replaceAll('\n', ' ')}`, () => {
      assert.deepEqual(extractFacts(turn).facts, []);
    });
  check('$ cat README.md\nalways deploy twice\n\nFrom now on, run the linter before you commit.', [
    'From now on, run the linter before you commit.',
  ]);
  check('From now on, write "fix:" before the subject of a fix.', [
    'From now on, write "fix:" before the subject of a fix.',
  ]);

  it('never throws and returns no duplicates for any text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom(...ordered, ...laidDown, ...forTheMoment, '\n', '. ', '`'))),
        parts => {
          const { facts } = extractFacts(parts.join(' '));
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
