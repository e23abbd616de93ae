/** Secrets that the shape of a phrase gives away: accounts, logins, and what opens a thing. */
import type { NamedSecret } from './secretRule.js';
import { isLiteralPassword, isPasswordOrWord, isProduct, isSpokenPassword, isUuid, trimEnd } from './secretValue.js';

/** Words on a line of their own, or up to its end, after "passphrase:" */
const phraseOfWordsPattern =
  /(?<![\p{L}_-])pass[ -]?phrase(?![\p{L}_-])[^\n:.!?]{0,60}:[ \t]{1,3}(?<value>[a-z]{3,12}(?:[ -][a-z]{3,12}){3,9}|[a-z]{3,12}(?:[ -][a-z]{3,12}){1,9}[ -]\d{1,4})(?=[ \t]{0,3}\.?(?:\n|$))/giu;
/** Words that a message has and a password has not. */
export const wordsOfSentence =
  /\b(?:the|and|for|are|was|with|that|this|from|you|your|not|have|has|will|must|should|can|its|but|all|any|when|then|least|only|required|optional|used|stored|words?|characters?|none)\b/;

/** A value before its name: "use hunter2x as the admin password", "ann:hunter2x is the shared login" */
const reversedPattern =
  /(?<![^\s"'`([{:/*])(?<value>[^\s"'`,;:()[\]{}]{5,200})["'`*]{0,3}[ \t]{1,3}(?:as|is|als|ist|comme|est|como|es|come|è|é|is het|for)[ \t]{1,3}(?:(?:the|our|my|his|her|their|your|a|das|dem|unser|le|notre|la|nuestra|il|nostra|het|o|a|senha)[ \t]{1,3})?(?:[\p{L}\d-]{1,20}[ \t]{1,3}){0,3}?(?:pass[ -]?word|pass[ -]?phrase|pass[ -]?code|passwd|login|credentials?|pin|passwort|kennwort|mot de passe|contraseña|senha|wachtwoord)(?![\p{L}\d_-])(?![ \t](?:manager|provider|polic|hash|field|page|form|store|vault|flow|method|service|server|endpoint|url|librar|algorithm|encoder|strategy|dashboard|page|screen|button|panel|view|link|handler|component|flow|job|bug|fix|id|name|route|test))/giu;

/** A name and a password after "log in with": the value must look like nothing else. */
const loginPattern =
  /(?<![\p{L}])(?:log(?:ged)?[ -]?(?:in|on)|sign(?:ed)?[ -]?in|melde\p{L}*|logge\p{L}*|anmelden|connecte\p{L}*|inicia sesión|entra)(?![\p{L}])[^\n.!?]{0,30}?[ \t](?:with|mit|avec|con|com)[ \t]["'`]?[\w.@+-]{2,60}["'`]?[ \t](?:and|und|et|y|e)[ \t](?:the[ \t])?["'`(]{0,2}(?<value>[^\s"'`,;]{6,100})/giu;

/** A value that opens a device: "unlocks with Pelican1677" */
const openingPattern =
  /(?<![\p{L}])(?:unlock(?:s|ed|ing)?|lock screen|gets? (?:in|into|past))(?![\p{L}])[^\n.!?]{0,40}?[ \t]with[ \t]["'`]?(?<value>[^\s"'`,;]{6,100})/giu;

/** A name and a password of an account: "admin / hunter2x", "ann:hunter2x", "as admin with hunter2x" */
const accountPattern =
  /(?:\b(?:credentials?|creds|log(?:ged)?[ -]?(?:in|on)|logins?|sign(?:ed)?[ -]?in|accounts?|basic[ -]auth|zugang|zugangsdaten|anmelden|identifiants|acceso|accesso|credenciales|credenziali|usuario|ssh|connect|use|with|user(?:name)?)\b|accès|логин|доступ|账号|账户|アカウント)[^\n.!?]{0,60}?(?:(?<![^\s"'`(=:])(?<user>(?!sha\d|md5|AAAA)[\w.@+-]{2,60})(?:[ \t]{1,2}\/[ \t]{1,2}|[:/])|\b(?:as|als|user|username|benutzer|usuario|utente|utilisateur)[ \t]{1,3}["'`]?[\w.@+-]{2,60}["'`]?[ \t]{1,3}(?:with|and|using|mit|und|avec|con|e|y|met|\/|:|,)[ \t]{1,3}(?:the[ \t])?)["'`(]{0,2}(?<value>[^\s"'`,;]{5,100})/giu;

/** A name and a password after "credentials:", where nothing else is written. */
const credentialsPattern =
  /\b(?:credentials?|creds|zugangsdaten|identifiants|credenciales|credenziali|inloggegevens)\b[^\n.!?:]{0,60}:[ \t]{1,3}["'`]?[\w.@+-]{2,60}(?:[ \t]{1,2}\/[ \t]{1,2}|[:/])["'`]?(?<value>[^\s"'`,;/]{6,100})/giu;

/** As well after "login" or "account", where spaces around the slash say that these are two: "Login for the demo: demo / …" */
const loginPairPattern =
  /(?<!\p{L})(?:logins?|accounts?|zugang|anmeldung|accès|acceso|accesso|usuario)(?!\p{L})[^\n.!?:]{0,60}:[ \t]{1,3}["'`]?[\w.@+-]{2,60}["'`]?[ \t]{1,2}\/[ \t]{1,2}["'`]?(?<value>[^\s"'`,;/]{6,100})/giu;

/** `machine host login name password value` of .netrc, in one line or several. */
const netrcPattern = /\bmachine\s{1,4}\S{1,100}\s{1,8}login\s{1,4}\S{1,100}\s{1,8}password\s{1,4}(?<value>\S{3,200})/g;

/** Secrets with their places. Linear. */
export function* findShapedSecrets(text: string): Generator<NamedSecret> {
  yield* findByShape(text, reversedPattern, it => isPasswordOrWord(it) && !isUuid(it));
  yield* findByShape(text, accountPattern, isAccountPassword);
  yield* findByShape(text, credentialsPattern, isPasswordOrWord);
  yield* findByShape(text, loginPairPattern, it => isPasswordOrWord(it) && !isPlainProduct(it));
  yield* findByShape(text, loginPattern, it => isAccountPassword(it) && /[A-Z]|[^\w.-]/.test(it) && !isProduct(it));
  yield* findByShape(text, openingPattern, it => isAccountPassword(it) && /[A-Z]/.test(it) && /\d{3}|[^\w.-]/.test(it));
  yield* findByShape(text, phraseOfWordsPattern, it => !wordsOfSentence.test(it));
  yield* findByShape(text, netrcPattern, isLiteralPassword);
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

function isAccountPassword(value: string): boolean {
  return (
    isSpokenPassword(value) && value.length >= 6 && !value.includes('/') && !/^\d+[a-z]*$|^[a-z]+\d{0,2}$/i.test(value)
  );
}

/** Windows11, GitLab15 */
function isPlainProduct(value: string): boolean {
  return /^(?:[A-Z][a-z]+|Git[A-Z][a-z]+)\d{1,2}[A-Z]*$/.test(value);
}
