/** The words by which a secret is dictated, in English, German, French, Spanish, Italian, Portuguese and Dutch. */
import table from './dictationWords.json';
import { passwordNouns } from './secretNouns.js';
import { codeNames } from './spokenCodes.js';

/** Nouns of secrets that are dictated. Keys of tables and maps are separated by their length. */
export const nouns = {
  passwords: passwordNouns.filter(it => !/cred|identif|zugangsd|inlogg|^clave$|psk/u.test(it)).join('|'),
  codes: `${codeNames.join('|')}|pin|combination|code (?:du )?wi-?fi|(?:punch|key|tap)(?:ed|ing)? in|unlock(?:s|ed)?|(?:the|my|our|his|her) (?:safe|locker|padlock)(?! (?:code|pin|combination))`,
  keys: '(?:api|access|licen[cs]e|secret|recovery)[ -]?(?:key|token|code)|key|token',
  keywords: [
    ...[
      'pass',
      'pwd',
      'psw',
      'pw',
      'kennw',
      'losung',
      'geheim',
      'mdp',
      'code',
      'contrase',
      'senha',
      'parola',
      'wachtw',
    ],
    ...[
      'pin',
      'combination',
      'unlock',
      'safe',
      'locker',
      'padlock',
      'key',
      'token',
      'código',
      'codice',
      'punch',
      'tap in',
      'tapp',
    ],
    ...['has', 'heslo', 'lösen', 'passord', 'adgang', 'jelsz', 'ifre', 'парол', 'код'],
  ],
} as const;

const wordSet = (lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap(it => it.split(' ')));

const numbers = wordSet(table.numbers);

/** Numbers, with those that German and English make of two. */
export function isNumberWord(word: string): boolean {
  return (
    numbers.has(word) ||
    /^(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und\p{L}{3,6}zig$/u.test(word) ||
    /^(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-\p{L}{3,5}$/u.test(word)
  );
}

/** The alphabets of NATO and of German, and how letters are called that have a name. */
export const letterWords = wordSet(table.letters);

/** Names of signs, or the first word of those that have two. */
export const signWords = wordSet(table.signs);

export const capitalWords = wordSet(table.capitals);

/** Words between the pieces, and those that explain a piece. */
export const joiners = wordSet(table.joiners);

export const unitsAndCounts = {
  /** Before a number that counts or dates. */
  before: wordSet(table.before),
  /** After a number that counts. */
  after: wordSet(table.after),
  /** Words of a sentence, which no dictated value contains. */
  grammar: wordSet(table.grammar),
  articles: wordSet(table.articles),
  /** Counted things: "version nine". */
  enumerated: wordSet(table.enumerated),
} as const;
