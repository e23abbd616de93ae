/**
 * Words that say what a value near them is, in the languages that people write most. Stems, for what is inflected: up to six letters
 * may follow one of an alphabet with cases.
 */

/** Nouns of what is secret by its name: it is a password, a PIN, a passphrase, or a key that says what it opens. */
const strongWords = [
  'pass[ _-]?(?:words?|phrases?|codes?|keys?)|passwd|pwd|mdp|psk|creds?|credentials?|pins?[ _-]?(?:codes?|numbers?)|puk|passwort|kennwort|losungswort',
  "passwörter|zugangs(?:daten|code|schlüssel)|geheimzahl|geheim(?:nis|code)|mots? de passe|code d['’]accès|phrase secrète|identifiants",
  "contraseñas?|contrasenya|contrasinal|credenciales|clave de acceso|senhas?|palavra[ -]passe|parola d['’]ordine|credenziali|codice segreto",
  'wachtwoord\\p{L}*|toegangscode|inloggegevens|wagwoord|adgangskode\\p{L}*|kodeord\\p{L}*|tilgangskode|passord\\p{L}*|lösenord\\p{L}*|lykilorð\\p{L}*',
  'salasana\\p{L}*|tunnusluku|pääsykoodi|parool\\p{L}*|salasõna|slaptažod\\p{L}*|hasł\\p{L}{1,4}|haslo|hesl[oaeu]m?|jelsz\\p{L}{1,5}|parolă|parola|parole',
  'lozink\\p{L}{1,3}|zapork\\p{L}{1,3}|gesl[oau]m?|şifre\\p{L}*|sifre(?:si)?|parolası|şifrə\\p{L}*|fjalëkalimi?|pasahitz\\p{L}*|kata (?:sandi|laluan)|nenosiri|cyfrinair|pasvorto',
  'mật khẩu|mã pin|парол\\p{L}{1,3}|лозинк\\p{L}{1,3}|пин-?код\\p{L}{0,2}|құпиясөз\\p{L}*|κωδικ(?:ός|ό|ού|οί) (?:πρόσβασης)?|κωδικός|συνθηματικ\\p{L}+|პაროლ\\p{L}*|գաղտնաբառ\\p{L}*',
  'סיסמ\\p{L}{1,4}|الرقم السري|كلمة (?:ال)?(?:مرور|سر|المرور|السر)|رمز (?:عبور|الدخول|المرور)|گذرواژه|کلمه عبور|پاس ورڈ',
  '(?:api|access|auth(?:entication)?|secret|private|signing|encryption|decryption|master|deploy|licen[cs]e|product|activation|unlock|recovery|backup|rescue|session|bearer|service|refresh|admin|root|shared|upload|hmac|aes|webhook|client)[ _-](?:keys?|tokens?|secrets?|codes?)',
  "secret[ _-](?:value|phrase|word)|(?:seed|recovery|backup|mnemonic)[ _-](?:phrase|words?)|hmac|pepper|bearer|keyphrase|community strings?|(?:api|lizenz|zugriffs|geheim|haupt|wiederherstellungs)-?schlüssel|clés? (?:api|secrète|privée|d[eu’'][\\p{L} ]{1,20})|(?:freischalt|aktivierungs|entsperr|sicherheits|lizenz|geräte)(?:code|schlüssel)|code d['’]activation|código de activación|codice di attivazione|clave (?:api|secreta|privada)|chave (?:api|secreta|privada|de acesso)",
];

/** Without letters between words: these are found in the middle of a run. */
const strongRuns =
  'पासवर्ड|कूटशब्द|পাসওয়ার্ড|கடவுச்சொல்|పాస్‌వర్డ్|รหัสผ่าน|パスワード|暗証番号|合言葉|パスフレーズ|密码|密碼|口令|通行码|密钥|密鑰|秘钥|令牌|激活码|授权码|秘密鍵|アクセスキー|シークレット|비밀번호|패스워드|암호|비번|비밀 ?키|인증 ?키';

