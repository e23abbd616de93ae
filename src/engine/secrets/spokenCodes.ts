/**
 * PINs, codes of doors and alarms, and codes for the recovery of an account, known by the words before them: digits
 * alone, or letters and digits after "is".
 */
import type { NamedSecret } from './secretRule.js';
import { mayMatch } from '../text/keywordPrefilter.js';
import { isSpokenPassword } from './secretValue.js';

/** Things that such a code opens. */
const openings = 'door|gate|alarm|safe|garage|vault|locker|entrance|building';
const places =
  'shed|barn|front door|lobby|elevator|parking|gym|bike|padlock|mailbox|cabinet|drawer|suitcase|intercom|keypad|door|gate|alarm|safe|entry|garage|building|vault|locker|lock|voicemail|backup|recovery|unlock|access';

/** Names of such codes; "pin" alone is a pin of a plug, "PIN" is none, nor is one with four digits after a colon or "is". */
export const codeNames = [
  '[Pp]in(?=(?: (?:for|of|to|on|del|de|der|für|du)\\b[^\\n.!?:]{0,40}?)? ?(?:[:=]|is|es|ist|est|è)(?!\\p{L}))',
  '[Pp]ass ?codes?',
  'PIN(?:[ -]?(?:code|number|nummer))?',
  'PUK',
  '[Pp][Ii][Nn][ -]?(?:[Cc]ode|[Nn]umber|[Nn]ummer)',
  `(?:${places})[ -](?:pin|code|combination)s?`,
  `(?:code|combination)s? (?:of|for|to) (?:the |our |my )?(?:[\\p{L}-]{1,20} ){0,2}(?:${openings})`,
  '(?:Tür|Tor|Zugangs|Zutritts|Eingangs|Haus|Garagen|Alarm|Tresor|Sicherheits|Entsperr)[ -]?[Cc]odes?',
  'Code (?:für|von|der|des|vom|zum|zur) (?:(?:das|die|den|der|dem|des) )?(?:Haus|Eingangs|Keller|Garagen)?(?:[Tt]ür|[Tt]or(?:es)?|Tresors?|Alarmanlage|Garage)',
  'Geheimzahl',
  `(?:typ(?:e|ing)|enter(?:ing)?|dial(?:ing)?|key(?:ing)? in) (?:the |in )?code(?=[^\\n.!?]{0,60}\\b(?:keypad|${openings})\\b)`,
  "[Cc]odes? (?:PIN|secrets?|d['’](?:accès|entrée)|de la porte|de l['’](?:alarme|entrée|immeuble)|du (?:coffre|portail|garage|digicode))|[Dd]igicode",
  '[Cc]ódigo (?:PIN|de acceso|de acesso|de entrada|(?:de la|da) (?:puerta|porta|alarma|entrada|verja|garagem)|d(?:el|o) (?:portón|portal|garaje|portão|cofre|alarme))',
  "[Cc]odice (?:PIN|d['’](?:accesso|ingresso|entrata)|di (?:accesso|sblocco)|della (?:porta|cassaforte)|del (?:cancello|portone|garage)|dell['’](?:allarme|ingresso))",
  '[Пп][Ии][Нн]-?код',
  '[Кк]од (?:доступа|входа|от (?:двери|сейфа|домофона|ворот|подъезда|калитки|гаража|сигнализации))',
  'PIN码',
  '门禁码',
  '开门码',
  '解锁码',
  '暗証番号',
  '暗证号码',
];

const codePattern = new RegExp(
  `(?<![\\p{L}\\p{N}_-])(?:${codeNames.join('|')})(?![\\p{sc=Latin}\\p{N}_])[^\\n!?.,;:=\\d]{0,40}?(?:,[ ](?=\\d{4,8}(?:[.,;!]|$))|[\\s:=：-]{0,4})(?<![\\p{sc=Latin}\\p{N}_])(?<value>[#*]?\\d{4,10}(?:[ -]\\d{3,6}){0,3}[#*]?)(?![\\p{sc=Latin}\\d%_:/-]|[.,]\\d|[ -]?(?:px|pixels?|digits?|characters?|chars|times|attempts?|tries|bits?|bytes?|ms|seconds?|minutes?|hours?|days?|years?|users?|lines?|files?|tests?|rows?|lignes|Zeilen|Stellen|Ziffern|Zeichen|chiffres|dígitos|цифр|位|桁|个))`,
  'gu',
);

