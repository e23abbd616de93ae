/** Offsets of a text that must not be split; `end` is exclusive. */
interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Code, quotations, links, regular expressions and brackets, each bounded so that a stray opening sign cannot protect a whole page. */
const protectedPattern =
  /`{1,2}[^`\n]{1,400}`{1,2}|"[^"\n]{1,300}"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|„[^“”\n]{1,300}[“”]|「[^」\n]{1,300}」|『[^』\n]{1,300}』|(?<![\p{L}\p{N}])'[^'\n]{1,300}'(?![\p{L}\p{N}])|\([^()\n]{1,300}\)|\[[^[\]\n]{1,300}\]|https?:\/\/[^\s<>"'`]{1,500}|(?<=\s|^)\/(?=\S)(?:\\.|[^/\\\n]){1,200}\/[a-z]{0,6}(?=[\s.,;:!?)]|$)/gu;

/** The spans of inline code, quotations, bracketed text, regular expressions and links. In order, not overlapping. */
export function findProtectedSpans(text: string): readonly TextSpan[] {
  return Array.from(text.matchAll(protectedPattern), match => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Finds where sentences of any language end; Unicode's rules are the same for every locale of ICU that matters here. */
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
/** The segmenter leaves a sentence together that goes on in lower case, as people type. */
const lowerCaseStart = /(?<=[\p{L}\p{N}\p{Pe}\p{Pf}"'`%][.!?]\s{1,9})(?=["'“‘«`([]{0,2}\p{Ll})/gu;

/**
 * Sentences of one paragraph, trimmed, in order; joined by white space they are the paragraph.
 *
 * The boundaries are those of Unicode (UAX #29), and those before a lower-case word, as people type. None is inside code,
 * quotations and brackets, or after an ordinal, a date, an initial or an abbreviation: in doubt there is one sentence.
 * Linear, never throws.
 */
export function splitSentences(paragraph: string): string[] {
  const spans = findProtectedSpans(paragraph);
  const boundaries = [
    ...Array.from(segmenter.segment(paragraph), it => it.index),
    ...Array.from(paragraph.matchAll(lowerCaseStart), it => it.index),
    // The segmenter takes an opening quotation mark for a closing one.
    ...Array.from(paragraph.matchAll(/(?<=[。！？])(?=[「『（])/gu), it => it.index),
  ].sort((a, b) => a - b);
  const sentences: string[] = [];
  let start = 0;
  let span = 0;
  for (const boundary of boundaries) {
    while (span < spans.length && spans[span]!.end <= boundary) span++;
    const isInside = span < spans.length && spans[span]!.start < boundary;
    if (boundary === start || isInside || !endsSentence(paragraph, boundary)) continue;
    sentences.push(paragraph.slice(start, boundary).trim());
    start = boundary;
  }
  sentences.push(paragraph.slice(start).trim());
  return joinSigns(sentences, ' ');
}

/** Text that says something: with a letter, a digit or a pictograph. */
export const contentPattern = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Joins what is signs alone ("!!!", "->") to the part before it, and at the start to the part behind it. */
export function joinSigns(parts: readonly string[], glue: string): string[] {
  const joined: string[] = [];
  let signs = '';
  for (const part of parts) {
    const text = signs === '' ? part : signs + glue + part;
    const hasContent = contentPattern.test(part);
    if (part === '') continue;
    signs = hasContent || joined.length > 0 ? '' : text;
    if (hasContent) joined.push(text);
    else if (joined.length > 0) joined.push(`${joined.pop()!}${glue}${part}`);
  }
  return joined;
}

/** Abbreviations before a word that goes on with the sentence; lower case, without the last full stop. */
const abbreviations = new Set(
  (
    'eg ie cf viz vs approx ca incl excl resp fig figs eq sec ch vol no nr nos pp ed eds al est max min avg dept ver rev ' +
    'dr mr mrs ms mme mlle prof st sr sra srta jr inc ltd corp co bzw ggf usw evtl inkl exkl zzgl sog geb art abs abb bd ' +
    'kap tel av env hab núm pág ex ud uds им ул стр рис тыс млн др'
  ).split(' '),
);

/** Words that begin a sentence and never follow an ordinal, an initial or a title. */
const sentenceStarters = new Set(
  (
    "the an we i you he she it they this these those there our my your their no not never always don’t don't do if when " +
    'while for but or so also all every each what which who please both otherwise however and then use ' +
    'das die der dem den wir ich sie er es ihr unser unsere mein dein kein keine nicht nie immer bitte wenn falls und oder ' +
    'aber auch alle jede jeder für ' +
    'le la les nous je vous il elle ils on ce cette ces notre nos mon ne si quand et mais pour ' +
    'el los las nosotros yo usted nunca siempre cuando y pero'
  ).split(' '),
);

/** Whether a sentence ends before `boundary`, where Unicode's rules or a lower-case word suggest it. */
function endsSentence(text: string, boundary: number): boolean {
  const before = text.slice(Math.max(0, boundary - 60), boundary);
  if (/[」』]$/u.test(before)) return false;
  const sign = /((?<![.!?…])[.!?…]+|[^\s])["'”’»)\]]{0,3}(\s*)$/u.exec(before);
  if (sign === null) return true;
  const [, stop = '', space = ''] = sign;
  if (!/^[.!?…]/u.test(stop)) return true;
  // "a != b", ".env", "v1.2": a stop without white space behind it ends nothing.
  if (space === '') return false;
  const next = text.slice(boundary, boundary + 30);
  const word = /(?<![^\s([{"“„«])[^\s([{"“„«]*$/u.exec(before.slice(0, sign.index))?.[0].replace(/^['’]/u, '') ?? '';
  // An operator, or French, which has a space there.
  if (word === '') return !stop.startsWith('.') && /^\p{Lu}/u.test(next);
  if (/^…|^\.{2,}/u.test(stop)) return /^\p{Lu}/u.test(next);
  if (!stop.startsWith('.')) return true;
  return word.endsWith('\\') ? false : endsWithWord(word, before, next);
}

/** Whether the full stop after a word ends a sentence, and is not that of an abbreviation, an initial or an ordinal. */
function endsWithWord(word: string, before: string, next: string): boolean {
  const letters = word.toLowerCase();
  const startsUpperCase = /^\p{Lu}/u.test(next);
  if (/^(?:e\.g|i\.e|z\.b|d\.h|u\.a|p\.ex|p\.ej|c\.-à-d|т\.е|т\.д|т\.п)$/u.test(letters)) return false;
  if (letters === 'etc') return startsUpperCase;
  const isNumber = /^\d{1,2}(?:\.\d{1,2})?$/u.test(word);
  // "every 6 h." ends with a unit.
  const isUnit = /\d\s?[a-z]\.["'”’»)\]]{0,3}\s*$/u.test(before);
  const isInitial = /^(?:\p{L}\.)*\p{L}$/u.test(word) && word !== 'I' && !isUnit;
  const isAbbreviation =
    abbreviations.has(letters) ||
    isShortened(word, before) ||
    (/^\p{Lu}{2}$/u.test(word) && /^(?:\p{Lu}{2}\.|\p{Ll})/u.test(next)) ||
    (/^\p{L}{1,4}$/u.test(word) && /^\d/u.test(next));
  if (!isNumber && !isInitial && !isAbbreviation) return true;
  if (!startsUpperCase) return false;
  if (isNumber && englishWord.test(before) && !startsWithMonth(next)) return true;
  // "We use Go. Note: the API is in Rust."
  if (/^\p{Lu}[\p{L} ]{1,20}: /u.test(next)) return true;
  return sentenceStarters.has(/^[\p{L}'’]+/u.exec(next)![0].toLowerCase());
}

/**
 * Whether a word may be a shortened one, in any language: it is short, and has a capital within its sentence ("Mt. Fuji"), or
 * stands behind an abbreviation ("Dr. med. Weber").
 */
function isShortened(word: string, before: string): boolean {
  if (!/^\p{L}{2,4}$/u.test(word)) return false;
  const earlier = before.slice(0, before.lastIndexOf(word)).trimEnd();
  if (/(?:^|\s)\p{L}{1,4}\.$/u.test(earlier)) return true;
  return /^\p{Lu}\p{Ll}/u.test(word) && earlier !== '' && !/[.!?:]$/u.test(earlier);
}

/** English writes no ordinal with a full stop; German, Danish, Czech and others do. */
const englishWord = /\b(?:the|are|and|of|with|uses|our|is|we)\b/iu;

let cachedMonthNames: ReadonlySet<string> | undefined;

/** Whether a text begins with the name of a month, which makes a number before it a date. */
function startsWithMonth(text: string): boolean {
  cachedMonthNames ??= new Set(
    ['en', 'de', 'fr', 'es', 'it', 'da', 'cs'].flatMap(locale =>
      (['long', 'short'] as const).flatMap(month => {
        const format = new Intl.DateTimeFormat(locale, { month, day: 'numeric', timeZone: 'UTC' });
        return Array.from({ length: 12 }, (_, i) =>
          format
            .formatToParts(Date.UTC(2026, i, 1))
            .find(it => it.type === 'month')!
            .value.toLowerCase()
            .replace('.', ''),
        );
      }),
    ),
  );
  return cachedMonthNames.has(/^\p{L}*/u.exec(text)![0].toLowerCase());
}
