import { isAscii } from './letterForms.js';

/** Scripts in which about every character is one token. */
const denseScripts =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Extended_Pictographic}]/gu;

/** Characters per token of ordinary English and code, the rule of thumb of the model vendors. */
const charactersPerToken = 4;

/**
 * An estimate of a text's length in tokens of a language model; a whole number, ≥ 0. Tokenizers differ by model, and a
 * budget does not justify shipping one.
 */
export function estimateTokens(text: string): number {
  const dense = isAscii(text) ? 0 : (text.match(denseScripts)?.length ?? 0);
  return dense + Math.ceil((text.length - dense) / charactersPerToken);
}
