import { isLiteralPassword, isSpokenPassword, looksLikeKey, looksRandom } from './secretValue.js';

/** A secret that is known by the name before or after it. */
export interface NamedSecret {
  readonly label: 'password' | 'API key';
  readonly start: number;
  readonly end: number;
}

/** Nouns for a password, in configuration, English and the languages of Europe and East Asia. */
const passwordNouns = [
  'pass[ _-]?words?',
  'passwort',
  'passwörter',
  'passwd',
  'pass[ _-]?phrases?',
  'pass[ _-]?codes?',
  'pswd',
  'pwd',
  'pass',
  'psw',
  'pw',
  'creds?',
  'credentials?',
  'kennwort',
  'kennwörter',
  'zugangsdaten',
  'losungswort',
  'geheimzahl',
  'mots? de passe',
  'mdp',
  'code secret',
  'identifiants',
  'contraseñas?',
  'contrasenas?',
  'clave',
  'credenciales',
  'senhas?',
  'palavra-passe',
  'parola(?: d.ordine)?',
  'credenziali',
  'wachtwoord(?:en)?',
  'inloggegevens',
  'şifre(?:si)?',
  'sifre(?:si)?',
  'parolas[ıi]',
  'lösenord(?:et)?',
  'passord(?:et)?',
  'adgangskode(?:n)?',
  'salasana',
  'hasł[oa]',
  'haslo',
  'heslo',
  'jelszó',
  'пароль',
  'пароля',
  'паролем',
  'κωδικός',
  '密码',
  '密碼',
  '口令',
  'パスワード',
  '暗証番号',
  '비밀번호',
  '암호',
  'كلمة المرور',
  'كلمة السر',
  'סיסמה',
  'पासवर्ड',
  'mật khẩu',
];

/** Nouns for a key or token. Their value must look like one, unless the name says what the key is for. */
const keyNouns = [
  'secrets?',
  'api[ _.-]?keys?',
  'keys?',
  'tokens?',
  'auth',
  'pat',
  'otp',
  'totp',
  '2fa(?: seed)?',
  'seed',
  'connection[ _-]?string',
  'dsn',
  'webhook(?:[ _-]?url)?',
  'signature',
  'schlüssel',
  'geheimnis',
  'clé',
  'llave',
  'chiave',
  'sleutel',
  'chave',
  'anahtar[ıi]?',
  'nyckel',
  'klucz',
  'ключ',
  'токен',
  'токена',
  '密钥',
  '密鑰',
  '令牌',
  'トークン',
  'キー',
  '토큰',
  '키',
];

const nounPattern = new RegExp(`(?<password>${passwordNouns.join('|')})|(?<key>${keyNouns.join('|')})`, 'giu');

/** Lower-case pieces of the nouns, one of which is in each text with a name. */
export const nameKeywords: readonly string[] = [
  ...['pass', 'pswd', 'pwd', 'psw', 'pw', 'cred', 'kennw', 'zugangsd', 'losung', 'geheim', 'mdp', 'code secret'],
  ...['identif', 'contrase', 'clave', 'senha', 'parola', 'wachtw', 'inlogg', 'ifre', 'lösen', 'adgang', 'salasana'],
  ...[
    'has',
    'heslo',
    'jelsz',
    'парол',
    'κωδικ',
    '密',
    '口令',
    'パス',
    '暗証',
    '비밀',
    '암호',
    'كلمة',
    'סיסמה',
    'पास',
    'khẩu',
  ],
  ...['secret', 'key', 'token', 'auth', 'pat', 'otp', '2fa', 'seed', 'connection', 'dsn', 'webhook', 'signature'],
  ...['schlüssel', 'clé', 'llave', 'chiave', 'sleutel', 'chave', 'anahtar', 'nyckel', 'klucz', 'ключ', 'токен'],
  ...['令牌', 'トークン', 'キー', '토큰', '키', 'login', 'log in', 'sign in', 'with', ' / '],
];

/** What makes of "key" or "token" a secret one. */
const secretQualifier =
  /(?:^|[ _.$-])(?:api|access|auth|secret|private|encrypt(?:ion)?|signing|sign|master|licen[cs]e|subscription|account|shared|admin|service|deploy|ingest(?:ion)?|write|webhook|session|cookie|jwt|hmac|aes|crypto|security|server|client|storage|sas|function|refresh|bearer|bot|personal|identity|csrf|root|registration|verification|app|application|user|oauth|id|jenkins|npm|github|gitlab|slack|aws)[ _.-]?$/i;