const keywords = [
  'pin',
  'puk',
  'code',
  'answer',
  '口令',
  'パスワード',
  'combination',
  'padlock',
  'recovery key',
  'backup key',
  'schlüssel',
  'geheimzahl',
  'código',
  'codice',
  'пин',
  'код',
  '码',
  '番号',
  'digicode',
  '号码',
  'door',
  'gate',
  'alarm',
  'safe',
  'garage',
  'locker',
  'vault',
  'keypad',
  'kod',
  'kód',
  'koodi',
  'шифр',
  'combina',
  'ziffern',
  'zahlenk',
  'entrance',
  'intercom',
  'voicemail',
  'lockbox',
  'lock box',
];

/** Not of safe, backup or building code, which may be a program's. */
const valuePattern = new RegExp(
  `(?<![\\p{L}\\p{N}_-])(?!(?:safe|backup|building)[ -]code)(?:${codeNames.join('|')})(?![\\p{sc=Latin}\\p{N}_])[^\\n!?.,;:=\\d]{0,40}?(?:[ \\t]{1,3}(?:is|are|ist|lautet|sind|est|sont|es|son|è|é|são|это|—|–)(?:[ \\t]{1,3}(?:now|jetzt|maintenant|ahora|ora|agora|теперь))?[ \\t:]{1,3}|[ \\t]{0,2}[:=：][ \\t]{0,3}|[ \\t]?(?:是|为|は)[ \\t]?)["'\`(*]{0,3}(?<value>[^\\s"'\`,，。;()]{4,60})`,
  'gu',
);

/** Numbers of a lock with a dial: 41-07-88 */
const dialPattern = new RegExp(
  `(?:(?:${places})[ -]combinations?|padlock|combination lock|(?:safe|locker|vault|lock)(?= )[^\\n!?.,;:\\d]{0,60} (?:opens?|unlocks?) (?:with|on|to|at)?)[^\\n!?.,;:\\d]{0,30}[\\s:]{1,3}(?<value>\\d{1,2}(?:[ -]\\d{1,2}){2,3})(?![\\d-]|[ ](?:times|retries|seconds|minutes))`,
  'giu',
);

/** Codes in groups, which recover an account or a disk: k7wq-93np-xd42 */
const recoveryPattern =
  /(?:recovery|backup|rescue|emergency|wiederherstellungs|notfall)[ -]?(?:codes?|keys?|schlüssel)(?![\p{L}\p{N}_-])[^\n!?.;]{0,40}?[\s:=]{1,4}["'`(]{0,2}(?<value>[a-z\d]{4,8}(?:-[a-z\d]{4,8}){1,9})(?![\p{L}\p{N}_/.-]*[\p{L}\p{N}_/-])/giu;

/** The answer by which an account is recovered, a name or in quotes; not where it is kept. */
const answerPattern =
  /(?:(?:secret|security) answer|answers? (?:to|of|for) (?:the |my |our |his |her )?(?:\p{L}{1,20} ){0,2}(?:security|secret) questions?)(?![\p{L}_])[^\n.!?:]{0,50}?(?: is|:)[ \t](?!(?:always |never |only )?(?:stored|hashed|kept|in|encrypted|not|checked|compared|read|sent|asked|shown|at|on)\b)(?<value>[^\n.!?"]{0,60}?(?:["“][^"”\n]{2,60}["”]|(?<![\p{L}\p{N}])\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+){0,3}))/gu;

/** Digits of Chinese or Japanese. */
const hanDigitsPattern =
  /(?:密[码碼]|口令|暗証番号|PIN码|パスワード)[^\n。，、]{0,12}?(?:是|为|為|は|[:：])(?<value>[零〇一二两三四五六七八九]{4,12})(?![一-鿿])/gu;

/** Things that are opened, and the digits that a person enters for them, in either order. */
const opened =
  '(?:(?:service|access|entry|unlock|staff) code|door|gate|alarm|safe|garage|locker|vault|keypad|entrance|intercom|voicemail|padlock|lock box|lockbox)';
