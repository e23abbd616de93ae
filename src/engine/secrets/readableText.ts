/** A text as a person or a program reads it, and where each part of it stands in the text as it was given. */
export interface ReadableText {
  readonly text: string;
  /** The place of a span of `text` in the given text, in UTF-16 units. */
  toGiven(start: number, end: number): readonly [start: number, end: number];
}

/** Quick test for anything that {@link readableText} changes. */
const encodedPattern = /[^\t\n\x20-\x7e]|[&%\\]|\*\*|["'`]\s{0,8}[+.]/u;

/** Cyrillic and Greek letters that look like Latin ones, and those. */
const lookalikes = new Map(
  Array.from('аАеЕоОрРсСхХуУіІѕЅјЈԁһНкКмМтТВοΟαΑκΚρΡ').map((it, index) => [
    it,
    'aAeEoOpPcCxXyYiIsSjJdhHkKmMtTBoOaAkKpP'[index]!,
  ]),
);
const lookalike = `[${[...lookalikes.keys()].join('')}]{1,20}`;

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  quot: '"',
  apos: "'",
  lt: '<',
  gt: '>',
  equals: '=',
  colon: ':',
  lowbar: '_',
  nbsp: ' ',
};

/**
 * Everything that hides a character or a joint: invisible characters, entities, percent and backslash escapes, wide and
 * mathematical letters, look-alikes between Latin letters, typographic quotes, emphasis, a line that goes on after a
 * backslash, literals added up.
 */
const hidingPattern = new RegExp(
  `${/[\p{Cf}\u034F\u115F\u1160\u3164\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}]|&(?:#(?<decimal>\d{2,6})|#x(?<hexadecimal>[0-9a-f]{2,5})|(?<entity>[a-z]{2,6}));|%(?<percent>[2-7][0-9a-f])|\\u(?<unicode>[0-9a-f]{4})|\\\r?\n[ \t]{0,80}|\\(?<escaped>["'`/=:])|\\[nrt](?![a-z]{2})|\*\*|["'`]\s{0,8}(?:\+|\.{1,2})\s{0,8}["'`]|(?<wide>[\uFF01-\uFF5E]|[\u{1D400}-\u{1D7FF}])|(?<space>[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000])|(?<double>[“”„«»])|(?<single>[‘’‚])/u.source}|(?<lookalike>(?<=[A-Za-z])${lookalike}|${lookalike}(?=[A-Za-z]))`,
  'giu',
);

/** The text with hidden characters and joints resolved. Linear. */
export function readableText(given: string): ReadableText {
  if (!encodedPattern.test(given)) return { text: given, toGiven: (start, end) => [start, end] };
  let text = '';
  let position = 0;
  /** Where a character of the readable text begins in the given text; ends are the begins of what follows. */
  const starts: number[] = [];
  const ends: number[] = [];
  const copy = (end: number): void => {
    for (; position < end; position++) {
      text += given[position]!;
      starts.push(position);
      ends.push(position + 1);
    }
  };
  for (const match of given.matchAll(hidingPattern)) {
    copy(match.index);
    position = match.index + match[0].length;
    const replacement = resolve(match);
    text += replacement;
    starts.push(...Array<number>(replacement.length).fill(match.index));
    ends.push(...Array<number>(replacement.length).fill(position));
  }
  copy(given.length);
  return {
    text,
    toGiven: (start, end) => [starts[start] ?? given.length, ends[end - 1] ?? given.length],
  };
}

function resolve({ 0: hidden, groups = {} }: RegExpMatchArray): string {
  const {
    decimal,
    hexadecimal,
    entity,
    percent,
    unicode,
    escaped,
    wide,
    space,
    double,
    single,
    lookalike: letters,
  } = groups;
  if (decimal !== undefined) return codePoint(Number(decimal));
  const code = hexadecimal ?? percent ?? unicode;
  if (code !== undefined) return codePoint(parseInt(code, 16));
  if (entity !== undefined) return entities[entity.toLowerCase()] ?? hidden;
  if (escaped !== undefined) return escaped;
  if (letters !== undefined) return Array.from(letters, it => lookalikes.get(it) ?? it).join('');
  if (wide !== undefined) return wide.normalize('NFKC');
  if (space !== undefined) return ' ';
  if (double !== undefined) return '"';
  if (single !== undefined) return "'";
  return /^\\[nrt]/u.test(hidden) ? '\n' : '';
}

function codePoint(code: number): string {
  return code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff) ? String.fromCodePoint(code) : '';
}
