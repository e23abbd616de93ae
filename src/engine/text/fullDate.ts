/** Languages whose month names are read. Of other ones a date is read in digits. */
const locales = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'pl', 'ru'];

/** Read at the first date that has one, for it takes some milliseconds. By month name, lower case, as it stands in a date ("15 марта"): its number, 1-12. English ones are known by three letters, too. */
let monthByName: ReadonlyMap<string, number> | undefined;

function readMonthNames(): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  for (const locale of locales) {
    const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', timeZone: 'UTC' });
    for (let month = 0; month < 12; month++) {
      const parts = format.formatToParts(Date.UTC(2027, month, 15));
      const name = parts.find(it => it.type === 'month')?.value.toLowerCase() ?? '';
      names.set(name, month + 1);
      if (locale === 'en') names.set(name.slice(0, 3), month + 1);
    }
  }
  return names;
}

interface DatePattern {
  readonly pattern: RegExp;
  readonly parts: (match: RegExpExecArray) => readonly [year: string, month: string | undefined, day: string];
}

const year = '(20\\d\\d)(?![\\p{L}\\p{N}_/-]|\\.\\d)';

const datePatterns: readonly DatePattern[] = [
  {
    pattern: new RegExp(
      String.raw`(?<![\p{L}\p{N}_./-])(20\d\d)[-/](\d{1,2})[-/](\d{1,2})(?![\p{L}\p{N}_/.-]*[\p{L}\p{N}_])`,
      'u',
    ),
    parts: ([, y, m, d]) => [y!, m!, d!],
  },
  {
    pattern: /(20\d\d)\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日号號일]/u,
    parts: ([, y, m, d]) => [y!, m!, d!],
  },
  {
    pattern: new RegExp(String.raw`(?<![\p{L}\p{N}_./-])(\d{1,2})\.\s?(\d{1,2})\.\s?${year}`, 'u'),
    parts: ([, d, m, y]) => [y!, m!, d!],
  },
  {
    pattern: new RegExp(
      String.raw`(?<![\p{L}\p{N}_./-])(\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?\s(?:of\s|de\s)?(\p{L}{3,12})\.?,?\s(?:de\s)?${year}`,
      'iu',
    ),
    parts: ([, d, m, y]) => [y!, monthNumber(m!), d!],
  },
  {
    pattern: new RegExp(String.raw`(?<![\p{L}\p{N}_./-])(\p{L}{3,9})\.?\s(\d{1,2})(?:st|nd|rd|th)?,?\s${year}`, 'iu'),
    parts: ([, m, d, y]) => [y!, monthNumber(m!), d!],
  },
];

/** Words before a date on which something began or ends to hold, and articles of a name: "the 2031-03-15 dump". */
const noEventPattern =
  /(?:^|[\s(])(?:(?:from|between)\s.*|since|from|after|until|till|through|of|as of|between|an?|our|seit|ab|von|bis|nach|vom|bis zum|depuis|jusqu'au|dès|après|desde|hasta|dal|fino al|sinds|tot|с|до|после)(?:\s(?:the|le|el|dem))?\s$/iu;
/** Words after which a date in digits is a day. After others it is part of a name: "version 2031-03-15". */
const dayPattern = /(?:^|[:;,(–—-]\s?|(?:^|\s)(?:on|by|before|due|is|at|for|to|am|ist|den|le|est|el|es|il|è|op)\s)$/iu;

/**
 * The day of an event as a statement writes it out, with its year, in one of the languages known here ("on 15 March 2031",
 * "am 15. März 2031", "2031年3月15日"), at its end, as ISO-8601 UTC. Undefined for a day that is past, one that something
 * holds from or until, and one that is a part of a name. Reads the first 2,000 characters; never throws.
 */
export function findFullDate(text: string, now: Date): string | undefined {
  const statement = text.slice(0, maxSearchedLength);
  for (const { pattern, parts } of datePatterns) {
    const match = pattern.exec(statement);
    if (match === null) continue;
    const before = statement.slice(Math.max(0, match.index - 60), match.index);
    if (noEventPattern.test(before) || (/^\d{4}[-/]/.test(match[0]) && !dayPattern.test(before))) return undefined;
    const [y, m, d] = parts(match).map(Number);
    const date = new Date(Date.UTC(y!, m! - 1, d, 23, 59, 59, 999));
    const exists = date.getUTCMonth() === m! - 1 && date.getUTCDate() === d!;
    if (exists && date >= now) return date.toISOString();
  }
  return undefined;
}

/** In UTF-16 units. */
const maxSearchedLength = 2_000;

function monthNumber(name: string): string | undefined {
  monthByName ??= readMonthNames();
  return monthByName.get(name.toLowerCase())?.toString();
}
