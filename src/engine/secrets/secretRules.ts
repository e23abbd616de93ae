import { commandRules } from './commandRules.js';
import type { SecretRule } from './secretRule.js';
import { isRealPassword, isLiteralPassword, looksLikeKey, looksRandom, isPlaceholder } from './secretValue.js';
import { tokenRules } from './tokenFormats.js';
import { isTestCardNumber } from './testCardNumbers.js';

/** No character that continues a token can precede or follow it. */
const boundaryBefore = '(?<![A-Za-z0-9_-])';
const boundaryAfter = '(?![A-Za-z0-9_-])';
const tokenPattern = (body: string): RegExp => new RegExp(boundaryBefore + body + boundaryAfter, 'g');

/** A block up to its end, or, where the end was cut off, the lines of the key that follow. */
const pemBlockPattern = (header: string): RegExp =>
  new RegExp(
    `-----BEGIN ${header}-----(?:[\\s\\S]{0,20000}?-----END ${header}-----|(?:\\s{0,4}[A-Za-z0-9+/=]{16,80}){0,200})`,
    'g',
  );

const uuid = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

/**
 * Secrets with a structure. The formats are published by the providers (and collected by gitleaks, secretlint and
 * GitHub's secret scanning); tokens with a mere prefix are in `tokenFormats`, values after a name in `namedSecrets`.
 */
