/** Abbreviations whose full stop does not end a sentence; lower case, without the last full stop. */
const abbreviations = new Set(
  (
    'e.g i.e eg ie vs cf viz approx ca incl excl resp fig figs eq sec ch vol no nr nos pp ed eds al est max min avg ' +
    'dr mr mrs ms prof st sr jr inc ltd corp co dept z.b d.h u.a bzw ggf usw s.o p.ej p.ex c-à-d ver rev'
  ).split(' '),
);

/** Offsets of a text that must not be split; `end` is exclusive. */
interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Code, quotations, links and brackets, each bounded so that a stray opening sign cannot protect a whole page. */
const protectedPattern =
  /`{1,2}[^`\n]{1,400}`{1,2}|"[^"\n]{1,300}"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|„[^“”\n]{1,300}[“”]|(?<![\p{L}\p{N}])'[^'\n]{1,300}'(?![\p{L}\p{N}])|\([^()\n]{1,300}\)|\[[^[\]\n]{1,300}\]|https?:\/\/[^\s<>"'`]{1,500}/gu;

/** The spans of inline code, quotations, bracketed text and links. In order, not overlapping. */
export function findProtectedSpans(text: string): readonly TextSpan[] {
  return Array.from(text.matchAll(protectedPattern), match => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/**
 * Sentences of one paragraph, trimmed, in order; joined by spaces they are the paragraph.
 *
 * A full stop ends a sentence only before white space, and not after an abbreviation, an initial, a list number, or
 * inside code, quotations and brackets: `.env`, `v1.2`, `e.g.`, `Node.js` and links survive. A sentence may start in
 * lower case, as people type. Linear, never throws.
 */
export function splitSentences(paragraph: string): string[] {
  const spans = findProtectedSpans(paragraph);
  const sentences: string[] = [];
  let start = 0;
  let span = 0;
  for (const match of paragraph.matchAll(/[.!?…]{1,9}["'”’»)\]]{0,3}(?=\s)|[。！？]["'”’»)\]」』]{0,3}/gu)) {
    while (span < spans.length && spans[span]!.end <= match.index) span++;
    const inside = span < spans.length && spans[span]!.start <= match.index && match.index < spans[span]!.end - 1;
    if (inside || !endsSentence(paragraph, match.index, match[0])) continue;
    const end = match.index + match[0].length;
    sentences.push(paragraph.slice(start, end).trim());
    start = end;
  }
  sentences.push(paragraph.slice(start).trim());
  return sentences.filter(sentence => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(sentence));
}

function endsSentence(text: string, stop: number, sign: string): boolean {
  if (!sign.startsWith('.')) return !sign.startsWith('…');
  if (sign.startsWith('..')) return /^\.{2,}["'”’»)\]]*\s+\p{Lu}/u.test(text.slice(stop, stop + 20));
  const wordBefore = /[^\s([{"'“]{1,40}$/u.exec(text.slice(Math.max(0, stop - 40), stop))?.[0] ?? '';
  if (wordBefore === '') return false;
  // "1." and "a)." number a list; "J." is an initial, but "option B." ends a sentence.
  if (/^\d{1,3}$/.test(wordBefore) && !/[\p{L}\p{N}]\s+\d{1,3}$/u.test(text.slice(Math.max(0, stop - 20), stop)))
    return false;
  if (/^\p{Lu}$/u.test(wordBefore) && /\p{Lu}/u.test(text.slice(stop, stop + 3)) && wordBefore !== 'I') return false;
  const word = wordBefore.toLowerCase();
  if (word === 'etc' || word === 'a.m' || word === 'p.m') return /^\.\s+\p{Lu}/u.test(text.slice(stop, stop + 10));
  return !abbreviations.has(word);
}
