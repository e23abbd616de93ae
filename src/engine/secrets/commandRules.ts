import type { SecretRule } from './secretRule.js';
import { isLiteralPassword, isRealPassword, isSpokenPassword } from './secretValue.js';

/** Passwords in the options and arguments of commands. */
export const commandRules: readonly SecretRule[] = [
  {
    label: 'password',
    keywords: ['curl', 'http', 'wget', 'smbclient'],
    pattern:
      /\b(?:curl|https?|xh|wget|smbclient)\b[^\n]{0,200}?\s(?:-u|-a|-U|--user|--auth|--proxy-user)[\s=]{0,2}["']?[\w.@\\-]{1,60}[:%](?<secret>[^\s"']{3,100})/g,
    validate: isRealPassword,
  },
  {
    label: 'password',
    keywords: [
      'sshpass',
      'mysql',
      'mongo',
      'redis-cli',
      'docker login',
      'podman login',
      'helm registry',
      'sqlcmd',
      'ldap',
      'openssl',
      'snmp',
      'ipmitool',
      'keytool',
      'zip',
      '7z',
      'htpasswd',
      'chpasswd',
      'net use',
      'net user',
      'requirepass',
      'wpa_passphrase',
      'pass:',
      'identified by',
      'with password',
      'secret set',
      'secrets set',
      'encrypted password',
    ],
    pattern:
      /(?:\bsshpass\s{1,3}-p\s{0,3}|\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,120}?\s-p|\bmongo(?:sh|dump|restore|export)?\b[^\n]{0,120}?\s-p\s{1,3}|\bredis-cli\b[^\n]{0,120}?\s-a\s{1,3}|\b(?:docker|podman|helm registry)\s{1,3}login\b[^\n]{0,80}?\s-p[\s=]|\bsqlcmd\b[^\n]{0,120}?\s-P\s{0,3}|\bldap\w{2,10}\b[^\n]{0,160}?\s-w\s{1,3}|\bopenssl\b[^\n]{0,160}?\s-k\s{1,3}|\bsnmp\w{2,10}\b[^\n]{0,120}?\s-[AXc]\s{1,3}|\bipmitool\b[^\n]{0,120}?\s-P\s{1,3}|\bkeytool\b[^\n]{0,160}?\s-(?:store|key)pass\s{1,3}|\b(?:zip|unzip)\b[^\n]{0,80}?\s-P\s{0,3}|\b7z\w?\b[^\n]{0,80}?\s-p|\bhtpasswd\s{1,3}-\w{0,6}b\w{0,6}\s{1,3}[^\s]{1,120}\s{1,3}[^\s]{1,60}\s{1,3}|\bsecrets?\s{1,3}set\b[^\n]{0,80}?\s(?:--body|-b|--value)[\s=]{1,3}|\bnet\s{1,3}use\b[^\n]{0,40}?\\\\[^\s]{1,100}\s{1,3}(?=[^\s/]{3,100}\s{1,3}\/user:)|\bnet\s{1,3}use\b[^\n]{0,120}?\/user:[^\s]{1,60}\s{1,3}|\bnet\s{1,3}user\s{1,3}[^\s]{1,60}\s{1,3}|\brequirepass\s{1,3}|\bwpa_passphrase\s{1,3}[^\s]{1,64}\s{1,3}|\b-?pass(?:in|out)?\s{1,3}pass:|\bidentified\s{1,3}by\s{1,3}|\bwith\s{1,3}(?:encrypted\s{1,3})?password\s{1,3}')["']?(?<secret>(?!`)[^\s"';]{3,100})/gi,
    validate: isCommandPassword,
  },
  {
    label: 'password',
    keywords: ['az login', 'ssh-keygen', 'asplaintext'],
    pattern:
      /(?:\baz\s{1,3}login\b[^\n]{0,160}?\s(?:-p|--password)[\s=]{1,3}|\bssh-keygen\b[^\n]{0,160}?\s-[NP]\s{0,3}|ConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?(?=[^\n]{3,120}-AsPlainText))["']?(?<secret>[^\s"']{3,100})/gi,
    validate: isCommandPassword,
  },
  {
    label: 'password',
    keywords: ['echo', 'printf'],
    pattern:
      /\b(?:echo|printf)\s{1,3}(?:-n\s{1,3})?["']?(?<secret>[^\s"'|]{3,100})["']?\s{0,3}\|\s{0,3}(?:sudo\s{1,3}(?:-\w\s{1,3}){0,3}-S|(?:sudo\s{1,3})?(?:passwd\s{1,3}--stdin|cryptsetup|docker\s{1,3}login|podman\s{1,3}login|gpg\b[^\n]{0,80}--passphrase-fd))/gi,
    validate: isLiteralPassword,
  },
  {
    label: 'password',
    keywords: ['chpasswd'],
    pattern: /["'\s][\w.-]{1,40}:(?<secret>[^\s"':]{3,100})["']?\s{0,3}\|\s{0,3}(?:sudo\s{1,3})?chpasswd/g,
    validate: isLiteralPassword,
  },
  {
    // Of the programs that take a new password, or one to open something with, as an argument.
    label: 'password',
    keywords: [
      'add_user',
      'change_password',
      'mysqladmin',
      'rclone obscure',
      'openssl passwd',
      'bw unlock',
      'secret-set-value',
      'put-parameter',
      'add-generic-password',
      'lftp',
      'snmp-server',
    ],
    pattern:
      /(?:\b(?:add_user|change_password)\s{1,3}[\w.@-]{1,60}\s{1,3}|\bmysqladmin\b[^\n]{0,120}?\spassword\s{1,3}|\brclone\s{1,3}obscure\s{1,3}|\bopenssl\s{1,3}passwd\s{1,3}(?:-\w{1,9}\s{1,3}){0,3}|\bbw\s{1,3}unlock\s{1,3}|\bsecret-set-value\s{1,3}[\w.-]{1,60}\s{1,3}|\bput-parameter\b[^\n]{0,160}?SecureString[^\n]{0,60}?\s--value[\s=]{1,3}|\badd-generic-password\b[^\n]{0,160}?\s-w\s{1,3}|\blftp\b[^\n]{0,80}?\s-u\s{0,3}[\w.@-]{1,60},|\bsnmp-server\s{1,3}community\s{1,3})["']?(?<secret>[^\s"';)]{3,100})/gi,
    validate: isCommandPassword,
  },
  {
    // Any other that has an option for the account and one for its password.
    label: 'password',
    keywords: ['-u ', '/u:'],
    pattern:
      /(?:^|\s)(?:-u\s{1,3}[\w.@\\-]{1,60}\s{1,3}(?:[^\s]{1,60}\s{1,3}){0,2}?-[pP]\s{1,3}|\/u:[\w.@\\-]{1,60}\s{1,3}(?:[^\s]{1,60}\s{1,3}){0,2}?\/p:)["']?(?<secret>[^\s"';]{4,100})/gm,
    validate: isSpokenPassword,
  },
  {
    // A here string, and what a script types for a person.
    label: 'password',
    keywords: ['<<<', 'send '],
    pattern:
      /(?:\b(?:passwd|kinit|keepassxc-cli|bw|op|su|sudo|cryptsetup|gpg|smbpasswd|docker|podman)\b[^\n]{0,80}?<<<\s{0,3}["']?|\bsend\s{1,3}(?:--\s)?["'](?=[^\n"']{3,100}\\[rn]["']))(?<secret>[^\s"'\\]{3,100})/gi,
    validate: isSpokenPassword,
  },
];

/** In a command any word counts but an option, and the plain words of a sentence about the command. */
function isCommandPassword(value: string): boolean {
  return !value.startsWith('-') && isRealPassword(value);
}