export const secretRules: readonly SecretRule[] = [
  { label: 'private key', keywords: ['-----begin'], pattern: pemBlockPattern('(?:[A-Z0-9]{1,12} ){0,2}PRIVATE KEY') },
  { label: 'private key', keywords: ['-----begin pgp'], pattern: pemBlockPattern('PGP PRIVATE KEY BLOCK') },
  {
    label: 'private key',
    keywords: ['putty-user-key-file'],
    pattern: /PuTTY-User-Key-File-[23]:[\s\S]{0,4000}?Private-Lines:[^\n]{0,20}\n?[A-Za-z0-9+/=\n]{0,4000}/g,
  },
  {
    label: 'private key',
    // The first bytes of PKCS #1, PKCS #8, SEC 1 and OpenSSH keys, in Base64.
    keywords: ['mii', 'mhcca', 'migha', 'mc4ca', 'b3blbnnzac1rzxktdje'],
    pattern:
      /(?<![A-Za-z0-9+/])(?:MII[A-Za-z0-9]{2}[A-Za-z]IBAA(?:KC|[A-Z0-9]{2})|MII[A-Za-z0-9]{3}IBADANBgkq|MHcCAQEE|MIGHAgEAMBMG|MC4CAQAwBQYDK2V|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/=]{8,20000}(?:\s{1,8}[A-Za-z0-9+/=]{16,80}){0,200}/g,
  },
  ...tokenRules,
  ...commandRules,
  {
    label: 'AWS secret key',
    keywords: ['aws', 'amazon', 'iam', 's3'],
    pattern:
      /(?:aws|amazon|iam|s3).{0,20}?(?:secret|key|token).{0,20}?[\s:="'`]{1,5}(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi,
    validate: it => looksRandom(it) && /[A-Z]/.test(it) && /[a-z]/.test(it),
  },
  {
    label: 'Slack token',
    keywords: ['xapp-'],
    pattern: tokenPattern('xapp-\\d-[A-Z0-9]{6,20}-\\d{6,20}-[a-z0-9]{20,80}'),
  },
  {
    label: 'Slack webhook',
    keywords: ['hooks.slack.com'],
    pattern:
      /(?:https:\/\/)?hooks\.slack\.com\/(?:services|workflows|triggers)\/[TE][A-Za-z0-9_]{6,14}\/[A-Za-z0-9_/]{20,90}/g,
  },
  {
    label: 'npm token',
    keywords: ['_authtoken', '_auth', '_password'],
    pattern: /\/\/[\w.-]{3,100}\/{0,3}[\w./-]{0,100}:_(?:authToken|auth|password)=(?<secret>[A-Za-z0-9_+/=-]{12,200})/g,
    validate: it => !isPlaceholder(it),
  },
  {
    label: 'Azure storage key',
    keywords: ['accountkey', 'sharedaccesskey'],
    pattern: /(?:Account|SharedAccess)Key\s{0,3}=\s{0,3}(?<secret>[A-Za-z0-9+/]{40,90}={0,2})/gi,
  },
  {
    label: 'Azure client secret',
    keywords: ['q~'],
    pattern: tokenPattern('[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}'),
  },
  {
    label: 'Azure key',
    keywords: ['azfu', 'acr', 'azcs', 'azse', 'apim', 'aaaaaca', 'jqqj99'],
    pattern:
      /(?<![A-Za-z0-9+/])[A-Za-z0-9+/_-]{30,80}(?:AzFu|\+ACR|AZCS|AzSe|APIM|JQQJ99|AIoTQ|ASbE?)[A-Za-z0-9+/_-]{4,40}={0,2}/g,
    validate: looksRandom,
  },
  {
    label: 'shared access signature',
    keywords: ['sig='],
    pattern: /\bsig=(?<secret>[A-Za-z0-9%+/]{40,120}(?:%3D|=){0,2})/gi,
    validate: looksRandom,
  },
  {
    label: 'webhook address',
    keywords: ['webhook.office.com', 'logic.azure.com'],
    pattern: /https:\/\/[a-z0-9.-]{1,60}\.webhook\.office\.com\/webhookb2\/[A-Za-z0-9@/_-]{40,300}/gi,
  },
  {
    label: 'SendGrid key',
    keywords: ['sg.'],
    pattern: tokenPattern('SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,64}'),
  },
  { label: 'HubSpot token', keywords: ['pat-'], pattern: tokenPattern(`pat-(?:na|eu|ap)\\d-${uuid}`) },
  { label: 'LaunchDarkly key', keywords: ['sdk-', 'api-'], pattern: tokenPattern(`(?:sdk|api)-${uuid}`) },
  { label: 'Azure DevOps token', keywords: ['azdo'], pattern: tokenPattern('[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}') },
  { label: 'X token', keywords: ['aaaaaaaaaaaaaaaaaaaaa'], pattern: tokenPattern('A{21,22}[A-Za-z0-9%]{80,110}') },
  {
    label: 'payment key',
    keywords: ['live_', 'test_'],
    pattern: tokenPattern('(?:live|test)_[A-Za-z0-9_=-]{30,60}'),
    validate: it => looksRandom(it.slice(5)),
  },
  {
    label: 'password of a wireless network',
    keywords: ['wifi:'],
    pattern: /WIFI:(?:[A-Z]:[^;\n]{0,64};){0,4}P:(?<secret>[^;\n]{4,63});/gi,
  },
  { label: 'Mailchimp key', keywords: ['-us'], pattern: tokenPattern('[0-9a-f]{32}-us\\d{1,2}') },
  {
    label: 'Mailgun key',
    keywords: ['mailgun'],
    pattern: /mailgun.{0,30}?(?<secret>[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8})/gi,
  },
  { label: 'Telegram bot token', keywords: [':a'], pattern: tokenPattern('(?:bot)?\\d{5,16}:A[A-Za-z0-9_-]{32,36}') },
  {
    label: 'Discord token',
    pattern: tokenPattern('[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}'),
  },
  {
    label: 'Discord webhook',
    keywords: ['api/webhooks/'],
    pattern: /https:\/\/(?:\w{2,10}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{16,20}\/[A-Za-z0-9_-]{60,80}/g,
  },
  {
    label: 'HashiCorp token',
    keywords: ['.atlasv1.'],
    pattern: tokenPattern('[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,70}'),
  },
  { label: 'Cloudflare key', keywords: ['v1.0-'], pattern: tokenPattern('v1\\.0-[a-f0-9]{20,30}-[a-f0-9]{100,160}') },
  { label: '1Password key', keywords: ['a3-'], pattern: tokenPattern('A3(?:-[A-Z0-9]{5,11}){5,6}') },
  {
    label: 'Yandex key',
    keywords: ['t1.'],
    pattern: tokenPattern('t1\\.[A-Za-z0-9_-]{4,300}={0,2}\\.[A-Za-z0-9_-]{86}={0,2}'),
  },
  { label: 'MaxMind key', keywords: ['_mmk'], pattern: tokenPattern('[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk') },
  {
    label: 'Facebook token',
    keywords: ['|'],
    pattern: /(?<![\w-])\d{15,16}\|(?<secret>[A-Za-z0-9_-]{27,40})(?![\w-])/g,
  },
  {
    label: 'Sidekiq key',
    keywords: ['contribsys.com'],
    pattern: /(?<secret>[a-f0-9]{8}:[a-f0-9]{8})(?=@?(?:gems|enterprise)\.contribsys\.com)/gi,
  },
  {
    label: 'JWT',
    keywords: ['eyj'],
    pattern: /(?<![A-Za-z0-9-])eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,8000}(?:\.[A-Za-z0-9_-]{10,2000})?/g,
  },
  {
    label: 'Bitcoin key',
    pattern: /(?<![A-Za-z0-9])(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51})(?![A-Za-z0-9])/g,
    validate: looksRandom,
  },
  {
    label: 'one-time password secret',
    keywords: ['otpauth'],
    pattern: /otpauth:\/\/[^\s"'<>]{4,400}/gi,
    validate: it => /secret=[a-z2-7]{10}/i.test(it),
  },
  {
    label: 'recovery phrase',
    keywords: ['phrase', 'mnemonic', 'seed', 'recovery'],
    pattern:
      /(?:seed|mnemonic|recovery|backup|secret)(?:[ _-](?:phrase|words?)(?:[ \t][^\n.!?:=]{1,60}?(?=[ \t]is|[:=]))?)?\b["'`]?[ \t]{0,3}(?:(?:is|are|was|[:=])[ \t]{0,3}){0,2}["'`]?\n?(?<secret>[a-z]{3,8}(?:[ ,\n]{1,3}[a-z]{3,8}){11,23})(?![a-z])/gi,
    // A sentence has short words.
    validate: it =>
      !/\b(?:the|and|for|are|was|with|that|this|from|you|your|not|have|has|will|its|but|all|when|then)\b/i.test(it),
  },

  {
    label: 'password in a connection string',
    keywords: ['://'],
    pattern:
      /\b[a-z][a-z0-9+.-]{1,30}:\/\/(?<user>[^\s:@/'"<>`]{0,100}):(?<secret>[^\s'"<>`]{1,200})@(?=[\w[{$.-])(?![\w.-]{0,100}@)/gi,
    validate: it => !/^\d{1,5}(?:\/|$)/.test(it) && !it.startsWith('//') && isLiteralPassword(it),
  },
  {
    label: 'password in a connection string',
    keywords: ['@'],
    pattern:
      /(?<![\w:/@.-])(?!(?:mailto|acct|sip|from|to|cc|bcc|e-?mail):)[\w.-]{2,40}:(?<secret>[^\s:@/'"<>`]{4,100})@[\w-]{1,60}\.[\w.-]{2,60}/gi,
    validate: isRealPassword,
  },
  {
    // But the key of a Sentry DSN, which is public.
    label: 'token in an address',
    keywords: ['://'],
    pattern: /\b[a-z][a-z0-9+.-]{1,30}:\/\/(?<secret>[A-Za-z0-9_-]{20,200}):?@(?!o\d{1,20}\.ingest\.)(?=[\w[-])/gi,
    validate: looksRandom,
  },
  {
    label: 'password in a connection string',
    keywords: ['jdbc:', 'sqlplus', 'oracle'],
    pattern: /(?:jdbc:oracle:\w{1,8}:|sqlplus\s{1,3}(?:-\w\s{1,3}){0,3})[\w.$#-]{1,60}\/(?<secret>[^\s@'"]{3,100})@/gi,
    validate: isLiteralPassword,
  },
  {
    label: 'token in an address',
    keywords: [
      'token=',
      'key=',
      'appid=',
      'secret=',
      'code=',
      'signature=',
      'auth=',
      'apikey=',
      'sid=',
      'pwd=',
      'hmac=',
    ],
    pattern:
      /[?&;#](?:[\w.-]{0,30}?(?:token|key|secret|signature|auth|sid|hmac)|appid|app_id|code)=(?<secret>[^\s&#"'<>`]{12,2000})/gi,
    validate: looksLikeKey,
  },
  {
    label: 'authorization header',
    keywords: ['authorization'],
    pattern:
      /\b(?:authorization|proxy-authorization)["']?\s{0,3}[:=,]\s{0,3}["'`]?(?:(?:bearer|basic|token|digest|apikey|api-key|ssws|key|negotiate|hawk|aws)\s{1,3})?(?<secret>[A-Za-z0-9._~+/=:-]{8,4000})/gi,
    validate: it => !isPlaceholder(it) && /\d/.test(it) && isUneven(it),
  },
  {
    label: 'authorization header',
    keywords: ['bearer'],
    pattern: /\bbearer\s{1,3}(?<secret>[A-Za-z0-9._~+/=-]{16,4000})/gi,
    validate: looksLikeKey,
  },
  {
    label: 'session cookie',
    keywords: ['cookie'],
    pattern:
      /cookies?["']?\s{0,3}[:=]\s{0,3}["']?(?<secret>[\w.-]{1,60}=[^\s;"']{12,4000}(?:;\s{0,3}[\w.-]{1,60}=[^\s;"']{1,4000}){0,30})/gi,
    validate: it => it.split(/;\s*/).some(pair => looksLikeKey(pair.slice(pair.indexOf('=') + 1))),
  },
  {
    label: 'session cookie',
    keywords: ['sess', 'sid'],
    pattern:
      /(?<![\w-])(?:[\w.-]{0,40}(?:session|sessid|sessionid|session_id|phpsessid|jsessionid)|connect\.sid)=(?<secret>[^\s;"'&]{16,4000})/gi,
    validate: looksLikeKey,
  },
  {
    // A directive of a configuration, whose value is the rest of its line.
    label: 'password',
    keywords: ['bindpw', 'rootpw', 'masterauth'],
    pattern: /^[ \t]{0,20}(?:bindpw|rootpw|masterauth)[ \t]{1,20}["']?(?<secret>[^\s"']{3,200})["']?[ \t]{0,20}$/gim,
    validate: isLiteralPassword,
  },
  {
    // Of a mail relay: [smtp.example.org]:587 name@example.org:password
    label: 'password',
    keywords: [':25', ':465', ':587', ':2525'],
    pattern:
      /(?<![\w.-])\[?[\w.-]{3,100}\]?:(?:25|465|587|2525)[ \t]{1,20}[\w.@+-]{2,100}:(?<secret>[^\s:]{3,100})(?=\s|$)/g,
    validate: isLiteralPassword,
  },
  {
    // Go's address of a database: name:password@tcp(host:3306)/database
    label: 'password',
    keywords: ['@tcp(', '@unix('],
    pattern: /(?<![\w./-])[\w.-]{1,60}:(?<secret>[^\s:/"'`]{3,100})@(?:tcp|unix)\(/g,
    validate: isLiteralPassword,
  },
  {
    // A key or a salt of WordPress.
    label: 'private key',
    keywords: ['auth_key', 'auth_salt', 'logged_in_', 'nonce_'],
    pattern:
      /\b(?:(?:SECURE_)?AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)["']\s{0,3},\s{0,20}["'](?<secret>[^'\n]{32,100})["']\s{0,3}\)/g,
    validate: it => /\d/.test(it) && /[A-Z]/.test(it) && /[^\w\s]/.test(it),
  },
  {
    label: 'address of a private calendar',
    keywords: ['/private-'],
    pattern: /\/private-(?<secret>[0-9a-f]{20,64})(?=\/)/gi,
  },
  {
    // Eight groups of six digits.
    label: 'recovery key',
    keywords: ['-'],
    pattern: /(?<![\w-])\d{6}(?:-\d{6}){7}(?![\w-])/g,
  },
  {
    // The third argument of a connection, the second of an account.
    label: 'password',
    keywords: [
      'getconnection',
      'basicauth',
      'usernamepassword',
      'passwordauthentication',
      'networkcredential',
      'auth=(',
      'auth = (',
      'pdo(',
      'mysqli',
    ],
    pattern:
      /(?:(?:getConnection|new\s{1,3}PDO|mysqli(?:_connect)?)\(\s{0,3}[^,()\n]{1,200},\s{0,3}|(?:(?:basicAuth|httpBasicAuth|UsernamePassword\w{0,30}|PasswordAuthentication|NetworkCredential)|\bauth\s{0,3}=\s{0,3})\(\s{0,3})["'][^"'\n]{1,60}["'],\s{0,3}["'](?<secret>[^"'\n]{4,100})["']/gi,
    validate: isRealPassword,
  },
  {
    // ~/.pgpass: host:port:database:user:password
    label: 'password',
    keywords: [':54', ':*:', ':3306'],
    pattern: /(?<![\w:])[\w.*-]{1,80}:(?:\d{4,5}|\*):[\w.*-]{1,60}:[\w.*-]{1,60}:(?<secret>[^\s:"']{3,100})(?![:\w])/g,
    validate: isRealPassword,
  },
  {
    label: 'Kubernetes secret',
    keywords: ['kind: secret'],
    pattern:
      /kind:[ \t]{0,3}["']?Secret["']?[\s\S]{0,400}?\b(?:data|stringData):\s{0,10}\n(?<secret>(?:[ \t]{1,12}[\w.-]{1,60}:[ \t]{0,3}[^\n]{1,4000}\n?){1,40})/gi,
    validate: it => !/\{\{|\$\{/.test(it),
  },

  {
    label: 'payment card number',
    // A UUID or a hash is taken whole and fails the check: one in some thousand has digits that pass it alone.
    pattern: new RegExp(
      `(?<![0-9A-Za-z])(?:${uuid}|[0-9a-fA-F]{20,200})(?![0-9A-Za-z])|(?<![\\d.-])(?:\\d[ -]?){12,18}\\d(?![\\d-]|\\.\\d)`,
      'g',
    ),
    validate: isCardNumber,
  },
  {
    label: 'social security number',
    keywords: ['-'],
    pattern: /(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g,
  },
  {
    label: 'bank account number',
    pattern: /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/g,
    validate: isIban,
  },
];

/** Whether a value is a card number: 13-19 digits with a known issuer and a valid Luhn check digit (ISO/IEC 7812-1). */
export function isCardNumber(value: string): boolean {
  const digits = value.replace(/[ -]/g, '');
  if (
    !/^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d)\d{12}|35\d{14})$/.test(
      digits,
    )
  ) {
    return false;
  }
  if (/^(\d)\1+$/.test(digits) || isTestCardNumber(digits)) return false;
  const sum = Array.from(digits, Number)
    .reverse()
    .reduce((total, digit, index) => total + (index % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2), 0);
  return sum % 10 === 0;
}

/** Whether a value is an international bank account number: its check digits are right (ISO 13616, modulo 97). */
function isIban(value: string): boolean {
  const compact = value.replace(/ /g, '');
  if (compact.length < 15 || compact.length > 34 || !/\d{6}/.test(compact)) return false;
  const rotated = compact.slice(4) + compact.slice(0, 4);
  let remainder = 0;
  for (const character of rotated) {
    const digits = /\d/.test(character) ? character : String(character.charCodeAt(0) - 55);
    remainder = Number(String(remainder) + digits) % 97;
  }
  return remainder === 1;
}

function isUneven(value: string): boolean {
  return /[A-Z]/.test(value) || value.length >= 16;
}
