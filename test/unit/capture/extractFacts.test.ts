import assert from 'node:assert/strict';
import fc from 'fast-check';
import { extractFacts } from '../../../src/engine/capture/extractFacts.js';

/** Turns of which the whole is one marked statement, per language. */
const marked: Readonly<Record<string, readonly string[]>> = {
  English: [
    'No, we use pnpm here, not npm.',
    'From now on, write commit messages in the imperative mood.',
    'Never push directly to main.',
    'Please always run the linter before you commit.',
    'In this repo always name piers in kebab-case.',
    'Tide tables must never be cached.',
    'We use tabs instead of spaces.',
    'We decided to go with Postgres instead of MongoDB.',
    "We don't want default exports.",
    'We want one changelog per package',
    'Stop adding comments that restate the code.',
    'I use WSL with zsh',
    "I'll run the migrations myself.",
    'I want you to ask before you add a dependency',
    "When you edit a schema don't touch the old migrations",
    'Never delete branches without asking me.',
  ],
  German: [
    'Ab jetzt schreiben wir Commits auf Englisch.',
    'Nein, wir nutzen pnpm, nicht npm.',
    'Wir wollen keine Default-Exporte.',
    'Ich verwende Neovim unter Arch.',
    'Niemals direkt auf main pushen.',
  ],
  French: [
    'À partir de maintenant, les commits sont en anglais.',
    'On veut pas de dépendances inutiles.',
    "J'utilise Neovim sous Arch.",
    'Toujours lancer les tests avant un commit.',
  ],
  Spanish: [
    'A partir de ahora escribe los commits en inglés.',
    'No, usamos pnpm, no npm.',
    'Siempre ejecuta las pruebas antes de un commit.',
    'Prefiero respuestas cortas sin emojis.',
  ],
  Chinese: [
    '从现在开始提交信息都用英文。',
    '我们用 pnpm，不用 npm。',
    '不要再添加多余的注释。',
    '我使用 Neovim 编辑器。',
  ],
  Japanese: [
    '今後はコミットを英語で書いてください。',
    'npm ではなく pnpm を使います。',
    '必ずテストを実行してください。',
  ],
  Russian: [
    'Отныне пишем коммиты на английском.',
    'Нет, мы используем pnpm, а не npm.',
    'Никогда не пушь прямо в main.',
    'Я использую Neovim под Arch.',
    'Без моего подтверждения ничего не удаляй.',
  ],
};

/** Marks with a condition before them, or an alternative behind them. */
const conditional = [
  'For harbour tests, I want them to be quick.',
  "When you moor, don't ring the bell.",
  'When you print the tides, avoid tables and just use lines.',
  'We moor with ropes rather than chains, we use hemp not nylon.',
  'In our project we never number a pier twice.',
  'Never ever repaint a lighthouse.',
  "Don't ever ring the bell at night.",
  'Die Gezeiten rechnen bei uns immer in UTC.',
  'Bitte keine Abkürzungen in der Hafenkarte.',
  'Dans notre port, on compte toujours depuis le sud.',
  'En este puerto siempre contamos desde el sur.',
  'No pintes nunca el faro.',
  '必ず 潮の表 を使ってください。',
  'В нашем порту мы всегда считаем с юга.',
];

/** An explicit request to remember, and what is left of it. */
const remembered: readonly (readonly [string, string])[] = [
  ['remember the tide service is on port 8443', 'The tide service is on port 8443'],
  ['Quick reminder that the tide service needs a key.', 'The tide service needs a key.'],
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
  for (const [language, turns] of Object.entries(marked)) {
    it(`keeps what a person marks as lasting in ${language}`, () => {
      assert.deepEqual(
        turns.map(it => extractFacts(it).facts),
        turns.map(it => [it]),
      );
    });
  }

  it('keeps a mark with a condition or an alternative', () => {
    assert.deepEqual(
      conditional.map(it => extractFacts(it).facts),
      conditional.map(it => [it]),
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

  it('lists what may be lasting and is not marked as candidates', () => {
    const turns = [
      'We have three ferries that share one timetable.',
      'The staging database should be in Frankfurt.',
      'Can you open the pier?',
      'Open the pier on the map.',
      'Приложение для заметок у нас одно.',
    ];
    assert.deepEqual(
      turns.map(it => extractFacts(it)),
      turns.map((it, i) => ({ facts: [], candidates: i === 2 || i === 3 ? [] : [it] })),
    );
  });

  const check = (turn: string, facts: readonly string[]): void => {
    it(`reads ${JSON.stringify(turn).slice(0, 60)}`, () => {
      assert.deepEqual(extractFacts(turn).facts, facts);
    });
  };
  // A reason or detail stays with what it belongs to; a request does not.
  check("We don't want a debug file per crane. This is too much sprawl. Move the function to cranes.go.", [
    "We don't want a debug file per crane. This is too much sprawl.",
  ]);
  check('never commit without signing.   use the office key', ['Never commit without signing. use the office key']);
  check("i'll run the crane tests myself. explain what they do", ["i'll run the crane tests myself."]);
  check('Hi! Great work. Okay, also: always use kebab-case for file names. Can you rename them?', [
    'Always use kebab-case for file names.',
  ]);
  check('Our rules:\n- never commit to main\n- use tabs for indentation\n\nThanks!', ['Never commit to main']);
  check('Please look at this.\n\n```\nalways use tabs in code\n```', []);

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
        fc.array(fc.oneof(fc.string(), fc.constantFrom(...marked.English!, ...forTheMoment, '\n', '. ', '`'))),
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
