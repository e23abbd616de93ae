import assert from 'node:assert/strict';
import { findSecret, redactSecrets } from '../../../src/engine/secrets/secretScanner.js';

// Values are put together here, so that scanners do not take this file for a leak.
const mixed = (length: number): string => 'h7Wq2Nd9Rk4Tb8Jc3Vm6Ys1Pf5Lx0GzE'.repeat(12).slice(0, length);
const lower = (length: number): string => mixed(length).toLowerCase();
const hex = (length: number): string => '9c3e7a1f5d2b8046'.repeat(10).slice(0, length);
const uuid = [hex(8), 'a1b2', '4c3d', '9e8f', hex(12)].join('-');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** VALUE is the secret of each form. Nothing of it may be left in the redacted text. */
const forms: Readonly<Record<string, readonly string[]>> = {
  [`pat-eu1-${uuid}`]: ['HubSpot uses VALUE.'],
  [`sdk-${uuid}`]: ['LaunchDarkly: VALUE'],
  [`snyk_uat.${hex(8)}.eyJ${mixed(40)}.${mixed(40)}`]: ['snyk auth VALUE'],
  [`sl.${mixed(60)}=${mixed(70)}_-`]: ['Dropbox gave VALUE to the job.'],
  [`live_${lower(40)}`]: ['gocardless VALUE'],
  [`oy2${lower(43)}`]: ['dotnet nuget push a.nupkg -k VALUE'],
  [`access_token$production$${lower(16)}$${hex(32)}`]: ['Braintree gateway: VALUE'],
  [`${mixed(76)}AZDO${mixed(4)}`]: ['VALUE opens the pipelines'],
  [`${'A'.repeat(22)}${mixed(90)}`]: ['bearer of the X API VALUE'],
  [`nsec1${lower(58)}`]: ['my nostr key VALUE'],
  [`django-insecure-${lower(20)}$k(9)&${lower(12)}`]: ["SECRET_KEY = 'VALUE'"],
  [uuid]: ['the squarespace api key VALUE', 'SNYK_TOKEN=VALUE', 'kucoin secret key: VALUE'],
  [mixed(50)]: [
    'x-rapidapi-key: VALUE',
    'the access token VALUE',
    "le jeton d'accès est VALUE",
    'APIキーは VALUE です',
  ],
  [hex(128)]: ['secret_key_base: VALUE'],
  Kuckuck7uhr: [
    'az login --service-principal -u robot -p VALUE --tenant example',
    "ssh-keygen -t ed25519 -N 'VALUE' -f id",
    '$s = ConvertTo-SecureString "VALUE" -AsPlainText -Force',
    "echo 'VALUE' | sudo -S true",
    'variable "db_password" {\n  type    = string\n  default = "VALUE"\n}',
    "define('DB_PASSWORD', 'VALUE');",
    'DriverManager.getConnection(url, "app", "VALUE")',
    'WIFI:T:WPA;S:office;P:VALUE;;',
    'user,password\nann,VALUE\nbob,VALUE',
    '| user | password |\n|---|---|\n| ann | VALUE |',
    "root's pw on staging: VALUE",
    'My password for the wiki on the new host is VALUE',
    'Grafana admin password got reset to VALUE last night',
    'Zugang zum Server: ann / VALUE',
    'Melde dich mit admin und VALUE an.',
    'Accès au serveur : ann / VALUE',
    'Entra con usuario admin y contraseña VALUE',
    '登录账号 admin，密码 VALUE',
    '密码已改成 VALUE',
    'パスワードを VALUE に変更しました',
    'Пароль от базы данных VALUE',
    'Логин admin, пароль VALUE',
    'pаsswоrd: VALUE',
  ],
  '90417': [
    'The PIN for the server room is VALUE.',
    'door code VALUE',
    'the recovery code is VALUE',
    'Die PIN für den Tresor lautet VALUE.',
    "Le code d'accès du bureau est VALUE",
    'El código PIN es VALUE',
    'ПИН-код сейфа VALUE',
    '暗証番号はVALUEです',
    '密码是VALUE。',
    'The password is VALUE.',
  ],
  'skipper3-Wharf-2208': [
    'The gate code of the pier is VALUE.',
    'door code: VALUE',
    'Our alarm code is now VALUE, ask Ann before you use it.',
    'The code for the garage is VALUE',
    'Der Türcode lautet VALUE.',
    'Der Code für das Tor ist VALUE',
    'Le code du portail est VALUE.',
    'El código de la puerta es VALUE.',
    'Il codice del cancello è VALUE.',
    'O código do portão é VALUE.',
    'Код от ворот — VALUE',
    '门禁码是VALUE。',
  ],
  B44170: ['The entry code is VALUE.', 'access code: VALUE'],
  'marble otter canyon violin': ['The passphrase is "VALUE".', 'passphrase of the signing key: VALUE'],
  'tulip-Barrel-92': ['When the VPN asks, type VALUE as the passcode.'],
};