/** Names of values that are public, or about a secret and no secret. */
const publicPrefix =
  /(?:^|[ _.$-])(?:public|primary|foreign|partition|sort|cache|row|unique|composite|idempotency|i18n|translation|hot|arrow|object|map|dict|hash|config|registry|lookup|group|query|search|index|next|page|continuation|cancellation|cancel|stop|end|eos|bos|pad|special|max|min|num|count|total|design|color|theme|lexer|parser|is|has|show|hide|needs|requires|allow|should|can|on|gpg|pgp|host|public ssh|no|without|hashed|encrypted|forgot|reset)[ _.-]?$/i;

/** What a name continues with when its value is about the secret: passwordHash, PASSWORD_FILE, token_count. */
const aboutSuffix =
  /^[ _.-]{0,2}(?:hash(?:es|ed|er|ing)?|file|path|dir|folder|length|len|size|min|max|polic(?:y|ies)|rules?|fields?|inputs?|label|url|uri|link|endpoint|page|form|screen|dialog|names?|id|ids|type|count|counts?|counter|timeout|ttl|expir\w*|lifetime|age|resets?|changed?|rotation|at|required|enabled|disabled|strength|regex|pattern|validat\w*|prompt|hint|env|var|variable|column|header|prefix|suffix|encoder|encoding|manager|managers|store|vault|provider|protected|protection|authentication|auth(?=\b)|generator|bucket|limit|usage|budget|ring|chain|board|word|press|down|up|code|frame|map|path|value|values|pair|pairs|server|flow|check|checks|stdin|less|fingerprints?|grants?|usage|exchange|counting|handling|support|algorithm|format|rotation|budgets?|estimat\w*|best practices|credentials provider)(?![a-z])/i;

/** An environment at the end of a name: DB_PASSWORD_PROD, token2 */
const environmentSuffix =
  /^(?:[_.-]?(?:prod|production|dev|development|staging|stage|test|qa|ci|live|local|old|new|main|primary|backup|default|b64|base64|value|v?\d{1,3})(?![a-z]))/i;

