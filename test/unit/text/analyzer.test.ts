import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isStopWord, analyzeText } from '../../../src/engine/text/analyzer.js';
import { arbitraryText } from './arbitraryText.js';

describe('analyzeText', () => {
  const table: readonly (readonly [title: string, text: string, expected: string])[] = [
    [
      'words are stemmed, in lower case, in order, repeats kept',
      'Running the migrations, the migrations',
      'run the migrat the migrat',
    ],
    ['camelCase gives the whole and its parts', 'getUserById', 'getuserbyid get user by id'],
    ['acronyms in identifiers are parts', 'parseHTTPRequest', 'parsehttprequest pars http request'],
    ['snake_case', 'DATABASE_URL', 'database_url databas url'],
    ['kebab-case with numbers', 'us-east-1', 'us-east-1 us east 1'],
    ['versions stay whole and in parts', 'v1 5.1.14', 'v1 5.1.14 5 1 14'],
    ['paths and file names', 'src/engine/foo.test.ts', 'src/engine/foo.test.ts src engin foo test ts'],
    ['dot files', 'the .env file', 'the .env env file'],
    ['dotted names', 'Node.js', 'node.js node js'],
    ['languages that end in a sign', 'C++ and C# or F#', 'c++ and c# or f#'],
    ['possessives and contractions', 'Sarah’s tests don’t run', 'sarah test dont run'],
    ['accents are folded, and umlauts spelled out as well', 'Café Müller', 'cafe muller mueller'],
    ['compatibility forms', 'ﬁle Ｆｕｌｌ', 'file full'],
    ['CJK runs become pairs, and Chinese characters terms', '日本語 테스트', '日本 本語 日 本 語 테스 스트'],
    ['letters that do not decompose are folded too', 'Straße smørrebrød Łódź', 'strass smorrebrod smoerrebro lodz'],
    ['a single CJK letter stays', '木', '木'],
    ['mixed scripts', 'Redisクラスタ', 'redi くら らす すた'],
    ['emoji are terms, with skin tone and without variation selector', '👍🏽 ❤️ ok', '👍🏽 ❤ ok'],
    ['lone surrogates are dropped', 'a\uD800b', 'a b'],
    ['right-to-left words', 'שלום עולם', 'שלום עולם'],
    ['digits by their value', 'порт ٨٤٤٣ ۸۴۴۳ ८४४३ ８４４３ 𝟠𝟜𝟜𝟛', 'порт 8443 8443 8443 8443 8443'],
    ['ё and stress marks', 'Отключён за́мок Ёлка', 'отключен замок елка'],
    ['й is a letter of its own', 'мой', 'мой'],
    ['hamza, final forms and vowel points of Arabic', 'أوراكل إلى فى قَاعِدَة مـــدى', 'اوراكل الي في قاعده مدي'],
    ['Persian letters and the joiner', 'کتاب\u200Cهای یک', 'كتابهاي يك'],
    ['Hebrew points', 'בְּפּוֹרט', 'בפורט'],
    ['Greek accents and the final sigma', 'Λογαριασμός ΟΔΟΣ', 'λογαριασμοσ οδοσ'],
    ['katakana as hiragana, half width too', 'サーバ さーば ｻｰﾊﾞ', 'さー ーば さー ーば さー ーば'],
    ['the long vowel mark at the end of a word', 'サーバー キー ユーザーの', 'さー ーば きー ゆー ーざ ざの'],
    ['long vowels in Latin letters', 'Tōkyō Århus', 'tokyo arhu aarhu'],
    ['operators of search engines are no terms', '"NEAR(a b*)": -c', 'near a b c'],
    ['nothing', ' \n…—', ''],
  ];
  for (const [title, text, expected] of table) {
    it(title, () => {
      assert.equal(analyzeText(text).join(' '), expected);
    });
  }

  it('recognizes stop words and their stems', () => {
    assert.deepEqual(['the', 'doing', 'because', 'becaus', 'dont', 'auth', 'database'].map(isStopWord), [
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('cuts words at the maximum term length', () => {
    assert.deepEqual(
      analyzeText('x'.repeat(1000)).map(term => term.length),
      [64],
    );
  });

  it('never throws, is deterministic, and returns terms without white space or capitals', () => {
    fc.assert(
      fc.property(arbitraryText(), text => {
        const found = analyzeText(text);
        assert.deepEqual(analyzeText(text), found);
        for (const term of found) assert.match(term, /^[^\sA-Z\p{Surrogate}]+$/u);
      }),
    );
  });
});
