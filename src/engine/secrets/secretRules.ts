import type { KeywordRule } from '../text/keywordPrefilter.js';
import { isTestCardNumber } from './testCardNumbers.js';

/**
 * A pattern for one kind of secret. The formats are published by the providers (and collected by gitleaks, secretlint
 * and GitHub's secret scanning). Every pattern has a fixed prefix or keyword and bounded repetitions, so that matching
 * stays linear in the length of the text.
 */
export interface SecretRule extends KeywordRule {
  /** The kind of secret, as messages name it. */
  readonly label: string;
  /** Global. The secret itself is the group `secret` where there is one, else the whole match. */
  readonly pattern: RegExp;
  /** Checks the secret itself, if the pattern alone also matches harmless text. */
  readonly validate?: (secret: string) => boolean;
}

/** No character that continues a token can precede or follow it. */
const boundaryBefore = '(?<![A-Za-z0-9_-])';
const boundaryAfter = '(?![A-Za-z0-9_-])';
const tokenPattern = (body: string): RegExp => new RegExp(boundaryBefore + body + boundaryAfter, 'g');

const pemBlockPattern = (header: string): RegExp =>
  new RegExp(`-----BEGIN ${header}-----(?:[\\s\\S]{0,20000}?-----END ${header}-----)?`, 'g');

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
    keywords: ['age-secret-key'],
    pattern: tokenPattern('AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}'),
  },

  {
    label: 'AWS access key',
    keywords: ['akia', 'asia', 'abia', 'acca'],
    pattern: tokenPattern('(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}'),
  },
  {
    label: 'AWS secret key',
    keywords: ['aws'],
    pattern: /aws.{0,20}?(?:secret|key|token).{0,20}?[\s:="'`]{1,5}(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi,
    validate: looksRandom,
  },
  {
    label: 'GitHub token',
    keywords: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    pattern: tokenPattern('gh[pousr]_[A-Za-z0-9]{36,255}'),
  },
  { label: 'GitHub token', keywords: ['github_pat_'], pattern: tokenPattern('github_pat_[A-Za-z0-9_]{22,255}') },
  {
    label: 'GitLab token',
    keywords: [
      'glpat-',
      'gldt-',
      'glrt-',
      'glcbt-',
      'glptt-',
      'glft-',
      'glsoat-',
      'glagent-',
      'glimt-',
      'gloas-',
      'glffct-',
    ],
    pattern: tokenPattern('gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas|ffct)-[A-Za-z0-9_.-]{20,300}'),
  },
  {
    label: 'Slack token',
    keywords: ['xox'],
    pattern: tokenPattern('xox[abeoprs](?:\\.xox[bp])?-[A-Za-z0-9-]{10,250}'),
  },
  {
    label: 'Slack token',
    keywords: ['xapp-'],
    pattern: tokenPattern('xapp-\\d-[A-Z0-9]{6,20}-\\d{6,20}-[a-z0-9]{20,80}'),
  },
  {
    label: 'Slack webhook',
    keywords: ['hooks.slack.com'],
    pattern: /https:\/\/hooks\.slack\.com\/(?:services|workflows)\/T[A-Za-z0-9_]{6,14}\/[A-Za-z0-9_/]{20,90}/g,
  },
  {
    label: 'Stripe key',
    keywords: ['_live_', '_test_', '_prod_'],
    pattern: tokenPattern('(?:sk|rk|pk_?sk)_(?:live|test|prod)_[A-Za-z0-9]{16,250}'),
  },
  { label: 'Stripe key', keywords: ['whsec_'], pattern: tokenPattern('whsec_[A-Za-z0-9+/=]{24,100}') },
  { label: 'Google API key', keywords: ['aiza'], pattern: tokenPattern('AIza[A-Za-z0-9_-]{35}') },
  { label: 'Google OAuth token', keywords: ['ya29.'], pattern: tokenPattern('ya29\\.[A-Za-z0-9_-]{20,500}') },
  { label: 'Google OAuth secret', keywords: ['gocspx-'], pattern: tokenPattern('GOCSPX-[A-Za-z0-9_-]{28}') },
  { label: 'Anthropic key', keywords: ['sk-ant-'], pattern: tokenPattern('sk-ant-[A-Za-z0-9_-]{20,250}') },
  {
    label: 'OpenAI key',
    keywords: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-none-'],
    pattern: tokenPattern('sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,250}'),
  },
  { label: 'OpenAI key', keywords: ['sk-'], pattern: tokenPattern('sk-[A-Za-z0-9]{32,60}') },
  { label: 'OpenRouter key', keywords: ['sk-or-v1-'], pattern: tokenPattern('sk-or-v1-[a-f0-9]{40,80}') },
  {
    label: 'Hugging Face token',
    keywords: ['hf_', 'api_org_'],
    pattern: tokenPattern('(?:hf|api_org)_[A-Za-z0-9]{30,60}'),
  },
  { label: 'Replicate token', keywords: ['r8_'], pattern: tokenPattern('r8_[A-Za-z0-9]{30,60}') },
  { label: 'Groq key', keywords: ['gsk_'], pattern: tokenPattern('gsk_[A-Za-z0-9]{40,80}') },
  { label: 'Perplexity key', keywords: ['pplx-'], pattern: tokenPattern('pplx-[A-Za-z0-9]{40,80}') },
  { label: 'xAI key', keywords: ['xai-'], pattern: tokenPattern('xai-[A-Za-z0-9]{60,100}') },
  { label: 'npm token', keywords: ['npm_'], pattern: tokenPattern('npm_[A-Za-z0-9]{36}') },
  {
    label: 'npm token',
    keywords: ['_authtoken'],
    pattern: /\/\/[\w.-]{3,100}\/:_authToken=(?<secret>[A-Za-z0-9_+/=-]{16,200})/g,
    validate: looksRandom,
  },
  { label: 'PyPI token', keywords: ['pypi-agei'], pattern: tokenPattern('pypi-AgEI[A-Za-z0-9_-]{50,300}') },
  { label: 'RubyGems token', keywords: ['rubygems_'], pattern: tokenPattern('rubygems_[a-f0-9]{48}') },
  { label: 'crates.io token', keywords: ['cio'], pattern: tokenPattern('cio[A-Za-z0-9]{32}') },
  {
    label: 'Docker Hub token',
    keywords: ['dckr_pat_', 'dckr_oat_'],
    pattern: tokenPattern('dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,60}'),
  },
  {
    label: 'Azure storage key',
    keywords: ['accountkey', 'sharedaccesskey'],
    pattern: /(?:Account|SharedAccess)Key\s{0,3}=\s{0,3}(?<secret>[A-Za-z0-9+/]{40,90}={0,2})/g,
  },
  {
    label: 'Azure client secret',
    keywords: ['q~'],
    pattern: tokenPattern('[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}'),
  },
  { label: 'Azure SAS token', keywords: ['sig='], pattern: /[?&]sig=(?<secret>[A-Za-z0-9%+/]{40,120}(?:%3D|=){0,2})/g },
  {
    label: 'SendGrid key',
    keywords: ['sg.'],
    pattern: tokenPattern('SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,64}'),
  },
  { label: 'Twilio key', keywords: ['sk', 'ac'], pattern: tokenPattern('(?:SK|AC)[0-9a-f]{32}') },
  { label: 'Mailgun key', keywords: ['key-'], pattern: tokenPattern('key-[0-9a-f]{32}') },
  { label: 'Mailchimp key', keywords: ['-us'], pattern: tokenPattern('[0-9a-f]{32}-us\\d{1,2}') },
  { label: 'Telegram bot token', keywords: [':aa'], pattern: tokenPattern('\\d{8,10}:AA[A-Za-z0-9_-]{33}') },
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
    label: 'DigitalOcean token',
    keywords: ['doo_v1_', 'dop_v1_', 'dor_v1_'],
    pattern: tokenPattern('do[opr]_v1_[a-f0-9]{64}'),
  },
  {
    label: 'Shopify token',
    keywords: ['shpat_', 'shpca_', 'shppa_', 'shpss_'],
    pattern: tokenPattern('shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}'),
  },
  {
    label: 'Square token',
    keywords: ['sq0atp-', 'sq0csp-', 'eaaa'],
    pattern: tokenPattern('(?:sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}|EAAA[A-Za-z0-9_-]{60})'),
  },
  {
    label: 'Linear key',
    keywords: ['lin_api_', 'lin_oauth_'],
    pattern: tokenPattern('lin_(?:api|oauth)_[A-Za-z0-9]{32,64}'),
  },
  {
    label: 'Notion token',
    keywords: ['ntn_', 'secret_'],
    pattern: tokenPattern('(?:ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43})'),
  },
  { label: 'Airtable token', keywords: ['pat'], pattern: tokenPattern('pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}') },
  { label: 'Figma token', keywords: ['figd_'], pattern: tokenPattern('figd_[A-Za-z0-9_-]{40}') },
  { label: 'Postman key', keywords: ['pmak-'], pattern: tokenPattern('PMAK-[a-f0-9]{24}-[a-f0-9]{34}') },
  { label: 'Atlassian token', keywords: ['atatt3'], pattern: tokenPattern('ATATT3[A-Za-z0-9_=-]{100,250}') },
  { label: 'Databricks token', keywords: ['dapi'], pattern: tokenPattern('dapi[a-f0-9]{32}(?:-\\d)?') },
  {
    label: 'Grafana token',
    keywords: ['glsa_', 'glc_'],
    pattern: tokenPattern('gl(?:sa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|c_[A-Za-z0-9+/=]{32,400})'),
  },
  {
    label: 'HashiCorp token',
    keywords: ['hvs.', 'hvb.', 'hvr.'],
    pattern: tokenPattern('hv[sbr]\\.[A-Za-z0-9_-]{24,200}'),
  },
  {
    label: 'HashiCorp token',
    keywords: ['.atlasv1.'],
    pattern: tokenPattern('[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,70}'),
  },
  {
    label: 'New Relic key',
    keywords: ['nrak-', 'nrjs-', 'nraa-', 'nrra-'],
    pattern: tokenPattern('NR(?:AK|JS|AA|RA)-[A-Za-z0-9]{19,40}'),
  },
  {
    label: 'Sentry token',
    keywords: ['sntrys_', 'sntryu_'],
    pattern: tokenPattern('sntry[su]_[A-Za-z0-9+/=_-]{40,250}'),
  },
  {
    label: 'PlanetScale token',
    keywords: ['pscale_'],
    pattern: tokenPattern('pscale_(?:tkn|pw|oauth)_[A-Za-z0-9=._-]{32,64}'),
  },
  {
    label: 'Supabase key',
    keywords: ['sbp_', 'sb_secret_'],
    pattern: tokenPattern('sb[p]_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,60}'),
  },
  { label: 'Fly.io token', keywords: ['flyv1 fm'], pattern: /FlyV1 fm\d[ar]?_[A-Za-z0-9+/=,_-]{40,2000}/g },
  {
    label: 'Doppler token',
    keywords: ['dp.'],
    pattern: tokenPattern('dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{40,60}'),
  },
  { label: 'Pulumi token', keywords: ['pul-'], pattern: tokenPattern('pul-[a-f0-9]{40}') },
  { label: 'Terraform token', keywords: ['tfp_'], pattern: tokenPattern('tfp_[A-Za-z0-9]{32,64}') },
  { label: '1Password token', keywords: ['ops_eyj'], pattern: tokenPattern('ops_eyJ[A-Za-z0-9+/=_-]{100,2000}') },
  {
    label: 'JWT',
    keywords: ['eyj'],
    pattern: tokenPattern('eyJ[A-Za-z0-9_-]{10,2000}\\.eyJ[A-Za-z0-9_-]{10,8000}\\.[A-Za-z0-9_-]{10,2000}'),
  },

  {
    label: 'password in a connection string',
    keywords: ['://'],
    pattern: /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:@/'"<>`]{0,100}:(?<secret>[^\s@/'"<>`]{1,200})@[^\s/'"]/gi,
    validate: isRealPassword,
  },
  {
    label: 'password in a connection string',
    keywords: ['password=', 'pwd='],
    pattern:
      /(?:[?&;]|\b(?:host|server|data source|user id|uid|dbname|user)=[^;\n]{1,200}[;\s])\s{0,3}(?:password|pwd)=(?<secret>[^\s;&'"]{1,200})/gi,
    validate: isRealPassword,
  },
  {
    label: 'authorization header',
    keywords: ['authorization'],
    pattern:
      /\b(?:authorization|proxy-authorization)["']?\s{0,3}[:=]\s{0,3}["']?(?:bearer|basic|token)\s{1,3}(?<secret>[A-Za-z0-9._~+/=-]{8,2000})/gi,
    validate: looksRandom,
  },
  {
    label: 'authorization header',
    keywords: ['bearer'],
    pattern: /\bbearer\s{1,3}(?<secret>[A-Za-z0-9._~+/=-]{20,2000})/gi,
    validate: looksRandom,
  },
  {
    label: 'password',
    keywords: ['curl'],
    pattern: /\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[\s=]["']?[\w.@-]{1,60}:(?<secret>[^\s"']{3,100})/g,
    validate: isRealPassword,
  },
  {
    label: 'password',
    keywords: ['sshpass', 'pgpassword=', 'mysql_pwd=', 'docker login'],
    // sshpass -p, mysql -p, PGPASSWORD=, docker login -p
    pattern:
      /\b(?:sshpass\s{1,3}-p\s{0,3}|PGPASSWORD=|MYSQL_PWD=|docker login\b[^\n]{0,80}\s(?:-p|--password)[\s=])["']?(?<secret>[^\s"']{3,100})/g,
    validate: isRealPassword,
  },

  // Assignments in code and configuration to a name that ends in a secret's name.
  {
    label: 'password',
    keywords: ['password', 'passwd', 'passphrase', 'pwd', 'passwort', 'contraseña', 'mot de passe'],
    pattern:
      /(?:^|[^A-Za-z0-9])[A-Za-z0-9_.-]{0,40}?(?:password|passwd|passphrase|pwd|passwort|contraseña|mot de passe)(?:_[A-Za-z0-9]{1,20})?["'`]?\s{0,4}(?::=|=>|[:=])\s{0,4}(?:["'`](?<quoted>[^"'`\n]{3,200})["'`]|(?<secret>[^\s"'`,;(){}[\]<>]{4,200}))/gim,
    validate: isRealPassword,
  },
  {
    label: 'API key',
    keywords: ['key', 'token', 'secret'],
    pattern:
      /(?:^|[^A-Za-z0-9])[A-Za-z0-9_.-]{0,40}?(?:api[ _.-]?key|apikey|api[ _.-]?token|auth[ _.-]?token|access[ _.-]?token|refresh[ _.-]?token|access[ _.-]?key|secret[ _.-]?key|client[ _.-]?secret|private[ _.-]?key|encryption[ _.-]?key|signing[ _.-]?key|secret|token)["'`]?\s{0,4}(?::=|=>|[:=])\s{0,4}["'`]?(?<secret>[A-Za-z0-9_.~+/=-]{12,2000})["'`]?/gim,
    validate: looksRandom,
  },
  // In a sentence: "the password is hunter2", "my api key for staging is …".
  {
    label: 'password',
    keywords: [
      'password',
      'passwd',
      'passphrase',
      'passcode',
      'pwd',
      'login',
      'passwort',
      'contraseña',
      'mot de passe',
    ],
    pattern:
      /\b(?:password|passwd|passphrase|passcode|pwd|login|passwort|contraseña|mot de passe)(?:\s{1,3}(?:for|to|of|on|für|de|para)\s{1,3}[^\n.!?]{1,60}?)?\s{1,3}(?:is|was|to|are|ist|est|es|=|:)\s{0,3}(?:now |still |set to |just |simply )?["'`]?(?<secret>[^\s"'`,;]{4,100})/gi,
    validate: isSpokenPassword,
  },
  {
    label: 'API key',
    keywords: ['key', 'token', 'secret', 'credential', 'pin'],
    pattern:
      /\b(?:key|token|secret|credentials?|pin)(?:\s{1,3}(?:for|to|of|on)\s{1,3}[^\n.!?]{1,60}?)?\s{1,3}(?:is|was|are)\s{1,3}["'`]?(?<secret>[A-Za-z0-9_.~+/=-]{12,2000})/gi,
    validate: looksRandom,
  },

  { label: 'payment card number', pattern: /(?<![\d.-])(?:\d[ -]?){12,18}\d(?![\d-]|\.\d)/g, validate: isCardNumber },
  {
    label: 'social security number',
    keywords: ['-'],
    pattern: /(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g,
  },
];

/** Values in place of a secret. */
const placeholderPattern =
  /^(?:[<[{(%$].*|.*[>\]})%]$|x{3,}.*|\*+|\.{3,}.*|-+|_+|…+|#+)$|\$\{|\$\(|\{\{|<[^>]*>|process\.env|os\.environ|getenv|import\.meta|secrets\.|env\.|vault:|^env[:(]|^file:|^op:\/\/|^arn:|^(?:your|my|the|a|some|any|this|our|their|insert|enter|put|add|change|replace|example|sample|dummy|test|fake|foo|bar|placeholder|todo|tbd|redacted|hidden|masked|removed|none|null|nil|undefined|empty|true|false|string|str|text|varchar|number|optional|required|yes|no|password|passwd|pass|pwd|secret|token|user|username|admin:admin)(?:$|[_.\- ]?(?:your|api|key|token|secret|password|pass|pwd|here|me|this|value|example|it|goes|string|with|name|db|user|and)\b.*$)/i;

/** Default passwords of tutorials, which are no secret. */
const tutorialPasswordPattern =
  /^(?:changeme|change_me|changeit|postgres|root|admin|guest|mysql|redis|minio|minioadmin|sa|test|tester|testing|default|docker|password|pass|pw|secret|example|user|username|pwd|p|pw|xxx+|\*+)$/i;

export function isPlaceholder(value: string): boolean {
  return placeholderPattern.test(value) || tutorialPasswordPattern.test(value);
}

/** Whether a value in the place of a password (a URL, an assignment) is one: no placeholder, expression or plain word. */
export function isRealPassword(value: string): boolean {
  if (isPlaceholder(value)) return false;
  // An expression or a name of code rather than a value: config.password, getPassword(), PASSWORD_FIELD, string | null
  if (
    /^[a-z_$][\w$]*(?:\.[\w$]+)+$/i.test(value) ||
    /[()|[\]]|%s/.test(value) ||
    /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(value)
  ) {
    return false;
  }
  // Several words are a sentence about passwords ("password: at least 12 characters").
  if (/^\S+\s+\S+\s+\S/.test(value)) return false;
  // A plain word is probably a type, a field or a sentence; a password has digits, signs or mixed case.
  return /\d/.test(value) || /[^A-Za-z\s]/.test(value.replace(/[_\-.:,]+/g, '')) || /[a-z][A-Z]/.test(value);
}

/** Whether a word in a sentence about passwords is one: it must not look like an ordinary word. */
export function isSpokenPassword(value: string): boolean {
  const bare = value.replace(/[.,;:!?)]+$/, '');
  if (bare.length < 4 || !isRealPassword(bare)) return false;
  const hasLetter = /[A-Za-z]/.test(bare);
  const hasDigit = /\d/.test(bare);
  const hasSign = /[^A-Za-z0-9._\-/'’]/.test(bare);
  if (/^(?:https?:|\/|\.{0,2}\/|@|#|~)|^[\w.-]+@[\w.-]+\.\w+$/.test(bare)) return false;
  if (
    /^v?\d+(?:[.,:/-]\d+)*\+?(?:[a-z]{1,3}|%)?$|^\d+-\w+$|^(?:sha|md|bcrypt|argon|pbkdf|base|utf|aes|rs|hs|es|rsa|oauth|utf|ipv|http|s)-?\d+\w*$/i.test(
      bare,
    )
  ) {
    return false;
  }
  if (/^[\w-]+\.(?:ts|js|json|ya?ml|env|py|toml|md|txt|kdbx|cfg|ini|conf|sh)$/i.test(bare)) return false;
  return (hasLetter && hasDigit) || (hasSign && (hasLetter || hasDigit));
}

/** Whether a value mixes letters and digits at random: at least 3 bits of entropy per character, no words, no hash. */
export function looksRandom(value: string): boolean {
  const bare = value.replace(/[.]+$/, '');
  if (bare.length < 12 || isPlaceholder(bare)) return false;
  if (!/\d/.test(bare) || !/[A-Za-z]/.test(bare)) return false;
  if (isHashOrId(bare) && bare.length !== 32) return false;
  // Words joined by signs are a name: my-cluster-eu-west-1, config.v2.tokenizer
  const words = bare.split(/[._\-/=+]+/).filter(word => word.length > 0);
  if (words.length > 1 && words.every(word => /^(?:[A-Za-z]?[a-z]*|[A-Z]+|v?\d{1,4}|[a-z]+\d{1,2})$/.test(word)))
    return false;
  return shannonEntropy(bare) >= 3;
}

/** Whether a value is a Git commit, a digest or a UUID. */
export function isHashOrId(value: string): boolean {
  return (
    /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value) ||
    /^(?:[0-9a-f]{7,16}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/.test(value) ||
    /^sha(?:1|256|384|512)[-:]/i.test(value)
  );
}

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

/** Shannon entropy, in bits per character. */
export function shannonEntropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