const entered =
  '(?:wants|needs|takes|expects|accepts|typ(?:e|ing)|enter(?:ing)?|dial(?:l?ing)?|key in|punch(?:ing)?(?: in)?|press(?:ing)?)(?: in)?(?: the code)?[ \\t]["\'`]?(?<value>[#*]?\\d{4,8}[#*]?)(?![\\w%:/-]|[.,]\\d|[ -]?(?:as|px|times|digits?|ms|seconds?|minutes?|lines?|rows?)(?![a-z]))';
const enteredPatterns = [
  new RegExp(`\\b${opened}\\b[^\\n.!?]{0,80}?\\b${entered}`, 'giu'),
  new RegExp(`\\b${entered}(?=[^\\n.!?]{0,80}?\\b${opened}\\b)`, 'giu'),
];

/** Names of such codes and of the things they open, in languages of Europe: "Kod do domofonu: 2468B", "el código de la caja fuerte es 90341" */
const codeWord =
  '(?:code|combination|código|combinación|codice|combinazione|kod|kód|koodi|код|шифр|κωδικός|zahlenkombination|ziffernfolge)';
const openedWord =
  '(?:safe|locker|door|gate|alarm|garage|shed|tür|tor|tresor|schließfach|haustür|porte|coffre|portail|alarme|immeuble|caja fuerte|puerta|portón|alarma|taquilla|trastero|cofre|porta|portão|armário|cassaforte|cancello|portone|allarme|armadietto|kluis|deur|poort|dörr|dør|grind|larm|kassaskåp|domofon\\p{L}*|drzwi|bramy|sejf\\p{L}*|dveř\\p{L}+|trezor\\p{L}*|vrát\\p{L}*|двер\\p{L}+|сейф\\p{L}*|домофон\\p{L}*|ворот\\p{L}*|πόρτα\\p{L}*|ajtó\\p{L}*|széf\\p{L}*|kapı\\p{L}*|kasa\\p{L}*)';
const openingCodePattern = new RegExp(
  `(?<![\\p{L}\\p{N}_-])${codeWord}(?![\\p{L}\\p{N}_])[^\\n.!?:=\\d]{1,40}?(?<!\\p{L})${openedWord}(?!\\p{L})[^\\n.!?:=\\d]{0,20}?[\\s:=]{1,3}["'\`]?(?<value>[#*]?\\d{4,8}[A-Z]?[#*]?)(?![\\p{L}\\d%_:/-]|[.,]\\d)(?=["'\`]?(?:[.,;!?)]|\\s*$|\\n))`,
  'giu',
);

/** A PIN of an example. */
const examples: ReadonlySet<string> = new Set(['0000', '1111', '1234', '4321', '123456']);

/** Codes with their places. Linear. */
export function* findSpokenCodes(text: string, foldedText: string): Generator<NamedSecret> {
  if (!mayMatch({ keywords }, foldedText)) return;
  for (const match of [codePattern, openingCodePattern, ...enteredPatterns].flatMap(it => [...text.matchAll(it)])) {
    const value = match.groups!.value!;
    if (examples.has(value)) continue;
    const end = match.index + match[0].length;
    yield { label: 'password', start: end - value.length, end };
  }
  for (const pattern of [dialPattern, recoveryPattern]) {
    for (const match of text.matchAll(pattern)) {
      const value = match.groups!.value!;
      // Words with a hyphen have no digits in their parts.
      if (value.split(/[ -]/u).filter(it => /\d/u.test(it)).length < 2) continue;
      const end = match.index + match[0].length;
      yield { label: 'password', start: end - value.length, end };
    }
  }
  for (const pattern of [answerPattern, hanDigitsPattern]) {
    for (const match of text.matchAll(pattern)) {
      const end = match.index + match[0].length;
      yield { label: 'password', start: end - match.groups!.value!.length, end };
    }
  }
  for (const match of text.matchAll(valuePattern)) {
    const value = match.groups!.value!.replace(/(?<![.!?:*])[.!?:*]+$/u, '');
    if (!/\p{L}/u.test(value) || !/\d/u.test(value) || !(isSpokenPassword(value) || letteredCode.test(value))) continue;
    const start = match.index + match[0].length - match.groups!.value!.length;
    yield { label: 'password', start, end: start + value.length };
  }
}

/** `B4417`, `77-A-90`, which as words of a sentence are names of things. */
const letteredCode = /^[A-Z]{1,2}-?\d{4,8}[A-Z]?$|^\d{2,6}-?[A-Z]{1,2}(?:-?\d{2,6})?$/u;