/** `=`, `:`, `=>`, `:=`, with the quote that closes the name, or the type of a declaration. */
const assignmentPattern =
  /^["'`\]]{0,2}(?:[ \t]{0,4}:[ \t]{0,3}(?:str|string|String)(?=[ \t]{0,3}=))?[ \t]{0,40}(?<sign>:=|=>|={1,3}|:|→|->|\|)[ \t]{0,40}\n?[ \t]{0,12}/;

const quotedPattern = /^[a-z@$]{0,2}(?<quote>["'`])(?<value>[^"'`\n]{3,400})["'`]/;
const bareValuePattern = /^["'`(<]?(?<value>[^\s"'`,;|<>]{3,2000})/;

/** Copulas, with the phrase between a name and its value: "for the admin account is now", "от базы:", "是" */
const copulaPattern =
  /^["'`]?(?:[ \t]{1,3}(?:[^\n!?:=.]|\.(?! )){1,60}?)??(?:(?:[ \t]{1,3}|(?=[:=]))(?:is|was|are|to|ist|lautet|sind|est|sont|es|son|è|é|sono|são|is geworden|luidt|är|er|auf|on|jest|je|это|[:=](?!\/\/)|→|->|—|–|-)|[ \t]{0,3}(?:是|为|為|は|は、|은|는|が))[ \t]{0,3}\n?[ \t]{0,3}(?:(?:now|still|set to|just|simply|always|jetzt|ahora|maintenant|ora|nu|:)[ \t]{1,3})?["'`(*]{0,3}(?<value>[^\s"'`,，。;]{4,200})/iu;

/** A value right after its name: "the password hunter2x", "(password 22sG)" */
const adjacentPattern = /^["'`]?[ \t]{1,3}["'`(]{0,2}(?<value>(?![)}\]>|.=+*\/\\<:-])[^\s"'`,;]{4,2000})/;

const optionPattern = /^(?:[= ]|[ \t]{1,3})["']?(?<value>[^\s"'`]{3,2000})/;

/** A value before its name: "use hunter2x as the admin password", "ann:hunter2x is the shared login" */
const reversedPattern =
  /(?<![^\s"'`([{:/*])(?<value>[^\s"'`,;:()[\]{}]{5,200})["'`*]{0,3}[ \t]{1,3}(?:as|is|als|ist|comme|est|como|es|come|è|é|is het|for)[ \t]{1,3}(?:(?:the|our|my|his|her|their|your|a|das|dem|unser|le|notre|la|nuestra|il|nostra|het|o|a|senha)[ \t]{1,3})?(?:[\p{L}\d-]{1,20}[ \t]{1,3}){0,3}?(?:pass[ -]?word|pass[ -]?phrase|pass[ -]?code|passwd|login|credentials?|pin|passwort|kennwort|mot de passe|contraseña|senha|wachtwoord)(?![\p{L}\d_-])(?![ \t](?:manager|provider|polic|hash|field|page|form|store|vault|flow|method|service|server|endpoint|url|librar|algorithm|encoder|strategy))/giu;

/** A name and a password of an account: "admin / hunter2x", "ann:hunter2x", "as admin with hunter2x" */
const accountPattern =
  /(?:\b(?:credentials?|creds|log(?:ged)?[ -]?(?:in|on)|logins?|sign(?:ed)?[ -]?in|accounts?|zugangsdaten|anmelden|identifiants|credenciales|credenziali|usuario|ssh|connect|use|with|user(?:name)?)\b|логин)[^\n.!?]{0,60}?(?:(?<![^\s"'`(=:])(?<user>(?!sha\d|md5)[\w.@+-]{2,60})(?:[ \t]{1,2}\/[ \t]{1,2}|[:/])|\b(?:as|als|user|username|benutzer|usuario|utente|utilisateur)[ \t]{1,3}["'`]?[\w.@+-]{2,60}["'`]?[ \t]{1,3}(?:with|and|using|mit|und|avec|con|e|y|met|\/|:|,)[ \t]{1,3}(?:the[ \t])?)["'`(]{0,2}(?<value>[^\s"'`,;]{5,100})/giu;

/** `machine host login name password value` of .netrc, in one line or several. */
const netrcPattern = /\bmachine\s{1,4}\S{1,100}\s{1,8}login\s{1,4}\S{1,100}\s{1,8}password\s{1,4}(?<value>\S{3,200})/g;

/** A pair of attributes, keys or lines whose name is a secret's: name="password" value="…", name: DB_PASS / value: … */
const pairPattern =
  /\b(?:name|key|id|property|env)["']?[ \t]{0,3}[:=][ \t]{0,3}["']?(?<name>[\w.-]{1,80})["']?[ \t]{0,3}[,;]?\s{1,40}["']?(?:value|val|content|default|text)["']?[ \t]{0,3}[:=][ \t]{0,3}["']?(?<value>[^\s"'<>,]{3,2000})/gi;

/** <password>value</password>, with or without a namespace. */
const elementPattern =
  /<(?<name>[\w.:-]{2,60})(?:\s[^<>]{0,200})?>[ \t\n]{0,20}(?<value>[^<>\s]{3,2000})[ \t\n]{0,20}<\//g;

const nameOfSecret = new RegExp(
  `(?:${passwordNouns.filter(it => /^[a-z]/.test(it)).join('|')}|secret|token|api[_.-]?key|(?:access|private|encryption|signing|secret)[_.-]?key)(?:[_.-]?(?:prod|dev|test|staging|\\d{1,2}))?$`,
  'i',
);

/** Secrets by their names. Looks at a bounded part of the text around each name, so it is linear. */
export function* findNamedSecrets(text: string): Generator<NamedSecret> {
  yield* findPairs(text);
  for (const match of text.matchAll(nounPattern)) yield* findAfterName(text, match);
  yield* findByShape(text, reversedPattern, isSpokenPassword);
  yield* findByShape(text, accountPattern, isAccountPassword);
  yield* findByShape(text, netrcPattern, isLiteralPassword);
}

function* findPairs(text: string): Generator<NamedSecret> {
  for (const pattern of [pairPattern, elementPattern]) {
    for (const match of text.matchAll(pattern)) {
      const { name, value } = match.groups!;
      if (!nameOfSecret.test(name!) || !isLiteralPassword(value!)) continue;
      const end = match.index + match[0].lastIndexOf(value!) + value!.length;
      yield { label: 'password', start: end - value!.length, end };
    }
  }
}

function* findByShape(text: string, pattern: RegExp, accepts: (value: string) => boolean): Generator<NamedSecret> {
  for (const match of text.matchAll(pattern)) {
    const value = trimEnd(match.groups!.value!);
    if (!accepts(value)) continue;
    // The value is the last occurrence: the name of the account before it can be the same text.
    const start = match.index + (pattern === reversedPattern ? 0 : match[0].lastIndexOf(value));
    yield { label: 'password', start, end: start + value.length };
  }
}

/** A name found in the text, and what is written around it. */
interface Name {
  readonly isPassword: boolean;
  /** The identifier up to the name: `DB_` of `DB_PASSWORD`, `--` of `--password`. */
  readonly prefix: string;
  /** Written as in a shell or in configuration: DB_PASS, JWT_SECRET. */
  readonly isConstant: boolean;
  /** A key whose name says what it opens, or any password. */
  readonly isQualified: boolean;
  /** "Pass" alone, a verb. */
  readonly isVerb: boolean;
  readonly after: string;
  readonly afterStart: number;
}

function* findAfterName(text: string, match: RegExpExecArray): Generator<NamedSecret> {
  const name = readName(text, match);
  if (name === undefined) return;
  const found = readOption(name) ?? readAssignment(name) ?? readCall(name) ?? readSentence(name);
  if (found === undefined) return;
  const start = name.afterStart + found.offset;
  yield { label: name.isPassword ? 'password' : 'API key', start, end: start + found.value.length };
}

const maxPrefix = 60;
const maxAfter = 2_200;

function readName(text: string, { 0: noun, index, groups }: RegExpExecArray): Name | undefined {
  const before = text.slice(Math.max(0, index - maxPrefix), index);
  const prefix = /[\p{L}\p{N}_.$-]*$/u.exec(before)![0];
  // In the middle of a word: "compass", "monkey", "patch", "author". Camel case and signs separate.
  const isSeparate =
    prefix === '' || /[^\p{L}\p{N}]$/u.test(prefix) || /^[A-Z]/.test(noun) || /[^\u0000-\u024f]/u.test(noun[0]!);
  const isGlued = /^(?:password|passwd|apikey|secret|token)$/i.test(noun);
  if ((!isSeparate && !isGlued) || prefix === '1') return undefined;
  let afterStart = index + noun.length;
  const rest = text.slice(afterStart, afterStart + maxAfter);
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
  const words = prefix === '' ? (/\p{L}+[ ]$/u.exec(before)?.[0] ?? '') : prefix;
  const lead = words.replace(/([a-z])([A-Z])/g, '$1_$2');
  if (publicPrefix.test(lead)) return undefined;
  const isPassword = groups!.password !== undefined;
  const isConstant = /^[A-Z][A-Z0-9_]*$/.test(`${prefix.replace(/^.*[.-]/, '')}${noun}`);
  return {
    isPassword,
    prefix,
    isConstant,
    isQualified:
      isPassword ||
      /^(?:api|secret|connection)/i.test(noun) ||
      secretQualifier.test(lead) ||
      (isConstant && prefix.length > 1),
    isVerb: prefix === '' && /^pass$/i.test(noun),
    after: text.slice(afterStart, afterStart + maxAfter),
    afterStart,
  };
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
  if (assignment === null) return undefined;
  const { sign = '=' } = assignment.groups!;
  const rest = name.after.slice(assignment[0].length);
  const isNextLine = assignment[0].includes('\n');
  const quoted = quotedPattern.exec(rest);
  if (quoted !== null) {
    const value = quoted.groups!.value!;
    const isAny = !/^=={1,2}$/.test(sign) && !(name.isVerb && sign === ':');
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
    (/^\s{0,2}[,;)\]}.([]/.test(rest.slice(bare[0].indexOf(value) + value.length)) || /^(?:is|in|of|as)$/.test(value));
  if (isCode) return undefined;
  // In shells the value ends at the space; elsewhere words after it make a sentence of it.
  const isShell = sign === '=' && !/\s/.test(assignment[0]);
  const isAlone = /^[ \t]*(?:$|[#,;}|&)]|\/\/|--)/.test(following) && !isNextLine;
  const isAny = isShell || (isAlone && !name.isVerb);
  if (!accepts(name, value, isAny)) return undefined;
  return { value, offset: assignment[0].length + bare[0].indexOf(value) };
}

/** `setPassword("value")`, `.token('value')` */
function readCall(name: Name): FoundValue | undefined {
  const match = /^\(\s{0,3}(?:["'][\w.-]{1,40}["'],\s{0,3})?["'](?<value>[^"'\n]{3,400})["']/.exec(name.after);
  const value = match?.groups!.value;
  if (match === null || value === undefined || !accepts(name, value, false)) return undefined;
  return { value, offset: match[0].lastIndexOf(value) };
}

/** `the password for staging is value`, `密码是 value`, `ENV DB_PASSWORD value` */
function readSentence(name: Name): FoundValue | undefined {
  const copula = copulaPattern.exec(name.after);
  if (copula !== null && !(name.isVerb && !copula[0].startsWith(' is '))) {
    const value = trimEnd(copula.groups!.value!);
    const isQuoted = /["'`]$/.test(copula[0].slice(0, copula[0].length - copula.groups!.value!.length));
    if (isSpokenSecret(name, value, isQuoted)) return { value, offset: copula[0].lastIndexOf(copula.groups!.value!) };
  }
  const adjacent = adjacentPattern.exec(name.after);
  if (adjacent === null || name.isVerb) return undefined;
  const value = trimEnd(adjacent.groups!.value!);
  const isSecret = name.isPassword
    ? isSpokenPassword(value) && (value.length >= 8 || /[A-Z].*\d|\d.*[A-Z]|[!$%&?#]/.test(value))
    : looksLikeKey(value) && (name.isConstant || looksRandom(value));
  return isSecret ? { value, offset: adjacent[0].lastIndexOf(adjacent.groups!.value!) } : undefined;
}

function isSpokenSecret({ isPassword, isQualified }: Name, value: string, isQuoted: boolean): boolean {
  if (!isPassword) return isQualified ? looksLikeKey(value) : looksRandom(value);
  if (isSpokenPassword(value)) return true;
  // No English word is that long, and what stands in quotes is meant as it is.
  return (/^[a-z]{16,}$/.test(value) || (isQuoted && /^[\w!$%&?#@]{6,}$/.test(value))) && isLiteralPassword(value);
}

/** Whether the value of an assignment is the secret. `isAny`: nothing else can stand there. */
function accepts({ isPassword, isConstant, isQualified, prefix }: Name, value: string, isAny: boolean): boolean {
  if (isPassword) return isAny ? isLiteralPassword(value) : isSpokenPassword(value) || looksLikeKey(value);
  if (looksLikeKey(value) && (isQualified || looksRandom(value))) return true;
  if (!isAny || !isQualified || /\s/.test(value)) return false;
  return isConstant && prefix !== '' && value.length >= 6 && !/^\d+$/.test(value) && isLiteralPassword(value);
}

function isAccountPassword(value: string): boolean {
  return (
    isSpokenPassword(value) && value.length >= 6 && !value.includes('/') && !/^\d+[a-z]*$|^[a-z]+\d{0,2}$/i.test(value)
  );
}

/** A value up to the bracket that ends the link it stands in, or the call: `…?token=value)](https://…)`. */
function cutLink(value: string): string {
  const [cut = ''] = /^[^)\]]*(?=\)?\]\()/.exec(value) ?? [value];
  return /[([{]/.test(cut) ? cut : cut.replace(/[)\]}]+$/, '');
}

/** Without the marks that end a sentence, a bracket or an emphasis, and without the Chinese or Japanese that goes on. */
function trimEnd(value: string): string {
  const ascii = /^[\x21-\x7e]+(?=[\u3000-\u9fff\uac00-\ud7af])/.exec(value)?.[0] ?? value;
  return ascii.replace(/(?:[.,;:?。，、）)*\]}]|です|입니다)+$/u, '');
}
