/**
 * A text with each letter and digit in one form, where a script writes it in several: digits by their value, ё as е, hamza
 * carriers and the Persian forms of Arabic letters as the plain letter, vowel points and stress marks left out, katakana as
 * hiragana. For search terms only: whether two texts are the same fact is asked of the texts as written.
 * @param text in NFKC
 */
export function foldLetterForms(text: string): string {
  return foldKana(text)
    .replace(/(?![0-9])\p{Nd}/gu, toAsciiDigit)
    .replace(arabicLetters, letter => arabicForms[letter] ?? '')
    .replace(vowelPoints, '')
    .replace(/[ёЁ]/gu, 'е')
    .replace(/(?<=\p{Script=Cyrillic})[\u0300\u0301]/gu, '');
}

/** How German and the Nordic languages write a letter where the keyboard has none: Größe as Groesse, Århus as Aarhus. */
export function spellOutUmlauts(lowerCaseWord: string): string {
  return lowerCaseWord.replace(/[äöüøå]/gu, letter => spelledOut[letter]!);
}

const spelledOut: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };

/** Unicode keeps decimal digits in runs of ten, from zero up; some runs follow each other. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}

/** The last, U+0640, stretches a word and says nothing, as does the joiner U+200C between Arabic letters. */
const arabicLetters =
  /[\u0622\u0623\u0625\u0671\u0624\u0626\u0649\u0629\u06A9\u06CC\u06C0\u06C1\u06C2\u066B\u0640]|(?<=\p{Script=Arabic})\u200C/gu;
const arabicForms: Readonly<Record<string, string>> = {
  آ: 'ا',
  أ: 'ا',
  إ: 'ا',
  ٱ: 'ا',
  ؤ: 'و',
  ئ: 'ي',
  ى: 'ي',
  ی: 'ي',
  ة: 'ه',
  ۀ: 'ه',
  ہ: 'ه',
  ۂ: 'ه',
  ک: 'ك',
  '٫': '.',
};

/** Of Hebrew and Arabic. */
const vowelPoints =
  /[\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u08D3-\u08E1\u08E3-\u08FF]/gu;

/** Distance between a katakana letter and its hiragana. */
const kanaDistance = 0x60;

/** Katakana as hiragana; the long vowel mark at the end of a word of three letters and more is optional: サーバー, サーバ. */
function foldKana(text: string): string {
  return text
    .replace(
      /(?<=[\u30A1-\u30FA\u30FC]{2})\u30FC(?![\u30A1-\u30FA\u30FC])|(?<=[\u3041-\u3096\u30FC]{2})\u30FC(?![\u3041-\u3096\u30FC])/gu,
      '',
    )
    .replace(/ヴ[ァィェォ]?/gu, letters => vSounds[letters]!)
    .replace(/[\u30A1-\u30F6\u30FD\u30FE]/gu, letter => String.fromCharCode(letter.charCodeAt(0) - kanaDistance));
}

/** As most texts write the sound of v. */
const vSounds: Readonly<Record<string, string>> = { ヴ: 'ブ', ヴァ: 'バ', ヴィ: 'ビ', ヴェ: 'ベ', ヴォ: 'ボ' };

/** Whether a text has only ASCII characters, as most have. */
export function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}
