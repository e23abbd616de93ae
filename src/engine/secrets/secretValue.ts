/** Words that a template, a type or a tutorial puts in the place of a secret. */
const placeholderWords =
  'your|my|the|an?|some|any|this|our|their|insert|enter|put|add|change|replace|example|sample|dummy|fake|foo|bar|baz|placeholder|todo|tbd|fixme|redacted|hidden|masked|removed|omitted|none|null|nil|undefined|empty|blank|unset|true|false|strings?|str|text|varchar|char|number|int|integer|bool|boolean|bytes|any|unknown|never|void|object|secretstr|optional|required|yes|no|on|off|passwords?|passwd|passphrase|pass|pwd|pw|secrets?|tokens?|user|username|login|value|credentials?|api|auth|key|hash|field|input|prompt|default|basic|bearer|digest|await|new|this|self|function|return|async|const|let|var|func|def|lambda|admin:admin';

const placeholderPattern = new RegExp(
  `^(?:[<[{(%$@].*|.*[>\\]})%]$|[x*.…#_?-]{3}.*|\\*+|-+|_+|…+|#+)$|\\$\\{|\\$\\(|\\{\\{|<[^<>]*>|process\\.env|os\\.environ|getenv|import\\.meta|secrets\\.|env\\.|vault:|^env[:(]|^file:|^op://|^arn:|^(?:${placeholderWords})(?:$|[_.\\- ]?(?:${placeholderWords}|here|me|it|goes|with|name|db|and|in|from|of|for|to|is)\\b.*$)`,
  'i',
);

/** Nothing but such words: my_secret_key, mysecretpassword, test-token-1, my-super-secret-cookie */
const placeholderWordsPattern = new RegExp(
  `^(?:(?:${placeholderWords}|tests?|local|dev|here|super|very|strong|cookies?|sessions?|jwt|random|long|do|not|use|only)[_.\\- ]?){1,6}\\d{0,3}$`,
  'i',
);

/** What documentation writes in the place of a token: sk-..., sk-ant-xxxx, your-openai-api-key, staging-user-token */
const documentedTokenPattern =
  /^(?:[a-z]{2,4}(?:[-_][a-z]+)*[-_])?(?:\.{3,}|…+|x{3,})$|^your[-_]|^[a-z]+(?:[-_][a-z]+){1,4}[-_](?:token|key|secret|password|here)$/i;

/** Default passwords of tutorials, which are no secret. */
const tutorialPasswordPattern =
  /^(?:changeme|change_me|change-me|changeit|letmein|postgres|postgresql|root|admin|guest|mysql|mariadb|redis|rabbitmq|mongo|minio|minioadmin|neo4j|elastic|sa|tests?|tester|testing|default|docker|vagrant|demo|local|dev|password[123]?|pass|pw|secret|example|user|username|pwd|p|xxx+|\*+|x|y|z|abc|foo|bar|baz)$/i;

/** Characters that stand for others, and keys that their provider calls public. */
const maskedPattern = /x{5,}|X{5,}|\*{4,}|^pk_(?:live|test)_/;

export function isPlaceholder(value: string): boolean {
  return (
    placeholderPattern.test(value) ||
    maskedPattern.test(value) ||
    documentedTokenPattern.test(value) ||
    tutorialPasswordPattern.test(value) ||
    placeholderWordsPattern.test(value)
  );
}

/** Whether a token of the right shape is one of a documentation: a run of one character, or a word such as EXAMPLE. */
export function isPlaceholderToken(token: string): boolean {
  return /example|xxxxx|\*{3}|\.{3}|placeholder|your[_-]|1234567890abcdef/i.test(token) || shannonEntropy(token) < 2;
}

/**
 * Whether what an assignment gives a password is a value, whatever it looks like: no placeholder, no expression or name of
 * code. Three characters at least.
 */
export function isLiteralPassword(value: string): boolean {
  if (value.length < 3 || isPlaceholder(value) || isExpression(value)) return false;
  // A sentence goes on: DB_PASS から読み込む
  if (/^(?:から|まで|より|という)/u.test(value)) return false;
  return !/\s/.test(value) && /[\p{L}\p{N}]/u.test(value);
}

