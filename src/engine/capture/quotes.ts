// A fact that a model returns rests on a quote: one that was not said is dropped, whatever the fact says.

/** Shorter quotes would be found in any turn. In UTF-16 units, normalized; a script without spaces says more in one. */
const minQuoteLength = 8;
const minWideQuoteLength = 4;

/**
 * The index of the text that holds a quote; undefined where none does. White space, case, quotation marks, formatting and
 * the punctuation around the quote do not count. Texts at `preferred` indices are searched first.
 */
export function findQuote(
  quote: string,
  texts: readonly string[],
  isPreferred: (index: number) => boolean,
): number | undefined {
  const parts = quote
    .split(/…|\.{3}|\[\.\.\.\]/u)
    .map(normalizeQuote)
    .filter(it => it !== '');
  const length = parts.reduce((sum, it) => sum + it.length, 0);
  const isWide = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(quote);
  if (length < (isWide ? minWideQuoteLength : minQuoteLength)) return undefined;
  const found = texts.flatMap((text, i) => (holdsInOrder(normalizeQuote(text), parts) ? [i] : []));
  return found.find(isPreferred) ?? found[0];
}

function holdsInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const it of parts) {
    const at = text.indexOf(it, from);
    if (at < 0) return false;
    from = at + it.length;
  }
  return true;
}

function normalizeQuote(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/["“”„«»`*_]/gu, '')
    .replaceAll('’', "'")
    .replaceAll(/\s+/gu, ' ')
    .replace(/^[\s.,;:!?。！？，]+/u, '')
    .replace(/(?<![\s.,;:!?。！？，])[\s.,;:!?。！？，]+$/u, '');
}
