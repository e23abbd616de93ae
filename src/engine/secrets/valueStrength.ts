import {
  isAddressOrPath,
  isExpression,
  isHashOrId,
  isPlaceholder,
  isPronounceable,
  isTerm,
  maxWordShare,
  wordShare,
} from './secretValue.js';

/**
 * How much a value looks like a secret, whatever its kind. `none`: a word, a name, a path, a version. `id`: a hash or a UUID, which
 * only its label makes a secret. `likely`: groups of letters and digits, or an unusual length of hexadecimal digits. `random`: three
 * classes of characters in no order, as keys have them, and public ids. `signed`: as well with a sign in it. `sure`: capitals, small
 * letters, digits and a sign in no order, which is nothing else than a password.
 */
export type ValueStrength = 'none' | 'id' | 'likely' | 'random' | 'signed' | 'sure';

/** Class changes of neighbors in a random text of letters and digits are 0.62; in names of code they are below 0.35. */
const minMixedRate = 0.4;
/** In a random text of lower-case letters and digits they are 0.4. */
const minPlainRate = 0.25;

/** Linear in the length of the value. */
export function valueStrength(value: string): ValueStrength {
  if (value.length < 6 || value.length > 500 || isNoValue(value)) return 'none';
  if (isHashOrId(value)) return value.length < 32 ? 'none' : 'id';
  if (/^[^A-Za-z]*$/u.test(value)) return 'none';
  if (hasJoinedWords(value)) return 'likely';
  const groups = value.split(/[-_.:]/u);
  if (isGrouped(groups)) return 'likely';
  if (groups.length > 1 && groups.some(isWord)) return 'none';
  const strength = strengthOf(groups.join(''));
  // The id of a record, with the kind before it: pi_3MtwBwLkdIwHu7ix
  return strength === 'random' && /^[a-z]{2,5}_/u.test(value) ? 'likely' : strength;
}

/** Digits, capitals, small letters and signs of a value without separators. */
function strengthOf(bare: string): ValueStrength {
  const has = {
    upper: /[A-Z]/u.test(bare),
    lower: /[a-z]/u.test(bare),
    digit: /\d/u.test(bare),
    sign: signs.test(bare),
  };
  const classes = Object.values(has).filter(Boolean).length;
  const rate = changeRate(bare);
  // A name in camel case, as one in two hundred keys of letters alone is: AudioAnalyzerMacOsHostTfm
  if (wordShare(bare) > maxWordShare || /^[a-z]*(?:[A-Z][a-z]+)+$/u.test(bare)) return 'none';
  const isMixed = rate >= minMixedRate && bare.length >= 9;
  if (isMixed && classes >= 4 && rate >= minSureRate && surePattern.test(bare)) return 'sure';
  if (isMixed && has.digit && classes >= 3) return has.sign && !/[+/=]/u.test(bare) ? 'signed' : 'random';
  if (isMixed && has.upper && has.lower && bare.length >= 24) return 'random';
  // Groups of a licence, or a key in small letters.
  if (has.digit && bare.length >= 20 && rate >= minPlainRate && !/^[0-9a-f]+$/iu.test(bare)) return 'random';
  return has.digit && bare.length >= 16 && rate >= minPlainRate ? 'likely' : 'none';
}

/** Two signs at most, none of an expression, and no escape of an address. */
const surePattern = /^(?!.*%[\dA-F]{2})[A-Za-z\d]+(?:[!#$%&?@^][A-Za-z\d]*){1,2}$/u;
const minSureRate = 0.5;

const signs = /[!#$%&*?@^~+=]/u;

function isNoValue(value: string): boolean {
  return (
    isPlaceholder(value) ||
    (isExpression(value) && !isKeyWithDots(value)) ||
    isAddressOrPath(value) ||
    isTerm(value) ||
    /^(?:AAAA|0x|(?:Ctrl|Alt|Cmd|Shift|Meta)\+|sha\d|https?:|data:|Qm[1-9A-Za-z]{44}$|ba[fg][a-z2-7]{50})/u.test(
      value,
    ) ||
    // GitHub2FA
    /^(?:[A-Z][a-z]+)+\d{1,2}[A-Z]*$/u.test(value) ||
    // Escapes of an address.
    /(?:%[\dA-F]{2}.*){2}/iu.test(value) ||
    // Hosts, mail addresses, file names, versions, times and paths.
    /\.[a-z]{2,12}$|^\d+(?:[.:-]\d+)+|^v\d|@[\w-]+\.|^[@\\~.]/u.test(value) ||
    (value.includes('/') && !/^[A-Za-z0-9+/]{20,}={0,2}$/u.test(value))
  );
}

/** Groups with digits between letters, which no names of code have: mv4vfo.tqav5qnc36m4nzd9 */
function isKeyWithDots(value: string): boolean {
  return /^[A-Za-z\d]+(?:\.[A-Za-z\d]+){1,4}$/u.test(value) && /[a-z]\d+[a-z]+\d/iu.test(value);
}

/** A word or the name of a thing, as ids of machines and files have them: harbor-api-6c9f7d5b84 */
function isWord(piece: string): boolean {
  return /^[A-Z]?[a-z]{3,}$|^[A-Z]{3,}$/u.test(piece) && isPronounceable(piece.toLowerCase());
}

/** Groups of one length, each of small letters or of capitals, with digits in two of them: 7f3k9-x2mq8 */
function isGrouped(groups: readonly string[]): boolean {
  if (groups.length < 2 || groups.length > 12) return false;
  const { length } = groups[0]!;
  const mixed = groups.filter(it => /\d/u.test(it) && /[A-Za-z]/u.test(it)).length;
  return (
    length >= 4 &&
    length <= 8 &&
    mixed >= 2 &&
    groups.every(it => it.length === length && /^(?:[a-z\d]+|[A-Z\d]+)$/u.test(it))
  );
}

/** Words with a capital around a number or a sign, which no name of code has: Lantern7Gull, Marsh!Owl52 */
function hasJoinedWords(bare: string): boolean {
  if (/^[A-Za-z][a-z]{2,}(?:[A-Z][a-z]{2,}){0,2}\d{2,4}[!#$%&*?@]$/u.test(bare)) return true;
  if (/^[A-Z][a-z]{2,}(?:[-_.!#$%&*?@]?[A-Z][a-z]{2,}){0,2}[!#$%&*?@]\d{2,4}$/u.test(bare)) return true;
  return /^[A-Z][a-z]{3,}(?:\d{1,4}|[!#$%&*?@^~+=]\d{0,4})[A-Z][a-z]{2,}\d{0,4}[!?]?$/u.test(bare);
}

/** How often a character is of another class than the one before it, 0 to 1. */
export function changeRate(bare: string): number {
  let changes = 0;
  for (let index = 1; index < bare.length; index++) if (classOf(bare[index]!) !== classOf(bare[index - 1]!)) changes++;
  return bare.length < 2 ? 0 : changes / (bare.length - 1);
}

function classOf(character: string): number {
  if (/[a-z]/u.test(character)) return 0;
  if (/[A-Z]/u.test(character)) return 1;
  return /\d/u.test(character) ? 2 : 3;
}
