import {
  aboutSuffix,
  environmentSuffix,
  nounPattern,
  passwordNouns,
  publicPrefix,
  secretQualifier,
} from './secretNouns.js';
import type { NamedSecret } from './secretRule.js';
import { findShapedSecrets, wordsOfSentence } from './shapedSecrets.js';
import {
  isLiteralPassword,
  isPassphrase,
  isSpokenPassword,
  isUuid,
  isPasswordOrWord,
  isProduct,
  looksLikeKey,
  looksRandom,
  trimEnd,
} from './secretValue.js';

/** `=`, `:`, `=>`, `:=`, or what gives a default, with the quote that closes the name, or the type of a declaration. */
const assignmentPattern =
  /^["'`\]]{0,2}(?:[ \t]{0,4}:[ \t]{0,3}(?:str|string|String|Final(?:\[str\])?)(?=[ \t]{0,3}=))?[ \t]{0,40}(?<sign>:=|=>|\|\||\?\?|={1,3}|:|→|->|\|)[ \t]{0,40}(?:[>|][+-]?[ \t]{0,3}(?=\n))?\n?[ \t]{0,12}/;

const quotedPattern = /^[a-z@$]{0,2}(?<quote>["'`])(?<value>[^"'`\n]{3,400})["'`]/;
const bareValuePattern = /^["'`(<]?(?<value>[^\s"'`,;|<>]{3,2000})/;

/** The phrase between a name and a copula: "for the admin account", "on staging", "от базы" */
const phrasePattern = /^["'`}]{0,2}(?:[ \t]{1,3}(?:[^\n!?:=.]|\.(?! )){1,60})?$/u;
/** Of a question that the text answers itself: "The password? It's …" */
const answerPattern = /^(?:[ \t]{1,3}[^\n!?:=.]{1,60})?\?[ \t]{1,3}(?:it's|it is|c'est)[ \t]/iu;

/** Copulas with what stands between them and the value: "is now", ":", "是". The value is not consumed. */
const copulaPattern =
  /(?:(?:[ \t]{1,3}|(?=[:=]))(?<copula>is|was|are|to|ist|lautet|heißt|heisst|sind|est|sont|es|son|è|é|sono|são|is geworden|luidt|är|er|auf|on|jest|je|being|sia|это|c'est|it's|it is|este|là|είναι|هي|هو|היא|הוא|[:=](?!\/\/)|→|->|—|–|-(?!-))|[ \t]{0,3}(?:是|为|為|已?(?:改成|改为|设为|设置为|换成)|は|は、|を|은|는|을|를|が))[ \t]{0,3}\n?[ \t]{0,3}(?:(?:now|still|set to|just|simply|always|jetzt|ahora|maintenant|ora|nu|:)[ \t]{1,3})?["'`(*]{0,3}(?=(?<value>[^\s"'`,，。;]{4,200}))/giu;
const maxSentence = 320;

/** A phrase of words in quotes after the name of a pass phrase, and after a few words of what it opens. */
const wordsPattern =
  /^(?<phrase>[^\n!?:=."'`]{0,60}?)[ \t]{0,3}(?:\b(?:is|was|ist|lautet|est|es)|è|[:=])[ \t]{0,3}["'`](?<value>[\p{L}\d]{1,20}(?:[ -][\p{L}\d]{1,20}){2,11})["'`]/iu;

/** Of a message about a pass phrase, which may itself be a sentence. */
const wordsOfRule =
  /\b(?:must|should|can|cannot|please|least|only|invalid|wrong|missing|required|optional|words?|characters?|phrases?|passphrases?)\b/i;

/** What a Cyrillic phrase says of a password, before a value in other letters: "от базы данных hunter2x" */
const cyrillicPhrasePattern =
  /^[ \t](?:от|для|к|на|администратора|пользователя|root)[ \t]?[\p{sc=Cyrillic}\d -]{0,40}?[ \t]["'`]?(?<value>[\x21-\x7e]{5,100})/iu;

/** A value that a comma sets off: "the API key for the weather service, 9c3e7a1f5d2b8046, expires in May" */
const setOffPattern =
  /^(?:[ \t]{1,3}[^\n!?:=.,;]{1,60})?,[ \t]{1,3}["'`(]?(?<value>[^\s"'`,;]{8,200})(?=["'`)]?(?:[,.;][\s"']|[.;]?$|[.;]?\n))/u;

/** A value right after its name: "the password hunter2x", "(password 22sG)" */
const adjacentPattern = /^["'`]?[ \t]{1,3}["'`(]{0,2}(?<value>(?![)}\]>|.=+*\/\\<:-])[^\s"'`,;]{4,2000})/;

const optionPattern = /^(?:[= ]|[ \t]{1,3})["']?(?<value>[^\s"'`]{3,2000})/;

/** A pair of attributes, keys or lines whose name is a secret's: name="password" value="…", name: DB_PASS / value: … */
const pairPattern =
  /\b(?:name|key|id|property|env)["']?[ \t]{0,3}[:=][ \t]{0,3}["']?(?<name>[\w.-]{1,80})["']?[ \t]{0,3}[,;]?\s{1,40}["']?(?:value|val|content|default|text)["']?[ \t]{0,3}[:=][ \t]{0,3}["']?(?<value>[^\s"'<>,]{3,2000})/gi;

/** variable "db_password" { default = "value" } of HCL */
const variablePattern =
  /\bvariable\s{1,3}"(?<name>[\w-]{1,80})"\s{0,3}\{[^{}]{0,300}?\bdefault\s{0,20}=\s{0,3}"(?<value>[^"\n]{3,400})"/g;

/** <password>value</password>, with or without a namespace. */
const elementPattern =
  /<(?<name>[\w.:-]{2,60})(?:\s[^<>]{0,200})?>[ \t\n]{0,20}(?<value>[^<>\s]{3,2000})[ \t\n]{0,20}<\//g;

/** <entry key="mail.password">value</entry> */
const namedElementPattern =
  /<[\w.:-]{1,60}\s[^<>]{0,100}?\b(?:key|name|id)=["'](?<name>[\w.-]{1,80})["'][^<>]{0,100}>\s{0,20}(?<value>[^<>\s]{3,2000})\s{0,20}<\//g;

const nameOfSecret = new RegExp(
  `(?:${passwordNouns.filter(it => /^[a-z]/.test(it)).join('|')}|secret|token|api[_.-]?key|(?:access|private|encryption|signing|secret)[_.-]?key)(?:[_.-]?(?:prod|dev|test|staging|\\d{1,2}))?$`,
  'i',
);

/** Secrets by their names. Looks at a bounded part of the text around each name, so it is linear. */
export function* findNamedSecrets(text: string): Generator<NamedSecret> {
  yield* findPairs(text);
  yield* findAfterNames(text);
  yield* findShapedSecrets(text);
}

function* findPairs(text: string): Generator<NamedSecret> {
  for (const pattern of [pairPattern, variablePattern, elementPattern, namedElementPattern]) {
    for (const match of text.matchAll(pattern)) {
      const { name, value } = match.groups!;
      if (!nameOfSecret.test(name!) || !isLiteralPassword(value!)) continue;
      const end = match.index + match[0].lastIndexOf(value!) + value!.length;
      yield { label: 'password', start: end - value!.length, end };
    }
  }
}

/** A name found in the text, and what is written around it. */
interface Name {
  readonly isPassword: boolean;
  /** The identifier up to the name: `DB_` of `DB_PASSWORD`, `--` of `--password`. */
  readonly prefix: string;
  /** All of it, small letters and digits alone. */
  readonly folded: string;
  /** Written as in a shell or in configuration: DB_PASS, JWT_SECRET. */
  readonly isConstant: boolean;
  /** A key whose name says what it opens, or any password. */
  readonly isQualified: boolean;
  /** A secret or a token, whose value may look like a hash; a key may have one. */
  readonly isToken: boolean;
  /** A pass phrase, whose value is a sentence. */
  readonly isPhrase: boolean;
  /** "Pass" alone, a verb. */
  readonly isVerb: boolean;
  readonly after: string;
  readonly afterStart: number;
}

function* findAfterNames(text: string): Generator<NamedSecret> {
  let runEnd = 0;
  for (const match of text.matchAll(nounPattern)) {
    // A run without spaces that holds name after name is looked through once as a whole: else each name reads all of it.
    const isWithinRun = match.index < runEnd;
    if (!isWithinRun) runEnd = endOfLongRun(text, match.index);
    const found = findAfterName(text, match, isWithinRun ? maxAfterWithinRun : maxAfter);
    if (found === undefined) continue;
    const isCut = isWithinRun && found.end - found.start >= maxAfterWithinRun - maxCutSlack;
    yield isCut ? { ...found, end: Math.max(found.end, Math.min(runEnd, found.end + maxAfter)) } : found;
  }
}

function findAfterName(text: string, match: RegExpExecArray, maxLength: number): NamedSecret | undefined {
  const name = readName(text, match, maxLength);
  if (name === undefined || isTypeOfCode(name)) return undefined;
  const found = readOption(name) ?? readAssignment(name) ?? readCall(name) ?? readSentence(name);
  if (found === undefined) return undefined;
  const start = name.afterStart + found.offset;
  return { label: name.isPassword ? 'password' : 'API key', start, end: start + found.value.length };
}

/** The end of the run at a name, if it is longer than what is read of it a second time. */
function endOfLongRun(text: string, start: number): number {
  runPattern.lastIndex = start;
  const { length } = runPattern.exec(text)![0];
  return length > maxAfterWithinRun ? start + length : 0;
}

/** As the value of an assignment that stands without quotes. */
const runPattern = /[^\s"'`,;|<>]*/y;

const maxPrefix = 60;
const maxAfter = 2_200;
const maxAfterWithinRun = 200;
/** What may stand between a name and a value that goes on to the end of what was read. */
const maxCutSlack = 60;

function readName(text: string, { 0: noun, index, groups }: RegExpExecArray, maxLength: number): Name | undefined {
  const before = text.slice(Math.max(0, index - maxPrefix), index);
  const prefix = /(?<![\p{L}\p{N}_.$-])[\p{L}\p{N}_.$-]*$/u.exec(before)![0];
  // In the middle of a word: "compass", "monkey", "patch", "author". Camel case and signs separate.
  const isSeparate =
    prefix === '' || /[^\p{L}\p{N}]$/u.test(prefix) || /^[A-Z]/.test(noun) || /[^\u0000-\u024f]/u.test(noun[0]!);
  const isGlued = /^(?:password|passwd|api[ _.-]?key|secret|token)$/i.test(noun);
  if ((!isSeparate && !isGlued) || prefix === '1') return undefined;
  let afterStart = index + noun.length;
  const rest = text.slice(afterStart, afterStart + maxLength);
  if (isReference(before.slice(0, before.length - prefix.length), rest)) return undefined;
  const isCamel = /^[A-Z][a-z]/.test(rest);
  const [environment = ''] = environmentSuffix.exec(rest) ?? [];
  if (
    environment === '' &&
    (aboutSuffix.test(rest) || isCamel || /^[_-]?[\p{Ll}\p{N}_]/u.test(rest)) &&
    /^[\u0000-\u024f]/u.test(noun)
  ) {
    // A word goes on; only names of configuration may: DB_PASSWORD_MAIN
    if (!/^_[A-Z]{2,12}(?=[ \t]{0,2}=)/.test(rest) || aboutSuffix.test(rest)) return undefined;
    afterStart += /^_[A-Z]{2,12}/.exec(rest)![0].length;
  } else {
    afterStart += environment.length;
  }
  const words = prefix === '' ? (/(?<!\p{L})\p{L}+[ ]$/u.exec(before)?.[0] ?? '') : prefix;
  const lead = words.replace(/([a-z])([A-Z])/g, '$1_$2');
  if (publicPrefix.test(lead)) return undefined;
  const isPassword = groups!.password !== undefined;
  const isConstant = /^[A-Z][A-Z0-9_]*$/.test(`${prefix.replace(/^.*[.-]/, '')}${noun}`);
  return {
    isPassword,
    prefix,
    folded: foldName(prefix + text.slice(index, afterStart)),
    isConstant,
    isQualified: isPassword || isQualifiedKey(noun, lead) || (isConstant && prefix.length > 1),
    isToken: /^(?:secret|token)/i.test(noun),
    isPhrase: /phrase/i.test(noun),
    isVerb: prefix === '' && /^pass$/i.test(noun),
    after: text.slice(afterStart, afterStart + maxLength),
    afterStart,
  };
}

function foldName(name: string): string {
  return name.replace(/[^A-Za-z\d]/g, '').toLowerCase();
}

function isQualifiedKey(noun: string, lead: string): boolean {
  return /^(?:api|secret|connection)/i.test(noun) || secretQualifier.test(lead);
}

/** In the name of a resource, or ${PASSWORD:?missing} with its message. */
function isReference(before: string, rest: string): boolean {
  return /\barn:[\w:/-]*$/.test(before) || (before.endsWith('${') && /^:?\?/.test(rest));
}

interface FoundValue {
  readonly value: string;
  /** From the end of the name. */
  readonly offset: number;
}

/** `--password value`, `-DdbPassword=value`: any word but the next option and the words of a sentence. */
function readOption({ prefix, after, isQualified }: Name): FoundValue | undefined {
  if (!/^--?[a-zA-Z]/.test(prefix) && !/^--?$/.test(prefix)) return undefined;
  const match = optionPattern.exec(after);
  const value = trimEnd(match?.groups!.value ?? '');
  if (match === null || (!isQualified && !looksLikeKey(value))) return undefined;
  const isWord = /^[a-z]+$/.test(value) && !after.startsWith('=');
  const isSentence =
    isWord &&
    (value.length < 8 ||
      /^(?:argument|parameter|instead|whenever|because|without|together|requires|followed|rather|switch|setting)/.test(
        value,
      ));
  if (value.startsWith('-') || isSentence || !isLiteralPassword(value)) return undefined;
  return { value, offset: match[0].indexOf(value) };
}

/** `NAME=value`, `name: "value"`, `"name": "value"`, a table cell. */
function readAssignment(name: Name): FoundValue | undefined {
  const assignment = assignmentPattern.exec(name.after);
  if (assignment === null || isTableHeading(assignment[0], name.after)) return undefined;
  const { sign = '=' } = assignment.groups!;
  // Of a table, not of an account's id: auth0|64c7f1
  // Nor of the names that a type allows: 'password' | 'search'
  if (sign === '|' && /^["']|^\S*$/.test(assignment[0])) return undefined;
  const rest = name.after.slice(assignment[0].length);
  // The next line is the value for sure after the sign of a block in YAML.
  const isNextLine = assignment[0].includes('\n') && !/[>|][+-]?[ \t]*\n/.test(assignment[0]);
  const quoted = quotedPattern.exec(rest);
  if (quoted !== null) {
    const value = quoted.groups!.value!;
    const isAny = !/^(?:=={1,2}|\|\||\?\?)$/.test(sign) && !(name.isVerb && sign === ':');
    if (!accepts(name, value, isAny)) return undefined;
    return { value, offset: assignment[0].length + quoted[0].indexOf(value) };
  }
  const bare = bareValuePattern.exec(rest);
  if (bare === null) return undefined;
  const value = cutLink(trimEnd(bare.groups!.value!));
  const following = rest.slice(bare[0].length).split('\n', 1)[0]!;
  const isCode =
    /^[A-Za-z_]\w*$/.test(value) &&
    !/\d/.test(value) &&
    // Of a connection string, where the next name follows.
    !/^;[A-Za-z][A-Za-z ]{1,30}=/.test(following) &&
    (/^\s{0,2}[,;)\]}.([]/.test(rest.slice(bare[0].indexOf(value) + value.length)) || /^(?:is|in|of|as)$/.test(value));
  if (isCode || isNumberOfCode(name, value)) return undefined;
  // In shells the value ends at the space; elsewhere words after it make a sentence of it.
  const isShell = sign === '=' && !/\s/.test(assignment[0]);
  const isAlone = /^[ \t]*(?:$|[#,;}|&)]|\/\/|--)/.test(following) && !isNextLine;
  const isAny = isShell || (isAlone && !name.isVerb);
  if (!accepts(name, value, isAny)) return undefined;
  return { value, offset: assignment[0].length + bare[0].indexOf(value) };
}

/** SUBMIT_PASSWORD = 100004; in code a password stands in quotes. A file of settings has no sign at the end. */
function isNumberOfCode({ isConstant, prefix, after }: Name, value: string): boolean {
  return isConstant && prefix !== '' && /^\w{0,20}[ \t]+=[ \t]+\d+[ \t]*[;,]/.test(after) && /^\d+;?$/.test(value);
}

/** type CurrentPassword = MessageMD5Password; both are names, the second of a secret too. */
function isTypeOfCode({ prefix, after }: Name): boolean {
  const isName = /^\w{0,20}[ \t]+=[ \t]+(?:[A-Z][a-z]+|[A-Z]{2,5}\d)+(?:Token|Secret|Password|Key);/;
  return /^[A-Z][a-z]/.test(prefix) && isName.test(after);
}

/** A cell above a line of dashes: what is right of it is another heading. */
function isTableHeading(assignment: string, after: string): boolean {
  return assignment.includes('|') && /^[^\n]*\n[ \t]*(?:\|[ \t]*)?:?--[-:| \t]*(?:\n|$)/.test(after);
}

/** `setPassword("value")`, `.token('value')`, `define("DB_PASSWORD", "value")` */
function readCall(name: Name): FoundValue | undefined {
  const pair = /^["']\s{0,3},\s{0,3}["'](?<value>[^"'\n]{3,400})["']/.exec(name.after);
  if (pair !== null) {
    const value = pair.groups!.value!;
    const isSecret = name.isConstant ? isLiteralPassword(value) : looksRandom(value);
    return isSecret ? { value, offset: pair[0].lastIndexOf(value) } : undefined;
  }
  const match = /^\(\s{0,3}(?:["'][\w.-]{1,40}["'],\s{0,3})?["'](?<value>[^"'\n]{3,400})["']/.exec(name.after);
  const value = match?.groups!.value;
  if (match === null || value === undefined || !accepts(name, value, false)) return undefined;
  return { value, offset: match[0].lastIndexOf(value) };
}

/** `the password for staging is value`, `密码是 value`, `ENV DB_PASSWORD value` */
function readSentence(name: Name): FoundValue | undefined {
  const spoken = readCopula(name) ?? (name.isPassword && !name.isVerb ? readWords(name) : undefined);
  if (spoken !== undefined || name.isVerb) return spoken;
  return readAdjacent(name) ?? readSetOff(name) ?? (name.isPassword ? readCyrillic(name) : undefined);
}

function readCopula(name: Name): FoundValue | undefined {
  const sentence = name.after.slice(0, maxSentence);
  let isFirst = true;
  // No `matchAll`: it compiles the pattern again, for each name.
  copulaPattern.lastIndex = 0;
  for (let match = copulaPattern.exec(sentence); match !== null; match = copulaPattern.exec(sentence)) {
    const phrase = name.after.slice(0, match.index);
    const isOfNoun = phrasePattern.test(phrase) || (isFirst && answerPattern.test(name.after));
    if (!isOfNoun || (!isFirst && /[,;](?!(?: and)? the new (?:one|password)$)/u.test(phrase))) return undefined;
    isFirst = false;
    const { copula = '', value: given = '' } = match.groups!;
    if (name.isVerb && copula !== 'is') continue;
    const offset = match.index + match[0].length;
    const value = trimEnd(given);
    // What goes on in Chinese or Japanese: "パスワードは必須で、8文字以上"
    if (/^[\u3040-\u30ff\u4e00-\u9fff]/.test(value)) return undefined;
    // "On" is also where or when.
    const isPlace = /^(?:to|auf|on)$/i.test(copula);
    if (isSpokenSecret(name, value, /["'`]$/.test(match[0])) && !(isPlace && isProduct(value)))
      return { value, offset };
    const rest = name.after.slice(offset + value.length);
    if (name.isPassword && !isPlace && isNumber(value, rest) && !isNumberOfCode(name, value)) return { value, offset };
  }
  return undefined;
}

function readWords({ after, isPhrase }: Name): FoundValue | undefined {
  const match = wordsPattern.exec(after);
  if (match === null) return undefined;
  const { phrase, value = '' } = match.groups!;
  // After other words it may be a message that is quoted.
  if (phrase !== '' && (isPhrase ? wordsOfRule : wordsOfSentence).test(value)) return undefined;
  return { value, offset: match[0].length - value.length - 1 };
}

function readSetOff({ after, isPassword, isQualified }: Name): FoundValue | undefined {
  const match = setOffPattern.exec(after);
  const value = trimEnd(match?.groups!.value ?? '');
  if (match === null) return undefined;
  const isSecret = isPassword
    ? isSpokenPassword(value) && /[A-Z]/.test(value) && /\d/.test(value)
    : looksLikeKey(value) && (isQualified || looksRandom(value));
  return isSecret ? { value, offset: match[0].lastIndexOf(match.groups!.value!) } : undefined;
}

function readAdjacent({ after, isPassword, isConstant, isQualified, isToken }: Name): FoundValue | undefined {
  const match = adjacentPattern.exec(after);
  if (match === null) return undefined;
  const value = trimEnd(match.groups!.value!);
  // Another name with a value of its own.
  if (/^[a-z_:-]+=/i.test(value)) return undefined;
  const isSecret = isPassword
    ? isPasswordOrWord(value) &&
      (value.length >= 8 || (/[A-Z]/.test(value) && /\d/.test(value)) || /[!$%&?#]/.test(value))
    : looksLikeKey(value) && (isConstant || looksRandom(value) || (isQualified && (isToken || isUuid(value))));
  return isSecret ? { value, offset: match[0].lastIndexOf(match.groups!.value!) } : undefined;
}

function readCyrillic({ after }: Name): FoundValue | undefined {
  const match = cyrillicPhrasePattern.exec(after);
  const value = trimEnd(match?.groups!.value ?? '');
  if (match === null || !isSpokenPassword(value)) return undefined;
  return { value, offset: match[0].lastIndexOf(match.groups!.value!) };
}

/** A password of digits alone, where the sentence ends or goes on without a unit. */
function isNumber(value: string, rest: string): boolean {
  return /^\d{4,12}$/.test(value) && /^(?:[.,;!?)\s"'`*]*$|[,;!?"'`)]|\.\s|\n|[、，。）]|です|입니다)/u.test(rest);
}

function isSpokenSecret({ isPassword, isQualified }: Name, value: string, isQuoted: boolean): boolean {
  if (isQualified && isPassphrase(value)) return true;
  if (!isPassword) return isQualified ? looksLikeKey(value) : looksRandom(value);
  if (isPasswordOrWord(value)) return true;
  // No English word is that long, and what stands in quotes is meant as it is.
  return (/^[a-z]{16,}$/.test(value) || (isQuoted && /^[\w!$%&?#@]{6,}$/.test(value))) && isLiteralPassword(value);
}

/** Whether the value of an assignment is the secret. `isAny`: nothing else can stand there. */
function accepts(name: Name, value: string, isAny: boolean): boolean {
  const { isPassword, isConstant, isQualified, prefix } = name;
  if (isPassword) return isAny ? isLiteralPassword(value) : isSpokenPassword(value) || looksLikeKey(value);
  // What repeats its name: TOKEN_USE = "token_use"
  if (/^[\w-]+$/.test(value) && name.folded.includes(foldName(value))) return false;
  if (looksLikeKey(value) && (isQualified || looksRandom(value))) return true;
  if (!isAny || !isQualified || /\s/.test(value)) return false;
  return isConstant && prefix !== '' && value.length >= 6 && !/^\d+$/.test(value) && isLiteralPassword(value);
}

/** A value up to the bracket that ends the link it stands in, or the call: `…?token=value)](https://…)`. */
function cutLink(value: string): string {
  const [cut = ''] = /^[^)\]]*(?=\)?\]\()/.exec(value) ?? [value];
  return /[([{]/.test(cut) ? cut : cut.replace(/(?<![)\]}])[)\]}]+$/, '');
}
