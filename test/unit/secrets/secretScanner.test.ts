import assert from 'node:assert/strict';
import fc from 'fast-check';
import { secretRules } from '../../../src/engine/secrets/secretRules.js';
import { findSecret, redactSecrets } from '../../../src/engine/secrets/secretScanner.js';
import { tokenFormats } from '../../../src/engine/secrets/tokenFormats.js';
import { foldCase, mayMatch } from '../../../src/engine/text/keywordPrefilter.js';
import { arbitraryText } from '../text/arbitraryText.js';

/** Letters and digits without meaning. Secrets are put together here, so that scanners do not take this file for a leak. */
const mixed = (length: number): string => 'q7Rt2Lw9Zk4Xb8Nc3Vm6Ys1Pd5Hf0GjT'.repeat(10).slice(0, length);
const hex = (length: number): string => '3f9a1c7e5b2d8046'.repeat(10).slice(0, length);
const digits = (length: number): string => '4815162342'.repeat(3).slice(0, length);
const upper = (length: number): string => 'QK7ZT2MWX4RBNV3C'.repeat(3).slice(0, length);
const glue = (...parts: readonly string[]): string => parts.join('');

describe('secretScanner', () => {
  const found: readonly (readonly [kind: string, text: string])[] = [
    ['private key', glue('-----BEGIN RSA ', 'PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE', ' KEY-----')],
    ['private key', glue('-----BEGIN OPENSSH ', 'PRIVATE KEY-----')],
    ['private key', glue('-----BEGIN PGP ', 'PRIVATE KEY BLOCK-----')],
    ['private key', glue('-----BEGIN ', 'PRIVATE KEY-----')],
    ['AWS access key', glue('AK', 'IA', upper(16))],
    ['AWS secret key', glue('aws_secret_access_key = ', mixed(40))],
    ['GitHub token', glue('gh', 'p_', mixed(36))],
    ['GitHub token', glue('github', '_pat_', mixed(60))],
    ['GitLab token', glue('gl', 'pat-', mixed(20))],
    ['Slack token', glue('xo', 'xb-', digits(12), '-', mixed(24))],
    ['Slack webhook', glue('https://hooks.slack', '.com/services/T0', upper(8), '/B0', upper(8), '/', mixed(24))],
    ['Stripe key', glue('sk_', 'live_', mixed(24))],
    ['Stripe key', glue('rk_', 'live_', mixed(24))],
    ['Google API key', glue('AI', 'za', mixed(35))],
    ['OpenAI key', glue('sk-', 'proj-', mixed(48))],
    ['OpenAI key', glue('sk-', mixed(48))],
    ['Anthropic key', glue('sk-', 'ant-', 'api03-', mixed(80))],
    ['npm token', glue('np', 'm_', mixed(36))],
    ['PyPI token', glue('pypi-', 'AgEI', mixed(60))],
    ['Azure storage key', glue('DefaultEndpointsProtocol=https;Account', 'Key=', mixed(86), '==')],
    ['SendGrid key', glue('SG', '.', mixed(22), '.', mixed(43))],
    ['Twilio key', glue('S', 'K', hex(32))],
    ['Hugging Face token', glue('hf', '_', mixed(34))],
    ['Telegram bot token', glue(digits(9), ':AA', mixed(33))],
    ['Discord token', glue('M', mixed(23), '.', mixed(6), '.', mixed(38))],
    ['DigitalOcean token', glue('dop', '_v1_', hex(64))],
    ['Shopify token', glue('shp', 'at_', hex(32))],
    ['JWT', glue('ey', 'J', mixed(20), '.ey', 'J', mixed(40), '.', mixed(43))],
    ['password in a connection string', glue('postgres://app:', 'hunter2', '@db.internal:5432/app')],
    ['password in a connection string', glue('mongodb+srv://u:', 's3cr3tPw', '@cluster0.mongodb.net')],
    ['password in a connection string', glue('redis://:', 'p4ssw0rd!', '@cache:6379')],
    ['password', glue('jdbc:sqlserver://h;user=sa;', 'password=', 'Str0ng!Pass')],
    ['password', glue('pass', 'word = "', 'hunter2"')],
    ['password', glue('DB_PASS', 'WORD=', 'Tr0ub4dor&3')],
    ['password', glue('the pass', 'word is ', 'hunter2')],
    ['password', glue('The staging pass', 'word for the admin account is ', 'Sommer2024!')],
    ['password', glue('das Pass', 'wort ist ', 'Geheim!99')],
    ['API key', glue('api', ' key: ', mixed(32))],
    ['API key', glue('"client_', 'secret": "', mixed(30), '"')],
    ['API key', glue('my token for staging is ', mixed(28))],
    ['authorization header', glue('Authorization: Bea', 'rer ', mixed(40))],
    ['password', glue('the wifi pass', 'word at the front desk is ', 'Saffron33?')],
    ['password', glue('the pass', 'word changed to ', 'quarry7Lantern')],
    ['password', glue('das Pass', 'wort ist ', 'Willow-Otter-65')],
    ['password', glue('the guest network ', 'key is now ', 'ctynmsw8tv7k')],
    ['password', glue('sql.Open("mysql", "app:', '0GoBU3qXRbBO8A', '@tcp(10.0.0.5:3306)/shop")')],
    ['password', glue('net use Z: \\\\files01\\share ', 'Falcon48#', ' /user:CORP\\backup')],
    ['private key', glue("define('AUTH_", "KEY',     '", 'RUA%p%!o:<qNMED8SRtn:UJBdLYpzcF8L0S+s,1qF', "');")],
    ['payment card number', glue('4539', ' 5787 6362', ' 1486')],
    ['payment card number', glue('4242', '-4242-4242', '-4259')],
    ['payment card number', glue('card4539', '5787636', '21486exp')],
    ['social security number', glue('078', '-05-', '1120')],
  ];
  for (const [kind, text] of found) {
    it(`finds: ${kind} (${text.slice(0, 6)}…)`, () => {
      const sentence = `Please remember this for later: ${text}`;
      assert.deepEqual(findSecret(sentence), { label: kind });
      const redacted = redactSecrets(`${sentence} and more`);
      assert.equal(findSecret(redacted), undefined, redacted);
      assert.ok(redacted.includes(`[secret: ${kind}]`), redacted);
      assert.ok(redacted.endsWith(' and more') && redacted.startsWith('Please remember this for later: '), redacted);
    });
  }

  it('has keywords that occur in every text that its rule matches', () => {
    for (const rule of secretRules) {
      for (const [, text] of found) {
        for (const it of [text, text.toLowerCase(), text.toUpperCase()]) {
          if (it.search(rule.pattern) >= 0)
            assert.ok(mayMatch(rule, foldCase(it)), `${rule.label}: ${it.slice(0, 6)}…`);
        }
      }
    }
  });

  describe('takes a value for a secret because of the name or the words around it', () => {
    /** VALUE is replaced by a password with letters and digits. */
    const forms = [
      'DB_PASS=VALUE',
      'export JWT_SECRET=VALUE',
      'Run migrate --db-password VALUE --verbose',
      'psql "host=db user=app password=VALUE dbname=shop"',
      '<property name="password" value="VALUE"/>',
      '<adminPassword>VALUE</adminPassword>',
      '- name: REDIS_PASSWORD\n  value: VALUE',
      'ENV ROOT_PASSWORD VALUE',
      'pool.setPassword("VALUE")',
      'machine build.example.org login robot password VALUE',
      'curl --user robot:VALUE https://example.org',
      'requirepass VALUE',
      "CREATE USER robot IDENTIFIED BY 'VALUE'",
      '| password | VALUE |',
      'log in as robot (password VALUE)',
      'Use VALUE as the admin password.',
      'VALUE is the shared login',
      'Sign in to the registry as robot with VALUE',
      'The credentials are robot:VALUE.',
      'credentials: robot / VALUE',
      'Das Kennwort für den Drucker lautet VALUE.',
      'Le mot de passe du serveur est VALUE',
      'La contraseña del router es VALUE.',
      'La password del server è VALUE',
      'Het wachtwoord van de server is VALUE.',
      'A senha do banco é VALUE',
      'Şifre: VALUE',
      'Hasło: VALUE',
      'Пароль от сервера: VALUE',
      '数据库的密码是 VALUE。',
      'パスワードは VALUE です',
      '비밀번호는 VALUE',
      'pass\u200bword: VALUE',
      'password：VALUE',
      'password is\u00a0VALUE',
      'pass\u{e0100}word=VALUE',
    ];
    for (const form of forms) {
      it(JSON.stringify(form), () => {
        const redacted = redactSecrets(form.replace('VALUE', glue('Regen', '77Bogen!')));
        assert.match(redacted, /\[secret: (?:password|API key)\]/u);
        assert.doesNotMatch(redacted, /Regen|Bogen/u);
      });
    }

    it('whatever it looks like, where nothing else can stand', () => {
      for (const text of [
        glue('pwd', ' = zxcvbnm'),
        glue('ADMIN_PASSWORD', '=sesame'),
        glue('root_password: "', 'horse"'),
      ])
        assert.deepEqual(findSecret(text), { label: 'password' }, text);
    });
  });

  it('finds a token of each known format, also glued, cut and encoded', () => {
    for (const { label, prefixes, alphabet, minLength, standsAlone } of tokenFormats) {
      const allowed = Array.from(mixed(320))
        .filter(it => new RegExp(`[${alphabet}]`, 'u').test(it))
        .join('');
      const characters = allowed.repeat(20).slice(0, minLength);
      for (const prefix of prefixes) {
        const token = prefix + characters;
        const half = Math.max(prefix.length, Math.floor(token.length / 2));
        const texts = [
          `Use ${token}, please`,
          `key="${token}"`,
          `\`${token}\``,
          `echo ${Buffer.from(token).toString('base64')} | base64 -d`,
          ...(standsAlone ? [] : [`my_${token}`, `"${token.slice(0, half)}" + "${token.slice(half)}"`]),
        ];
        for (const text of texts) {
          assert.notEqual(findSecret(text), undefined, `${label}: ${text}`);
          assert.ok(!redactSecrets(text).includes(token.slice(half)), `${label}: ${text}`);
        }
      }
    }
  });

  it('finds both halves of a token that was cut in a line break, a hyphen or a space', () => {
    const token = glue('gh', 'p_', mixed(36));
    for (const joint of ['\n', ' ', '-\n', '\\\n', '\n> ']) {
      const redacted = redactSecrets(`token: ${token.slice(0, 20)}${joint}${token.slice(20)}`);
      assert.ok(!redacted.includes(token.slice(20)), JSON.stringify(redacted));
    }
  });

  it('finds secrets behind entities, percent signs and backslashes', () => {
    const body = mixed(24);
    const texts = [
      `Stripe sk&#95;live&#x5f;${body}`,
      `q=sk%5Flive%5F${body}`,
      `{\\"key\\":\\"sk_live_${body}\\"}`,
      `**sk_live_**${body}`,
      `sk\\u005flive_${body}`,
    ];
    for (const text of texts) assert.ok(!redactSecrets(text).includes(body), text);
  });

  it('finds account numbers by their check digits', () => {
    assert.deepEqual(findSecret('Refunds go to GB82 WEST 1234 5698 7654 32'), { label: 'bank account number' });
    assert.equal(findSecret('Refunds go to GB83 WEST 1234 5698 7654 32'), undefined);
  });

  const harmless = [
    'パスワードは必須で、8文字以上にしてください。',
    'The password changed on 2024-05-01, at sign-in only.',
    'The password at rest is encrypted with AES-256.',
    // Digits of identifiers that are a valid card number by themselves.
    'The tenant is b5355290-1256-4039-8b6a-79cba9211fa1.',
    'request_1883d69b-8399-4b3d-b456-2911405905e8 failed',
    'Pinned to the commit 0dd2c54c4519226681794613cce015b6b697a7cf.',
    'The checksum of the archive is 5187490111079684cbfda993260ddd13.',
    'The pass manager is pass(1); all 42 tests pass: see run 12a',
    'pass `createParser2` to the stream',
    'password: SecretStr',
    'const isPassword = groups.password !== undefined',
    'password = request.form["password"]',
    'DB_PASSWORD is read from .env.local',
    'kubectl create secret generic db --from-literal=password=$PW',
    'docker login ghcr.io -u robot --password-stdin',
    'Use --password-file /run/secrets/pw',
    'The --token flag is required.',
    'existingSecret: shop-db-credentials-v3',
    'secretKeyRef: {name: db, key: password}',
    'Das Passwort steht im Tresor.',
    'La contraseña está en 1Password.',
    '密码至少12位。',
    'パスワードは12文字以上です。',
    'sorted(items, key=operator.itemgetter(1))',
    '([oauth docs](https://example.org/auth/2/token-exchange))',
    'The cache key is user:42:v3.',
    'Login as robot2 with the role admin3.',
    'SSH host key fingerprint SHA256:' + mixed(43),
    '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----',
    'The password policy requires 12 characters',
    'The password must be at least 12 characters long and is hashed with argon2id',
    'the config key is database_url',
    'The config key is database_url, not db_url',
    'password: string;',
    'password: at least 12 characters, one digit',
    'const password = process.env.DB_PASSWORD',
    'DB_PASSWORD=${DB_PASSWORD}',
    'password = "<your password>"',
    'api_key = "YOUR_API_KEY_GOES_HERE"',
    'token: xxxxxxxxxxxxxxxxxxxx',
    'postgres://user:password@localhost:5432/db',
    'postgres://app:${PGPASSWORD}@db/app',
    'postgres://postgres:postgres@localhost/test',
    'https://example.com:8080/@scope/package',
    `fixed in ${hex(40)}`,
    `git sha ${hex(7)} is the last good one`,
    `sha256:${hex(64)}`,
    `integrity sha512-${mixed(86)}==`,
    'the id is 123e4567-e89b-12d3-a456-426614174000',
    'The token is stored in the session cookie',
    'The secret is rotated every 90 days',
    'The access token is valid for 15 minutes',
    'token expiry is 900s and refresh token is single-use',
    'The password is sent to /api/v2/login',
    'The password is stored in 1Password',
    'the login is at https://app.example.com/login?x=1',
    'primary key is (org_id, user_id)',
    'the key is userId2 in local storage',
    'Our tokenizer is cl100k_base',
    'The secret is called prod-db-credentials-v2',
    'The private key lives in Vault under kv/prod/signing',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ',
    'order 4111 1111 1111 1112 was refunded',
    'In the sandbox, pay with 4242 4242 4242 4242 and any date',
    'Checkout tests use 4111-1111-1111-1111, and 378282246310005 for Amex',
    'Adyen wants 5555 4444 3333 1111 with the code 737, or 4000 6200 0000 0007',
    'Stripe declines 4000 0000 0000 9995 for lack of funds',
    'call 555-12-34 or 0800-123-4567',
    'version 1.2.3-4567 build 20240101123456',
    'timestamp 1700000000000 and 1700000000001',
    'use sk-learn or sk-toggleable for it',
    'AKIA is the prefix of AWS access keys',
    'Bearer tokens with short expiry and refresh tokens',
    'the pin is 1234 pixels wide',
    'The pin is kept as VideoEncoderMacOsTargetTfm.',
    'const TOKEN_MARK_RE = /\\x1b\\[[0-9;]*K/g;',
    'Passwords are hashed with scrypt, n=16384, r=8, p=1.',
    'パスワードは環境変数 APP_PASS から取得する。',
    'Keys match `^[A-Z][A-Z0-9_]*$`.',
  ];
  for (const text of harmless) {
    it(`leaves alone: ${text.slice(0, 60)}`, () => {
      assert.equal(findSecret(text), undefined);
      assert.equal(redactSecrets(text), text);
    });
  }

  it('redacts several secrets', () => {
    const text = glue('a gh', 'p_', mixed(36), ' b AK', 'IA', upper(16), ' c');
    assert.equal(redactSecrets(text), 'a [secret: GitHub token] b [secret: AWS access key] c');
  });

  it('never throws, and finds no secret in a redacted text', () => {
    const parts = fc.oneof(fc.constantFrom(...found.map(([, text]) => text)), arbitraryText(20));
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 4 }), pieces => {
        assert.equal(findSecret(redactSecrets(pieces.join(' '))), undefined);
      }),
    );
  });
});