/** Texts that look like secrets to a program, and are none. */
const ordinary = [
  `Bisect ends at ${hex(9)}, reverted in ${hex(40)}.`,
  `"integrity": "sha512-${mixed(86)}=="`,
  `FROM node@sha256:${hex(64)}`,
  `traceparent: 00-${hex(32)}-${hex(16)}-01`,
  `The primary key of the order is ${uuid}`,
  `The S3 key is uploads/2024/05/${uuid}.png`,
  'Redis key: session:{userId}:v2',
  '"OPENAI_API_KEY": "sk-..."',
  'ANTHROPIC_API_KEY=sk-ant-xxxx',
  'OPENAI_API_KEY=your-openai-api-key',
  'quay-map --access-token=harbour-user-token',
  'key = f"{user_id}:{day}"',
  'Commit signed with key 4AEE18F83AFDEB23',
  `gpg --recv-keys 0x${hex(40).toUpperCase()}`,
  `The contract is at 0x${hex(40)}`,
  `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ${mixed(330)} ann@laptop`,
  `![logo](data:image/png;base64,${mixed(200)}=)`,
  `url("data:font/woff2;base64,d09GMgABAAAAA${mixed(200)}")`,
  `dsn: https://${hex(32)}@o12345.ingest.sentry.io/67890`,
  `The publishable key is pk_test_${mixed(24)}`,
  'GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  'AKIAIOSFODNN7EXAMPLE with wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  'POSTGRES_PASSWORD=${POSTGRES_PASSWORD:?missing}',
  'password: "${DB_PASSWORD:-}"',
  'password: op://vault/db/password',
  'arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-a1B2c3',
  '| Field | Type | Password | Notes |\n|---|---|---|---|\n| login | text | required | v2 |',
  'name,token_count\nbert,30522',
  'const keys = ["password", "email2", "name"];',
  'form.setError("password", "Too short");',
  'i18n.t("login.password", "Password")',
  'test_login_with_valid_password_returns_200_and_sets_cookie',
  'live_reload_enabled_for_development_builds_only is a flag',
  'WIFI:T:nopass;S:guest;;',
  'ssh-keygen -t ed25519 -f id -N ""',
  'openssl rand -base64 32 > secret.key',
  'mysql -u root -p shop < dump.sql',
  'Exit code 137 means out of memory; error code 40001 is a serialization failure.',
  'PIN 12 and PIN 13 drive the LEDs, PIN entry times out after 3000 ms.',
  'Access codes are 6 digits, the PIN code is 4 digits.',
  'recovery code coverage is 8312 lines',
  'The exit code is E137x, the status code is 404 and the country code is DE49.',
  'The access code path is in src/gate2/open.ts.',
  'The entry code is main2.tsx, the unlock code is in lock_v2.rs.',
  'The gate code is stored in 1Password under pier2.',
  'The door code is generated by doorCodeV2.',
  'The backup code is Apache-2.0 licensed, the safe code is C++17.',
  'The code for the gate is in gate.test2.ts.',
  'The password is 24 characters; the old one was 8.',
  'The password was rotated on 2024-05-01 by ann@example.org.',
  'The password on Windows11 is cached by LSASS.',
  'Log in with Google and GitHub2FA.',
  'Log in with SSO and MFA, the account is ann@example.org.',
  'Use a passphrase of at least 6 words.',
  'passphrase: required when the store has sensitive memories',
  'Das Passwort muss mindestens 12 Zeichen haben.',
  'Le mot de passe est stocké dans le trousseau.',
  'La contraseña se guarda con bcrypt.',
  '密码使用 bcrypt 加密存储。',
  'パスワードは環境変数から読み込みます。',
  'Пароль для тестов лежит в config/test.yml',
  'IP-адрес сервера 10.0.0.12, порт 5432',
  'The seed phrase screen shows 12 words.',
  'a b c d e f g h i j k l m n o p q r s t u v w x y z',
  'The phone is +49 30 901820, the book is ISBN 978-3-16-148410-0.',
  '/home/ann/.config/gcloud/application_default_credentials.json',
  'Pod api-7d9c5b8f6-x2k4q restarted on ip-10-0-12-34.eu-west-1.compute.internal',
];

describe('forms of secrets that are published or spoken', () => {
  for (const [value, texts] of Object.entries(forms)) {
    for (const text of texts) {
      it(`are found: ${JSON.stringify(text)}`, () => {
        const redacted = redactSecrets(text.replaceAll('VALUE', value));
        assert.match(redacted, /\[secret: /u);
        assert.ok(!redacted.includes(value), redacted);
      });
    }
  }

  it('are found when they are cut into literals, spaced out or encoded twice', () => {
    const [prefix, body] = ['gh' + 'p_', mixed(36)];
    const texts = [
      `$t = "${prefix}" . "${body}";`,
      `['${prefix}', '${body}'].join('')`,
      `token: ${(prefix + body).replaceAll(/(?<=.)(?=.)/gu, ' ')}`,
      base64(base64(`token=${prefix}${body}`)),
    ];
    assert.deepEqual(
      texts.filter(it => findSecret(it) === undefined || redactSecrets(it).includes(body)),
      [],
    );
  });

  for (const text of ordinary) {
    it(`are not seen in: ${text.slice(0, 70)}`, () => {
      assert.equal(redactSecrets(text), text);
    });
  }
});