/** Nouns and verbs that a secret goes with, and much else. */
const mediumWords =
  'secrets?|tokens?|sudo|userlist|ssid|two-factor|get(?:s|ting)? (?:you|me|us|him|her|them|back)(?: back)? in(?:to)?|let(?:s|ting)? (?:you|me|us|him|her|them) (?:in|on|through|past)|log(?:s|ged|ging)?[ -]?(?:in|on)(?:to)?|logins?|sign(?:s|ed|ing)?[ -]?in|unlock(?:s|ed|ing)?|pass|pw|2fa|mfa|t?otp|salt|clave|schlüssel|clés?|chiave|sleutel|nyckel\\p{L}*|klucz\\p{L}{0,2}|anahtar\\p{L}{0,3}|ключ\\p{L}{0,2}|токен\\p{L}{0,2}|секрет\\p{L}{0,2}|jetons?|authori[sz]ation|authenticat\\p{L}{1,4}|anmeld\\p{L}+|einlogg\\p{L}+|connecte\\p{L}*|войти|вход';
const mediumRuns = 'トークン|キー|토큰|키|登录|登陆|ログイン|로그인';

/** Hints: one is nothing, two of them near a random value are enough. */
const weakWords =
  'keys?|licen[cs]es?|auth|cookies?|session|vault|opens?|accept(?:s|ed)?|challenge|superuser|sysadmin|moderator|operator|visitors?|plain ?text|everywhere|uploads?|admins?|portal|network|mailbox|guest|typ(?:e|es|ed|ing)|enter(?:s|ed|ing)?|prompt(?:s|ed)?|paste[ds]?|asks?|wants?|lets? in|get(?:s|ting)? in(?:to)?|wi-?fi|wlan|vpn|ssh|ssid|alarm|safe|door|locker|account|user(?:name)?|admin|root|header|dsn|signed|signs|recover\\p{L}{0,4}|encrypt\\p{L}{0,4}|decrypt\\p{L}{0,4}|private|seed|webhook|connect\\p{L}{0,4}|credential';

const weakRuns = '管理|入れ|入る|后台|后臺|账号|帳號|用户|アカウント|接続|계정|관리자|접속';

const word = (words: string): string => `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`;

/** Global, with the weight as the name of the group. */
export const labelPattern = new RegExp(
  [
    `(?<strong>${word(strongWords.join('|'))}|${strongRuns}|(?<![A-Za-z])PIN(?![A-Za-z]))`,
    `(?<medium>${word(mediumWords)}|${mediumRuns})`,
    `(?<weak>${word(weakWords)}|${weakRuns}|(?<=[\\w@.]) \\/(?= ))`,
  ].join('|'),
  'giu',
);

/** Right before a value: it is the name of a thing, or public. */
export const idBefore =
  /(?<![\p{L}\p{N}])(?:commit|sha-?\d*|md5|checksum|digest|fingerprint|thumbprint|public|publishable|id|ids|identifier|uuid|guid|version|release|build|branch|tag|image|pod|trace|span|etag|contract|address|transaction|revision|order|ticket|serial|issue|node|host|server|bucket|cluster|container|file|folder|path|class|function|method|component|module|package|field|column|table|variable|constant|type|job|run|model|device|machine|instance|named|called|integrity|doc|document|video|channel|project)(?:["'`)]|[ _-](?:key|id|name|address))?[\s:=#"'`(]{0,4}(?:(?:is|was|are|of)[\s"'`(]{1,3})?$/iu;

/** Text between a label and its hash: "is", "for the mail server:" */
export const shortLink =
  /^["'`\])]{0,2}(?:[ \t]{1,2}[\p{L}\d'’-]{1,14}){0,5}["'`]?[ \t]{0,3}(?:[:=：]|=>|->|→|[ \t](?:is|was|are|ist|lautet|est|es|è|é|som|är|er|on|jest|to|—|–|-)|是|为|は|는|은)?[ \t]{0,3}["'`(<]{0,3}$/iu;
