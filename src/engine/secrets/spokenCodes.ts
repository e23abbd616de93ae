/**
 * PINs, codes of doors and alarms, and codes for the recovery of an account: digits alone, known by the words before them.
 */
import type { NamedSecret } from './namedSecrets.js';
import { mayMatch } from '../text/keywordPrefilter.js';

const places = 'door|gate|alarm|safe|entry|garage|building|vault|locker|lock|voicemail|backup|recovery|unlock|access';

/** Names of such codes; "pin" alone is a pin of a plug, "PIN" is none. */
const names = [
  'PIN(?:[ -]?(?:code|number|nummer))?',
  'PUK',
  '[Pp][Ii][Nn][ -]?(?:[Cc]ode|[Nn]umber|[Nn]ummer)',
  `(?:${places})[ -](?:pin|code|combination)`,
  '(?:Tür|Tor|Zugangs|Alarm|Tresor|Sicherheits|Entsperr)code',
  'Geheimzahl',
  "code (?:PIN|secret|d['’]accès|de la porte|de l['’]alarme|du coffre)",
  'código (?:PIN|de acceso|de acesso|de la puerta|de la alarma|da porta)',
  "codice (?:PIN|d['’]accesso|della porta)",
  '[Пп][Ии][Нн]-?код',
  '[Кк]од (?:доступа|от (?:двери|сейфа|домофона))',
  'PIN码',
  '解锁码',
  '暗証番号',
  '暗证号码',
];

const codePattern = new RegExp(
  `(?<![\\p{L}\\p{N}_-])(?:${names.join('|')})(?![\\p{sc=Latin}\\p{N}_])[^\\n!?.,;:=\\d]{0,40}?[\\s:=：-]{0,4}(?<value>[#*]?\\d{4,10}(?:[ -]\\d{3,6}){0,3}[#*]?)(?![\\p{sc=Latin}\\d%_:/-]|[.,]\\d|[ -]?(?:px|pixels?|digits?|characters?|chars|times|attempts?|tries|bits?|bytes?|ms|seconds?|minutes?|hours?|days?|years?|users?|lines?|files?|tests?|rows?|lignes|Zeilen|Stellen|Ziffern|Zeichen|chiffres|dígitos|цифр|位|桁|个))`,
  'gu',
);

const keywords = [
  'pin',
  'puk',
  'code',
  'combination',
  'geheimzahl',
  'código',
  'codice',
  'пин',
  'код',
  '码',
  '番号',
  '号码',
];

/** A PIN of an example. */
const examples: ReadonlySet<string> = new Set(['0000', '1111', '1234', '4321', '123456']);

/** Codes with their places. Linear. */
export function* findSpokenCodes(text: string, foldedText: string): Generator<NamedSecret> {
  if (!mayMatch({ keywords }, foldedText)) return;
  for (const match of text.matchAll(codePattern)) {
    const value = match.groups!.value!;
    if (examples.has(value)) continue;
    const end = match.index + match[0].length;
    yield { label: 'password', start: end - value.length, end };
  }
}
