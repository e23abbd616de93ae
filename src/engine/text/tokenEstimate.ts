import { isAscii } from './analyzer.js';

/** Scripts written without spaces, where about every character is a token of its own. */
const denseScripts =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Extended_Pictographic}]/gu;

/** Characters per token of ordinary English and code, the rule of thumb of the model vendors. */
const charactersPerToken = 4;

/**
 * Estimates how many tokens a model's tokenizer makes of a text; whole number, ≥ 0. An estimate: real tokenizers differ
 * by model, and none is worth shipping for a budget.
 */
export function estimateTokens(text: string): number {
  const dense = isAscii(text) ? 0 : (text.match(denseScripts)?.length ?? 0);
  return dense + Math.ceil((text.length - dense) / charactersPerToken);
}