/** Whether a value in the place of a password (a URL, a command) is one and no plain word. */
export function isRealPassword(value: string): boolean {
  if (!isLiteralPassword(value)) return false;
  // A plain word is probably a type, a field or a sentence; a password has digits, signs or mixed case.
  return /\d/.test(value) || /[^\p{L}\s]/u.test(value.replace(/[_\-.:,]+/g, '')) || /[a-z][A-Z]/.test(value);
}

/** config.password, getPassword(), PASSWORD_FIELD, string | null, /etc/passwd, ./file */
export function isExpression(value: string): boolean {
  return (
    /^[a-z_$][\w$]*(?:(?:\?\.|!?\.|::|->)[a-z_$][\w$]*)+$/i.test(value) ||
    /^[A-Za-z_$][A-Za-z_$.!]*[([]|^[a-z_][a-z0-9_.]*\(|\(\)|[([]['"`\w$.]*[)\]]|\]\(|\||%s|=>|^\$|\$[({]/.test(value) ||
    /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(value) ||
    // A class of a regular expression: ^[a-z][a-z0-9_]*$
    /\[\^?(?:a-z|A-Z|0-9|\\[dDsSwW])/.test(value) ||
    // A tag of YAML: !vault
    /^![a-z]+$/.test(value) ||
    // With a hole: avail:{hotelId}
    /^[\w:./-]*\{\w{1,30}\}/.test(value) ||
    isCutTemplate(value) ||
    // Of declarations: CommaToken$1, Uint8Array
    /^(?:[A-Z][a-z]+){2,}\$\d$|^(?:Big)?(?:U?[Ii]nt|Float)\d{1,2}(?:Clamped)?Array$/.test(value) ||
    isNameOfSecret(value) ||
    /^(?:\.{0,2}\/[\w.-]+(?:\/|$)|~\/|\/\/|https?:)/.test(value)
  );
}

/** An identifier whose last word says that it names a secret: access_token, submitPassword. TopSecret may be a password. */
function isNameOfSecret(value: string): boolean {
  return /^[a-z]+(?:[A-Z][a-z]+)*(?:Token|Secret|Password|Key)s?$|^[a-z]+(?:_[a-z]+)*_(?:token|secret|password|key)s?$/.test(
    value,
  );
}

/** Names of algorithms, formats and products that look like a password with a digit. */
const termPattern =
  /^(?:(?:sha|md|bcrypt|scrypt|argon|pbkdf|base|utf|ascii|iso|aes|des|rsa|ecdsa|ed|x|rs|es|hs|ps|kdf|o?auth|saml|openid|fido|u|tls|ssl|ssh|http|ipv|ip|s|ec|k|v|h|p|web|vue|angular|python|node|log|win|java|es|next)-?\d+\w{0,3}|1password|2fa|mfa|base(?:32|58|64)url\w*|3des|[a-z]+_id|\d+-\w+|\d{1,2}[a-z]+)$/i;

export function isTerm(value: string): boolean {
  return termPattern.test(value);
}

/**
 * Whether a word in a sentence about passwords is one: letters with a digit or a sign, and no version, path, address,
 * code or term.
 */
export function isSpokenPassword(value: string): boolean {
  const bare = value.replace(/(?<![.,;:!?)。，])[.,;:!?)。，]+$/u, match =>
    match.startsWith('!') && !/^!$/.test(match) ? match : '',
  );
  // Four groups of four letters, as a provider makes them for one program.
  if (/^[a-z]{4}(?:-[a-z]{4}){3}$/.test(bare)) return true;
  if (bare.length < 4 || !isRealPassword(bare)) return false;
  if (/^(?:https?:|\/|\.{0,2}\/|@|#|~)|^[\w.-]+@[\w.-]+\.\w+$/.test(bare)) return false;
  // The pins of a board: SDA=21
  if (/^[A-Z][A-Z0-9_]*=\d{1,3}$/.test(bare)) return false;
  if (/^v?\d+(?:[.,:/-]\d+)*\+?(?:[a-z]{1,3}|%)?$/i.test(bare) || termPattern.test(bare)) return false;
  if (
    /^[\w./-]+\.(?:[cm]?[jt]sx?|json|ya?ml|env|py|go|rs|java|kt|rb|php|cs|toml|md|txt|kdbx|cfg|ini|conf|sh|sql|html?|css|local|lock|pem|crt)$/i.test(
      bare,
    )
  ) {
    return false;
  }
  // Words that a generator joined, at least one with a capital, the last a number: "tulip-Barrel-92"
  if (/^(?=.*[A-Z])[A-Za-z][a-z]+(?:[-_.][A-Za-z][a-z]+)+[-_.]\d{2,4}$/.test(bare)) return true;
  // As well with the number between them: "Tulip-7772-Harbor"
  if (/^(?=.*[A-Z][a-z])[A-Za-z]+[-_.]\d{2,6}[-_.][A-Za-z][a-z]+$/.test(bare)) return true;
  // Words in camel case and a number: "plumCart-61"
  if (/^[A-Za-z][a-z]+[A-Z][a-z]+[-_.]\d{2,4}$/.test(bare)) return true;
  // A host, a path, a name of code: a.b.c2, src/auth2/x, kebab-case-2, user_id2, userId2, AuthV2
  if (/^[\w-]+(?:\.[\w-]+)+(?::\d+)?$|^[\w.-]+(?:\/[\w.-]+)+$|^[a-z]+(?:[-_][a-z0-9]+)+$/i.test(bare)) {
    return isMixed(bare) && looksRandom(bare);
  }
  if (/^[a-z]+(?:[A-Z][a-z]+)+\d?$|^(?:[A-Z][a-z]+)+V?\d$|^[A-Z]{1,6}-?\d{1,6}$|^[A-Z]{2,}\d?$/.test(bare))
    return false;
  const hasLetter = /\p{L}/u.test(bare);
  const hasDigit = /\d/.test(bare);
  const hasSign = /[^\p{L}\p{N}._\-/'’",`:]/u.test(bare);
  return (hasLetter && hasDigit) || (hasSign && (hasLetter || hasDigit));
}

/**
 * A word and a number that a sign joins: "Redshank-3318", "Marti.9083". As a name of a ticket or a release it is seen elsewhere, so
 * that its place must say that it is a password.
 */
function isWordWithNumber(value: string): boolean {
  return /^\p{Lu}\p{Ll}{2,20}(?:[-_.][\p{L}]\p{Ll}{2,20}){0,4}[-_.=+/~]\d{2,6}(?:[-_.]\w{1,4})?[!?]?$/u.test(value);
}

/** Words and a number that hyphens join: driftwood-comet-17 */
export function isPassphrase(value: string): boolean {
  return /^[a-z]+(?:-[a-z]+)+-\d{1,4}$/iu.test(value);
}

/** A password by its look, or {@link isWordWithNumber}. */
export function isPasswordOrWord(value: string): boolean {
  return isSpokenPassword(value) || isWordWithNumber(value);
}

/** Windows11, GitHub2FA */
export function isProduct(value: string): boolean {
  return /^(?:[A-Z][a-z]+)+\d{1,2}[A-Z]*$/.test(value);
}

/** Without the marks that end a sentence, a bracket or an emphasis, and without the Chinese or Japanese that goes on. */
export function trimEnd(value: string): string {
  const ascii = /^[\x21-\x7e]+(?=[\u3000-\u9fff\uac00-\ud7af])/.exec(value)?.[0] ?? value;
  return ascii.replace(/(?<![.,;:?。，、）)*\]}]|です|입니다)(?:[.,;:?。，、）)*\]}]|です|입니다)+$/u, '');
}

function isMixed(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
}

/** Whether a value mixes letters and digits at random: at least 3 bits of entropy per character, no words, no hash. */
export function looksRandom(value: string): boolean {
  const bare = value.replace(/(?<!\.)\.+$/, '');
  if (bare.length < 12 || isPlaceholder(bare) || isExpression(bare)) return false;
  if (!/\d/.test(bare) || !/[A-Za-z]/.test(bare)) return false;
  if ((isHashOrId(bare) && bare.length !== 32) || isAddressOrPath(bare)) return false;
  return hasNoWords(bare) && shannonEntropy(bare) >= 3;
}

/** As {@link looksRandom}, for a value whose name says that it is a key: hexadecimal digits and UUIDs count. */
export function looksLikeKey(value: string): boolean {
  const bare = value.replace(/(?<!\.)\.+$/, '');
  if (
    bare.length < 12 ||
    /\s/.test(bare) ||
    isPlaceholder(bare) ||
    isExpression(bare) ||
    isAddressOrPath(bare) ||
    /^base(?:32|58|64)url\w*$/i.test(bare) ||
    /^sha(?:1|256|384|512)[-:]/i.test(bare)
  )
    return false;
  if (!/\d/.test(bare) || !/[A-Za-z]/.test(bare)) return /^[A-Za-z]{20,}$/.test(bare) && isMixedCase(bare);
  return hasNoWords(bare) && shannonEntropy(bare) >= 2.8;
}

function isMixedCase(value: string): boolean {
  const humps = value.match(/[a-z][A-Z]|[A-Z]{2}[a-z]/g)?.length ?? 0;
  return humps >= 4 && shannonEntropy(value) >= 3.5 && wordShare(value) <= maxWordShare;
}

/** Words joined by signs are a name: my-cluster-eu-west-1, config.v2.tokenizer */
function hasNoWords(bare: string): boolean {
  const words = bare.split(/[._\-/=+:@]+/).filter(word => word.length > 0);
  return !(
    words.length > 1 &&
    words.every(word =>
      /^(?:[A-Za-z]?[a-z]*|[A-Z]+|\d{5,8}|v?\d{1,4}(?:[A-Z]\d{1,2})?|[a-z]+\d{1,2}[a-z]{0,5})$/.test(word),
    )
  );
}

/** An address of a chain or fingerprint, the name of a file in folders, or a template with holes: a/b.png, user:{id}:v2 */
export function isAddressOrPath(value: string): boolean {
  return (
    /^0x[0-9a-f]{40}$/i.test(value) ||
    /^[\w.-]+(?:\/[\w.-]+)+\.[a-z]{1,5}\d?$/.test(value) ||
    // The name of a host that is a client's public id.
    /^[\w-]+(?:\.[a-z-]+)+\.(?:com|net|org|io|dev|app)$/.test(value) ||
    /\{\w{0,30}\}/.test(value) ||
    isCutTemplate(value)
  );
}

/** A template that another sign has cut in its hole: avail:{hotelId */
function isCutTemplate(value: string): boolean {
  return /^[a-z_./-]+[:/.]\{\w{0,30}$/.test(value);
}

export function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value);
}

/** Whether a value is a Git commit, a digest, the id of a PGP key or a UUID. */
export function isHashOrId(value: string): boolean {
  return (
    isUuid(value) ||
    /^(?:[0-9a-f]{7,16}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128}|[0-9A-F]{16}|[0-9A-F]{40})$/.test(value) ||
    /^sha(?:1|256|384|512)[-:]/i.test(value)
  );
}

/** Shannon entropy, in bits per character. */
export function shannonEntropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** How much of a value is words, 0 to 1: more than this is a name. */
export const maxWordShare = 0.5;

export function wordShare(bare: string): number {
  const words = bare.match(/[A-Z]?[a-z]{3,}/gu) ?? [];
  const long = words.filter(it => it.length >= 4 && isPronounceable(it.toLowerCase()));
  return long.reduce((sum, it) => sum + it.length, 0) / bare.length;
}

/** A fifth to two thirds vowels, and no four consonants in a row. */
export function isPronounceable(word: string): boolean {
  const vowels = word.match(/[aeiouy]/gu)?.length ?? 0;
  return vowels >= word.length / 5 && vowels <= (2 * word.length) / 3 && !/[^aeiouy]{5}/u.test(word);
}
