/** The words by which a secret is dictated, in English, German, French, Spanish, Italian, Portuguese and Dutch. */
import { passwordNouns } from './secretNouns.js';
import { codeNames } from './spokenCodes.js';

/** Nouns of secrets that are dictated. Keys of tables and maps are separated by their length. */
export const nouns = {
  passwords: passwordNouns.filter(it => !/cred|identif|zugangsd|inlogg|^clave$|psk/u.test(it)).join('|'),
  codes: `${codeNames.join('|')}|pin|combination|code (?:du )?wi-?fi|(?:punch|key|tap)(?:ed|ing)? in|unlock(?:s|ed)?|(?:the|my|our|his|her) (?:safe|locker|padlock)(?! (?:code|pin|combination))`,
  keys: '(?:api|access|licen[cs]e|secret|recovery)[ -]?(?:key|token|code)|key|token',
  keywords: [
    ...[
      'pass',
      'pwd',
      'psw',
      'pw',
      'kennw',
      'losung',
      'geheim',
      'mdp',
      'code',
      'contrase',
      'senha',
      'parola',
      'wachtw',
    ],
    ...[
      'pin',
      'combination',
      'unlock',
      'safe',
      'locker',
      'padlock',
      'key',
      'token',
      'código',
      'codice',
      'punch',
      'tap in',
      'tapp',
    ],
    ...['has', 'heslo', 'lösen', 'passord', 'adgang', 'jelsz', 'ifre', 'парол', 'код'],
  ],
} as const;

const words = (list: string): readonly string[] => list.split(' ');

const numbers = new Set([
  ...words(
    'zero oh nought one two three four five six seven eight nine niner ten eleven twelve thirteen fourteen fifteen sixteen',
  ),
  ...words('seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred double triple'),
  ...words(
    'null eins zwei zwo drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn',
  ),
  ...words('achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'),
  ...words(
    'zéro deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt trente quarante',
  ),
  ...words(
    'cinquante soixante cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veinte',
  ),
  ...words(
    'treinta cuarenta cincuenta sesenta setenta ochenta noventa due tre quattro cinque sei sette otto nove dieci undici',
  ),
  ...words(
    'dodici venti trenta quaranta cinquanta um dois três quatro sete oito dez twee vijf zes zeven negen tien twaalf nul',
  ),
  ...words('jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć dwadzieścia trzydzieści jedna nula'),
  ...words('dvě dva tři čtyři pět šest sedm osm devět deset dvacet noll ett två tre fyra fem sju åtta nio tio tjugo'),
  ...words('fire seks syv åtte otte bir iki üç dört beş altı yedi sekiz dokuz sıfır'),
  ...words('ноль один одна два две три четыре пять шесть семь восемь девять десять двадцать тридцать сорок пятьдесят'),
]);

/** Numbers, with those that German and English make of two. */
export function isNumberWord(word: string): boolean {
  return (
    numbers.has(word) ||
    /^(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und\p{L}{3,6}zig$/u.test(word) ||
    /^(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-\p{L}{3,5}$/u.test(word)
  );
}

/** The alphabets of NATO and of German, and how letters are called that have a name. */
export const letterWords: ReadonlySet<string> = new Set([
  ...words(
    'alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar papa',
  ),
  ...words('quebec romeo sierra tango uniform victor whiskey xray x-ray ray yankee zulu zed'),
  ...words(
    'anton berta cäsar dora emil friedrich gustav heinrich ida julius kaufmann ludwig martha nordpol otto paula richard',
  ),
  ...words('samuel theodor ulrich viktor wilhelm xanthippe ypsilon zacharias'),
]);

/** Names of signs, or the first word of those that have two. */
export const signWords: ReadonlySet<string> = new Set([
  ...words(
    'exclamation bang dollar percent ampersand caret tilde underscore hyphen dash slash backslash asterisk star hash hashtag',
  ),
  ...words(
    'ausrufezeichen fragezeichen dollarzeichen prozentzeichen unterstrich bindestrich raute schrägstrich sternchen stern',
  ),
  ...words(
    'wykrzyknik podkreślenie myślnik gwiazdka małpa krzyżyk vykřičník podtržítko pomlčka hvězdička mřížka zavináč',
  ),
  ...words(
    'utropstecken utropstegn understreck understrek bindestreck ünlem tire yıldız восклицательный вопросительный',
  ),
  ...words('решётка решетка звёздочка звездочка подчёркивание подчеркивание тире дефис собака'),
  ...words('vraagteken streepje sterretje hekje apenstaartje exclamación exclamação sublinhado interrogación'),
  ...words(
    "dièse arobase tiret étoile almohadilla arroba asterisco guion guión cancelletto chiocciola trattino uitroepteken d'exclamation",
  ),
]);

export const capitalWords: ReadonlySet<string> = new Set([
  ...words(
    'capital uppercase lowercase upper lower case caps großes großer kleines kleiner majuscule minuscule mayúscula',
  ),
  ...words(
    'maiuscola minuscola maiúscula minúscula hoofdletter kleine groß klein kleines duże duża duży małe mała mały wielkie',
  ),
  ...words('velké velký malé malý stor stora liten lilla store lille büyük küçük'),
  ...words('большая большое большой заглавная маленькая маленькое строчная прописная'),
]);

/** Words between the pieces, and those that explain a piece. */
export const joiners: ReadonlySet<string> = new Set([
  ...words(
    'then followed ends ending by as in for like with a all mark point sign symbol dann und wie mit puis comme et luego y poi e',
  ),
  ...words('bas bajo basso de esclamativo znak знак и i oraz pak och og ve left right clockwise links rechts'),
]);

export const unitsAndCounts = {
  /** Before a number that counts or dates. */
  before: new Set([
    ...words(
      'since in from until till after before by of least most than under over about around version step for every each per',
    ),
    ...words(
      'number exactly only nearly almost seit ab bis nach vor von mindestens höchstens depuis avant desde hasta at error',
    ),
  ]),
  /** After a number that counts. */
  after: new Set([
    ...words(
      'digit digits character characters chars letters letter words times attempts tries bits bytes seconds minutes hours',
    ),
    ...words(
      'days weeks months years users people percent zeichen stellen ziffern tage stunden minuten caractères chiffres jours',
    ),
    ...words('caracteres dígitos días caratteri cifre giorni tekens dagen long or'),
  ]),
  /** Words of a sentence, which no dictated value contains. */
  grammar: new Set([
    ...words(
      'the an is are was were be been being not no never must should may can could will would has have had do does did',
    ),
    ...words(
      'of on at from to into out off up over under than when where which who what why how if or only also any every each',
    ),
    ...words(
      'some none required optional stored hashed checked encrypted rotated asked sent kept read written same this these those',
    ),
    ...words(
      'its his her their my our your needs need split changed set reset saved shared valid wrong correct empty different',
    ),
    ...words(
      'das die den dem ein eine nicht kein keine muss soll wird werden auf im am zum zur von wenn oder nur le les une ne pas',
    ),
    ...words(
      'doit est pour sur dans el los las un una no debe por con il lo gli deve che non per o os as não het een niet moet',
    ),
  ]),
  articles: new Set(
    words(
      'a an the one no each every any or and by without of in as is are trailing leading forward back single double ein eine une un una',
    ),
  ),
  /** Counted things: "version nine". */
  enumerated: new Set(
    words('version number slot level step attempt type item page table factor column option part stage phase line'),
  ),
} as const;
